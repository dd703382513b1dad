package agentcmd

import (
	"errors"
	"fmt"
	"strings"
)

// special are the characters that mean something to a shell. No shell reads the flag:
// who writes one of them bare expects what will not happen.
const special = "|&;<>()$`*?[]{}~#!\n"

// Split cuts the text of the flag into words, as a shell does with plain ones: blanks
// separate, a backslash takes the next character as it is, and so do single quotes with
// all and double quotes with all but a backslash before a quote or a backslash. What
// more a shell would do is refused, bare or, for $ and `, in double quotes.
func Split(text string) ([]string, error) {
	s := splitter{rest: text}
	for s.rest != "" {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	if len(s.words) == 0 {
		return nil, errors.New("it names no program")
	}
	return s.words, nil
}

// splitter is a text of which a part has been cut into words.
type splitter struct {
	rest  string
	words []string
	word  strings.Builder
	begun bool // there is a word, empty as it may be
}

// take removes and returns the next n bytes.
func (s *splitter) take(n int) string {
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	return taken
}

func (s *splitter) put(text string) {
	s.word.WriteString(text)
	s.begun = true
}

// end ends a word, if there is one.
func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.begun = false
	}
}

// step reads one character, or what stands between quotes.
func (s *splitter) step() error {
	switch c := s.rest[0]; {
	case c == ' ' || c == '\t':
		s.take(1)
		s.end()
	case c == '\'':
		s.take(1)
		end := strings.IndexByte(s.rest, '\'')
		if end < 0 {
			return errors.New("a single quote is not closed")
		}
		s.put(s.take(end))
		s.take(1)
	case c == '"':
		s.take(1)
		return s.doubleQuoted()
	case c == '\\':
		if len(s.rest) < len(`\x`) {
			return errors.New("it ends with a backslash")
		}
		s.take(1)
		s.put(s.take(1))
	case strings.IndexByte(special, c) >= 0:
		return fmt.Errorf("no shell reads it, so the bare %q has no meaning: quote it, or have a script of your own started", c)
	default:
		s.put(s.take(1))
	}
	return nil
}

func (s *splitter) doubleQuoted() error {
	s.put("") // "" is a word
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '"':
			s.take(1)
			return nil
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte(`"\`, s.rest[1]) >= 0:
			s.take(1)
			s.put(s.take(1))
		case c == '$' || c == '`':
			return fmt.Errorf("no shell reads it, so %q between double quotes has no meaning: use single quotes", c)
		default:
			s.put(s.take(1))
		}
	}
	return errors.New("a double quote is not closed")
}
