package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unsettlingWords are the command words after which a later stage of the same text may no longer
// mean what it says: they set variables, define names, run code of their own, replace the shell, or
// are reserved in one shell and plain in another. The table holds the words of bash, dash, mksh and
// zsh together, since `sh` may be any of them. cd is not here: it is a stage that a reader can weigh.
var unsettlingWords = wordSet(`
	. source eval exec command builtin trap
	alias unalias hash rehash unhash enable disable set shopt setopt unsetopt emulate
	export readonly declare typeset local integer float nameref private unset setvar global let
	read readarray mapfile getopts getln vared wait print zparseopts zformat zregexparse zstyle
	bind bindkey complete compgen compopt compadd compctl compdef zle
	fc r history jobs sched repeat
	pushd popd dirs chdir
	autoload functions unfunction zmodload zcompile sysopen sysread zselect zsystem ztcp
	time coproc nocorrect noglob - [[ ]] (( function select foreach end always until then else elif
	fi do done case esac if for while in { } !
`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// unsettling says why a simple command makes its whole text opaque, or "".
func unsettling(argv []string) string {
	name, operands := argv[0], argv[1:]
	switch {
	case name == "":
		return "has an empty command word"
	case strings.Contains(name, "="):
		return "has a command word like an assignment"
	case name[0] == '%':
		return "has a job in place of a command"
	case unsettlingWords[name]:
		return name + " can change what other words mean"
	case name == "printf" && len(operands) > 0 && strings.HasPrefix(operands[0], "-v"):
		return "printf -v sets a variable"
	case isTest(name) && slices.ContainsFunc(operands, func(o string) bool { return strings.Contains(o, "[") }):
		return "a test of a subscript can run code"
	}
	return ""
}

// knownSafe reports whether a command that is not unsettling only tests or does nothing.
func knownSafe(argv []string, variant syntax.LangVariant) bool {
	switch name := argv[0]; {
	case name == ":", name == "true", name == "false":
		return true
	case isTest(name):
		return !slices.ContainsFunc(argv[1:], func(operand string) bool {
			switch operand {
			case "-v", "-R": // evaluate the subscript in the name that follows
				return true
			case "-eq", "-ne", "-lt", "-le", "-gt", "-ge": // evaluate expressions, outside bash
				return variant != syntax.LangBash
			}
			return false
		})
	}
	return false
}

func isTest(name string) bool { return name == "test" || name == "[" }
