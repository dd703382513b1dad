package claudesettings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/policy"
)

// Settings are what one settings file says about permissions.
type Settings struct {
	Entries []Entry // in the order of the file
	// Others are the members of the file, and those of its permissions as
	// "permissions.defaultMode", that are no lists of rules and have no
	// counterpart here, in the order of the file.
	Others []string
}

// Entry is one permission rule.
type Entry struct {
	Line   int    // in the file, from 1
	Effect string // the list that it is in: allow, ask or deny
	Text   string // as written; of anyone's making, so it may hold anything
	Rule   Rule
}

// Rule is what an entry is in this policy.
type Rule struct {
	// Rules say it. Where Exact is false they say something near it, and Why
	// says how it differs; without any, Why says why none is near.
	Rules []policy.Rule
	// Exact says that Rules cover everything that the entry does. They may be
	// in force where the entry denies or asks; otherwise they are for a person
	// to think about.
	Exact bool
	// Why are sentences on what the rules do not say, or say beyond the entry.
	Why []string
}

// Place is where a settings file lies.
type Place struct {
	Name string // of the file, for messages
	// Base is the absolute directory that patterns beginning with one slash are
	// taken from: that of the project, or of the user's settings. "" where the
	// file lies in no .claude directory, so that nobody can tell.
	Base string
}

// Read reads a settings file. The error names file and line; it is given for
// text that is not JSON, has a member twice, or lists what is no text. A rule
// that cannot be understood is no error but an Entry that says so.
func Read(at Place, text []byte) (Settings, error) {
	r := &reader{place: at, text: text, decoder: jsontext.NewDecoder(bytes.NewReader(text))}
	if err := r.file(); err != nil {
		at := r.decoder.InputOffset()
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			at = syntax.ByteOffset
		}
		return Settings{}, fmt.Errorf("%s:%d: %w", r.place.Name, r.lineOf(at), err)
	}
	return r.settings, nil
}

// reader walks the tokens of one file.
type reader struct {
	place    Place
	text     []byte
	decoder  *jsontext.Decoder
	settings Settings

	counted  int64 // how much of text newlines are counted of
	newlines int
}

// lineOf is the number of the line that an offset lies in, which is not before
// the one of the call before.
func (r *reader) lineOf(offset int64) int {
	offset = max(r.counted, min(offset, int64(len(r.text))))
	r.newlines += bytes.Count(r.text[r.counted:offset], []byte("\n"))
	r.counted = offset
	return r.newlines + 1
}

func (r *reader) file() error {
	if err := r.members("the settings", "", func(name string) error {
		if name == "permissions" {
			return r.permissions()
		}
		return r.other(name)
	}); err != nil {
		return err
	}
	if _, err := r.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text behind the settings; a settings file is one JSON object")
	}
	return nil
}

// members calls fn with the name of each member of the object that is next.
func (r *reader) members(what, prefix string, fn func(name string) error) error {
	token, err := r.decoder.ReadToken()
	switch {
	case err != nil:
		return notJSON(err)
	case token.Kind() != '{':
		return fmt.Errorf("%s are no JSON object; give a settings file of Claude Code", what)
	}
	for r.decoder.PeekKind() != '}' {
		name, err := r.decoder.ReadToken()
		if err != nil {
			return notJSON(err)
		}
		if err := fn(prefix + name.String()); err != nil {
			return err
		}
	}
	_, err = r.decoder.ReadToken()
	return notJSON(err)
}

// other takes note of a member that is not understood, and passes over it.
func (r *reader) other(name string) error {
	r.settings.Others = append(r.settings.Others, name)
	return notJSON(r.decoder.SkipValue())
}

// lists are the members of permissions that hold rules.
var lists = []string{"deny", "ask", "allow"}

func (r *reader) permissions() error {
	const prefix = "permissions."
	return r.members("permissions", prefix, func(name string) error {
		list := name[len(prefix):]
		if !slices.Contains(lists, list) {
			return r.other(name)
		}
		return r.list(list)
	})
}

// list reads the rules of one list.
func (r *reader) list(effect string) error {
	token, err := r.decoder.ReadToken()
	switch {
	case err != nil:
		return notJSON(err)
	case token.Kind() != '[':
		return fmt.Errorf("permissions.%s is no list; a list has texts like \"Bash(git status)\"", effect)
	}
	for r.decoder.PeekKind() != ']' {
		token, err := r.decoder.ReadToken()
		switch {
		case err != nil:
			return notJSON(err)
		case token.Kind() != '"':
			return fmt.Errorf("permissions.%s holds something else than text; a list has texts like \"Bash(git status)\"", effect)
		}
		text := token.String()
		r.settings.Entries = append(r.settings.Entries, Entry{
			Line: r.lineOf(r.decoder.InputOffset()), Effect: effect, Text: text, Rule: translate(effect, text, r.place.Base),
		})
	}
	_, err = r.decoder.ReadToken()
	return notJSON(err)
}

// notJSON says that the text cannot be read as JSON; nil for nil.
func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("this is not JSON as Claude Code reads it: %w", err)
}
