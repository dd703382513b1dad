package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

// Whatever is not certain makes the whole text one opaque stage, with a reason for the reviewer.
func TestStagesFailsClosed(t *testing.T) {
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
		{"a text that the parser never returns from", "=fi(($]]", "parentheses inside a word"},
		{"a text that the parser panics on", "<<i$f[~ \n", "strange delimiter"},
		{"a text that overruns the parser's stack", strings.Repeat("(", 64<<10), "arithmetic"},
		{"invalid UTF-8", "echo \xff", "UTF-8"},
		{"unterminated quote", "echo 'a", "does not parse"},
		{"stray separator", "a;;b", "does not parse"},
		{"trailing backslash", `echo a\`, "ends in a backslash"},
		{"continuation behind an escaped backslash", "echo \\\\\\\nb", "line continuation"},
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

		{"arithmetic in groups", "echo $(((1+2)*3))", "arithmetic"},
		{"arithmetic over a subscript", "echo $((a[0]))", "arithmetic"},
		{"old arithmetic", "echo $[1+1]", "an expansion"},
		{"arithmetic command", "((a=1))", "arithmetic"},
		{"for with arithmetic", "for ((;;)); do ls; done", "does not parse"},
		{"let", "let a=1", "let"},
		{"coproc", "coproc ls", "coproc"},
		{"subscript in an assignment", "a[0]=b", "a subscript"},
		{"subscript in a declaration", "declare a[0]=b", "a subscript"},
		{"array assignment", "a=(b c)", "parentheses inside a word"},
		{"extended glob", "ls !(a)", "parentheses inside a word"},
		{"parameter of a parameter", "echo ${!x}", "parameter expansion"},
		{"parameter that is a prompt", "echo ${x@P}", "parameter expansion"},
		{"parameter that assigns", "echo ${x:=y}", "parameter expansion"},
		{"subscript of a parameter", "echo ${x[y]}", "parameter expansion"},
		{"arithmetic in a parameter", "echo ${x:y}", "parameter expansion"},
		{"quotes in a parameter", "echo ${x:-'}'}", "parameter expansion"},
		{"dollar in front of something else", "echo $.", "an expansion"},
		{"bracket behind a parameter", "echo $x[0]", "a bracket"},
		{"parentheses in a test", "[[ (a) ]]", "parentheses"},
		{"comparison of text in a test", "[[ a < b ]]", "redirection"},
		{"test over two lines", "[[ a &&\nb ]]", "several lines"},
		{"escape in a regular expression", `[[ a =~ \. ]]`, "regular expression"},
		{"subshell inside a word", "echo a(b)", "parentheses inside a word"},
		{"parenthesis that closes nothing", "ls )", "does not parse"},
		{"subshell as an operand", "echo (ls)", "does not parse"},
		{"case inside a substitution", "echo $(case a in a) ls;; esac)", "case pattern inside parentheses"},
		{"case inside a subshell", "(case a in a) ls;; esac)", "case pattern inside parentheses"},
		{"comment inside a substitution", "echo $(ls # it's\n)", "comment inside a substitution"},
		{"escape in backquotes", "echo `echo \\`ls\\``", "backquotes that are not simple"},
		{"quotes in backquotes in quotes", "echo \"`echo 'a'`\"", "backquotes that are not simple"},
		{"heredoc in backquotes", "echo `cat <<E\nE\n`", "backquotes that are not simple"},
		{"heredoc that does not end", "cat <<E\na", "does not end"},
		{"heredoc that ends behind its substitution", "echo $(cat <<E)\nE\n", "does not end where it should"},
		{"heredoc with a strange delimiter", "cat <<$x\n$x\n", "strange delimiter"},
		{"heredoc with backquotes", "cat <<E\n`ls`\nE", "backquotes inside a heredoc"},
		{"heredoc with a continuation", "cat <<E\na\\\nE\nE", "line continuation inside a heredoc"},
		{"heredoc begun before a quoted line end", "cat <<E 'a\nb'\nE\n", "begins inside a word"},
		{"continuation in front of a heredoc", "cat <<E \\\n a\nE", "in front of a heredoc"},
		{"redirection into a variable", "ls {fd}> x", "sets a variable"},
		{"redirection of a large descriptor", "ls 1234> x", "strange descriptor"},
		{"process substitution inside a word", "ls a<(b)", "inside a word"},
		{"continuation inside double quotes", "echo \"a\\\nb\"", "line continuation"},
		{"continuation before a parenthesis", "echo \\\n(touch MARK)", "parenthesis"},
		{"continuation behind an operator", "a &&\\\nb", "behind an operator"},
		{"continuation behind a parameter", "echo $a\\\nb", "line continuation"},
		{"parentheses nested too deeply", strings.Repeat("(", 40) + "ls" + strings.Repeat(")", 40), "arithmetic"},
		{"subshells nested too deeply", strings.Repeat("( ", 40) + "ls" + strings.Repeat(" )", 40), "too deeply"},
		{"substitutions nested too deeply", strings.Repeat("$( ", 40) + "ls" + strings.Repeat(" )", 40), "too deeply"},
		{"too many reserved words", strings.Repeat("! ", 600) + "ls", "reserved words"},
		{"too many braces", "ls " + strings.Repeat("{", 300), "too many braces"},
		{"a lone brace", "echo { a", "a compound command"},
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

		{"sh may be bash: double bracket", "sh", "[[ -f a ]]", "a glob"},
		{"sh may be bash: process substitution", "sh", "cat <(ls)", "process substitution"},
		{"sh may be bash: ANSI-C quoting", "sh", `$'\x72\x6d' a`, "an expansion"},
		{"sh may be bash: locale quoting", "sh", `$"rm" a`, "an expansion"},
		{"sh may be bash: both streams redirected", "sh", "ls &> x", "only some shells know"},
		{"sh may be bash: both streams piped", "sh", "ls |& x", "only some shells know"},
		{"sh may be bash: here-string", "sh", "cat <<< a", "does not parse"},
		{"sh may be dash: case that falls through", "sh", "case a in a) b ;& esac", "only some shells know"},

		{"zsh: substitution by equals", "zsh", "ls =(touch MARK)", "parentheses"},
		{"zsh: glob qualifier that runs code", "zsh", "ls *(e:'touch MARK':)", "parentheses"},
		{"zsh: numeric range", "zsh", "rm a<1-2>", "redirection"},
		{"zsh: comment", "zsh", "echo a # b", "a comment"},
		{"zsh: comment on a line of its own", "zsh", "# b", "a comment"},
		{"zsh: comment behind an operator", "zsh", "a &&\n# b\nc", "a comment"},
		{"zsh: final dollar", "zsh", `grep "foo$" f`, "an expansion"},
		{"zsh: parameter", "zsh", "echo $x", "an expansion"},
		{"zsh: backquotes", "zsh", "echo `ls`", "an expansion"},
		{"zsh: bracket pattern", "zsh", "ls a[b]", "a glob"},
		{"zsh: redirection in front of a number", "zsh", "ls <1-5>", "a redirection"},
		{"zsh: redirection behind a word", "zsh", "ls a>b", "a redirection"},
		{"zsh: redirection of a strange descriptor", "zsh", "ls 12>b", "a redirection"},
		{"zsh: redirection that overwrites", "zsh", "ls >! b", "a redirection"},
		{"zsh: redirection that overwrites, otherwise", "zsh", "ls >| b", "a redirection"},
		{"zsh: redirection that appends and overwrites", "zsh", "ls >>! b", "a redirection"},
		{"zsh: redirection to the coprocess", "zsh", "ls >&p", "a redirection"},
		{"zsh: redirection of both outputs", "zsh", "ls >& b", "a redirection"},
		{"zsh: redirection of both outputs, otherwise", "zsh", "ls &> b", "a redirection"},
		{"zsh: heredoc", "zsh", "cat <<E\na\nE", "a redirection"},
		{"zsh: here-string", "zsh", "cat <<< a", "a redirection"},
		{"zsh: redirection without a command", "zsh", "> a", "more than lists and pipelines"},
		{"zsh: redirection to what a glob finds", "zsh", "ls > a*", "special in zsh"},
		{"zsh: subscript in quotes", "zsh", `echo "$x[y]"`, "an expansion"},
		{"zsh: modifier in quotes", "zsh", `echo "$x:h"`, "an expansion"},
		{"zsh: parameter in braces", "zsh", `echo "${x}"`, "an expansion"},
		{"zsh: all parameters", "zsh", `echo "$@"`, "an expansion"},
		{"zsh: another's home", "zsh", "cat ~root/x", "special in zsh"},
		{"zsh: home behind an equals sign", "zsh", "echo a=~/x", "special in zsh"},
		{"zsh: appended assignment", "zsh", "A+=1 ls", "more than lists and pipelines"},
		{"zsh: group", "zsh", "{ ls }", "a compound command"},
		{"zsh: disowned", "zsh", "ls &|", "does not parse"},
		{"zsh: path of a command", "zsh", "ls =cmd", "special in zsh"},
		{"zsh: extended glob, negation", "zsh", "rm ^a", "special in zsh"},
		{"zsh: extended glob, exclusion", "zsh", "rm a~b", "special in zsh"},
		{"zsh: extended glob, repetition", "zsh", "rm a#", "special in zsh"},
		{"zsh: braces", "zsh", "echo a{b}", "special in zsh"},
		{"zsh: outside ASCII, unquoted", "zsh", "echo é", "special in zsh"},
		{"zsh: if", "zsh", "if ls; then ls; fi", "more than lists and pipelines"},
		{"zsh: assignment", "zsh", "A=1", "more than lists and pipelines"},
		{"zsh: declaration", "zsh", "export A=1", "more than lists and pipelines"},
		{"zsh: double bracket", "zsh", "[[ -f a ]]", "a glob"},
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

// Texts of 64 KiB that made something recurse, copy or scan over and over.
func TestLongTextsHaveBoundedStages(t *testing.T) {
	for _, part := range []string{"a|", "a&&", "env ", "sudo ", "xargs -n1 ", "1[", "{a,b}", "cp a ", "${a:-", "$((a+", "while a; do ", "a <<E\nE\n"} {
		text := strings.Repeat(part, maxBytes/len(part))
		for _, dialect := range []string{"bash", "sh", "zsh"} {
			stages := Stages(text, dialect, cwd)
			if slices.ContainsFunc(stages, func(s Stage) bool {
				return len(s.Files) > maxFiles || len(s.Code) > 2*maxSuffixes || len(s.Launchers) > maxLaunchers
			}) {
				t.Errorf("%q, 64 KiB of it: a stage has more than it may", part)
			}
		}
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
