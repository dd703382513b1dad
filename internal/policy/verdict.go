package policy

import "github.com/approvald/approvald/internal/approval"

// Effect is the verdict on an action.
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
	// the evaluation; nil for other subjects.
	Stages []approval.StageResolution
	// Source names what decided: mode, sessionGrant or builtin (protocol §6).
	Source string
	// Explanation is one sentence for people: what decided, or why nothing
	// matched.
	Explanation string
	// Grantable says that a session grant may be offered to the reviewer.
	Grantable bool
}

// Context is what is in force when an action is evaluated.
type Context struct {
	Mode approval.Mode
	// Granted looks a session grant up by exactly what it covers.
	Granted func(approval.Reach) (approval.Grant, bool)
}

// sources of a verdict that is not a resolution's own.
const (
	sourceMode  = "mode"
	sourceGrant = "sessionGrant"
)
