package wire

// The names of the methods that approvald serves and sends.
const (
	MethodInitialize       = "initialize"
	MethodInitialized      = "initialized"
	MethodConnectionNarrow = "connection/narrow"

	MethodSessionStart           = "session/start"
	MethodSessionResume          = "session/resume"
	MethodSessionRead            = "session/read"
	MethodSessionList            = "session/list"
	MethodSessionSetApprovalMode = "session/setApprovalMode"
	MethodSessionClose           = "session/close"

	MethodViewPage        = "view/page"
	MethodViewSubscribe   = "view/subscribe"
	MethodViewUnsubscribe = "view/unsubscribe"

	MethodApprovalDecide      = "approval/decide"
	MethodApprovalListPending = "approval/listPending"
	MethodApprovalRead        = "approval/read"

	MethodGrantList   = "grant/list"
	MethodGrantRevoke = "grant/revoke"

	MethodApprovalOpen    = "approval/open"
	MethodApprovalAwait   = "approval/await"
	MethodApprovalCancel  = "approval/cancel"
	MethodApprovalConsume = "approval/consume"

	MethodApprovalPrepare    = "approval/prepare"
	MethodApprovalConsumeAll = "approval/consumeAll"

	MethodCatalogOpen   = "catalog/open"
	MethodCatalogUpdate = "catalog/update"
	MethodCatalogClose  = "catalog/close"

	MethodTurnStart     = "turn/start"
	MethodTurnInterrupt = "turn/interrupt"
	MethodTurnComplete  = "turn/complete"
	MethodTurnStarted   = "turn/started"
	MethodTurnCompleted = "turn/completed"

	MethodUserInputOpen      = "userInput/open"
	MethodUserInputAwait     = "userInput/await"
	MethodUserInputAnswer    = "userInput/answer"
	MethodUserInputCancel    = "userInput/cancel"
	MethodUserInputClarify   = "userInput/clarify"
	MethodUserInputInterrupt = "userInput/interrupt"
	MethodUserInputEngaged   = "userInput/engaged"
	MethodUserInputRequest   = "userInput/request"
	MethodUserInputRequested = "userInput/requested"
	MethodUserInputSettled   = "userInput/settled"

	MethodSessionStarted             = "session/started"
	MethodSessionStatusChanged       = "session/statusChanged"
	MethodSessionApprovalModeChanged = "session/approvalModeChanged"
	MethodSessionClosed              = "session/closed"

	MethodApprovalRequest   = "approval/request"
	MethodApprovalRequested = "approval/requested"
	MethodApprovalUpdated   = "approval/updated"
	MethodApprovalResolved  = "approval/resolved"

	MethodPolicyChanged = "policy/changed"
)
