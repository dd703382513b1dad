package policy

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

// Stages are the published form of a command's stages, which the approval id
// decides one by one. A builtin that only tests is known safe from the start;
// everything else is open.
func Stages(id approval.ID, parsed []shell.Stage) []approval.Stage {
	stages := make([]approval.Stage, len(parsed))
	suggestions := make([]approval.SuggestedPrefix, len(parsed))
	for i := range parsed {
		p := &parsed[i]
		resolution := approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: p.Diagnostic}
		if p.KnownSafe {
			resolution = approval.StageResolution{Kind: approval.StageKnownSafe}
		}
		stages[i] = approval.Stage{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: i},
			Position:      i + 1,
			TotalStages:   len(parsed),
			Argv:          p.Argv,
			ArgvComplete:  p.Complete,
			Resolution:    resolution,
		}
		if len(p.Prefix) > 0 {
			suggestions[i] = approval.SuggestedPrefix{ArgvPrefix: p.Prefix, Label: label(p.Prefix)}
			stages[i].SuggestedPrefix = &suggestions[i]
		}
	}
	return stages
}

// label is what a reviewer is shown of the rule about a prefix, in the words of
// Describe.
func label(prefix []string) string {
	return string(appendBeginning(append(new(room)[:0], "Always allow "...), prefix))
}

// Own is a copy of stages as the stages of the approval id.
func Own(id approval.ID, stages []approval.Stage) []approval.Stage {
	own := slices.Clone(stages)
	for i := range own {
		own[i].RequirementID.Approval = id
	}
	return own
}

// allowStages settles every open stage as allowed by policy.
func allowStages(stages []approval.StageResolution, why string) []approval.StageResolution {
	out := slices.Clone(stages)
	for i := range out {
		if out[i].Open() {
			out[i] = approval.StageResolution{Kind: approval.StagePolicyAllow, Diagnostic: why}
		}
	}
	return out
}
