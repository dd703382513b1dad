package policy

import "github.com/approvald/approvald/internal/approval"

// Effect is the verdict on an action, and what a rule says.
type Effect int

// The effects, from the weakest to the strongest.
const (
	Allow Effect = iota
	Ask
	Deny
)

// Verdict is the answer of Evaluate.
type Verdict struct {
	Effect Effect
	// Resolution is how the approval ends; meaningful unless Effect is Ask.
	Resolution approval.Resolution
	// Stages are the resolutions of a shell subject's stages, in order, after
	// the evaluation; nil for other subjects. Where Effect is Ask, those that
	// policy allows are settled and the rest are open, each with a diagnostic
	// that says why nothing settled it.
	Stages []approval.StageResolution
	// Source names what decided: rule, sessionGrant, mode, toolMode or builtin
	// (protocol §6).
	Source string
	// Rule is the place of the rule or tool mode that decided, as Ref.String
	// gives it; "" where none did.
	Rule string
	// Explanation is one sentence for people: what decided, or why nothing
	// matched.
	Explanation string
	// Menu says what a reviewer may be offered; meaningful where Effect is Ask.
	Menu Menu
	// Protected says that it is a protected write: only {allow_once, abort}, and
	// only while a live reviewer is there, whatever else is in force.
	Protected bool
	// PermissionMode is the least preset that would cover a file subject; ""
	// for other subjects.
	PermissionMode approval.Preset
}

// Menu is what may be offered besides allow_once and abort.
type Menu struct {
	// Session says that a session grant may be offered.
	Session bool
	// OnlySession says that allowing once may not: a tool whose mode is
	// oncePerSession is allowed by granting it.
	OnlySession bool
	// Persist is the rule that may be written for the requirement that is the
	// first open one; nil for none. Its Ref is zero.
	Persist *Rule
}

// Context is what is in force for the session when an action is evaluated.
type Context struct {
	// Root is the session's workspace, real and absolute; "" for none. Store
	// rules and presets of it are in force.
	Root string
	// Above are the workspaces of its ancestors that are others: what a rule says
	// of places in or outside the workspace is asked of each, and the strictest
	// answer holds, so that a child widens nothing by naming another.
	Above []string
	// Under are the regimes that all bind: the session's own and those of its
	// ancestors. The strictest answer holds (policy.md "Sub-agents").
	Under []Regime
	// Granted looks a session grant up by exactly what it covers; nil: none.
	Granted func(approval.Reach) (approval.Grant, bool)
	// Rules are allow rules that decisions of this session wrote and that no
	// file holds yet; they are in force for the session.
	Rules []Rule
	// Revoked reports whether a grant was revoked, so that the rule it wrote is
	// in force no more, whatever a file says; nil: none.
	Revoked func(grant approval.ID) bool
}

// Regime is what one session does with what nothing else settles.
type Regime struct {
	Mode   approval.Mode
	Preset approval.Preset // "" for none
	// Root is the session's workspace, which its preset is about; "" for none. It
	// need not be that of the session that asks.
	Root string
}
