package wire

// Outcome is the terminal state of an approval (the table of protocol §6).
type Outcome string

const (
	OutcomeAllowedOnce       Outcome = "allowedOnce"
	OutcomeAllowedSession    Outcome = "allowedSession"
	OutcomeAllowedPersistent Outcome = "allowedPersistent"
	OutcomeRejected          Outcome = "rejected"
	OutcomeCancelled         Outcome = "cancelled"
	OutcomeTimedOut          Outcome = "timedOut"
	OutcomeUnavailable       Outcome = "unavailable"
	OutcomeSuperseded        Outcome = "superseded"
)

// PolicyResult is the answer in one word. Anything but allow is a denial. The set is closed.
type PolicyResult string

const (
	PolicyAllow PolicyResult = "allow"
	PolicyDeny  PolicyResult = "deny"
)

// ResolvedBy says who ended an approval.
type ResolvedBy string

const (
	ResolvedByUser   ResolvedBy = "user"
	ResolvedByPolicy ResolvedBy = "policy"
)

// Source says what decided (the table of protocol §6).
type Source string

const (
	SourceReviewer     Source = "reviewer"
	SourceRule         Source = "rule"
	SourceSessionGrant Source = "sessionGrant"
	SourceMode         Source = "mode"
	SourceToolMode     Source = "toolMode"
	SourceBuiltin      Source = "builtin"
	SourceAgent        Source = "agent"
	SourceTurn         Source = "turn"
	SourceSession      Source = "session"
	SourceCatalog      Source = "catalog"
	SourceDeadline     Source = "deadline"
	SourceUnattended   Source = "unattended"
	SourceRecovery     Source = "recovery"
)

// State tells pending approvals from resolved ones.
type State string

const (
	StatePending  State = "pending"
	StateResolved State = "resolved"
)

// ApprovalResolved is the view event of the terminal record: to every
// subscriber, the decider included, exactly once.
type ApprovalResolved struct {
	SessionID           string              `json:"sessionId"`
	ViewCursor          string              `json:"viewCursor"`
	SourceRange         SourceRange         `json:"sourceRange"`
	ApprovalID          string              `json:"approvalId"`
	ItemID              string              `json:"itemId"`
	TurnID              string              `json:"turnId"`
	ToolCallID          string              `json:"toolCallId"`
	Decision            Decision            `json:"decision"`
	PolicyResult        PolicyResult        `json:"policyResult"`
	ResolvedBy          ResolvedBy          `json:"resolvedBy"`
	StageEvidence       List[StageEvidence] `json:"stageEvidence"`
	Amendment           *Amendment          `json:"amendment,omitzero"`
	DecidedByCommandID  string              `json:"decidedByCommandId,omitzero"`
	DecidedAt           Time                `json:"decidedAt"`
	Outcome             Outcome             `json:"outcome"`
	Source              Source              `json:"source"`
	SuccessorApprovalID string              `json:"successorApprovalId,omitzero"`
	SubagentOrigin      *SubagentOrigin     `json:"subagentOrigin,omitzero"`
	DecidedBy           *Decider            `json:"decidedBy,omitzero"` // with CapabilityDecidedBy, where a person decided
}

// Amendment is the grant that a decision left behind. Durability is
// [ScopeSession] or [ScopeLocalPersistent].
type Amendment struct {
	Durability  Scope  `json:"durability"`
	RulePreview string `json:"rulePreview"`
}

// Resolution is what the agent learns of a resolved approval (protocol §7).
// Feedback goes to the agent side only. Denial is set for the outcomes
// rejected, timedOut, unavailable and cancelled.
type Resolution struct {
	ApprovalID          string       `json:"approvalId"`
	ToolCallID          string       `json:"toolCallId"`
	Outcome             Outcome      `json:"outcome"`
	Decision            Decision     `json:"decision"`
	PolicyResult        PolicyResult `json:"policyResult"`
	ResolvedBy          ResolvedBy   `json:"resolvedBy"`
	Source              Source       `json:"source"`
	DecidedAt           Time         `json:"decidedAt"`
	Feedback            string       `json:"feedback,omitzero"`
	Permit              *Permit      `json:"permit,omitzero"`
	Denial              *Denial      `json:"denial,omitzero"`
	SuccessorApprovalID string       `json:"successorApprovalId,omitzero"`
}

// Permit is what was approved, by its digests.
type Permit struct {
	ArgsDigest    string `json:"argsDigest"`
	SubjectDigest string `json:"subjectDigest"`
}

// DenialKind sorts denials.
type DenialKind string

const (
	DenialRejected    DenialKind = "rejected"
	DenialPolicy      DenialKind = "policy"
	DenialTimedOut    DenialKind = "timedOut"
	DenialUnavailable DenialKind = "unavailable"
	DenialCancelled   DenialKind = "cancelled"
	DenialConflict    DenialKind = "conflict" // of a batch: it was not taken, and is left as it is
)

// Denial explains a refusal. Message is written for a model: what was refused,
// by whom or which rule, and that repeating the same call will not help.
type Denial struct {
	Kind     DenialKind `json:"kind"`
	Message  string     `json:"message"`
	Feedback string     `json:"feedback,omitzero"`
	Rule     string     `json:"rule,omitzero"`
}
