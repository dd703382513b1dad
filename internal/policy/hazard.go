package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandOptions are programs of which an option, or a word that is code to
// them, starts another program or writes a file of the caller's choice: a word
// that is known only at run time must not be able to become one. What is
// written out is judged where the command is split, by tables that know each
// option (policy/shell); these here only name the programs.
//
// The value lists options whose value is plain text, so that a quoted word
// behind one is safe.
var commandOptions = map[string]string{
	"git":   "-m -F --message --file --author --date --grep --since --until --format -S -G",
	"hg":    "-m --message",
	"gh":    "-t -b --title --body --body-file -F -l --label -a --assignee",
	"cargo": "-p --package --bin --test --example --features",
	"curl":  "-H -d -X -A -e -u --header --data --request --user-agent --max-time",
	"gcc":   "-I -L -D -l", "g++": "-I -L -D -l", "cc": "-I -L -D -l", "clang": "-I -L -D -l",
	"go":      "-run -tags -bench -count -timeout",
	"kubectl": "-n -l --namespace --selector",
	"rg":      "-e -g -t -T -A -B -C -m --regexp --glob --type --type-not --max-count --context",
	"rsync":   "--exclude --include",
	"sort":    "-k -t -S --key --field-separator",
	"split":   "-b -l -n -a",
	"ssh":     "-l -p",
	"tar":     "-C --directory --exclude",
	"wget":    "--header -U",
}

// codeOperands are programs whose operands may be code by themselves, -- or
// not: no word that is not known is safe.
var codeOperands = set("awk bc dc ed ex expect find gawk m4 mawk nawk osascript red sed")

// carriers are further programs with such options, none with a plain value
// that is worth the name.
var carriers = set(`
	ack ag ansible apt apt-get aria2c at bat batcat batch bsdtar bwrap cmake composer cpio crontab ctags delta deno docker dpkg
	emacs emacsclient entr env fd fdfind ffmpeg firejail fish flock fzf gdb gmake gpg groovy gtar helm hyperfine ip java julia ksh less
	lldb lua luajit make man mariadb more mosh most mysql nano nc ncat nix-shell node nodejs npm npx nvim openssl parallel perf perl php
	pip pip3 pnpm podman poetry proot psql pypy python python2 python3 Rscript rlwrap rpm ruby runuser scala scp screen script sftp sg sh
	bash dash zsh csh tcsh ash mksh rbash socat sqlite3 sshfs strace su sudo svn tclsh tcpdump terraform time tmux uv vi view vim watch
	wish xargs xdg-open yarn zip bun elixir ghc
`)

// set are the words of a list.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}

// mayBeOption is a word of l from index from on that may become an option of a
// program for which that matters; "" where none may.
func mayBeOption(l line, from int) string {
	name := baseName(l.argv[0])
	plain, known := commandOptions[name]
	if !known && !carriers[name] && !codeOperands[name] {
		return ""
	}
	for _, i := range l.dynamic {
		word := l.argv[i]
		switch {
		case i < from || i == 0:
		case codeOperands[name]:
			return word
		case l.afterDashes(i), startsFixed(word), quotedWhole(word) && hasWord(plain, l.argv[i-1]) && !l.isDynamic(i-1):
		default:
			return word
		}
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
