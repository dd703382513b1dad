package wire

// RequirementID names what a decision must target: stage SourceIndex (from 0)
// of a shell command; any other subject has the one requirement 0.
type RequirementID struct {
	ApprovalID  string `json:"approvalId"`
	SourceIndex int    `json:"sourceIndex"`
}

// StageResolutionKind says what settled a stage.
type StageResolutionKind string

const (
	StageUnresolved      StageResolutionKind = "unresolved"
	StageKnownSafe       StageResolutionKind = "knownSafe"
	StagePolicyAllow     StageResolutionKind = "policyAllow"
	StageAllowOnce       StageResolutionKind = "allowOnce"
	StagePolicyAmendment StageResolutionKind = "policyAmendment"
)

// StageResolution is the state of a stage. Diagnostic names the rule or mode
// that decided; on an unresolved stage one that begins with "policyDeny" tells
// why the approval was denied (policy, "Shell").
type StageResolution struct {
	Kind       StageResolutionKind `json:"kind"`
	Diagnostic string              `json:"diagnostic,omitzero"`
	ArgvPrefix []string            `json:"argvPrefix,omitempty"` // the saved prefix
}

// SuggestedPrefix is the rule that allow_local_prefix would write.
type SuggestedPrefix struct {
	ArgvPrefix List[string] `json:"argvPrefix"`
	Label      string       `json:"label"`
}

// Stage is one simple command of a shell subject. Position counts from 1.
// ArgvComplete is false for an opaque stage, whose argv is then one raw piece.
type Stage struct {
	RequirementID   RequirementID    `json:"requirementId"`
	Position        int              `json:"position"`
	TotalStages     int              `json:"totalStages"`
	Argv            List[string]     `json:"argv"`
	ArgvComplete    bool             `json:"argvComplete"`
	Resolution      StageResolution  `json:"resolution"`
	SuggestedPrefix *SuggestedPrefix `json:"suggestedPrefix,omitzero"`
}

// StageEvidence is what approval/resolved keeps of a stage (msp-facts §5.2).
type StageEvidence struct {
	RequirementID RequirementID   `json:"requirementId"`
	Position      int             `json:"position"`
	TotalStages   int             `json:"totalStages"`
	Argv          List[string]    `json:"argv"`
	Resolution    StageResolution `json:"resolution"`
}
