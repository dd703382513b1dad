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
	for i, p := range parsed {
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
	}
	return stages
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
	return settle(stages, approval.StageResolution{Kind: approval.StagePolicyAllow, Diagnostic: why})
}

// denyStages marks every open stage: a denied stage stays unresolved, with a
// diagnostic that begins policyDeny (policy.md "Shell").
func denyStages(stages []approval.StageResolution, why string) []approval.StageResolution {
	return settle(stages, approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: "policyDeny: " + why})
}

func settle(stages []approval.StageResolution, to approval.StageResolution) []approval.StageResolution {
	if stages == nil {
		return nil
	}
	out := make([]approval.StageResolution, len(stages))
	for i, stage := range stages {
		if stage.Open() {
			stage = to
		}
		out[i] = stage
	}
	return out
}
