package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each case is one reading that must be exactly the shell's.
func TestStagesReadsStaticCommands(t *testing.T) {
	tests := []struct {
		name    string
		dialect string
		command string
		want    [][]string
	}{
		{"one command is one stage", "", "git status --short", [][]string{{"git", "status", "--short"}}},
		{"the default dialect is bash", "", "git show HEAD~1", [][]string{{"git", "show", "HEAD~1"}}},
		{"and-list", "bash", "git add a.txt && git commit -q -m wip", [][]string{{"git", "add", "a.txt"}, {"git", "commit", "-q", "-m", "wip"}}},
		{"or-list", "bash", "make || echo failed", [][]string{{"make"}, {"echo", "failed"}}},
		{"semicolon", "bash", "git log --oneline -1 ; touch MARK", [][]string{{"git", "log", "--oneline", "-1"}, {"touch", "MARK"}}},
		{"newline ends a command", "bash", "echo start\ntouch MARK", [][]string{{"echo", "start"}, {"touch", "MARK"}}},
		{"empty lines and a trailing separator add nothing", "bash", "\n a\n\n\nb;\n", [][]string{{"a"}, {"b"}}},
		{"pipeline in source order", "bash", "cat notes.txt | grep x | tee MARK", [][]string{{"cat", "notes.txt"}, {"grep", "x"}, {"tee", "MARK"}}},
		{"pipeline inside a list", "bash", "a | b && c || d; e", [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}},
		{"an operator may end its line", "bash", "a &&\nb |\nc", [][]string{{"a"}, {"b"}, {"c"}}},
		{"tab separates words", "bash", "a\tb", [][]string{{"a", "b"}}},
		{"cd is a stage like any other", "bash", "cd sub && make", [][]string{{"cd", "sub"}, {"make"}}},

		{"single quotes keep everything", "bash", `echo '$a \ "b" * ~'`, [][]string{{"echo", `$a \ "b" * ~`}}},
		{"operators in quotes are text", "bash", `echo 'a && b' "c; d | e"`, [][]string{{"echo", "a && b", "c; d | e"}}},
		{"double quotes undo four escapes and no others", "bash", `echo "\$a \" \\ \q"`, [][]string{{"echo", `$a " \ \q`}}},
		{"an escaped backquote is text", "bash", "echo \"\\`id\\`\"", [][]string{{"echo", "`id`"}}},
		{"a final dollar in double quotes is text", "bash", `grep "foo$" f`, [][]string{{"grep", "foo$", "f"}}},
		{"backslash outside quotes", "bash", `r\m \-rf a\ b \; \* \~ \#`, [][]string{{"rm", "-rf", "a b", ";", "*", "~", "#"}}},
		{"quoted parts join into one word", "bash", `a'b'"c"\d`, [][]string{{"abcd"}}},
		{"empty arguments are kept", "bash", `git commit -m "" ''`, [][]string{{"git", "commit", "-m", "", ""}}},
		{"newline in quotes is text", "bash", "echo 'a\nb' \"c\nd\"", [][]string{{"echo", "a\nb", "c\nd"}}},
		{"line continuation joins a word", "bash", "ec\\\nho a \\\n b", [][]string{{"echo", "a", "b"}}},
		{"comment up to the end of its line", "bash", "echo one # it's fine\ntouch MARK # that's all", [][]string{{"echo", "one"}, {"touch", "MARK"}}},
		{"hash inside a word is text", "bash", "echo a#b", [][]string{{"echo", "a#b"}}},
		{"braces without comma or range are text", "bash", "git show stash@{0} {} a{b", [][]string{{"git", "show", "stash@{0}", "{}", "a{b"}}},
		{"tilde inside a word is text", "bash", "echo a~b ''b~", [][]string{{"echo", "a~b", "b~"}}},
		{"assignment after the command word is an argument", "bash", "make PREFIX=./out a=b", [][]string{{"make", "PREFIX=./out", "a=b"}}},
		{"exclamation mark as an argument", "bash", "find . ! -name x", [][]string{{"find", ".", "!", "-name", "x"}}},
		{"reserved words as arguments", "bash", "echo if then }", [][]string{{"echo", "if", "then", "}"}}},
		{"lone brackets", "bash", "[ -f x ]", [][]string{{"[", "-f", "x", "]"}}},
		{"characters outside ASCII", "bash", "echo é 'à' 日本", [][]string{{"echo", "é", "à", "日本"}}},

		{"sh: list, pipeline, comment", "sh", "a 'b c' | d && e # f", [][]string{{"a", "b c"}, {"d"}, {"e"}}},
		{"zsh: list and pipeline", "zsh", `git log --format='%h *' | head -5 && make V=1`, [][]string{{"git", "log", "--format=%h *"}, {"head", "-5"}, {"make", "V=1"}}},
		{"zsh: lone brackets", "zsh", "[ -f x ]", [][]string{{"[", "-f", "x", "]"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, s := range Stages(tt.command, tt.dialect, cwd) {
				if !s.Complete || s.Diagnostic != "" {
					t.Errorf("Stages(%q, %q) has the stage %+v, want it complete", tt.command, tt.dialect, s)
				}
				got = append(got, s.Argv)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Stages(%q, %q): (-want +got)\n%s", tt.command, tt.dialect, diff)
			}
		})
	}
}

func TestStagesAllowsExactlyTheLimits(t *testing.T) {
	tests := []struct {
		name    string
		command string
		want    int
	}{
		{"256 stages", strings.Repeat("true;", 256), 256},
		{"64 KiB", "echo " + strings.Repeat("a", 64<<10-len("echo ")), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Stages(tt.command, "bash", cwd)
			if len(got) != tt.want || !got[0].Complete {
				t.Errorf("got %d stages, complete %v (%s), want %d complete", len(got), got[0].Complete, got[0].Diagnostic, tt.want)
			}
		})
	}
}

func TestKnownSafe(t *testing.T) {
	tests := []struct {
		name    string
		dialect string
		command string
		want    bool
	}{
		{"colon", "bash", ": a b", true},
		{"true", "sh", "true", true},
		{"false", "zsh", "false", true},
		{"quoted spelling is the same builtin", "bash", `tr\ue`, true},
		{"test of a file", "bash", "test -f x", true},
		{"bracket test of a file", "bash", "[ ! -e 'a b' ]", true},
		{"comparison of numbers in bash", "bash", "[ 1 -eq 1 ]", true},
		{"comparison of numbers evaluates expressions in zsh", "zsh", "[ x -eq 1 ]", false},
		{"comparison of numbers may do so in sh", "sh", "test x -lt 1", false},
		{"test -v evaluates its operand", "bash", "test -v x", false},
		{"test -R evaluates its operand", "bash", "[ -R x ]", false},
		{"-v anywhere among the operands", "bash", "[ a -a -v x ]", false},
		{"a path that ends in true is a program", "bash", "./true", false},
		{"double bracket test of a file", "bash", "[[ -f x && ! -d \"$y\" ]]", true},
		{"double bracket match", "bash", "[[ $x == [a-z]* ]]", true},
		{"test of a quoted parameter", "bash", "[ -z \"$x\" ]", true},
		{"comparison of a quoted parameter in bash", "bash", "[ \"$x\" -eq 1 ]", true},
		{"a closing bracket is missing", "bash", "[ -f x", false},
		{"the end of a loop", "bash", "break 2", true},
		{"exit with the last status", "bash", "exit $?", true},
		{"exit with something else", "bash", "exit $x", false},
		{"set", "bash", "set -e", false},
		{"echo", "bash", "echo a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Stages(tt.command, tt.dialect, cwd)
			if len(got) != 1 || tt.want && !got[0].Complete {
				t.Fatalf("Stages(%q) = %+v, want one stage, complete where it is safe", tt.command, got)
			}
			if got[0].KnownSafe != tt.want {
				t.Errorf("Stages(%q).KnownSafe = %v, want %v", tt.command, got[0].KnownSafe, tt.want)
			}
		})
	}
}
