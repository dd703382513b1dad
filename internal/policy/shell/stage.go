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
	// and never empty (except of an empty command); a word that only the running shell knows is there
	// as source text, and what xargs adds as <input>. Of an opaque stage it holds one element: the
	// source text of the stage, or of the whole command.
	Argv []string

	// Complete is false for an opaque stage, which matches no allow rule, prefix or suggestion.
	Complete bool

	// Words are the words of an opaque stage as far as they are known, as Argv would hold them, for
	// deny and ask rules; nil where Complete, and where nothing is known.
	Words []string

	// Dynamic are the indices of the words of Argv (or Words) that only the running shell knows, in
	// ascending order. The command word of a complete stage never is one.
	Dynamic []int

	// KnownSafe marks a builtin that only tests, does nothing or ends a loop or the shell, and so needs
	// no decision. With a redirection that writes a file it is not set.
	KnownSafe bool

	// Diagnostic says in one short phrase why a stage is opaque; empty otherwise. It may name a
	// command word of at most 16 bytes or a code point, and is printable ASCII.
	Diagnostic string

	// Launchers, Code and CodeAt are as in approval.Part. Code of a shell's text is all of it, or the
	// stage is opaque; of a launcher that is not looked into (docker exec, npx) it is every way to read
	// a command out of its words, the first words of each. CodeAt is also set for a program text that
	// follows no option (awk, ssh): then it is the index of that text.
	Launchers [][]string
	Code      [][]string
	CodeAt    int

	// Dirs are the directories that the stage may run in, as the cd commands before it spell them,
	// each relative to the command's own directory or absolute; nil: the command's own alone. Lost
	// says that it may also be one that the text does not tell.
	Dirs []string
	Lost bool

	// Files are the files that the stage is known to read or write: those that the shell opens for it
	// (of a compound statement at the first stage in it), and operands of programs in fileUses, rather
	// one too many than one too few.
	Files []File

	// Builtin says that the command word is one that the shell itself carries out, so that nothing on
	// the PATH is meant.
	Builtin bool

	// Prefix is the rule that may be suggested for the stage, a part of Argv; nil for none.
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
