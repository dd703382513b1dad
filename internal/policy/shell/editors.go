package shell

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// awks are the awks.
var awks = wordSet(`awk gawk mawk nawk original-awk bwk goawk`)

// awk weighs the program of awk: one that only prints is nothing to ask about, and one that is not
// in the words is a script like any other.
func (c *command) awk() {
	file := false
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
		case strings.HasPrefix(o.text, "-f"):
			file = true
			if o.text != "-f" {
				c.scriptFile(word{text: o.text[len("-f"):]})
			} else if i++; i < len(c.words) {
				c.scriptFile(c.words[i])
			}
		case len(o.text) > 1 && o.text[0] == '-':
			c.opaque("has options of awk that are not understood")
			return
		case file: // its operands
			return
		default:
			c.awkProgram(o, i)
			return
		}
	}
}

// scriptFile weighs the file that holds the program of a command.
func (c *command) scriptFile(file word) {
	switch {
	case file.dynamic: // it may be a pipe
		c.opaque("has a program that only the shell knows")
	case isInput(file.text):
		c.opaque("runs a program from its standard input")
	}
}

func (c *command) awkProgram(program word, at int) {
	switch {
	case program.dynamic || c.fed && program.text == xargsInput:
		c.opaque("has a program that only the shell knows")
	case runsAsAwk(program.text):
		c.opaque("has a program that can run commands")
	case !PlainAwk(program.text):
		c.stage.CodeAt = at // it compares, or writes a file: a rule must spell it out
	}
}

// runsAsAwk reports whether a program of awk may run others: @ loads, and calls functions by name.
func runsAsAwk(program string) bool {
	text := strings.ReplaceAll(program, "||", "")
	return strings.Contains(text, "|") || strings.Contains(text, "system") || strings.Contains(text, "getline") || strings.Contains(text, "@")
}

// PlainAwk reports whether a program of awk only prints: it runs nothing, and has no > that may write.
func PlainAwk(program string) bool { return !runsAsAwk(program) && !strings.Contains(program, ">") }

// sqliteRuns are functions of SQL in sqlite3 that start an editor, load a library or write a file.
var sqliteRuns = []string{"edit(", "load_extension(", "writefile("}

// sqlite weighs the texts of sqlite3: a line that begins with a dot is a command of its own, which may
// be one for a shell.
func (c *command) sqlite() {
	operands := 0
	for _, o := range c.words[1:] {
		switch {
		case o.dynamic && o.mayBeOption(), o.text == "-cmd", o.text == "-init", o.text == "--cmd", o.text == "--init":
			c.opaque("has an option that can hold a command")
		case o.text == "-version", o.text == "--version":
			return
		case len(o.text) > 1 && o.text[0] == '-':
		case operands == 0: // the file
			c.touches(approval.Write, o)
			operands++
		case o.dynamic:
			c.opaque("has program text that only the shell knows")
		default:
			operands++
			text := strings.ToLower(o.text)
			for line := range strings.SplitSeq(text, "\n") {
				if strings.HasPrefix(strings.TrimLeft(line, " \t"), ".") {
					c.opaque("has program text that can run commands")
				}
			}
			for _, call := range sqliteRuns {
				if strings.Contains(strings.ReplaceAll(text, " ", ""), call) {
					c.opaque("has program text that can run commands")
				}
			}
		}
	}
	if operands < 2 {
		c.opaque("runs a program from its standard input")
	}
}
