package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

// Whatever is not certain makes the whole text one opaque stage, with a reason for the reviewer.
func TestStagesFailsClosed(t *testing.T) {
	const expansion, glob, tilde, compound = "an expansion", "a glob", "a tilde", "a compound command or a declaration"
	tests := []struct {
		name    string
		command string
		why     string // part of the diagnostic
	}{
		{"nothing at all", "", "runs nothing"},
		{"only blanks", " \t\n", "runs nothing"},
		{"only a comment", "# rm -rf build", "runs nothing"},
		{"over 64 KiB", "echo " + strings.Repeat("a", 64<<10), "64 KiB"},
		{"over 256 stages", strings.Repeat("true;", 257), "256 stages"},
		{"a text that the parser never returns from", "=fi(($]]", "parentheses"},
		{"a text that the parser panics on", "<<i$f[~ \n", "redirection"},
		{"a text that overruns the parser's stack", strings.Repeat("(", 64<<10), "parentheses"},
		{"invalid UTF-8", "echo \xff", "UTF-8"},
		{"unterminated quote", "echo 'a", "does not parse"},
		{"stray separator", "a;;b", "does not parse"},
		{"trailing backslash", `echo a\`, "ends in a backslash"},
		{"continuation behind an escaped backslash", "echo \\\\\\\nb", "ends in a backslash"},
		{"comment that ends in a backslash", "echo one # x \\\ntouch MARK", "comment that ends in a backslash"},
		{"hash behind a continuation", "echo a \\\n# b", "behind a line continuation"},
		{"comment of its own that ends in a backslash", "a |\n# x\\\nb", "comment that ends in a backslash"},

		{"carriage return", "echo a \\\r\ntouch MARK", "U+000D"},
		{"NUL", "bash run\x00.sh", "U+0000"},
		{"escape", "echo '\x1b[2K'", "U+001B"},
		{"delete", "echo '\x7f'", "U+007F"},
		{"vertical tab", "echo\va", "U+000B"},
		{"C1 control", "echo '\u0085'", "U+0085"},
		{"right-to-left override", "echo '\u202e'", "U+202E"},
		{"bidi isolate", "echo '\u2066'", "U+2066"},
		{"zero-width space", "echo '\u200b'", "U+200B"},
		{"zero-width joiner", "echo '\u200d'", "U+200D"},
		{"byte order mark", "\ufeffecho", "U+FEFF"},
		{"soft hyphen", "echo 'a\u00adb'", "U+00AD"},
		{"no-break space", "echo 'a\u00a0b'", "U+00A0"},
		{"ideographic space", "echo 'a\u3000b'", "U+3000"},
		{"line separator", "echo 'a\u2028b'", "U+2028"},
		{"hangul filler", "echo 'a\u3164b'", "U+3164"},
		{"braille blank", "echo 'a\u2800b'", "U+2800"},
		{"variation selector", "echo 'a\ufe0fb'", "U+FE0F"},
		{"tag character", "echo 'a\U000e0061b'", "U+E0061"},

		{"parameter", "rm -rf $HOME", expansion},
		{"parameter in double quotes", `rm -rf "$HOME"`, expansion},
		{"parameter as the command word", "$X a", expansion},
		{"word splitting by a parameter", "rm${IFS}-rf${IFS}build", expansion},
		{"command substitution", "echo $(touch MARK)", expansion},
		{"backquotes in double quotes", "echo \"it's `touch MARK` done\"", expansion},
		{"arithmetic", "echo $((1+1))", expansion},
		{"process substitution", "cat <(touch MARK)", "redirection"},
		{"dollar at the end of an unquoted word", "grep foo$ f", expansion},
		{"dollar inside double quotes", `echo "a$.b"`, expansion},
		{"ANSI-C quoting", `$'\x72\x6d' -rf build`, expansion},
		{"locale quoting", `$"rm" -rf build`, expansion},
		{"star", "rm *.o", glob},
		{"question mark", "rm a?", glob},
		{"bracket pattern", "rm a[bc]", glob},
		{"half a bracket pattern inside a word", "rm a[", glob},
		{"brace list", "{rm,-rf,build}", "brace expansion"},
		{"brace range", "echo {1..3}", "brace expansion"},
		{"brace list with quoted parts", `echo {'a',"b"}`, "brace expansion"},
		{"tilde", "cat ~/x", tilde},
		{"tilde user", "cat ~root/x", tilde},
		{"tilde after an equals sign", "dd if=~/x", tilde},
		{"tilde after a colon", "echo a:~/x", tilde},
		{"tilde after an empty quoted part", "echo ''~", tilde},
		{"continuation inside double quotes", "echo \"a\\\nb\"", "line continuation"},
		{"continuation before a parenthesis", "echo \\\n(touch MARK)", "parentheses"},
		{"byte 0xA0 outside quotes", "echo à", "some shells split"},
		{"byte 0x85 outside quotes", "echo Å", "some shells split"},

		{"output redirection", "echo data > MARK", "redirection"},
		{"numbered redirection", "echo data 1> MARK", "redirection"},
		{"redirection to the null device", "ls 2>/dev/null", "redirection"},
		{"descriptor duplication", "git log 2>&1 | tail -3", "redirection"},
		{"input redirection", "cat < notes.txt", "redirection"},
		{"heredoc", "sh <<'EOF'\nrm -rf build\nEOF", "redirection"},
		{"here-string", "cat <<< a", "redirection"},
		{"background", "ls & touch MARK", "background"},
		{"both streams piped", "a |& b", "joined by |&"},
		{"negation", "! a", "negated"},
		{"assignment", "A=1", "an assignment"},
		{"assignment prefix", "PATH=. ls", "an assignment"},
		{"array assignment", "a=(b c)", "parentheses"},
		{"quoted text like an assignment", `a\=b c`, "like an assignment"},
		{"subshell", "(ls)", "parentheses"},
		{"group", "{ ls; }", compound},
		{"if", "if a; then b; fi", compound},
		{"for", "for f in a; do b; done", compound},
		{"while", "ls | while read -r f; do b; done", compound},
		{"case", "case a in a) b;; esac", "parentheses"},
		{"function", "f() { b; }", "parentheses"},
		{"double bracket test", "[[ -f a ]]", glob},
		{"arithmetic command", "((a=1))", "parentheses"},
		{"let", "let a=1", compound},
		{"export", "export PATH=.", compound},
		{"a lone brace", "echo { a", compound},
		{"declare", "declare -n a=b", compound},
		{"coproc", "coproc ls", compound},
		{"time", "time ls", compound},

		{"empty command word", "'' a", "empty command word"},
		{"job", "%1 a", "a job"},
		{"eval", "eval a", "eval can change"},
		{"quoted eval", `e"va"l a`, "eval can change"},
		{"source", "source a", "source can change"},
		{"dot", ". a", ". can change"},
		{"alias", "shopt -s expand_aliases\nalias ls='touch MARK'\nls", "shopt can change"},
		{"exec", "exec ls", "exec can change"},
		{"command", "command ls", "command can change"},
		{"set", "set -- a", "set can change"},
		{"unset", "unset PATH; ls", "unset can change"},
		{"read", "echo /tmp | read PATH; ls", "read can change"},
		{"trap", "trap 'touch MARK' EXIT", "trap can change"},
		{"hash", "hash -p ./x ls; ls", "hash can change"},
		{"enable", "enable -f ./x ls", "enable can change"},
		{"history again", "fc -s", "fc can change"},
		{"mapfile callback", "mapfile -C 'touch MARK' a", "mapfile can change"},
		{"printf into a variable", "printf -v PATH .; ls", "printf -v"},
		{"printf into a variable, joined", "printf -vPATH .; ls", "printf -v"},
		{"test of a subscript", "test -v 'a[$(touch MARK)]'", "subscript"},
		{"bracket test of a subscript", "[ 'a[$(touch MARK)]' -eq 1 ]", "subscript"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantOpaque(t, tt.command, "bash", tt.why) })
	}
}

// What only some shells understand is opaque in the dialect that might be one of them.
func TestStagesIsConservativeAboutDialects(t *testing.T) {
	tests := []struct {
		name    string
		dialect string
		command string
		why     string
	}{
		{"unknown shell", "fish", "ls", "unknown shell"},

		{"sh may be bash: time", "sh", "time ls", "time can change"},
		{"sh may be bash: double bracket", "sh", "[[ -f a ]]", "a glob"},
		{"sh may be bash: function keyword", "sh", "function f", "function can change"},
		{"sh may be bash: coproc", "sh", "coproc ls", "coproc can change"},
		{"sh may be bash: let", "sh", "let 'a[$(touch MARK)]'", "let can change"},
		{"sh may be bash: braces", "sh", "echo {a,b}", "brace expansion"},
		{"sh may be bash: ANSI-C quoting", "sh", `$'\x72\x6d' a`, "an expansion"},
		{"sh may be bash: appending assignment", "sh", "PATH+=:. ls", "like an assignment"},
		{"sh may be bash: process substitution", "sh", "cat <(ls)", "redirection"},

		{"zsh: path of a command", "zsh", "ls =cmd", "special in zsh"},
		{"zsh: substitution by equals", "zsh", "ls =(touch MARK)", "parentheses"},
		{"zsh: glob qualifier that runs code", "zsh", "ls *(e:'touch MARK':)", "parentheses"},
		{"zsh: extended glob, negation", "zsh", "rm ^a", "special in zsh"},
		{"zsh: extended glob, exclusion", "zsh", "rm a~b", "special in zsh"},
		{"zsh: extended glob, repetition", "zsh", "rm a#", "special in zsh"},
		{"zsh: numeric range", "zsh", "rm a<1-2>", "redirection"},
		{"zsh: tilde", "zsh", "cat ~/x", "a tilde"},
		{"zsh: comment", "zsh", "echo a # b", "a comment"},
		{"zsh: comment on a line of its own", "zsh", "# b", "a comment"},
		{"zsh: comment behind an operator", "zsh", "a &&\n# b\nc", "a comment"},
		{"zsh: braces", "zsh", "echo a{b}", "special in zsh"},
		{"zsh: final dollar", "zsh", `grep "foo$" f`, "an expansion"},
		{"zsh: outside ASCII, unquoted", "zsh", "echo é", "special in zsh"},
		{"zsh: precommand modifier", "zsh", "noglob ls", "noglob can change"},
		{"zsh: dash modifier", "zsh", "- ls", "- can change"},
		{"zsh: repeat", "zsh", "repeat 2 ls", "repeat can change"},
		{"zsh: disowned", "zsh", "ls &|", "background"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantOpaque(t, tt.command, tt.dialect, tt.why) })
	}
}

// Such a text no longer gets past scan, but the next one may.
func TestParseSurvivesPanicOfParser(t *testing.T) {
	if file, ok := parse("<<i$f[~ \n", syntax.LangZsh); ok || file != nil {
		t.Errorf("parse = %v, %v, want a failure", file, ok)
	}
}

func wantOpaque(t *testing.T, command, dialect, why string) {
	t.Helper()
	got := Stages(command, dialect, cwd)
	if len(got) != 1 || !strings.Contains(got[0].Diagnostic, why) {
		t.Fatalf("Stages(%.80q, %q) = %.300v, want one stage with the diagnostic %q", command, dialect, got, why)
	}
	want := Stage{Argv: []string{command}, Diagnostic: got[0].Diagnostic}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("Stages(%.80q, %q): (-want +got)\n%s", command, dialect, diff)
	}
}
