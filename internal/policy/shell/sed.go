package shell

import "strings"

// sedLetters are the letters of sed's options without a value, GNU's and BSD's.
const sedLetters = "nrEsuzbaH"

// sed weighs the scripts of sed: some of its commands run programs and write files. Where they stand
// is read as getopt(3) does, since the value of an option looks like a script, too.
func (c *command) sed() {
	s := sedWords{command: c}
	for s.at = 1; s.at < len(c.words); s.at++ {
		switch o := &c.words[s.at]; {
		case o.dynamic && o.mayBeOption():
			c.opaque("has a script that only the shell knows")
			return
		case strings.HasPrefix(o.text, "--"):
			s.long(o.text[2:])
		case len(o.text) > 1 && o.text[0] == '-':
			s.cluster(o.text[1:])
		case s.first == nil && o.text != "": // BSD's -i takes the empty word for itself
			s.first = o
		}
	}
	if !s.scripts && s.first != nil {
		c.sedScript(s.first)
	}
}

// sedWords are the words of sed as they are gone through.
type sedWords struct {
	*command
	at      int
	first   *word // the first operand
	scripts bool  // options say what the script is
}

// value gives an option its value to weigh: what is joined to it, or the next word.
func (s *sedWords) value(joined string, weigh func(*word)) {
	s.scripts = true
	if joined != "" {
		weigh(&word{text: joined})
	} else if s.at++; s.at < len(s.words) {
		weigh(&s.words[s.at])
	}
}

func (s *sedWords) file(w *word) { s.scriptFile(*w) }

// long weighs a long option, which only GNU's has. An abbreviation counts.
func (s *sedWords) long(text string) {
	name, value, joined := strings.Cut(text, "=")
	switch {
	case name == "":
	case strings.HasPrefix("expression", name):
		if joined && value == "" {
			s.scripts = true
			return
		}
		s.value(value, s.sedScript)
	case strings.HasPrefix("file", name):
		s.value(value, s.file)
	case strings.HasPrefix("line-length", name) && !joined:
		s.at++
	}
}

// cluster weighs the letters behind a dash.
func (s *sedWords) cluster(letters string) {
	for i := range len(letters) {
		rest := letters[i+1:]
		switch c := letters[i]; {
		case c == 'e':
			s.value(rest, s.sedScript)
			return
		case c == 'f':
			s.value(rest, s.file)
			return
		case c == 'i', c == 'I': // the rest is a suffix
			return
		case c == 'l': // has a value in GNU's and none in BSD's
			length := rest
			if s.at+1 < len(s.words) && rest == "" {
				s.at++
				length = s.words[s.at].text
			}
			if length == "" || strings.Trim(length, "0123456789") != "" {
				s.opaque("has options of sed that are not understood")
			}
			return
		case strings.IndexByte(sedLetters, c) < 0:
			s.opaque("has options of sed that are not understood")
			return
		}
	}
}

func (c *command) sedScript(script *word) {
	if script.dynamic || c.fed && script.text == xargsInput {
		c.opaque("has a script that only the shell knows")
	} else if !PlainSed(script.text) {
		c.opaque("has a script that can run commands or write files")
	}
}

// PlainSed reports whether a script of sed is made of commands that only edit the text.
func PlainSed(script string) bool {
	for script = strings.TrimLeft(script, "; \t\n"); script != ""; script = strings.TrimLeft(script, "; \t\n") {
		rest, ok := sedAddress(script)
		if !ok || rest == "" {
			return false
		}
		verb := rest[0]
		rest = rest[1:]
		switch verb {
		case 'p', 'd', 'n', 'N', 'g', 'G', 'h', 'H', 'x', 'D', 'P', '=', '{', '}', 'q', 'Q', 'l':
			rest = strings.TrimLeft(rest, "0123456789")
			if verb != '{' && rest != "" && strings.IndexByte("; \t\n}", rest[0]) < 0 {
				return false
			}
		case 's', 'y':
			if rest, ok = sedSubstitution(rest, verb == 's'); !ok {
				return false
			}
		case 'b', 't', 'T', ':':
			rest = strings.TrimLeft(rest, " \t")
			rest = strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
			if rest != "" && strings.IndexByte("; \t\n}", rest[0]) < 0 {
				return false
			}
		case 'a', 'i', 'c': // text up to the end of the line, which a backslash continues
			line, after, more := strings.Cut(rest, "\n")
			if more && strings.HasSuffix(line, "\\") {
				return false
			}
			rest = after
		default:
			return false
		}
		script = rest
	}
	return true
}

// sedAddress takes the addresses off a command.
func sedAddress(s string) (rest string, ok bool) {
	for range 2 {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return s, true
		}
		switch {
		case isDigit(s[0]):
			s = strings.TrimLeft(s, "0123456789~")
		case s[0] == '$':
			s = s[1:]
		case s[0] == '/':
			end := sedPattern(s[1:], '/')
			if end < 0 {
				return "", false
			}
			s = strings.TrimLeft(s[1+end+1:], "IM")
		case s[0] == '+', s[0] == '~':
			s = strings.TrimLeft(s[1:], "0123456789")
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ",") {
			break
		}
		s = s[1:]
	}
	return strings.TrimLeft(s, "! \t"), true
}

// sedPattern is the offset of the delimiter that ends the pattern of an address, or -1 where that is
// not certain.
func sedPattern(s string, delimiter byte) int {
	if end := delimited(s, delimiter, true); end == delimited(s, delimiter, false) {
		return end
	}
	return -1
}

// sedSubstitution takes the arguments of s or y off, and flags that only edit.
func sedSubstitution(s string, flags bool) (rest string, ok bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' || s[0] >= 0x80 {
		return "", false
	}
	rest = sedParts(s[1:], s[0], true)
	if naive := sedParts(s[1:], s[0], false); naive != rest && (naive == "" || strings.IndexByte(sedFollows, naive[0]) >= 0) {
		return "", false // it reads as two different commands
	}
	return sedFlags(rest, flags)
}

// sedFollows are the characters that may stand behind a substitution; before any other sed gives up.
const sedFollows = "gpiIeEmMw0123456789 \t;\n}#"

// sedParts takes the two parts of a substitution off. In a bracket expression the delimiter ends a part
// in some versions and not in others.
func sedParts(s string, delimiter byte, brackets bool) string {
	for range 2 {
		end := delimited(s, delimiter, brackets)
		if end < 0 {
			return "\x00" // no flag
		}
		s = s[end+1:]
		brackets = false // the second is no pattern
	}
	return s
}

// sedFlags takes the flags of a substitution off, which must only edit.
func sedFlags(s string, flags bool) (rest string, ok bool) {
	if flags {
		s = strings.TrimLeft(s, "gpiI0123456789")
	}
	s = strings.TrimLeft(s, " \t")
	return s, s == "" || strings.IndexByte(";\n}", s[0]) >= 0
}

// delimited is the offset of the delimiter that ends a part, or -1.
func delimited(s string, delimiter byte, brackets bool) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == delimiter:
			return i
		case s[i] == '[' && brackets:
			end := bracketed(s[i:])
			if end < 0 {
				return -1
			}
			i += end
		}
	}
	return -1
}

// bracketed is the offset of the bracket that closes an expression, or -1 for one that is not certain.
func bracketed(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case ']':
			return i
		case '[', '\\', '\n': // a class, or what versions disagree about
			if s[i] != '[' || i+1 == len(s) || s[i+1] != ':' {
				return -1
			}
			end := strings.Index(s[i:], ":]")
			if end < 0 {
				return -1
			}
			i += end + 1
		}
	}
	return -1
}
