package shell

import (
	"strings"
	"testing"
)

// A stage that cannot be weighed is opaque with a reason, keeps its words for deny and ask rules, and
// leaves the stages around it alone.
func TestOpaqueStages(t *testing.T) {
	tests := []struct {
		name    string
		command string
		why     string // part of the diagnostic
		words   string // joined by blanks; "" for none
	}{
		{"parameter as the command word", "$X a", "command word", "$X a"},
		{"substitution as the command word", "$(echo ls) a", "command word", "$(echo ls) a"},
		{"glob as the command word", "./r? a", "command word", "./r? a"},
		{"tilde as the command word", "~/bin/x a", "command word", "~/bin/x a"},
		{"empty command word", "'' a", "empty command word", " a"},
		{"job", "%1 a", "a job", "%1 a"},
		{"quoted text like an assignment", `a\=b c`, "like an assignment", "a=b c"},
		{"function of the same text", "f() { ls; }; f a", "is a function", "f a"},
		{"function defined later", "f a; f() { ls; }", "is a function", "f a"},
		{"builtin that a function shadows", "true() { ls; }; true", "is a function", "true"},
		{"eval", "eval rm x", "eval can change", "eval rm x"},
		{"quoted eval", `e"va"l a`, "eval can change", "eval a"},
		{"source", "source a", "source can change", "source a"},
		{"dot", ". a", ". can change", ". a"},
		{"trap", "trap 'touch MARK' EXIT", "trap can change", "trap touch MARK EXIT"},
		{"alias", "alias a=b", "alias can change", "alias a=b"},
		{"hash", "hash -p ./x ls", "hash can change", "hash -p ./x ls"},
		{"enable", "enable -f ./x ls", "enable can change", "enable -f ./x ls"},
		{"history again", "fc -s", "fc can change", "fc -s"},
		{"reserved word that is quoted", `"if" a`, "if can change", "if a"},
		{"exec without a command", "exec > x", "redirections of the shell", "exec"},
		{"mapfile callback", "mapfile -C 'touch MARK' a", "mapfile runs", "mapfile -C touch MARK a"},
		{"read into PATH", "read PATH", "read sets", "read PATH"},
		{"read into a subscript", "read 'a[$(touch MARK)]'", "read sets", "read a[$(touch MARK)]"},
		{"read into what only the shell knows", "read $x", "read sets", "read $x"},
		{"read into an array with a joined name", "read -aPATH", "read sets", "read -aPATH"},
		{"unset of a subscript", "unset 'a[$(touch MARK)]'", "unset sets", "unset a[$(touch MARK)]"},
		{"unset of PATH", "unset PATH", "unset sets", "unset PATH"},
		{"wait into a subscript", "wait -p 'a[$(x)]'", "wait sets", "wait -p a[$(x)]"},
		{"printf into a variable", "printf -v PATH .", "printf -v", "printf -v PATH ."},
		{"printf into a variable, joined", "printf -vPATH .", "printf -v", "printf -vPATH ."},
		{"printf of what may be an option", `printf "$x" a`, "printf may", `printf "$x" a`},
		{"set -a", "set -a", "set can change", "set -a"},
		{"set -o posix", "set -o posix", "set can change", "set -o posix"},
		{"jobs -x", "jobs -x rm a", "jobs -x", "jobs -x rm a"},
		{"test of a subscript", "test -v 'a[$(touch MARK)]'", "subscript", "test -v a[$(touch MARK)]"},
		{"bracket test of a subscript", "[ 'a[$(touch MARK)]' -eq 1 ]", "subscript", "[ a[$(touch MARK)] -eq 1 ]"},
		{"test of what is not quoted", "[ -n $x ]", "subscript", "[ -n $x ]"},
		{"test with an operator that only the shell knows", `[ "$op" "$x" ]`, "only the shell knows", `[ "$op" "$x" ]`},
		{"double bracket test of a variable's name", "[[ -v $x ]]", "subscript", "[[ -v $x ]]"},
		{"double bracket comparison of a value", "[[ $x -eq 1 ]]", "subscript", "[[ $x -eq 1 ]]"},
		{"double bracket test of a subscript", "[[ -f a[1] ]]", "subscript", "[[ -f a[1] ]]"},
		{"network by redirection", "cat < /dev/tcp/example.com/80", "network", "cat"},
		{"redirection without a command", "> x", "without a command", ""},
		{"assignment of PATH", "PATH=.", "sets a variable", ""},
		{"assignment of IFS", "IFS=/", "sets a variable", ""},
		{"assignment of a number", "SECONDS='a[$(x)]'", "sets a variable", ""},
		{"other letters", "SUDO rm a", "other letters", "SUDO rm a"},
		{"loop over PATH", "for PATH in a b; do :; done", "sets a variable", ""},
		{"export of PATH", "export PATH=.", "export sets", "export PATH=."},
		{"export of any other name", "export FOO=1", "export sets", "export FOO=1"},
		{"declare of a reference", "declare -n a=b", "declare can change", "declare -n a=b"},
		{"declare of a number", "declare -i a=b", "declare can change", "declare -i a=b"},
		{"local of PATH", "local PATH=.", "local sets", "local PATH=."},
		{"variable in front", "FOO=1 ls a", "is given a variable", "ls a"},
		{"dynamic variable in front", "LC_ALL=$x ls a", "is given a variable", "ls a"},
		{"pager in front", "GIT_PAGER=less git log", "is given a variable", "git log"},
		{"pager that only looks like none", "GIT_PAGER='cat;x' git log", "is given a variable", "git log"},
		{"editor under a launcher", "env EDITOR=vi git commit", "is given a variable", "git commit"},
		{"appended variable in front", "LC_ALL+=x ls a", "is given a variable", "ls a"},
		{"shell that reads a pipe", "sh", "standard input", "sh"},
		{"shell that reads -s", "bash -s a", "not understood", "bash -s a"},
		{"interpreter of a heredoc", "python3 - <<'E'\nx\nE", "standard input", "python3 -"},
		{"interpreter of /dev/stdin", "node /dev/stdin", "standard input", "node /dev/stdin"},
		{"shell text that only the shell knows", `sh -c "$x"`, "only the shell knows", `sh -c "$x"`},
		{"shell text that cannot be read", "sh -c 'eval x'", "cannot be read", "sh -c eval x"},
		{"find that deletes", "find . -delete", "action of find", "find . -delete"},
		{"find of what may be an action", `find "$x"`, "may turn out", `find "$x"`},
		{"awk that runs", `awk 'BEGIN{system("x")}'`, "can run commands", `awk BEGIN{system("x")}`},
		{"awk that pipes", `awk '{print | "sh"}'`, "can run commands", `awk {print | "sh"}`},
		{"awk of what only the shell knows", "awk \"$x\"", "only the shell knows", `awk "$x"`},
		{"sed that runs", "sed '1e touch MARK' f", "can run commands", "sed 1e touch MARK f"},
		{"sed that runs what it made", "sed 's/a/b/e' f", "can run commands", "sed s/a/b/e f"},
		{"sed that writes", "sed -n 's/a/b/w x' f", "can run commands", "sed -n s/a/b/w x f"},
		{"sed with a second script", "sed -e p -e 'w x' f", "can run commands", "sed -e p -e w x f"},
		{"xargs that makes shell text", "xargs -I{} sh -c 'rm {}'", "by xargs", "sh -c rm {}"},
		{"xargs that names programs", "xargs sh", "not static", "sh <input>"},
		{"option that a tool could take", `rg "$x" f`, "may turn out", `rg "$x" f`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, s := range Stages(tt.command, "bash", cwd) {
				if s.Complete {
					continue
				}
				if !strings.Contains(s.Diagnostic, tt.why) || strings.Join(s.Words, " ") != tt.words {
					t.Errorf("Stages(%q) has the opaque stage %+v, want the words %q and a reason with %q", tt.command, s, tt.words, tt.why)
				}
				return
			}
			t.Errorf("Stages(%q) has no opaque stage", tt.command)
		})
	}
}

// A standing change makes every later stage opaque, and in a loop or a function the earlier ones too.
func TestStandingChanges(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"later stages", "ls; PATH=.; ls; true", []string{"ls", "opaque: PATH=.", "opaque: ls", "opaque: true"}},
		{"alias", "ls\nalias ls=rm\nls", []string{"ls", "opaque: alias ls=rm", "opaque: ls"}},
		{"in front of a special builtin", "PATH=. :; ls", []string{"opaque: PATH=. :", "opaque: ls"}},
		{"in front of a program", "PATH=. ls; ls", []string{"opaque: PATH=. ls", "ls"}},
		{"count of printf", "printf 'ab%n' PATH; ls", []string{"opaque: printf 'ab%n' PATH", "opaque: ls"}},
		{"count of printf, with a width", `printf '%-5s%ln' a PATH; ls`, []string{`opaque: printf '%-5s%ln' a PATH`, "opaque: ls"}},
		{"format that may count", `printf "a$x" IFS; ls`, []string{`opaque: printf "a$x" IFS`, "opaque: ls"}},
		{"count for a name that only the shell knows", `printf %n "$x"; ls`, []string{`opaque: printf %n "$x"`, "opaque: ls"}},
		{"in a loop", "while a; do b; eval c; done; d", []string{"opaque: a", "opaque: b", "opaque: eval c", "opaque: d"}},
		{"before the loop", "x; while a; do eval c; done", []string{"x", "opaque: a", "opaque: eval c"}},
		{"in a function", "f() { ls; eval c; }; g", []string{"opaque: ls", "opaque: eval c", "opaque: g"}},
		{"an opaque stage that changes nothing", "find . -delete; ls", []string{"opaque: find . -delete", "ls"}},
		{"a loop's variable that is set again", "for f in a b; do sort $f; f=-o; done", []string{"opaque: sort $f"}},
	})
}

// Elsewhere than in bash some builtins evaluate their operands as arithmetic, which can run commands
// and assign.
func TestOperandsThatAreArithmetic(t *testing.T) {
	for _, command := range []string{
		`printf %d 'path[$(x)]'`, `printf '%*s' 'path[$(x)]' a`, `printf '%1$d' 'path[$(x)]'`, "printf %d PATH=2", "printf %s%d a PATH=2", "printf %x b",
		"exit 'path[$(x)]'", "return PATH=2", "break a", "continue a", "shift a", "bye a", "logout a", "test -t PATH=2", "[ 1 -eq PATH=2 ]", "[ -n a -a -t PATH=2 ]",
	} {
		for _, dialect := range []string{"zsh", "sh"} {
			stages := Stages(command+"; ls", dialect, cwd)
			if len(stages) != 2 || stages[0].Complete || stages[1].Complete {
				t.Errorf("Stages(%q) of %s is %+v, want two opaque stages", command, dialect, stages)
			}
		}
	}
	checkForms(t, "zsh", []formCase{
		{"numbers", "printf %d 5; printf '%5.1f' -1.5; printf %s PATH=2; printf '%s %q' a b; test -t 1; [ 1 -eq 2 ]", []string{
			"printf %d 5", "printf %5.1f -1.5", "printf %s PATH=2", "printf '%s %q' a b", "safe: test -t 1", "safe: [ 1 -eq 2 ]",
		}},
		{"exit", "exit 1", []string{"safe: exit 1"}},
	})
	checkForms(t, "bash", []formCase{
		{"bash evaluates none of them", "printf %d%% a; exit a", []string{"printf %d%% a", "exit a"}},
		{"format with a prefix", `printf "a$x%s" "$y"; ls`, []string{`printf <"a$x%s"> <"$y">`, "ls"}},
	})
}

// What is not in the way of anything stays complete.
func TestCompleteStages(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"interpreter of a file", "python3 x.py a", []string{"python3 x.py a"}},
		{"module", "python3 -m pytest -q", []string{"python3 -m pytest -q"}},
		{"version", "node --version; bash --version; python3 -V", []string{"node --version", "bash --version", "python3 -V"}},
		{"find that only looks", "find . -name '*.go' -type f", []string{"find . -name *.go -type f"}},
		{"find below a loop's variable", "for d in a b; do find $d -type f; done", []string{"find <$d> -type f"}},
		{"awk that compares", `awk '$1 == 2 || $3 {print}' f`, []string{"awk '$1 == 2 || $3 {print}' f"}},
		{"git in the directory where it is", "git -C . status; git -C /srv/app log", []string{"git -C . status", "git -C /srv/app log"}},
		{"sed that edits", "sed -i.bak -e 's/a/b/g; /x/d' f", []string{"sed -i.bak -e 's/a/b/g; /x/d' f"}},
		{"test with -a", `[ -n "$a" -a ! -f "$b" ]`, []string{`safe: [ -n <"$a"> -a ! -f <"$b"> ]`}},
		{"test of a default", `[ -z "${x:-}" ] && [ "${x-a b}" = "${y%.*}" ]`, []string{`safe: [ -z <"${x:-}"> ]`, `safe: [ <"${x-a b}"> = <"${y%.*}"> ]`}},
		{"no pager", "GIT_PAGER=cat git log; env PAGER=cat git diff; EDITOR=true git commit", []string{"git log", "git diff", "git commit"}},
		{"test of strings", `[ "$a" != "$b" ]`, []string{`safe: [ <"$a"> != <"$b"> ]`}},
		{"double bracket comparison of a count", "[[ $# -eq 1 ]]", []string{"safe: [[ <$#> -eq 1 ]]"}},
		{"read into plain names", "read -r -p 'x: ' a b", []string{"read -r -p 'x: ' a b"}},
		{"wait for a job", "ls & wait $!; wait %1; wait", []string{"ls", "wait <$!>", "wait %1", "wait"}},
		{"make with a variable", "make install PREFIX=./out", []string{"make install PREFIX=./out"}},
		{"program with the name of a builtin", "./exec true; ./test -f x; ./cd y; ls", []string{"./exec true", "./test -f x", "./cd y", "ls"}},
		{"builtin under a launcher is a program", "env true", []string{"true"}},
		{"xargs", "xargs -0 -n 1 wc -l", []string{"wc -l <<input>>"}},
		{"xargs with a place", "xargs -I{} cp {} b/", []string{"cp <{}> b/"}},
		{"shell text", "sh -c 'ls | wc -l'", []string{"sh -c 'ls | wc -l'"}},
	})
}
