package wire

import "encoding/json"

// HistoryPreference is the form of a session's past that a client would rather
// have. It is a preference: History.Mode says what was served.
type HistoryPreference string

const (
	PreferAuto     HistoryPreference = "auto"     // the default; inline
	PreferInline   HistoryPreference = "inline"   // the items
	PreferSnapshot HistoryPreference = "snapshot" // the state that all events up to here come to
	PreferAnchored HistoryPreference = "anchored" // inline: no session is ever compacted
)

// HistoryMode says which form of history was served.
type HistoryMode string

const (
	HistoryInline   HistoryMode = "inline"
	HistorySnapshot HistoryMode = "snapshot"
	HistoryNone     HistoryMode = "none"
)

// NoneReason says why no history was served (msp-facts §3.2).
type NoneReason string

const (
	NoneExcluded     NoneReason = "excluded"      // it was asked for without items
	NoneCursorSuffix NoneReason = "cursorSuffix"  // the events behind the cursor are sent instead
	NoneBudget       NoneReason = "historyBudget" // the answer would have been larger than 4 MiB; view/page has it
)

// History is what a session's past looks like. Items is present exactly when Mode
// is inline, Snapshot when it is snapshot, NoneReason when it is none.
//
// Items are those of a transcript. approvald keeps none, so the list is empty: what
// it has of a session is its events (view/page), their sum (snapshot), and what
// is pending, which is pointed at and issued again in every mode.
type History struct {
	Mode       HistoryMode            `json:"mode"`
	Items      *List[json.RawMessage] `json:"items"`
	Snapshot   *Snapshot              `json:"snapshot"`
	NoneReason NoneReason             `json:"noneReason,omitzero"`
}

// NoItems is the inline history of a session.
func NoItems() History { return History{Mode: HistoryInline, Items: new(List[json.RawMessage]{})} }

// Snapshot is the state of a session's view at a cursor: what a client has that
// has folded every event up to it. Events behind ViewCursor go on from there.
type Snapshot struct {
	SchemaVersion int           `json:"schemaVersion"` // SnapshotVersion
	ViewCursor    string        `json:"viewCursor"`
	State         SnapshotState `json:"state"`
}

// SnapshotVersion is the version of SnapshotState.
const SnapshotVersion = 1

// SnapshotState has every member that the Session Protocol requires of one. What
// approvald knows nothing of, as the transcript, goals, branches and tokens, is
// empty, null or zero. The pending lists are complete, in opening order, and
// cover the sessions below.
type SnapshotState struct {
	Items             List[json.RawMessage]         `json:"items"`      // always empty
	ActiveTurn        *TurnRef                      `json:"activeTurn"` // null: no turn is open
	QueuedTurns       List[TurnRef]                 `json:"queuedTurns"`
	PendingApprovals  List[PendingApprovalPointer]  `json:"pendingApprovals"`
	PendingUserInputs List[PendingUserInputPointer] `json:"pendingUserInputs"`
	ApprovalMode      ModeState                     `json:"approvalMode"`
	EffectiveModel    *EffectiveModel               `json:"effectiveModel"` // null: the session names none
	Goal              *Empty                        `json:"goal"`           // always null
	TodoList          *Empty                        `json:"todoList"`       // always null
	Branch            *Empty                        `json:"branch"`         // always null
	TokenUsage        TokenUsage                    `json:"tokenUsage"`     // always zero
	TurnCount         int64                         `json:"turnCount"`
	Name              string                        `json:"name,omitzero"`
}

// TurnRef names a turn and the command that started it.
type TurnRef struct {
	TurnID    string `json:"turnId"`
	CommandID string `json:"commandId,omitzero"`
}

// PendingApprovalPointer points at a pending approval from within a snapshot, as
// PendingRequest does.
type PendingApprovalPointer struct {
	ApprovalID     string          `json:"approvalId"`
	ViewCursor     string          `json:"viewCursor"`
	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}

// PendingUserInputPointer points at a pending prompt from within a snapshot, as
// PendingRequest does.
type PendingUserInputPointer struct {
	UserInputID    string          `json:"userInputId"`
	ViewCursor     string          `json:"viewCursor"`
	SubagentOrigin *SubagentOrigin `json:"subagentOrigin,omitzero"`
}

// EffectiveModel is the model that a session was started with.
type EffectiveModel struct {
	ModelID    string  `json:"modelId"`
	ProviderID *string `json:"providerId"`
	Source     string  `json:"source"` // always default: nobody changes it
}

// TokenUsage counts what a session's models have read and written, which approvald
// does not know.
type TokenUsage struct {
	PromptTokens int64 `json:"promptTokens"`
	OutputTokens int64 `json:"outputTokens"`
	TotalTokens  int64 `json:"totalTokens"`
}
