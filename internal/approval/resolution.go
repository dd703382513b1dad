package approval

// Outcome is what became of an approval, in the words of the agent half
// (protocol §6, table of causes).
type Outcome string

// The outcomes.
const (
	AllowedOnce       Outcome = "allowedOnce"
	AllowedSession    Outcome = "allowedSession"
	AllowedPersistent Outcome = "allowedPersistent"
	Rejected          Outcome = "rejected"
	Cancelled         Outcome = "cancelled"
	TimedOut          Outcome = "timedOut"
	Unavailable       Outcome = "unavailable"
	Superseded        Outcome = "superseded"
)

// Allows reports whether an approval that ended so may be acted on.
func (o Outcome) Allows() bool {
	return o == AllowedOnce || o == AllowedSession || o == AllowedPersistent
}

// Resolution is how an approval ended: the five words that approval/resolved
// carries for it. Only the combinations below exist.
type Resolution struct {
	Outcome      Outcome
	Decision     string // reviewer-half word: approved, approvedForSession, abort, denied, timedOut …
	PolicyResult string // "allow" or "deny"
	ResolvedBy   string // "user" or "policy"
	Source       string // what settled it: reviewer, rule, sessionGrant, mode, agent, deadline …
}

// The rows of protocol §6's table of causes, one a cause.
var (
	ByReviewerOnce    = Resolution{AllowedOnce, "approved", "allow", "user", "reviewer"}
	ByReviewerSession = Resolution{AllowedSession, "approvedForSession", "allow", "user", "reviewer"}
	ByReviewerRule    = Resolution{AllowedPersistent, "approvedPolicyAmendment", "allow", "user", "reviewer"}
	ByReviewerAbort   = Resolution{Rejected, "abort", "deny", "user", "reviewer"}
	ByRuleAllow       = Resolution{AllowedOnce, "approved", "allow", "policy", "rule"}
	BySessionGrant    = Resolution{AllowedOnce, "approved", "allow", "policy", "sessionGrant"}
	ByModeAllow       = Resolution{AllowedOnce, "approved", "allow", "policy", "mode"}
	ByToolModeAllow   = Resolution{AllowedOnce, "approved", "allow", "policy", "toolMode"}
	ByBuiltinAllow    = Resolution{AllowedOnce, "approved", "allow", "policy", "builtin"}
	ByRuleDeny        = Resolution{Rejected, "denied", "deny", "policy", "rule"}
	ByModeDeny        = Resolution{Rejected, "denied", "deny", "policy", "mode"}
	ByBuiltinDeny     = Resolution{Rejected, "denied", "deny", "policy", "builtin"}
	ByAgentCancel     = Resolution{Cancelled, "abort", "deny", "policy", "agent"}
	ByTurnEnd         = Resolution{Cancelled, "abort", "deny", "policy", "turn"}
	BySessionClose    = Resolution{Cancelled, "abort", "deny", "policy", "session"}
	ByCatalog         = Resolution{Cancelled, "abort", "deny", "policy", "catalog"}
	ByDeadline        = Resolution{TimedOut, "timedOut", "deny", "policy", "deadline"}
	ByNobodyThere     = Resolution{Unavailable, "denied", "deny", "policy", "unattended"}
	ByRestart         = Resolution{Superseded, "abort", "deny", "policy", "recovery"}
)

// Allowed reports whether the action may go ahead.
func (r Resolution) Allowed() bool { return r.PolicyResult == "allow" }
