package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// settle appends the terminal record of a pending approval: how it ended, in
// the words of the table of causes, with whatever else body says.
func (d *draft) settle(a *fold.Approval, how approval.Resolution, body *record.ApprovalSettled) {
	body.Opened = a.Opened
	body.Outcome = string(how.Outcome)
	body.Decision = how.Decision
	body.PolicyResult = how.PolicyResult
	body.ResolvedBy = how.ResolvedBy
	body.Source = how.Source
	if body.Stages == nil {
		body.Stages = stagesOf(d.full(a).Stages)
	}
	d.add(a.ID, body)
}

// stagesOf writes resolutions the way records keep them; nil for none.
func stagesOf(stages []approval.StageResolution) []record.Stage {
	if stages == nil {
		return nil
	}
	out := make([]record.Stage, len(stages))
	for i, s := range stages {
		out[i] = record.Stage{Kind: string(s.Kind), Diagnostic: s.Diagnostic, ArgvPrefix: s.ArgvPrefix}
	}
	return out
}
