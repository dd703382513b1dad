package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var stageAllowed = approval.StageResolution{Kind: approval.StageAllowOnce}

// allowStage settles the current stage and evaluates the remaining ones again
// (protocol §6 "Stages"): what is in force by now settles its stages in the
// same commit, and the next open one is put to reviewers. The mode is that of
// the question, not the session's: a change of mode decides nothing that is
// pending (protocol §4).
func (c Decide) allowStage(d *draft, a *fold.Approval, choice wire.Choice) {
	stages := slices.Clone(a.Stages)
	stages[a.Requirement] = stageAllowed
	subject := approval.WithResolutions(a.Subject(), stages)
	action := a.Action()
	action.Subject = subject
	verdict := d.env.Policy.Evaluate(action, policy.Context{
		Under: []policy.Regime{{Mode: approval.PromptUnmatched}}, Granted: granted(d.state, d.now()),
	})

	settled := []int{a.Requirement}
	if next, left := firstOpen(stages); left && verdict.Effect == policy.Allow {
		for i := next; i < len(stages); i++ {
			if stages[i].Open() {
				settled = append(settled, i)
			}
		}
	}
	c.settleStages(d, a, choice, settled, verdict)
	after, _ := d.now().Approval(a.ID)
	if _, left := firstOpen(after.Stages); left {
		return
	}
	if len(settled) > 1 { // policy ended it
		d.settle(after, verdict.Resolution, &record.ApprovalSettled{})
		return
	}
	c.end(d, after, choice, approval.ByReviewerOnce)
}

// settleStages appends a record for each settled stage: the first by the
// reviewer, those after it by policy. The last one puts the next requirement
// to reviewers if there is one.
func (c Decide) settleStages(d *draft, a *fold.Approval, choice wire.Choice, settled []int, verdict policy.Verdict) {
	stages := slices.Clone(a.Stages)
	for n, index := range settled {
		body := &record.StageSettled{Opened: a.Opened, Stage: index}
		if n == 0 {
			stages[index] = stageAllowed
			body.ChoiceID, body.Decision, body.By = string(choice.ChoiceID), string(choice.Decision), &c.By
		} else {
			stages[index] = verdict.Stages[index]
		}
		d.stage(a, body, stages, n == len(settled)-1)
	}
}

// allowRest settles every remaining stage, in order, and with the last of
// them the approval.
func (c Decide) allowRest(d *draft, a *fold.Approval, choice wire.Choice) {
	stages := slices.Clone(a.Stages)
	for i := range stages {
		if !stages[i].Open() {
			continue
		}
		stages[i] = stageAllowed
		d.stage(a, &record.StageSettled{
			Opened: a.Opened, Stage: i,
			ChoiceID: string(choice.ChoiceID), Decision: string(choice.Decision), By: &c.By,
		}, stages, false)
	}
	after, _ := d.now().Approval(a.ID)
	c.end(d, after, choice, approval.ByReviewerOnce)
}

// stage completes and appends the record of one settled stage. With something
// left it carries the next requirement and its menu, and, where ask says so,
// puts it to reviewers; with nothing left, the last requirement and no menu.
func (d *draft) stage(a *fold.Approval, body *record.StageSettled, stages []approval.StageResolution, ask bool) {
	body.Stages = stagesOf(stages)
	body.Next, body.Menu = body.Stage, noMenu
	if next, left := firstOpen(stages); left {
		subject := approval.WithResolutions(a.Subject(), stages)
		body.Next, body.Menu, body.Asks = next, encode(menu(subject, true)), ask
	}
	d.add(a.ID, body)
}
