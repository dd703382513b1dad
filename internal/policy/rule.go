package policy

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
)

// Rule is one rule of a policy file, or one that a reviewer's decision wrote.
// Which members a kind has is said in policy.md "Files"; Compile refuses a rule
// that has others, or a pattern that cannot be read.
type Rule struct {
	Effect Effect
	Kind   string // approval.KindShell … KindTool

	// shell: either Argv, where HasArgv is set (an empty one is the catch-all),
	// or Class "read-only" with Programs.
	HasArgv  bool
	Argv     []string
	Class    string // shell: read-only; network: metadata, loopback, private
	Programs []string

	// file: Access with either Glob or Outside.
	Access  approval.Access
	Glob    string // doublestar; relative: to the workspace root
	Outside bool   // everything outside the workspace
	// Resolved is Glob with the links of its fixed part followed; "" where that
	// is Glob itself. Deny and ask rules match either (policy.md "File").
	Resolved string

	// network: Host or Class, with an optional Port. Without one a rule that
	// allows means the default port of the scheme, one that binds every port.
	Host string
	Port int

	// process: Action with an optional Target.
	Action, Target string

	// tool: both, either may be "*".
	Server, Tool string

	Reason string // of the user's own, shown in denials and explanations; "" for none

	Ref   Ref
	Grant approval.ID // the grant that wrote the rule; zero for one written by hand
}

// Ref is where a rule stands.
type Ref struct {
	Layer string // managed, user or workspace; "session" for one in no file yet
	File  string // "" for none
	Index int    // from 1, of [[rule]] or [[tool]] in its file
	Line  int    // from 1; 0 where unknown
	Tool  bool   // it is a [[tool]], not a [[rule]]
}

// String names the place as people are told it.
func (r Ref) String() string {
	what := "rule"
	if r.Tool {
		what = "tool"
	}
	switch {
	case r.File == "":
		return fmt.Sprintf("%s %s %d", r.Layer, what, r.Index)
	case r.Line == 0:
		return fmt.Sprintf("%s %s %d (%s)", r.Layer, what, r.Index, r.File)
	}
	return fmt.Sprintf("%s %s %d (%s:%d)", r.Layer, what, r.Index, r.File, r.Line)
}

// ToolRule is the mode of one tool (policy.md "Tool modes").
type ToolRule struct {
	Server, Tool string // either may be "*"
	Mode         ToolMode
	Reason       string
	Ref          Ref
}

// ToolMode is how often a tool asks.
type ToolMode string

// The tool modes.
const (
	PreApproved    ToolMode = "preApproved"    // an allow rule
	Always         ToolMode = "always"         // an ask rule: every call is asked
	OncePerSession ToolMode = "oncePerSession" // asked in every mode until a session grant is given
)

// Layer is the rules of one file.
type Layer struct {
	Rules []Rule
	Tools []ToolRule
	// Protected adds globs to the protected files, Unprotected takes files out
	// of them; both as Rule.Glob.
	Protected, Unprotected []string
}

// Setup is everything that a Policy is compiled from.
type Setup struct {
	// Layers are the rules that hold everywhere: managed, then the user's. Their
	// order weighs nothing (deny > ask > allow over all of them).
	Layers []Layer
	// Stores are the rules that decisions wrote, by the real path of the
	// workspace that they are for.
	Stores map[string]Layer
	// Own are the real paths of approvald's own directories and files: file
	// access below them is a hard denial.
	Own []string
	// AgentPresets are those that a session/start of an agent may name besides
	// read-only.
	AgentPresets []approval.Preset
	// NoInherit says that a child session sees no grants of its ancestors where
	// its session/start does not say.
	NoInherit bool
}

// RuleError says what is wrong with one rule.
type RuleError struct {
	Ref Ref
	Key string // the member that is wrong; "" for the rule as a whole
	Why string // a sentence part: `path_glob "[a" is no pattern: …`
}

// Error implements error.
func (e *RuleError) Error() string { return e.Ref.String() + ": " + e.Why }
