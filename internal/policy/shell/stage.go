package shell

import "github.com/approvald/approvald/internal/approval"

// Limits of a text that is parsed at all; beyond them it is one opaque stage (policy.md "Shell").
const (
	maxBytes  = 64 << 10
	maxStages = 256
)

// Stage is one independently decidable part of a command, in source order.
type Stage struct {
	// Argv holds the words after quote removal, as the program receives them, the command word first
	// and never empty; a word that only the running shell knows is there as source text. Of an opaque
	// stage it holds one element: the source text of the stage, or of the whole command.
	Argv []string

	// Complete is false for an opaque stage, which matches no allow rule, prefix or suggestion.
	Complete bool

	// Words are the words of an opaque stage as far as they are known, as Argv would hold them, for
	// deny and ask rules; nil where Complete, and where nothing is known.
	Words []string

	// Dynamic are the indices of the words of Argv (or Words) that only the running shell knows, in
	// ascending order. The command word of a complete stage never is one.
	Dynamic []int

	// KnownSafe marks a builtin that only tests or does nothing and so needs no decision.
	KnownSafe bool

	// Diagnostic says in one short phrase why a stage is opaque; empty otherwise. It may name a
	// command word of at most 16 bytes or a code point, and is printable ASCII.
	Diagnostic string

	// Launchers, Code and CodeAt are as in approval.Part.
	Launchers [][]string
	Code      [][]string
	CodeAt    int

	// Dirs are the directories that the stage may run in, as the cd commands before it spell them,
	// each relative to the command's own directory or absolute; nil: the command's own alone. Lost
	// says that it may also be one that the text does not tell.
	Dirs []string
	Lost bool

	// Files are the files that the stage is known to read or write.
	Files []File

	// Builtin says that the command word is one that the shell itself carries out, so that nothing on
	// the PATH is meant.
	Builtin bool

	// Prefix is the rule that may be suggested for the stage; nil for none.
	Prefix []string
}

// File is one path in a command.
type File struct {
	Access     approval.Access
	Redirected bool   // opened by the shell itself, not an operand of the program
	Text       string // after quote removal; source text where Dynamic
	Dynamic    bool   // only the running shell knows it
}

// Stages splits command as the named shell would, started in the directory cwd: dialect is "bash",
// "sh" or "zsh", and "" means bash. It never returns an empty slice. The result depends on the
// arguments alone and belongs to the caller.
func Stages(command, dialect, cwd string) []Stage {
	stages, why := split(command, dialect, cwd, 0)
	if why != "" {
		return []Stage{{Argv: []string{command}, Diagnostic: why}}
	}
	return stages
}
