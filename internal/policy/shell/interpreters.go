package shell

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// interpreter is a program that runs program text given in its words or on its standard input.
type interpreter struct {
	shell  string   // the dialect of the text; "" where it is not for a shell, "?" for one not known
	code   string   // letters of the options whose value is program text
	long   []string // long options, or whole words, of the same kind
	short  string   // letters of the options without a value
	valued string   // … with one
	module string   // letter of the option that names a module to run in place of a file
	flags  string   // long options without a value
}

// interpreters are understood option by option; with any other option the stage is opaque.
var interpreters = sync.OnceValue(func() map[string]*interpreter {
	return map[string]*interpreter{
		"sh":     {shell: "sh", code: "c", short: "aefhilmnuvxC", valued: "o"},
		"dash":   {shell: "sh", code: "c", short: "aefhilmnuvxC", valued: "o"},
		"ash":    {shell: "sh", code: "c", short: "aefhilmnuvxC", valued: "o"},
		"bash":   {shell: "bash", code: "c", short: "aefhilmnuvxprBCEHPT", valued: "oO", flags: "login norc noprofile posix noediting verbose"},
		"rbash":  {shell: "bash", code: "c", short: "aefhilmnuvxprBCEHPT", valued: "oO", flags: "login norc noprofile posix noediting verbose"},
		"zsh":    {shell: "zsh", code: "c", short: "aefhilmnuvx", valued: "o"},
		"ksh":    {shell: "?", code: "c", short: "aefhilmnuvx", valued: "o"},
		"mksh":   {shell: "?", code: "c", short: "aefhilmnuvx", valued: "o"},
		"fish":   {shell: "?", code: "cC", short: "iln"},
		"yash":   {shell: "?", code: "c", short: "aefhilmnuvx", valued: "o"},
		"osh":    {shell: "?", code: "c", short: "aefhilmnuvx", valued: "o"},
		"ysh":    {shell: "?", code: "c", short: "aefhilmnuvx", valued: "o"},
		"nu":     {shell: "?", code: "c"},
		"elvish": {shell: "?", code: "c"},
		"xonsh":  {shell: "?", code: "c"},
		"csh":    {shell: "?", code: "c", short: "efintvx"},
		"tcsh":   {shell: "?", code: "c", short: "efintvx"},

		"python":    {code: "c", short: "bBdEhIOPqsSuvVx", valued: "WX", module: "m"},
		"pypy":      {code: "c", short: "bBdEhIOPqsSuvVx", valued: "WX", module: "m"},
		"node":      {code: "ep", short: "chv", long: []string{"--eval", "--print"}},
		"nodejs":    {code: "ep", short: "chv", long: []string{"--eval", "--print"}},
		"bun":       {code: "ep", long: []string{"--eval", "--print"}},
		"deno":      {long: []string{"eval"}},
		"perl":      {code: "eE", short: "acfglnpsStTuUvVwWX0i", valued: "IF"},
		"ruby":      {code: "e", short: "achlnpsSvwy", valued: "CEIW"},
		"php":       {code: "rBRE", short: "hilmnsv", valued: "f"},
		"ipython":   {code: "c", module: "m"},
		"jython":    {code: "c", module: "m"},
		"ts-node":   {code: "ep", long: []string{"--eval", "--print"}},
		"tsx":       {code: "ep", long: []string{"--eval", "--print"}},
		"jruby":     {code: "e"},
		"irb":       {code: "e"},
		"raku":      {code: "e"},
		"R":         {code: "e"},
		"qjs":       {code: "e", long: []string{"--eval"}},
		"gjs":       {code: "c"},
		"lua":       {code: "e", short: "vEW"},
		"luajit":    {code: "e", short: "vE"},
		"Rscript":   {code: "e", short: ""},
		"osascript": {code: "e", valued: "ls"},
		"julia":     {code: "eE", short: "hqv"},
		"elixir":    {code: "e"},
		"groovy":    {code: "e"},
		"scala":     {code: "e"},
		"ghc":       {code: "e"},
		"psql":      {code: "c", short: "aAbeEHlLnqStxXzVw1", valued: "dhpUfFRPT", long: []string{"--command"}}, // \! in its text runs a shell
		"mysql":     {code: "e", short: "BNstvVHEfnq", valued: "DhPuS", long: []string{"--execute"}},
		"mariadb":   {code: "e", short: "BNstvVHEfnq", valued: "DhPuS", long: []string{"--execute"}},
		"tclsh":     {},
		"wish":      {},
	}
})

// interpreterNamed finds one by its name, with or without a version (python3.12).
func interpreterNamed(base string) *interpreter {
	if in := interpreters()[base]; in != nil {
		return in
	}
	if base == "" || !isDigit(base[len(base)-1]) {
		return nil
	}
	return interpreters()[strings.TrimRight(base, "0123456789.-")]
}

// program is where the program text of an interpreter comes from.
type program struct {
	codeAt int // index of the option that makes text of what follows; 0: none
	text   int // index of the word that holds the text; 0: none, or joined to the option
	file   int // index of the word that names a file to run; 0: none
	why    string
}

// find reads the words of an interpreter up to its program.
func (in *interpreter) find(words []word) program {
	var p program
	i := 1
options:
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w.dynamic && p.codeAt > 0:
			break options
		case w.dynamic && w.mayBeOption():
			return program{why: "has an interpreter with a word that is not static"}
		case w.dynamic, w.text == "", w.text == "-", w.text[0] != '-' && w.text[0] != '+' && !in.isLong(w.text):
			break options
		case w.text == "--":
			i++
			break options
		case w.text == "--version", w.text == "--help":
			return p // prints, and runs nothing
		case strings.HasPrefix(w.text, "--") && slices.Contains(strings.Fields(in.flags), w.text[2:]):
		case strings.HasPrefix(w.text, "--") || in.isLong(w.text):
			if !in.isLong(w.text) {
				return program{why: "has options of an interpreter that are not understood"}
			}
			p.codeAt = i
			if !strings.Contains(w.text, "=") {
				p.text = i + 1
			}
			if in.shell == "" || p.text == 0 {
				return p
			}
			i++
		default:
			next, why := in.cluster(w.text, i, &p)
			if why != "" {
				return program{why: why}
			}
			if p.codeAt > 0 && in.shell == "" || p.file > 0 {
				return p
			}
			if next {
				i++
			}
		}
	}
	if p.codeAt > 0 { // a shell takes the text from behind all of its options
		if p.text == 0 {
			p.text = i
		}
		return p
	}
	if len(words) == 2 && (words[1].text == "-V" || words[1].text == "-v" && in.shell == "") {
		return p
	}
	if i >= len(words) || isInput(words[i].text) {
		return program{why: "runs a program from its standard input"}
	}
	p.file = i
	return p
}

// isInput reports whether a file name stands for the standard input, or for another descriptor.
func isInput(name string) bool {
	clean := path.Clean("/" + name)
	return name == "-" || clean == "/dev/stdin" || strings.HasPrefix(clean, "/dev/fd/") || strings.HasPrefix(clean, "/proc/")
}

// isLong reports whether text is a long option whose value is program text.
func (in *interpreter) isLong(text string) bool {
	name, _, _ := strings.Cut(text, "=")
	return slices.Contains(in.long, name)
}

// cluster weighs the letters of one word and says whether the next word is the value of the last.
func (in *interpreter) cluster(text string, at int, p *program) (next bool, why string) {
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case strings.IndexByte(in.code, c) >= 0:
			p.codeAt = at
			if in.shell == "" {
				if i+1 == len(text) {
					p.text = at + 1
				}
				return false, ""
			}
		case in.module != "" && in.module[0] == c:
			p.file = at
			if i+1 == len(text) {
				p.file = at + 1
			}
			return false, ""
		case strings.IndexByte(in.short, c) >= 0:
		case strings.IndexByte(in.valued, c) >= 0:
			return i+1 == len(text), ""
		default:
			return false, "has options of an interpreter that are not understood"
		}
	}
	return false, ""
}
