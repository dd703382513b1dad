package policy

import (
	"path"
	"slices"
	"strings"
)

// harmless are the commands of approvald that neither decide nor change what
// is decided, so that an agent may run them. Whatever else its program is
// started with is a reviewer's command, now or in a later version.
var harmless = map[string]bool{
	"":           true, // prints its help
	"--help":     true,
	"--version":  true,
	"-h":         true,
	"completion": true, // prints a script
	"exec":       true, // asks for an approval, as an agent
	"help":       true,
	"hook":       true, // what an agent's own hooks call
	"version":    true,
}

// reviews says, as a sentence part, that one of the lines of a stage runs a
// reviewer's command of approvald; "" where none does. A program that is not known may be
// a launcher: approvald is looked for at any place of its words.
func reviews(st *stage) string {
	for _, l := range st.lines {
		for i, word := range l.argv {
			if i == 0 && (drawsInbox(word) || slices.Contains(l.names, inboxProgram)) || drawsInbox(word) && namesSocket(l.argv[i+1:]) {
				return "it runs approvald-inbox, which is a reviewer's program and not an agent's"
			}
			named := strings.TrimSuffix(baseName(word), ".exe") == "approvald" || i == 0 && slices.Contains(l.names, "approvald")
			if !named || i > 0 && steady[l.argv[0]] {
				continue
			}
			command := ""
			for j, next := range l.argv[i+1:] {
				if command = next; l.isDynamic(i+1+j) || !isOption(next) || harmless[next] {
					break
				}
			}
			if i > 0 && command == "" {
				continue // the last word is an operand
			}
			if i > 0 && !reviewer[command] {
				continue
			}
			if !harmless[command] {
				return "it runs approvald " + quote(command) + ", which is a reviewer's command and not an agent's"
			}
		}
	}
	if !st.ArgvComplete && len(st.part.Words) == 0 && slices.ContainsFunc(st.Argv, namesReviewer) {
		return "it names a reviewer's command of approvald and cannot be read in full"
	}
	return ""
}

// inboxProgram draws the inbox of a reviewer. It is one whatever it is started with.
const inboxProgram = "approvald-inbox"

func drawsInbox(word string) bool { return strings.TrimSuffix(baseName(word), ".exe") == inboxProgram }

// namesSocket reports whether words behind its name start it: without a socket it does
// nothing, so that a source directory of its name is no reason for a denial.
func namesSocket(words []string) bool {
	return len(words) > 0 && (strings.HasPrefix(strings.TrimLeft(words[0], "-"), "socket"))
}

// reviewer are the commands that are known to be a reviewer's. They are looked
// for behind words that need not be launchers, where any word will do for a
// name.
var reviewer = map[string]bool{
	"decide": true, "grants": true, "inbox": true, "list": true, "policy": true, "replay": true,
	"serve": true, "sessions": true, "show": true, "watch": true,
}

// namesReviewer reports whether a text that was not read in full names such a
// command.
func namesReviewer(text string) bool {
	fields := strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz./-_", r) })
	for i := range fields {
		if drawsInbox(fields[i]) && namesSocket(fields[i+1:]) || baseName(fields[i]) == "approvald" && i+1 < len(fields) && reviewer[fields[i+1]] {
			return true
		}
	}
	return false
}

// namesOwn is the one of approvald's own paths that a word of the lines names;
// "" for none.
func (q *inquiry) namesOwn(lines []line) string {
	for _, own := range q.own {
		if own == "" || own == "/" {
			continue
		}
		for _, l := range lines {
			for _, word := range l.argv {
				if namesPath(word, own) {
					return own
				}
			}
		}
	}
	return ""
}

// namesPath reports whether a word names the path or one below it, by itself
// or behind other text (UNIX-CONNECT:/run/…).
func namesPath(word, own string) bool {
	const most = 64 // places where a path may begin; more are no honest word
	tried := 0
	for at := range len(word) {
		if word[at] != '/' || at > 0 && inPath(word[at-1]) {
			continue
		}
		if _, inside := below(own, path.Clean(word[at:]), false); inside {
			return true
		}
		if tried++; tried == most {
			break
		}
	}
	return tried == most && strings.Contains(word, own)
}

// inPath reports whether a slash behind c goes on with a path rather than
// beginning one.
func inPath(c byte) bool {
	return c == '/' || c == '.' || c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
