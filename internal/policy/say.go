package policy

import (
	"fmt"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// say is a sentence part that is put together when somebody reads it: most are
// about rules and modes that do not decide in the end.
type say struct {
	format string
	args   []any // each a text or a fmt.Stringer
}

func says(format string, args ...any) say { return say{format, args} }

// String implements fmt.Stringer.
func (s say) String() string { return fmt.Sprintf(s.format, s.args...) }

// String names the rule by its place.
func (e *entry) String() string {
	if e.mode != "" {
		return fmt.Sprintf("the tool mode %s (%s)", e.mode, e.at)
	}
	return e.at
}

// because is the reason that the author of a rule gave, behind a colon.
type because struct{ *entry }

// String implements fmt.Stringer.
func (b because) String() string {
	if b.Reason == "" {
		return ""
	}
	return ": " + visible(b.Reason)
}

// quoted is untrusted text inside a sentence.
type quoted string

// String implements fmt.Stringer.
func (q quoted) String() string { return quote(string(q)) }

// pathOf is the path of a target as sentences name it.
type pathOf struct{ *approval.Target }

// String implements fmt.Stringer.
func (t pathOf) String() string {
	switch {
	case t.Path != "":
		return quote(t.Path)
	case t.Written != "":
		return quote(t.Written)
	}
	return quote(t.Text)
}

// accessTo is what is done to a target.
type accessTo struct{ *approval.Target }

// String implements fmt.Stringer.
func (t accessTo) String() string {
	return strings.TrimSuffix(string(t.Access), "e") + "ing " + pathOf(t).String()
}

// String is how sentences name the stage.
func (st *stage) String() string {
	text := joinWords(st.Argv)
	if shown := plainWords(st.Argv); st.ArgvComplete && shown != text {
		return "the command " + clip(shown) // some words are in quotes by themselves
	}
	return "the command " + quote(text)
}
