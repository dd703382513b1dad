package policy

import "strings"

// readsOnly says why the invocation l is not known to only read; "" where it
// is.
func readsOnly(l line) string {
	use, known := readers()[l.argv[0]]
	if !known {
		return quote(l.argv[0]) + " is no program that is known to only read"
	}
	return use.check(l, 1)
}

// check looks at the words from index from on.
func (u invocation) check(l line, from int) string {
	operands, listing, ended := 0, false, false
	for i := from; i < len(l.argv); i++ {
		word := l.argv[i]
		switch dynamic := l.isDynamic(i); {
		case dynamic && u.commands != nil:
			return "its word " + quote(word) + " is known only when it runs"
		case dynamic && !ended && u.guards() && !startsFixed(word):
			return "its word " + quote(word) + " may become an option"
		case dynamic && u.code != nil && operands == 0:
			return "its program " + quote(word) + " is known only when it runs"
		case !ended && word == "--" && !u.single:
			ended = true
			continue
		case !ended && len(word) > 1 && isOption(word):
			if why := u.option(word); why != "" {
				return why
			}
			listing = listing || u.lists(word)
			if hasWord(u.values, word) {
				i++
				continue
			}
			if u.code != nil && (word == "-e" || word == "--expression") && i+1 < len(l.argv) {
				i++
				if l.isDynamic(i) || !u.code(l.argv[i]) {
					return "its program " + quote(l.argv[i]) + " may write or run something"
				}
				operands++
			} else if u.code != nil && (strings.HasPrefix(word, "-e") || strings.HasPrefix(word, "--e")) {
				return "its program in " + quote(word) + " may write or run something"
			}
			continue
		}
		if u.commands != nil {
			command, known := u.commands[word]
			if !known || word == "" {
				return quote(word) + " is no command of it that is known to only read"
			}
			return command.check(l, i+1)
		}
		ended = ended || u.stops
		if operands++; u.code != nil && operands == 1 && !u.code(word) {
			return "its program " + quote(word) + " may write or run something"
		}
		if u.operands == "+" && !strings.HasPrefix(word, "+") {
			return "its operand " + quote(word) + " sets something"
		}
	}
	if u.commands != nil {
		if _, bare := u.commands[""]; !bare && (from == len(l.argv) || u.only == "") {
			return "it says no command"
		}
	}
	if (u.operands == "0" && operands > 0 || u.operands == "1" && operands > 1) && !listing {
		return "it has operands that it may change"
	}
	return ""
}

// guards reports whether an option matters.
func (u invocation) guards() bool {
	return u.refused != "" || u.only != "" || u.operands != "" || u.code != nil
}

// option says why an option is refused; "" where it is not.
func (u invocation) option(word string) string {
	name, _, _ := strings.Cut(word, "=")
	limited := u.only != "" || u.operands == "0" || u.commands != nil
	switch {
	case u.single:
		if hasWord(u.refused, word) {
			return "its option " + quote(word) + " writes or starts something"
		}
		return ""
	case limited:
		if hasWord(u.only, name) || isShort(name) && u.cluster(name) || len(name) > 2 && hasWord(u.joined, name[:2]) {
			return ""
		}
		return "its option " + quote(word) + " is not known to only read"
	case isShort(name):
		letters := u.letters(word)
		for refused := range strings.FieldsSeq(u.refused) {
			if isShort(refused) && len(refused) == 2 && strings.Contains(letters, refused[1:]) || refused == name {
				return "its option " + quote(word) + " writes or starts something"
			}
		}
		return ""
	}
	for refused := range strings.FieldsSeq(u.refused) {
		if !isShort(refused) && strings.HasPrefix(refused, name) && len(name) > 2 {
			return "its option " + quote(word) + " writes or starts something"
		}
	}
	return ""
}

// letters are the options in a cluster, up to one whose value is the rest.
func (u invocation) letters(word string) string {
	for i := 1; i < len(word); i++ {
		if hasWord(u.joined, "-"+word[i:i+1]) {
			return word[1 : i+1]
		}
	}
	return word[1:]
}

// cluster reports whether every letter of a cluster is an option that is
// known, or the cluster is one with a number (-n5).
func (u invocation) cluster(name string) bool {
	letters := strings.TrimRight(name[1:], "0123456789")
	if letters == "" {
		return true // git log -5
	}
	for i := range len(letters) {
		if !hasWord(u.only, "-"+letters[i:i+1]) {
			return false
		}
	}
	return true
}

func (u invocation) lists(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return hasWord(u.listing, name)
}

// isShort reports whether a word is short options: one dash.
func isShort(word string) bool { return len(word) > 1 && word[0] == '-' && word[1] != '-' }
