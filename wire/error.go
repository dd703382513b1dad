package wire

import (
	"errors"
	"fmt"
)

// Error is the error member of a response. It is what the client returns for a
// refusal, to be found with errors.As; callers branch on Data.Kind.
type Error struct {
	Code    int       `json:"code"`
	Message string    `json:"message"`
	Data    ErrorData `json:"data"`
}

// Error gives the message with the kind; the message is for people.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (%s, %d)", e.Message, e.Data.Kind, e.Code)
}

// ErrorData says what kind of refusal it is and whether the same request may
// succeed later. Which of the other members a kind carries is said in the
// Meaning of its row in [Errors].
type ErrorData struct {
	Kind      ErrorKind `json:"kind"`
	Retryable bool      `json:"retryable"`

	Reason               Reason            `json:"reason,omitzero"`
	CommandID            string            `json:"commandId,omitzero"`
	SessionID            string            `json:"sessionId,omitzero"`
	ApprovalID           string            `json:"approvalId,omitzero"`
	ChoiceID             ChoiceID          `json:"choiceId,omitzero"`
	CurrentRequirementID *RequirementID    `json:"currentRequirementId,omitzero"`
	Resolution           *ResolutionNotice `json:"resolution,omitzero"`
	SuccessorApprovalID  string            `json:"successorApprovalId,omitzero"`
	UserInputID          string            `json:"userInputId,omitzero"`
	Settlement           *SettlementNotice `json:"settlement,omitzero"`
	Anchor               *string           `json:"anchor,omitzero"`
	LimitBytes           int64             `json:"limitBytes,omitzero"`
	Capacity             int64             `json:"capacity,omitzero"`
	Capability           string            `json:"capability,omitzero"`
	Role                 Role              `json:"role,omitzero"`
	Method               string            `json:"method,omitzero"`
}

// ResolutionNotice tells the loser of a race who won, so that its dialog can be
// dismissed without another read (seed 003).
type ResolutionNotice struct {
	Decision   Decision   `json:"decision"`
	ResolvedBy ResolvedBy `json:"resolvedBy"`
	ViewCursor string     `json:"viewCursor"` // of approval/resolved
	Outcome    Outcome    `json:"outcome"`
}

// NewError makes the error of code, with kind and retryable from [Errors];
// each detail then fills in further members, or overrides those two. A code
// that the table does not know becomes an internal error, so that nothing
// unlisted reaches the wire (protocol §9).
func NewError(code int, message string, details ...func(*ErrorData)) *Error {
	spec, known := LookupError(code)
	if !known {
		spec, _ = LookupError(CodeInternal)
		message = "internal error"
	}
	e := &Error{
		Code:    spec.Code,
		Message: message,
		Data:    ErrorData{Kind: spec.Kind, Retryable: spec.Retryable},
	}
	for _, detail := range details {
		detail(&e.Data)
	}
	return e
}

// IsKind reports whether err is, or wraps, an [Error] of this kind.
func IsKind(err error, kind ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && e.Data.Kind == kind
}

// IsRetryable reports whether err is, or wraps, an [Error] that the same
// request, with the same commandId, may outlive.
func IsRetryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Data.Retryable
}
