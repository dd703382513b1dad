package shell

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// unsettlingWords are the command words after which a later stage of the same text may no longer
// mean what it says: they set variables, define names, run code of their own, or are reserved in one
// shell and plain in another. The stage is opaque, and so is every later one. The table holds the
// words of bash, dash, mksh and zsh together, since `sh` may be any of them.
var unsettlingWords = wordSet(`
	. source eval trap
	alias unalias hash rehash unhash enable disable shopt setopt unsetopt emulate
	integer float nameref private setvar global let
	getln vared print zparseopts zformat zregexparse zstyle
	bind bindkey complete compgen compopt compadd compctl compdef zle
	fc r history sched repeat
	autoload functions unfunction zmodload zcompile sysopen sysread zselect zsystem ztcp
	coproc nocorrect noglob - [[ ]] (( function select foreach end always until then else elif
	fi do done case esac if for while in { } !
`)

// weighedBuiltins are builtins with a weigher of their own.
var weighedBuiltins = sync.OnceValue(func() map[string]func(*walker, *command) {
	return map[string]func(*walker, *command){
		"test": (*walker).test, "[": (*walker).test,
		"printf":    (*walker).printf,
		"read":      (*walker).setsNames, // into variables
		"mapfile":   (*walker).setsNames,
		"readarray": (*walker).setsNames,
		"getopts":   (*walker).setsNames,
		"unset":     (*walker).setsNames,
		"wait":      (*walker).setsNames, // -p
		"export":    (*walker).declares,
		"readonly":  (*walker).declares,
		"declare":   (*walker).declares,
		"typeset":   (*walker).declares,
		"local":     (*walker).declares,
		"set":       (*walker).set,
		"jobs":      (*walker).jobs,
		"cd":        (*walker).cd, "chdir": (*walker).cd,
		"pushd": (*walker).strays, "popd": (*walker).strays,
		":": (*walker).nothing, "true": (*walker).nothing, "false": (*walker).nothing,
		"exit": (*walker).leaves, "return": (*walker).leaves, "break": (*walker).leaves, "continue": (*walker).leaves,
		"shift": (*walker).leaves, "logout": (*walker).leaves, "bye": (*walker).leaves,
	}
})

// plainBuiltins only print, wait or signal, whatever their operands.
var plainBuiltins = wordSet(`
	echo pwd type help times caller ulimit umask kill bg fg disown suspend dirs
`)

// wordSet is a set of words that is made when it is first wanted, as every long table here is: most
// starts of the program end before one is.
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return setOf(words) })
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// builtin weighs a command word that the shell itself carries out, and reports whether it is one.
func (w *walker) builtin(c *command) bool {
	name := c.words[0].text
	switch {
	case unsettlingWords()[name]:
		c.standing(name + " can change what other words mean")
		w.textOperands(c)
	case !c.mayBeBuiltin:
		return false
	case plainBuiltins()[name]:
	case weighedBuiltins()[name] != nil:
		weighedBuiltins()[name](w, c)
	default:
		return false
	}
	c.stage.Builtin = true
	return true
}

// textOperands notes the commands in the text that eval or trap is given, for deny and ask rules.
func (w *walker) textOperands(c *command) {
	operands := c.words[1:]
	if name := c.words[0].text; len(operands) == 0 || name != "eval" && name != "trap" {
		return
	} else if name == "trap" {
		operands = operands[:1]
	}
	if slices.ContainsFunc(operands, func(o word) bool { return o.dynamic }) {
		return
	}
	for dialect, variant := range dialects {
		if variant == w.variant && dialect != "" {
			c.stage.Code, _ = w.code(strings.Join(texts(operands), " "), dialect)
		}
	}
}

func (w *walker) nothing(c *command) { c.stage.KnownSafe = true }

// leaves weighs what ends a loop, a function or the shell: control flow, no deed.
func (w *walker) leaves(c *command) {
	for _, operand := range c.words[1:] {
		if operand.dynamic && operand.text != "$?" || !operand.dynamic && strings.Trim(operand.text, "0123456789") != "" {
			if !w.comparesNumbers() {
				c.standing(c.words[0].text + " evaluates its operand")
			}
			return
		}
	}
	c.stage.KnownSafe = true
	if c.words[0].text != "shift" {
		c.ok, c.fail = places{dead: true}, places{dead: true}
	}
}

func (w *walker) jobs(c *command) {
	for _, operand := range c.words[1:] {
		if operand.mayBeOption() && (operand.dynamic || strings.Contains(operand.text, "x")) {
			c.opaque("jobs -x runs its operands")
		}
	}
}

// assigners are the options of the builtins that set names: those with a value, those that name a
// variable, and those that run something or are not for us.
var assigners = map[string]struct{ valued, names, runs string }{
	"read":      {valued: "dinNptu", names: "a"},
	"mapfile":   {valued: "dnOsuc", runs: "C"}, // a callback
	"readarray": {valued: "dnOsuc", runs: "C"},
	"getopts":   {},
	"unset":     {},
	"wait":      {names: "p"},
}

// setsNames weighs a builtin whose operands are names of variables. A subscript in one is evaluated,
// and so a name must be a name.
func (w *walker) setsNames(c *command) {
	name, spec := c.words[0].text, assigners[c.words[0].text]
	why := name + " sets a variable that changes what other words mean"
	operands := c.words[1:]
	if name == "getopts" && len(operands) > 0 {
		operands = operands[1:] // the letters
		if len(operands) > 1 {
			operands = operands[:1]
		}
	}
	options := true
	for i := 0; i < len(operands); i++ {
		o := operands[i]
		switch {
		case o.dynamic && name == "wait" && !o.mayBeOption(): // a job
		case o.dynamic:
			c.standing(name + " sets a variable that only the shell knows")
			return
		case options && o.text == "--":
			options = false
		case options && len(o.text) > 1 && o.text[0] == '-':
			if strings.ContainsAny(o.text, spec.runs) && spec.runs != "" {
				c.standing(name + " runs a command")
				return
			}
			last := o.text[len(o.text)-1]
			if at := strings.IndexAny(o.text, spec.names); at > 0 && at < len(o.text)-1 && spec.names != "" {
				c.standing(why)
				return
			}
			if strings.IndexByte(spec.valued, last) >= 0 && !joinedValue(o.text, spec.valued) {
				i++
			}
		case name == "wait" && (strings.Trim(o.text, "0123456789") == "" || strings.HasPrefix(o.text, "%")):
		case !isName(o.text) || standing(o.text):
			c.standing(why)
			return
		default:
			w.untame(o.text)
		}
	}
	if name == "getopts" {
		w.untame("OPTARG")
	}
}

// joinedValue reports whether the value of an option in the cluster stands in the cluster itself.
func joinedValue(cluster, valued string) bool {
	at := strings.IndexAny(cluster[1:], valued)
	return at >= 0 && at+2 < len(cluster)
}

// harmlessSet are the letters and names that `set` may switch with no word changing its meaning.
var harmlessSet = wordSet(`errexit nounset xtrace verbose pipefail noclobber noexec noglob errtrace functrace notify`)

func (w *walker) set(c *command) {
	const why = "set can change what other words mean"
	operands := c.words[1:]
	for i := 0; i < len(operands); i++ {
		o := operands[i].text
		switch {
		case operands[i].dynamic && operands[i].mayBeOption():
			c.standing(why)
			return
		case o == "--", operands[i].dynamic, o == "" || o[0] != '-' && o[0] != '+':
			return // positional parameters
		case strings.Trim(o[1:], "euxvfCnETbo") != "" || strings.IndexByte(o, 'o') >= 0 && o[len(o)-1] != 'o':
			c.standing(why)
			return
		case o[len(o)-1] == 'o':
			if i++; i < len(operands) && (operands[i].dynamic || !harmlessSet()[operands[i].text]) {
				c.standing(why)
				return
			}
		}
	}
}

// declares weighs export and the like where they are plain words (sh, command export).
func (w *walker) declares(c *command) {
	for _, o := range c.words[1:] {
		name, _, assigned := strings.Cut(o.text, "=")
		switch {
		case o.text == "-p" && !o.dynamic:
		case !isName(name) || o.multi || o.dynamic && (!assigned || !strings.HasPrefix(o.lead, name+"=")):
			c.standing(c.words[0].text + " can change what other words mean")
			return
		default:
			w.declared(c, name, assigned, o.dynamic)
		}
	}
}

// declared weighs one NAME or NAME=value of a declaration.
func (w *walker) declared(c *command, name string, assigned, dynamic bool) {
	w.untame(name)
	exported := c.words[0].text == "export"
	if standing(name) || exported && (!harmlessVariables()[name] || assigned && dynamic) {
		c.standing(c.words[0].text + " sets a variable that can change what programs do")
	}
}

// comparesNumbers reports whether comparisons of numbers are just that: elsewhere than in bash they
// evaluate expressions.
func (w *walker) comparesNumbers() bool { return w.variant == syntax.LangBash }
