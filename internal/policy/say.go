package policy

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
)

// say is a sentence part that is put together when somebody reads it: most are
// about rules and modes that do not decide in the end.
type say struct {
	format string
	args   [maxArgs]any // one for each %s of the format; the rest are nil
}

const maxArgs = 4

func says(format string, args ...any) *say {
	s := &say{format: format}
	copy(s.args[:], args)
	return s
}

// appendTo puts the part behind text. It calls each kind of argument by its
// type, so that text need not be on the heap.
func (s *say) appendTo(text []byte) []byte {
	rest := s.format
	for _, arg := range s.args {
		if arg == nil {
			break
		}
		var before string
		before, rest, _ = strings.Cut(rest, "%s")
		text = append(text, before...)
		switch arg := arg.(type) {
		case string:
			text = append(text, arg...)
		case *say:
			text = arg.appendTo(text)
		case *entry:
			text = arg.appendTo(text)
		case because:
			text = arg.appendTo(text)
		case quoted:
			text = appendQuote(text, string(arg))
		case accessTo:
			text = arg.appendTo(text)
		case modeOf:
			text = arg.appendTo(text)
		case *stage:
			text = arg.appendTo(text)
		default:
			text = fmt.Append(text, arg)
		}
	}
	return append(text, rest...)
}

// room is as long as most sentences get.
type room [256]byte

// String implements fmt.Stringer.
func (s *say) String() string { return string(s.appendTo(new(room)[:0])) }

// capital is the part with a capital.
func (s *say) capital() string { return string(capital(s.appendTo(new(room)[:0]))) }

// sentence is the part as a sentence of its own.
func (s *say) sentence() string {
	text := capital(s.appendTo(new(room)[:0]))
	return string(append(bytes.TrimSuffix(text, []byte(".")), '.'))
}

func capital(text []byte) []byte {
	r, n := utf8.DecodeRune(text)
	return slices.Replace(text, 0, n, utf8.AppendRune(nil, unicode.ToUpper(r))...)
}

// appendTo names the rule by its place.
func (e *entry) appendTo(text []byte) []byte {
	if e.mode != "" {
		return fmt.Appendf(text, "the tool mode %s (%s)", e.mode, e.at)
	}
	return append(text, e.at...)
}

// because is the reason that the author of a rule gave, behind a colon.
type because struct{ *entry }

func (b because) appendTo(text []byte) []byte {
	if b.Reason == "" {
		return text
	}
	return append(append(text, ": "...), visible(b.Reason)...)
}

// quoted is untrusted text inside a sentence.
type quoted string

// accessTo is what is done to a target.
type accessTo struct{ *approval.Target }

func (t accessTo) appendTo(text []byte) []byte {
	text = append(append(text, strings.TrimSuffix(string(t.Access), "e")...), "ing "...)
	return appendQuote(text, cmp.Or(t.Path, t.Written, t.Text))
}

// modeOf is a mode as sentences name it.
type modeOf struct {
	whose string // the, or an ancestor session's
	approval.Mode
}

func (m modeOf) appendTo(text []byte) []byte {
	text = append(append(text, m.whose...), " mode "...)
	if m.Known() {
		return append(text, m.Mode...)
	}
	return appendQuote(text, string(m.Mode))
}

// appendTo is how sentences name the stage.
func (st *stage) appendTo(text []byte) []byte {
	text = append(text, "the command "...)
	if !st.ArgvComplete {
		return appendQuote(text, strings.Join(st.Argv, " "))
	}
	mark := `"`
	if slices.ContainsFunc(st.Argv, needsQuotes) {
		mark = "" // some words are in quotes by themselves
	}
	text = append(text, mark...)
	end := len(text) + longest
	text = appendPlain(text, st.Argv...)
	if len(text) > end {
		mark += "…"
		text = text[:end]
	}
	return append(text, mark...)
}
