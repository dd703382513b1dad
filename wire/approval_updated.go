package wire

import "encoding/json"

// ApprovalUpdated is the view event of a change to a pending approval (or of a
// late policyPersistence). With nothing left to decide AvailableChoices is [].
type ApprovalUpdated struct {
	SessionID            string          `json:"sessionId"`
	ViewCursor           string          `json:"viewCursor"`
	SourceRange          SourceRange     `json:"sourceRange"`
	ApprovalID           string          `json:"approvalId"`
	Subject              json.RawMessage `json:"subject"`
	CurrentRequirementID RequirementID   `json:"currentRequirementId"`
	AvailableChoices     List[Choice]    `json:"availableChoices"`
	Change               Change          `json:"change"`
	SubagentOrigin       *SubagentOrigin `json:"subagentOrigin,omitzero"`
}

// ChangeKind says what changed (protocol §6).
type ChangeKind string

const (
	ChangeStageResolved     ChangeKind = "stageResolved"
	ChangePolicyPersistence ChangeKind = "policyPersistence"
	ChangeRestartRecovered  ChangeKind = "restartRecovered"
	ChangeReviewStarted     ChangeKind = "reviewStarted"
	ChangeReviewCompleted   ChangeKind = "reviewCompleted"
)

// PersistenceStatus says whether a rule reached the policy store.
type PersistenceStatus string

const (
	PersistenceSucceeded PersistenceStatus = "succeeded"
	PersistenceFailed    PersistenceStatus = "failed"
)

// Change is one change; only the members of its kind are present.
type Change struct {
	Kind ChangeKind `json:"kind"`

	// stageResolved; without choice and decision where policy settled the stage.
	RequirementID *RequirementID `json:"requirementId,omitzero"`
	ChoiceID      ChoiceID       `json:"choiceId,omitzero"`
	Decision      Decision       `json:"decision,omitzero"`

	// policyPersistence.
	Status PersistenceStatus `json:"status,omitzero"`
	Reason string            `json:"reason,omitzero"`

	// restartRecovered: whether the stages' argv differ, and whether the
	// successor can be executed.
	Reparsed   *bool `json:"reparsed,omitzero"`
	Executable *bool `json:"executable,omitzero"`
}
