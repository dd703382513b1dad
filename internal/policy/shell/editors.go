package shell

import "strings"

// awk weighs the program of awk: one that only prints is nothing to ask about, and one that is not
// in the words is a script like any other.
func (c *command) awk() {
	for i := 1; i < len(c.words); i++ {
		o := c.words[i]
		switch {
		case o.dynamic && o.mayBeOption():
			c.opaque("has a program that only the shell knows")
			return
		case o.text == "--version":
			return
		case o.text == "-F" || o.text == "-v":
			i++
		case strings.HasPrefix(o.text, "-F"), strings.HasPrefix(o.text, "-v"), o.text == "--":
		case strings.HasPrefix(o.text, "-f") && !strings.HasPrefix(o.text, "--"):
			if o.text == "-f" && i+1 < len(c.words) && c.words[i+1].text == "-" || o.text == "-f-" {
				c.opaque("runs a program from its standard input")
			}
			return
		case len(o.text) > 1 && o.text[0] == '-':
			c.opaque("has options of awk that are not understood")
			return
		default:
			c.awkProgram(o, i)
			return
		}
	}
}

func (c *command) awkProgram(program word, at int) {
	text := strings.ReplaceAll(program.text, "||", "")
	switch {
	case program.dynamic || c.fed && program.text == xargsInput:
		c.opaque("has a program that only the shell knows")
	case strings.Contains(text, "|"), strings.Contains(text, "system"), strings.Contains(text, "getline"), strings.Contains(text, "@"):
		c.opaque("has a program that can run commands") // @ loads, and calls functions by name
	case strings.Contains(text, ">"):
		c.stage.CodeAt = at // it compares, or writes a file: a rule must spell it out
	}
}

// sed weighs the scripts of sed: some of its commands run programs and write files.
func (c *command) sed() {
	scripts := 0
	var first *word
	for i := 1; i < len(c.words); i++ {
		o := &c.words[i]
		switch {
		case o.dynamic && o.mayBeOption():
			c.opaque("has a script that only the shell knows")
			return
		case o.text == "-e" || o.text == "--expression" || o.text == "-f" || o.text == "--file":
			scripts++
			if i++; i < len(c.words) && strings.HasSuffix(strings.TrimRight(o.text, "xprsion"), "e") {
				c.sedScript(&c.words[i])
			}
		case strings.HasPrefix(o.text, "--expression="):
			scripts++
			c.sedScript(&word{text: strings.TrimPrefix(o.text, "--expression="), dynamic: o.dynamic})
		case strings.HasPrefix(o.text, "--"):
		case len(o.text) > 1 && o.text[0] == '-':
			if letters := o.text[1:]; !strings.HasPrefix(letters, "i") && strings.IndexByte(letters, 'e') >= 0 {
				scripts++ // -ne SCRIPT
				if rest := letters[strings.IndexByte(letters, 'e')+1:]; rest != "" {
					c.sedScript(&word{text: rest, dynamic: o.dynamic})
				} else if i++; i < len(c.words) {
					c.sedScript(&c.words[i])
				}
			} else if strings.HasSuffix(letters, "l") || strings.HasPrefix(letters, "f") {
				i += 1 - min(1, len(letters)-1)
			}
		case first == nil && o.text != "": // BSD's -i takes the empty word for itself
			first = o
		}
	}
	if scripts == 0 && first != nil {
		c.sedScript(first)
	}
}

func (c *command) sedScript(script *word) {
	if script.dynamic || c.fed && script.text == xargsInput {
		c.opaque("has a script that only the shell knows")
	} else if !plainSed(script.text) {
		c.opaque("has a script that can run commands or write files")
	}
}

// plainSed reports whether a script of sed is made of commands that only edit the text.
func plainSed(script string) bool {
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
			end := delimited(s[1:], '/')
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

// sedSubstitution takes the arguments of s or y off, and flags that only edit.
func sedSubstitution(s string, flags bool) (rest string, ok bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' || s[0] >= 0x80 {
		return "", false
	}
	delimiter := s[0]
	s = s[1:]
	for range 2 {
		end := delimited(s, delimiter)
		if end < 0 {
			return "", false
		}
		s = s[end+1:]
	}
	if flags {
		s = strings.TrimLeft(s, "gpiI0123456789")
	}
	s = strings.TrimLeft(s, " \t")
	return s, s == "" || strings.IndexByte(";\n}", s[0]) >= 0
}

// delimited is the offset of the delimiter that ends a part, or -1. In a bracket expression one
// does so in some versions and not in others, so that a part with both has no certain end.
func delimited(s string, delimiter byte) int {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == delimiter && bracket:
			return -1
		case s[i] == delimiter:
			return i
		case s[i] == '[':
			bracket = true
		case s[i] == ']':
			bracket = false
		}
	}
	return -1
}
