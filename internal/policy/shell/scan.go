package shell

import "strings"

// Reasons that more than one place gives.
const (
	whyUnparsed  = "does not parse"
	whyGlob      = "has a glob pattern"
	whyExpansion = "has an expansion or a substitution"
	whyCompound  = "has a compound command or a declaration"
)

// scan says why command is opaque by its unquoted characters alone, or "".
//
// It keeps hostile text from the parser, which cannot be trusted with it. mvdan.cc/sh v3.14.1 never
// returns from `=fi(($]]`, panics on "<<i$f[~ \n" read as zsh, and needs 256 MiB of stack for 64 KiB
// of "(". A text that passes has no parenthesis, redirection, substitution, subscript or group, and
// its quotes are closed. What that text means is still the parser's to say.
func scan(command string, zsh bool) string {
	inWord := false
	for i := 0; i < len(command); i++ {
		if endsWord(command, i) {
			inWord = false
			continue
		}
		switch command[i] {
		case '\\':
			i++
			if strings.HasPrefix(command[min(i, len(command)):], "\n#") {
				return "has a # behind a line continuation"
			}
		case '\'':
			length := strings.IndexByte(command[i+1:], '\'')
			if length < 0 {
				return whyUnparsed
			}
			i += length + 1
		case '"':
			end, why := scanDoubleQuoted(command, i+1, zsh)
			if why != "" {
				return why
			}
			i = end
		case '#':
			if !inWord {
				end, why := scanComment(command, i, zsh)
				if why != "" {
					return why
				}
				i = end
				continue
			}
		case '(', ')':
			return "has parentheses"
		case '<', '>':
			return "has a redirection"
		case '$', '`':
			return whyExpansion
		case '[':
			// Alone in its word it is the test command, or a plain word.
			if inWord || !endsWord(command, i+1) {
				return whyGlob
			}
		case '{':
			if !inWord && endsWord(command, i+1) {
				return whyCompound
			}
		}
		inWord = true
	}
	return ""
}

// endsWord reports whether a word ends in front of command[i].
func endsWord(command string, i int) bool {
	return i >= len(command) || strings.IndexByte(" \t\n;|&", command[i]) >= 0
}

// scanDoubleQuoted returns the offset of the quote that closes the string whose text begins at i.
func scanDoubleQuoted(command string, i int, zsh bool) (end int, why string) {
	for ; i < len(command); i++ {
		switch command[i] {
		case '"':
			return i, ""
		case '\\':
			// The parser drops a continuation, and not all shells agree on it here.
			if i++; strings.HasPrefix(command[min(i, len(command)):], "\n") {
				return 0, "has a line continuation inside double quotes"
			}
		case '`':
			return 0, whyExpansion
		case '$':
			// The $ that ends a regular expression stands for itself, except perhaps in zsh.
			if zsh || !strings.HasPrefix(command[i+1:], `"`) {
				return 0, whyExpansion
			}
		}
	}
	return 0, whyUnparsed
}

// scanComment returns the offset of the last byte of the comment that begins at i.
func scanComment(command string, i int, zsh bool) (end int, why string) {
	if zsh {
		return 0, "has a comment, which zsh may read as words"
	}
	length := strings.IndexByte(command[i:], '\n')
	if length < 0 {
		return len(command), ""
	}
	end = i + length - 1
	if command[end] == '\\' {
		// The parser joins the next line to the command before the comment; shells do not.
		return 0, "has a comment that ends in a backslash"
	}
	return end, ""
}
