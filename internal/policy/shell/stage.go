package shell

// Limits of a text that is parsed at all; beyond them it is one opaque stage (policy.md "Shell").
const (
	maxBytes  = 64 << 10
	maxStages = 256
)

// Stage is one independently decidable part of a command, in source order.
type Stage struct {
	// Argv holds the words after quote removal, exactly as the program receives them, the command
	// word first and never empty. Of an opaque stage it holds one element: the whole command text.
	Argv []string

	// Complete is false for an opaque stage, which matches no rule, prefix or suggestion.
	Complete bool

	// KnownSafe marks a builtin that only tests or does nothing and so needs no decision.
	KnownSafe bool

	// Diagnostic says in one short phrase why a stage is opaque; empty otherwise. It may name a
	// command word of at most 16 bytes or a code point, and is printable ASCII.
	Diagnostic string
}

// Stages splits command as the named shell would: dialect is "bash", "sh" or "zsh", and "" means
// bash. It never returns an empty slice: either every stage is complete, or there is exactly one and
// it is opaque. The result depends on the arguments alone and belongs to the caller.
func Stages(command, dialect string) []Stage {
	stages, why := split(command, dialect)
	if why != "" {
		return []Stage{{Argv: []string{command}, Diagnostic: why}}
	}
	return stages
}
