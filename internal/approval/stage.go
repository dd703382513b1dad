package approval

import "slices"

// RequirementID names the one thing that a decision answers: a stage of a
// shell command, or, with index 0, the whole of any other subject. It is the
// guard against deciding a stage that has moved on (seed 003 "Decide").
type RequirementID struct {
	Approval    ID  `json:"approvalId"`
	SourceIndex int `json:"sourceIndex"` // 0-based, in source order
}

// Stage is one independently decidable part of a shell command.
type Stage struct {
	RequirementID RequirementID   `json:"requirementId"`
	Position      int             `json:"position"` // 1-based
	TotalStages   int             `json:"totalStages"`
	Argv          []string        `json:"argv"`
	ArgvComplete  bool            `json:"argvComplete"` // false: opaque, one raw text
	Resolution    StageResolution `json:"resolution"`
	// SuggestedPrefix is the rule that may be written for the stage; nil where
	// none would be safe (policy.md "Shell").
	SuggestedPrefix *SuggestedPrefix `json:"suggestedPrefix,omitempty"`
}

// SuggestedPrefix is a rule about the first words of a command.
type SuggestedPrefix struct {
	ArgvPrefix []string `json:"argvPrefix"`
	Label      string   `json:"label"`
}

// StageResolution is what is known about a stage.
type StageResolution struct {
	Kind       StageState `json:"kind"`
	Diagnostic string     `json:"diagnostic,omitempty"` // the rule or mode that settled it, or why it is open
	ArgvPrefix []string   `json:"argvPrefix,omitempty"` // of policyAmendment: the rule that was written
}

// Equal reports whether two resolutions say the same.
func (r StageResolution) Equal(o StageResolution) bool {
	return r.Kind == o.Kind && r.Diagnostic == o.Diagnostic && slices.Equal(r.ArgvPrefix, o.ArgvPrefix)
}

// StageState is the open enumeration of protocol §6 "Stage".
type StageState string

// The states of a stage.
const (
	StageUnresolved      StageState = "unresolved"
	StageKnownSafe       StageState = "knownSafe"
	StagePolicyAllow     StageState = "policyAllow"
	StageAllowOnce       StageState = "allowOnce"
	StagePolicyAmendment StageState = "policyAmendment" // a rule was written for it
)

// Open reports whether a stage still waits for a decision.
func (r StageResolution) Open() bool { return r.Kind == StageUnresolved }

// WithResolutions is the subject with the resolutions of its stages replaced,
// in order. A subject without stages is returned as it is, and so are stages
// beyond the resolutions given. The argument is not modified.
func WithResolutions(s Subject, to []StageResolution) Subject {
	sh, ok := s.(Shell)
	if !ok {
		return s
	}
	stages := make([]Stage, len(sh.Stages))
	copy(stages, sh.Stages)
	for i := range min(len(stages), len(to)) {
		stages[i].Resolution = to[i]
	}
	sh.Stages = stages
	return sh
}

// Resolutions are the resolutions of a subject's stages in order; nil for a
// subject without stages.
func Resolutions(s Subject) []StageResolution {
	sh, ok := s.(Shell)
	if !ok {
		return nil
	}
	out := make([]StageResolution, len(sh.Stages))
	for i, stage := range sh.Stages {
		out[i] = stage.Resolution
	}
	return out
}
