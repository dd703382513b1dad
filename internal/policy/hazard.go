package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandOptions are programs of which an option, or a word that is code to
// them, starts another program or writes a file of the caller's choice: a word
// that is known only at run time must not be able to become one. The value
// lists the options whose value is a plain text, so that a quoted word behind
// one is safe.
//
// What is written out in full is judged where the command is split (such a
// stage is opaque there); here it is only about words that nobody knows.
var commandOptions = map[string]struct {
	plain string // options with a plain value
	code  bool   // operands are code: no word that is not known is safe
}{
	"awk":      {code: true},
	"cargo":    {plain: "-p --package --bin --test --example --features"}, // --config, +toolchain
	"curl":     {plain: "-H -d -X -A -e -u --header --data --request --user-agent --max-time"},
	"docker":   {},
	"ed":       {code: true},
	"emacs":    {},
	"env":      {},
	"ffmpeg":   {},
	"find":     {code: true}, // its expression has no --
	"flock":    {},
	"gawk":     {code: true},
	"gcc":      {plain: "-I -L -D -l"}, // -wrapper, -fplugin
	"g++":      {plain: "-I -L -D -l"},
	"gdb":      {},
	"git":      {plain: "-m -F --message --file --author --date --grep --since --until --format -S -G"}, // -c, --exec-path, --upload-pack, -O
	"gh":       {plain: "-t -b --title --body --body-file -F -l --label -a --assignee"},
	"go":       {plain: "-run -tags -bench -count -timeout"}, // -exec, -toolexec
	"helm":     {},
	"hg":       {plain: "-m --message"}, // --config
	"kubectl":  {plain: "-n -l --namespace --selector"},
	"less":     {}, // +!command
	"make":     {}, // --eval, SHELL=
	"gmake":    {},
	"man":      {}, // -P, --html
	"mawk":     {code: true},
	"more":     {},
	"npm":      {},
	"parallel": {},
	"perl":     {},
	"pip":      {},
	"python":   {},
	"python3":  {},
	"rg":       {plain: "-e -g -t -T -A -B -C -m --regexp --glob --type --type-not --max-count --context"}, // --pre
	"rsync":    {plain: "--exclude --include"},                                                             // -e, --rsync-path
	"scp":      {},
	"sed":      {code: true}, // e, w
	"sftp":     {},
	"sort":     {plain: "-k -t -S --key --field-separator"}, // --compress-program, -o
	"split":    {plain: "-b -l -n -a"},                      // --filter
	"ssh":      {plain: "-l -p"},
	"strace":   {},
	"sudo":     {},
	"tar":      {plain: "-C --directory --exclude"}, // --checkpoint-action, -I, --to-command
	"time":     {},
	"vi":       {},
	"vim":      {},
	"watch":    {},
	"wget":     {plain: "--header -U"}, // --use-askpass, -O
	"xargs":    {},
	"zip":      {}, // -TT
}

// mayBeOption is a word of l from index from on that may become an option of a
// program for which that matters; "" where none may.
func mayBeOption(l line, from int) string {
	options, known := commandOptions[baseName(l.argv[0])]
	if !known {
		return ""
	}
	for _, i := range l.dynamic {
		if i < from || i == 0 {
			continue
		}
		word := l.argv[i]
		if options.code {
			return word
		}
		if l.afterDashes(i) || startsFixed(word) || quotedWhole(word) && hasWord(options.plain, l.argv[i-1]) && !l.isDynamic(i-1) {
			continue
		}
		return word
	}
	return ""
}

// afterDashes reports whether a static -- stands before word i.
func (l line) afterDashes(i int) bool {
	for j := 1; j < i; j++ {
		if l.argv[j] == "--" && !l.isDynamic(j) {
			return true
		}
	}
	return false
}

// startsFixed reports whether a word begins with text that makes an operand of
// it, or the value of an option that is written out, whatever the rest becomes.
func startsFixed(word string) bool {
	parts, ok := whole(word)
	if !ok {
		return false
	}
	var text string
	switch first := parts[0].(type) {
	case *syntax.ProcSubst:
		return true // the path of a descriptor
	case *syntax.Lit:
		text = first.Value
	case *syntax.SglQuoted:
		text = first.Value
	case *syntax.DblQuoted:
		if lit, ok := first.Parts[0].(*syntax.Lit); ok {
			text = lit.Value
		}
	}
	if strings.HasPrefix(text, "-") {
		name, _, found := strings.Cut(text, "=")
		return found && !strings.ContainsAny(name, "*?[{\\")
	}
	return text != "" && !strings.ContainsAny(text[:1], "*?[{!\\")
}

// quotedWhole reports whether the word stays one word whatever is in it.
func quotedWhole(word string) bool {
	parts, ok := whole(word)
	if !ok {
		return false
	}
	for _, part := range parts {
		switch part.(type) {
		case *syntax.DblQuoted, *syntax.SglQuoted:
		default:
			return false
		}
	}
	return true
}

// whole are the parts of the source text of a word, if everything in it that
// is expanded stands in double quotes, so that it cannot fall apart into
// several words. Globs are let through: what they become begins as they do.
func whole(text string) ([]syntax.WordPart, bool) {
	var words []*syntax.Word
	err := syntax.NewParser().Words(strings.NewReader(text), func(w *syntax.Word) bool {
		words = append(words, w)
		return true
	})
	if err != nil || len(words) != 1 {
		return nil, false
	}
	for _, part := range words[0].Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ProcSubst, *syntax.ExtGlob:
		case *syntax.DblQuoted:
			if len(part.Parts) == 0 || slices.ContainsFunc(part.Parts, manyWords) {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return words[0].Parts, true
}

// manyWords reports whether an expansion gives several words even in double
// quotes: "$@", "${a[@]}", "${!a@}".
func manyWords(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok {
		return false
	}
	var text strings.Builder
	return syntax.NewPrinter().Print(&text, p) != nil || strings.Contains(text.String(), "@")
}

func hasWord(list, word string) bool {
	for each := range strings.FieldsSeq(list) {
		if each == word {
			return true
		}
	}
	return false
}
