package wire

import "slices"

// MethodKind sorts methods.
type MethodKind string

const (
	CommandMethod            MethodKind = "command"            // changes state; takes a commandId
	QueryMethod              MethodKind = "query"              // changes nothing durable
	NotificationMethod       MethodKind = "notification"       // server to client, no answer
	ClientNotificationMethod MethodKind = "clientNotification" // client to server, no answer
	ServerRequestMethod      MethodKind = "serverRequest"      // server to client, with a receipt
)

// MethodSpec is one row of the method table.
type MethodSpec struct {
	Name    string
	Kind    MethodKind
	Roles   []Role // that may call it, or are sent it
	Section string // of protocol
	Summary string
	Params  any // zero value of the params struct
	Result  any // zero value of the result struct; nil where there is no answer
}

// Allows reports whether connections of this role may call the method, or are
// sent it.
func (m MethodSpec) Allows(r Role) bool { return slices.Contains(m.Roles, r) }

var (
	everyone  = []Role{RoleAgent, RoleReviewer, RoleBoth}
	agents    = []Role{RoleAgent, RoleBoth}
	reviewers = []Role{RoleReviewer, RoleBoth}
)

// Methods is the method table: role checks and the generated documentation read
// it. It is not to be changed. The roles are those of the table in protocol §2;
// what a role may see within a method (an agent: the sessions it owns) is the
// method's own matter.
var Methods = []MethodSpec{
	{MethodInitialize, QueryMethod, everyone, "2",
		"Opens the handshake: who is there, in which role.", InitializeParams{}, InitializeResult{}},
	{MethodInitialized, ClientNotificationMethod, everyone, "2",
		"Ends the handshake; nothing is pushed before it.", Empty{}, nil},

	{MethodConnectionNarrow, QueryMethod, everyone, "2",
		"Before initialize: bounds the role that may be asked for on this connection.", ConnectionNarrowParams{}, ConnectionNarrowResult{}},

	{MethodSessionStart, CommandMethod, everyone, "4",
		"Starts a session and subscribes the caller.", SessionStartParams{}, SessionStartResult{}},
	{MethodSessionResume, CommandMethod, everyone, "4",
		"Loads a session, subscribes the caller and issues pending requests again.", SessionResumeParams{}, SessionResumeResult{}},
	{MethodSessionRead, QueryMethod, everyone, "4",
		"Reads one session without loading it.", SessionReadParams{}, SessionReadResult{}},
	{MethodSessionList, QueryMethod, everyone, "4",
		"Lists sessions, newest first.", SessionListParams{}, SessionListResult{}},
	{MethodSessionSetApprovalMode, CommandMethod, reviewers, "4",
		"Selects the mode for the next action, up to the ceiling.", SessionSetApprovalModeParams{}, SessionSetApprovalModeResult{}},
	{MethodSessionClose, CommandMethod, everyone, "4",
		"Ends a session; what is pending settles as cancelled.", SessionCloseParams{}, SessionCloseResult{}},

	{MethodTurnStart, CommandMethod, reviewers, "4",
		"Has the attached agent begin a turn.", TurnStartParams{}, TurnStartResult{}},
	{MethodTurnInterrupt, CommandMethod, reviewers, "4",
		"Stops a turn, after what is pending in it.", TurnInterruptParams{}, TurnInterruptResult{}},

	{MethodViewPage, QueryMethod, everyone, "5",
		"Reads a page of durable view events.", ViewPageParams{}, ViewPageResult{}},
	{MethodViewSubscribe, QueryMethod, everyone, "5",
		"Subscribes the connection to a session, without a gap.", ViewSubscribeParams{}, ViewSubscribeResult{}},
	{MethodViewUnsubscribe, QueryMethod, everyone, "5",
		"Ends a subscription.", ViewUnsubscribeParams{}, Empty{}},

	{MethodApprovalDecide, CommandMethod, reviewers, "6",
		"Selects a choice for the current requirement; the first durable decision wins.", ApprovalDecideParams{}, ApprovalDecideResult{}},
	{MethodApprovalListPending, QueryMethod, everyone, "6",
		"Lists pending approvals and prompts in opening order.", ApprovalListPendingParams{}, ApprovalListPendingResult{}},
	{MethodApprovalRead, QueryMethod, everyone, "6",
		"Reads one approval and what became of it.", ApprovalReadParams{}, ApprovalReadResult{}},
	{MethodGrantList, QueryMethod, reviewers, "6",
		"Lists the standing permissions that decisions left behind.", GrantListParams{}, GrantListResult{}},
	{MethodGrantRevoke, CommandMethod, reviewers, "6",
		"Ends a standing permission.", GrantRevokeParams{}, GrantRevokeResult{}},

	{MethodUserInputAnswer, CommandMethod, reviewers, "6",
		"Answers a prompt; the first durable settlement wins.", UserInputAnswerParams{}, UserInputResult{}},
	{MethodUserInputCancel, CommandMethod, reviewers, "6",
		"Declines to answer a prompt.", UserInputCancelParams{}, UserInputResult{}},
	{MethodUserInputClarify, CommandMethod, reviewers, "6",
		"Says something instead of answering a prompt.", UserInputClarifyParams{}, UserInputResult{}},
	{MethodUserInputInterrupt, CommandMethod, reviewers, "6",
		"Ends a prompt and stops its turn.", UserInputInterruptParams{}, UserInputResult{}},
	{MethodUserInputEngaged, ClientNotificationMethod, reviewers, "6",
		"Removes the deadline of a prompt: a person is at it.", UserInputEngaged{}, nil},

	{MethodApprovalOpen, CommandMethod, agents, "7",
		"Hands an action in for approval.", ApprovalOpenParams{}, ApprovalOpenResult{}},
	{MethodApprovalAwait, QueryMethod, agents, "7",
		"Waits until approvals are resolved.", ApprovalAwaitParams{}, ApprovalAwaitResult{}},
	{MethodApprovalCancel, CommandMethod, agents, "7",
		"Withdraws pending approvals and prompts.", ApprovalCancelParams{}, ApprovalCancelResult{}},
	{MethodApprovalConsume, CommandMethod, agents, "7",
		"Takes what was decided about one call, once, to act on it.", ApprovalConsumeParams{}, ApprovalConsumeResult{}},
	{MethodApprovalPrepare, CommandMethod, agents, "7",
		"Finds or creates the unconsumed approvals of a batch of calls.", ApprovalPrepareParams{}, ApprovalPrepareResult{}},
	{MethodApprovalConsumeAll, CommandMethod, agents, "7",
		"Takes what was decided about a batch of calls, once, in one commit.", ApprovalConsumeAllParams{}, ApprovalConsumeAllResult{}},
	{MethodCatalogOpen, CommandMethod, agents, "7",
		"Says which tools a server offers, each by the digest of its definition.", CatalogOpenParams{}, CatalogOpenResult{}},
	{MethodCatalogUpdate, CommandMethod, agents, "7",
		"Replaces what a catalog lists; what waits under a changed tool is cancelled.", CatalogUpdateParams{}, CatalogUpdateResult{}},
	{MethodCatalogClose, CommandMethod, agents, "7",
		"Ends a catalog, and what waits and is granted under it.", CatalogCloseParams{}, CatalogCloseResult{}},
	{MethodTurnComplete, CommandMethod, agents, "7",
		"Ends a turn, after what is pending in it.", TurnCompleteParams{}, TurnCompleteResult{}},

	{MethodUserInputOpen, CommandMethod, agents, "7",
		"Puts questions to a person.", UserInputOpenParams{}, UserInputOpenResult{}},
	{MethodUserInputAwait, QueryMethod, agents, "7",
		"Waits until prompts are settled.", UserInputAwaitParams{}, UserInputAwaitResult{}},

	{MethodSessionStarted, NotificationMethod, everyone, "4",
		"A session was started.", SessionStarted{}, nil},
	{MethodSessionStatusChanged, NotificationMethod, everyone, "4",
		"A session's status or attention changed.", SessionStatusChanged{}, nil},
	{MethodSessionApprovalModeChanged, NotificationMethod, everyone, "4",
		"A session's mode changed.", SessionApprovalModeChanged{}, nil},
	{MethodSessionClosed, NotificationMethod, everyone, "4",
		"A session was closed or unloaded.", SessionClosed{}, nil},

	{MethodTurnStarted, NotificationMethod, everyone, "4",
		"A turn began; the attached agent is to carry it out.", TurnStarted{}, nil},
	{MethodTurnCompleted, NotificationMethod, everyone, "4",
		"A turn is over; nothing of it is pending.", TurnCompleted{}, nil},

	{MethodApprovalRequest, ServerRequestMethod, reviewers, "6",
		"Asks an interactive reviewer to show a request; the answer is a receipt.", ApprovalRequest{}, Empty{}},
	{MethodApprovalRequested, NotificationMethod, everyone, "6",
		"A requirement waits for a decision; the same params as approval/request.", ApprovalRequest{}, nil},
	{MethodApprovalUpdated, NotificationMethod, everyone, "6",
		"A pending approval changed.", ApprovalUpdated{}, nil},
	{MethodApprovalResolved, NotificationMethod, everyone, "6",
		"An approval is settled; sent exactly once.", ApprovalResolved{}, nil},
	{MethodUserInputRequest, ServerRequestMethod, reviewers, "6",
		"Asks an interactive reviewer to show a prompt; the answer is a receipt.", UserInputRequest{}, Empty{}},
	{MethodUserInputRequested, NotificationMethod, everyone, "6",
		"A prompt waits for an answer; the same params as userInput/request.", UserInputRequest{}, nil},
	{MethodUserInputSettled, NotificationMethod, everyone, "6",
		"A prompt is settled; sent exactly once.", UserInputSettledEvent{}, nil},
	{MethodPolicyChanged, NotificationMethod, reviewers, "6",
		"The rule files were read again.", PolicyChanged{}, nil},
}

// LookupMethod finds the row of a method.
func LookupMethod(name string) (MethodSpec, bool) {
	i := slices.IndexFunc(Methods, func(m MethodSpec) bool { return m.Name == name })
	if i < 0 {
		return MethodSpec{}, false
	}
	return Methods[i], true
}
