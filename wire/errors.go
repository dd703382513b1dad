package wire

// The error codes. Each has one row in [Errors].
const (
	CodeParseError                  = -32700
	CodeInvalidRequest              = -32600
	CodeMethodNotFound              = -32601
	CodeInvalidParams               = -32602
	CodeInternal                    = -32603
	CodeOverloaded                  = -32001
	CodeInputTooLarge               = -32002
	CodeCapabilityRequired          = -32010
	CodeNotFound                    = -32011
	CodeSessionNotFound             = -32020
	CodeSessionInUse                = -32021
	CodeSessionNotLoaded            = -32024
	CodeCommandRejected             = -32030
	CodeBackpressured               = -32031
	CodeViewTruncated               = -32040
	CodeApprovalNotFound            = -32050
	CodeApprovalAlreadyResolved     = -32051
	CodeApprovalChoiceInvalid       = -32052
	CodeApprovalRequirementStale    = -32053
	CodeApprovalReviewerUnavailable = -32054
	CodeUserInputNotFound           = -32055
	CodeUserInputAlreadySettled     = -32056
	CodeUserInputAnswerInvalid      = -32057
	CodeRoleForbidden               = -32090
	CodeApprovalAlreadyConsumed     = -32091
	CodeApprovalPending             = -32092
	CodeApprovalMismatch            = -32093
	CodeCatalogClosed               = -32094
	CodeShuttingDown                = -32095
)

// ErrorSpec is one row of the error table.
type ErrorSpec struct {
	Code      int
	Name      string // as in the Code… constant
	Kind      ErrorKind
	Retryable bool
	// Recorded says that the refusal is durable and replayed unchanged to the
	// same commandId; the others are evaluated afresh. Of commandRejected the
	// reasons command_id_conflict, session_id_conflict and session_closed are
	// not recorded: their cause never changes (protocol §3).
	Recorded bool
	Meaning  string
	// Data names the members of [ErrorData] that the error carries beside kind
	// and retryable, as they are on the wire. One that may be absent ends in "?".
	Data []string
}

// Errors holds every error that approvald sends or reserves (protocol §9). It
// is not to be changed.
var Errors = []ErrorSpec{
	{CodeParseError, "ParseError", KindParseError, false, false,
		"The frame is not JSON, not UTF-8, repeats a member name or nests too deep; the id is null.", nil},
	{CodeInvalidRequest, "InvalidRequest", KindInvalidRequest, false, false,
		"The frame is no JSON-RPC 2.0 request. Also notInitialized before the handshake and alreadyInitialized after a second initialize.", nil},
	{CodeMethodNotFound, "MethodNotFound", KindMethodNotFound, false, false,
		"The method does not exist, or not in this profile.", []string{"method?"}},
	{CodeInvalidParams, "InvalidParams", KindInvalidParams, false, false,
		"A param is missing, has the wrong type or is out of bounds; the message names it.", nil},
	{CodeInternal, "Internal", KindInternal, false, false,
		"Something failed inside; the cause is in the daemon's log. Retryable after a failed commit, whose effect may be durable: retry with the same commandId.", []string{"sessionId?"}},
	{CodeOverloaded, "Overloaded", KindOverloaded, true, false,
		"Too many requests wait on this connection, or too many commands of the session were refused in a row.", nil},
	{CodeInputTooLarge, "InputTooLarge", KindInputTooLarge, false, false,
		"The frame exceeds limitBytes.", []string{"limitBytes"}},
	{CodeCapabilityRequired, "CapabilityRequired", KindCapabilityRequired, false, false,
		"The method needs the capability that was not granted. Reserved.", []string{"capability"}},
	{CodeNotFound, "NotFound", KindNotFound, false, false,
		"The cursor in anchor is not one of this session; reason missingAnchor, sessionId. Without reason: no such grant can be revoked through the session, or there is no such catalog.", []string{"reason?", "sessionId?", "anchor?"}},
	{CodeSessionNotFound, "SessionNotFound", KindSessionNotFound, false, false,
		"No session sessionId exists, or an agent does not own it.", []string{"sessionId"}},
	{CodeSessionInUse, "SessionInUse", KindSessionInUse, false, false,
		"Another host holds the session sessionId. Reserved.", []string{"sessionId"}},
	{CodeSessionNotLoaded, "SessionNotLoaded", KindSessionNotLoaded, false, false,
		"The session sessionId is not loaded. Reserved: commands load their session.", []string{"sessionId"}},
	{CodeCommandRejected, "CommandRejected", KindCommandRejected, false, true,
		"The command commandId is refused for reason; an unknown reason is a terminal refusal.", []string{"commandId", "reason", "sessionId?"}},
	{CodeBackpressured, "Backpressured", KindBackpressured, true, false,
		"The session holds capacity pending approvals already.", []string{"capacity"}},
	{CodeViewTruncated, "ViewTruncated", KindViewTruncated, false, false,
		"The events asked for are no longer kept. Reserved: nothing is pruned.", []string{"sessionId"}},
	{CodeApprovalNotFound, "ApprovalNotFound", KindApprovalNotFound, false, false,
		"approvalId was never issued in this session.", []string{"approvalId"}},
	{CodeApprovalAlreadyResolved, "ApprovalAlreadyResolved", KindApprovalAlreadyResolved, false, false,
		"approvalId is settled; resolution says how.", []string{"approvalId", "resolution"}},
	{CodeApprovalChoiceInvalid, "ApprovalChoiceInvalid", KindApprovalChoiceInvalid, false, true,
		"choiceId is not on the menu of the current requirement of approvalId.", []string{"approvalId", "choiceId"}},
	{CodeApprovalRequirementStale, "ApprovalRequirementStale", KindApprovalRequirementStale, false, true,
		"The decision targets a stage of approvalId that is not current; currentRequirementId is.", []string{"approvalId", "currentRequirementId"}},
	{CodeApprovalReviewerUnavailable, "ApprovalReviewerUnavailable", KindApprovalReviewerUnavailable, false, false,
		"approvalId is a protected write and no interactive reviewer is there; nothing was recorded.", []string{"approvalId"}},
	{CodeUserInputNotFound, "UserInputNotFound", KindUserInputNotFound, false, false,
		"The prompt userInputId was never opened in this session.", []string{"userInputId"}},
	{CodeUserInputAlreadySettled, "UserInputAlreadySettled", KindUserInputAlreadySettled, false, false,
		"The prompt userInputId is settled; settlement says how, and where userInput/settled stands.", []string{"userInputId", "settlement"}},
	{CodeUserInputAnswerInvalid, "UserInputAnswerInvalid", KindUserInputAnswerInvalid, false, false,
		"The answers do not fit the questions of the prompt userInputId; the message says which and why. It stays pending.", []string{"userInputId"}},
	{CodeRoleForbidden, "RoleForbidden", KindRoleForbidden, false, false,
		"A connection of this role may not call this method.", []string{"role", "method"}},
	{CodeApprovalAlreadyConsumed, "ApprovalAlreadyConsumed", KindApprovalAlreadyConsumed, false, true,
		"Another command took the permit of approvalId.", []string{"approvalId"}},
	{CodeApprovalPending, "ApprovalPending", KindApprovalPending, true, false,
		"approvalId is not decided yet.", []string{"approvalId"}},
	{CodeApprovalMismatch, "ApprovalMismatch", KindApprovalMismatch, false, true,
		"What is to be done is not what approvalId approved, or an operation names a state of its target that is not the present one; reason says where they differ.", []string{"reason", "approvalId?", "successorApprovalId?"}},
	{CodeCatalogClosed, "CatalogClosed", KindCatalogClosed, false, true,
		"The catalog that the command names is closed; open another.", nil},
	{CodeShuttingDown, "ShuttingDown", KindShuttingDown, true, false,
		"The daemon is going down; pending approvals stay pending in the log.", nil},
}

// LookupError finds the row of a code.
func LookupError(code int) (ErrorSpec, bool) {
	for _, spec := range Errors {
		if spec.Code == code {
			return spec, true
		}
	}
	return ErrorSpec{}, false
}
