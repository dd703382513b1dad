package wire

// ErrorKind is what clients branch on.
type ErrorKind string

// The kinds, in the order of their codes. KindNotInitialized and
// KindAlreadyInitialized override the kind of CodeInvalidRequest.
const (
	KindParseError                  ErrorKind = "parseError"
	KindInvalidRequest              ErrorKind = "invalidRequest"
	KindNotInitialized              ErrorKind = "notInitialized"
	KindAlreadyInitialized          ErrorKind = "alreadyInitialized"
	KindMethodNotFound              ErrorKind = "methodNotFound"
	KindInvalidParams               ErrorKind = "invalidParams"
	KindInternal                    ErrorKind = "internal"
	KindOverloaded                  ErrorKind = "overloaded"
	KindInputTooLarge               ErrorKind = "inputTooLarge"
	KindCapabilityRequired          ErrorKind = "capabilityRequired"
	KindNotFound                    ErrorKind = "notFound"
	KindSessionNotFound             ErrorKind = "sessionNotFound"
	KindSessionInUse                ErrorKind = "sessionInUse"
	KindSessionNotLoaded            ErrorKind = "sessionNotLoaded"
	KindCommandRejected             ErrorKind = "commandRejected"
	KindBackpressured               ErrorKind = "backpressured"
	KindViewTruncated               ErrorKind = "viewTruncated"
	KindApprovalNotFound            ErrorKind = "approvalNotFound"
	KindApprovalAlreadyResolved     ErrorKind = "approvalAlreadyResolved"
	KindApprovalChoiceInvalid       ErrorKind = "approvalChoiceInvalid"
	KindApprovalRequirementStale    ErrorKind = "approvalRequirementStale"
	KindApprovalReviewerUnavailable ErrorKind = "approvalReviewerUnavailable"
	KindUserInputNotFound           ErrorKind = "userInputNotFound"
	KindUserInputAlreadySettled     ErrorKind = "userInputAlreadySettled"
	KindUserInputAnswerInvalid      ErrorKind = "userInputAnswerInvalid"
	KindRoleForbidden               ErrorKind = "roleForbidden"
	KindApprovalAlreadyConsumed     ErrorKind = "approvalAlreadyConsumed"
	KindApprovalPending             ErrorKind = "approvalPending"
	KindApprovalMismatch            ErrorKind = "approvalMismatch"
	KindCatalogClosed               ErrorKind = "catalogClosed"
	KindShuttingDown                ErrorKind = "shuttingDown"
)

// Reason refines a kind. Unknown reasons are terminal rejections
// (msp-facts §2.3).
type Reason string

// Reasons of commandRejected.
const (
	ReasonCommandIDConflict   Reason = "command_id_conflict"   // same id, another payload
	ReasonSessionIDConflict   Reason = "session_id_conflict"   // the id names a session
	ReasonSessionClosed       Reason = "session_closed"        // by session/close
	ReasonApprovalModeCeiling Reason = "approval_mode_ceiling" // above or incomparable
	ReasonTurnEnded           Reason = "turn_ended"            // turnId names an ended turn
	ReasonMissingRun          Reason = "missing_run"           // no agent attached
	ReasonRunActive           Reason = "run_active"            // a turn is open, or something waits outside one
	ReasonInvalidTarget       Reason = "invalid_target"        // unknown turn, or to turn/interrupt one that has ended
)

// Reasons of approvalMismatch: why a permit does not fit (protocol §7).
const (
	ReasonCallMismatch          Reason = "callMismatch"
	ReasonArgsMismatch          Reason = "argsMismatch"
	ReasonSubjectMismatch       Reason = "subjectMismatch"
	ReasonTargetChanged         Reason = "targetChanged"
	ReasonDenied                Reason = "denied" // by a rule of now
	ReasonCallEnded             Reason = "callEnded"
	ReasonPermitTurnEnded       Reason = "turnEnded"
	ReasonSessionEnded          Reason = "sessionClosed"
	ReasonPermitCatalogClosed   Reason = "catalogClosed" // or its catalog lists the tool otherwise
	ReasonProtectedWriteRestart Reason = "protectedWriteRestart"
	ReasonSuperseded            Reason = "superseded" // data names the successor
)

// ReasonMissingAnchor is the reason of notFound for an unknown view cursor.
const ReasonMissingAnchor Reason = "missingAnchor"
