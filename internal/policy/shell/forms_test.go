package shell

import "testing"

// Every statement form gives up the commands inside it, in source order.
func TestStagesOfEveryStatementForm(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"background", "ls & touch MARK", []string{"ls", "touch MARK"}},
		{"negation", "! grep -q x f", []string{"grep -q x f"}},
		{"both streams piped", "make |& tail -3", []string{"make", "tail -3"}},
		{"time", "time make", []string{"make"}},
		{"time of a pipeline", "time -p a | b", []string{"a", "b"}},
		{"subshell", "(ls; touch MARK)", []string{"ls", "touch MARK"}},
		{"nested subshells", "( (a) ; b )", []string{"a", "b"}},
		{"group", "{ ls; touch MARK; }", []string{"ls", "touch MARK"}},
		{"if", "if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"for over words", "for f in a b; do ls $f; done", []string{"ls <$f>"}},
		{"for over a substitution", "for f in $(git ls-files); do wc -l \"$f\"; done", []string{"git ls-files", `wc -l <"$f">`}},
		{"for over the parameters", "for f; do ls \"$f\"; done", []string{`ls <"$f">`}},
		{"for with braces", "for f in a; { ls; }", []string{"ls"}},
		{"while", "while a; do b; done", []string{"a", "b"}},
		{"until", "until a; do b; done", []string{"a", "b"}},
		{"select", "select x in a b; do ls; done", []string{"ls"}},
		{"case", "case $x in a|b) ls ;; *) touch MARK ;; esac", []string{"ls", "touch MARK"}},
		{"case with both parentheses", "case $x in (a) ls;; (b) c;; esac", []string{"ls", "c"}},
		{"case that falls through", "case $x in a) b ;& c) d ;;& e) f ;; esac", []string{"b", "d", "f"}},
		{"case inside parentheses", "(case $x in (a) ls;; (*) b;; esac) > x", []string{"ls", "b"}},
		{"case inside a substitution", "echo $(case $x in (a) ls;; esac)", []string{"echo <$(case $x in (a) ls;; esac)>", "ls"}},
		{"loop inside a case", "case $x in a) for f in b c; do (ls); done;; esac", []string{"ls"}},
		{"case inside a case", "case $x in a) case $y in b) ls;; esac;; c) d;; esac", []string{"ls", "d"}},
		{"case without a pattern", "case x in esac; ls", []string{"ls"}},
		{"case over several lines", "case x\nin\n  a | b)\n    ls\n    ;;\n  *) c\nesac", []string{"ls", "c"}},
		{"case of a substitution", "case $(uname) in Linux) ls;; esac", []string{"uname", "ls"}},
		{"function", "f() { ls; }", []string{"ls"}},
		{"function with a blank", "f () { ls; }", []string{"ls"}},
		{"function by keyword", "function f { ls; }", []string{"ls"}},
		{"function by keyword and parentheses", "function f() ( ls )", []string{"ls"}},

		{"command substitution", "echo $(touch MARK)", []string{"echo <$(touch MARK)>", "touch MARK"}},
		{"command substitution in double quotes", `echo "a $(touch MARK) b"`, []string{`echo <"a $(touch MARK) b">`, "touch MARK"}},
		{"nested substitutions", `echo "$(a "$(b)")"`, []string{`echo <"$(a "$(b)")">`, `a <"$(b)">`, "b"}},
		{"backquotes", "echo `touch MARK`", []string{"echo <`touch MARK`>", "touch MARK"}},
		{"backquotes in double quotes", "echo \"it's `touch MARK` done\"", []string{"echo <\"it's `touch MARK` done\">", "touch MARK"}},
		{"substitution in a default", "echo ${x:-$(touch MARK)}", []string{"echo <${x:-$(touch MARK)}>", "touch MARK"}},
		{"substitution in an assignment", "x=$(touch MARK)", []string{"touch MARK"}},
		{"substitution in a declaration", "local x=$(touch MARK)", []string{"touch MARK"}},
		{"substitution in a test", "[[ -n $(touch MARK) ]]", []string{"safe: [[ -n <$(touch MARK)> ]]", "touch MARK"}},
		{"substitution in a case pattern", "case a in $(touch MARK)) ls;; esac", []string{"touch MARK", "ls"}},
		{"process substitution, in", "cat <(touch MARK)", []string{"cat <<(touch MARK)>", "touch MARK"}},
		{"process substitution, out", "echo ok > >(tee MARK)", []string{"echo ok", "tee MARK"}},
		{"substitution in a redirection", `echo a > "$(touch MARK)"`, []string{"echo a", "touch MARK"}},
		{"here-string", "cat <<< \"$(touch MARK)\"", []string{"cat", "touch MARK"}},
		{"heredoc that expands", "cat <<EOF\n$(touch MARK)\nEOF\nls", []string{"cat", "touch MARK", "ls"}},
		{"heredoc that does not", "cat <<'EOF'\n$(touch MARK)\nEOF\nls", []string{"cat", "ls"}},
		{"heredoc with tabs", "cat <<-EOF\n\ta\n\tEOF\nls", []string{"cat", "ls"}},
		{"heredoc with a line like its end", "cat <<'E'\nE \n E\nit's\nE", []string{"cat"}},
		{"heredoc, then a pipe", "cat <<E | wc -l\nit's\nE", []string{"cat", "wc -l"}},
		{"two heredocs on a line", "cat <<A; cat <<B\n1\nA\n2\nB\nls", []string{"cat", "cat", "ls"}},
		{"heredoc in a substitution", "git commit -m \"$(cat <<'EOF'\nit's; and && in\nEOF\n)\"", []string{
			"git commit -m <\"$(cat <<'EOF'\nit's; and && in\nEOF\n)\">", "cat"}},
		{"arithmetic over names", "echo $((i + 1)); ls", []string{"echo <$((i + 1))>", "opaque: $((i + 1))", "ls"}},
		{"arithmetic over names in an assignment", "i=$((i+$n)); ls", []string{"opaque: $((i+$n))", "ls"}},
		{"arithmetic command", "while ((i++ < 5)); do ls; done", []string{"opaque: ((i++ < 5))", "ls"}},
		{"arithmetic that assigns to PATH", "((PATH=1)); ls", []string{"opaque: ((PATH=1))", "opaque: ls"}},
		{"arithmetic over digits", "echo $((1 + 2))", []string{"echo <$((1 + 2))>"}},

		{"assignment alone", "x=1; ls", []string{"ls"}},
		{"assignment of something dynamic", "x=$y; ls $x", []string{"ls <$x>"}},
		{"display-only variables in front", "NO_COLOR=1 LC_ALL=C git status", []string{"git status"}},
		{"harmless export", "export NO_COLOR=1; ls", []string{"ls"}},
		{"local without a value", "f() { local x; ls; }", []string{"ls"}},
		{"readonly", "readonly x=1; ls", []string{"ls"}},
		{"declare -r", "declare -r x=1; ls", []string{"ls"}},
		{"declare -p prints", "declare -p x", []string{"declare -p x"}},
		{"unset of a plain name", "unset x; ls", []string{"unset x", "ls"}},

		{"brace list", "{rm,-rf,build}", []string{"rm -rf build"}},
		{"brace list as a part", "cp a.{txt,bak}", []string{"cp a.txt a.bak"}},
		{"nested brace lists", "ls {a,b{c,d}}e", []string{"ls ae bce bde"}},
		{"empty member of a brace list", "cp a{,.bak}", []string{"cp a a.bak"}},
		{"brace range", "echo {1..3}", []string{"echo <{1..3}>"}},
		{"brace list with quotes", `echo {'a',"b"}`, []string{`echo <{'a',"b"}>`}},
		{"ANSI-C quoting", `$'\x72\x6d' -rf $'a\tb\'c\101\u0041'`, []string{"rm -rf 'a\tb'cAA'"}},
		{"locale quoting", `$"rm" -rf build`, []string{"rm -rf build"}},
		{"globs", "rm *.o a? b[cd]", []string{"rm <*.o> <a?> <b[cd]>"}},
		{"tildes", "cat ~/x ~root dd=~/y a:~", []string{"cat <~/x> <~root> <dd=~/y> <a:~>"}},
		{"dollar at the end of a word", "grep foo$ f", []string{"grep foo$ f"}},
		{"dollar in double quotes", `grep "a$|b$" f`, []string{"grep a$|b$ f"}},

		{"control flow", "for i in 1 2; do if [ $i = 2 ]; then continue; fi; break; done; exit 1", []string{
			"safe: [ <$i> = 2 ]", "safe: continue", "safe: break", "safe: exit 1"}},
		{"set -e", "set -euo pipefail; ls", []string{"set -euo pipefail", "ls"}},
		{"set of parameters", "set -- a b; ls", []string{"set -- a b", "ls"}},
		{"builtin that lists", "type ls; command -v ls", []string{"type ls", "command -v ls"}},
	})
}

// The false positives of the public record: harmless texts that must not become a question.
func TestHarmlessTextsAreComplete(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"error stream merged into output", "git log --oneline -5 2>&1 | tail -3", []string{"git log --oneline -5", "tail -3"}},
		{"errors thrown away", "ls a 2>/dev/null || true", []string{"ls a", "safe: true"}},
		{"loop with a read-only body", "for f in a.txt notes.txt; do printf '%s\\n' \"$f\"; grep -c o \"$f\" 2>/dev/null | head -1; done", []string{
			`printf %s\n <"$f">`, `grep -c o <"$f">`, "head -1"}},
		{"loop over lines", "ls | while read -r f; do echo \"$f\"; done", []string{"ls", "read -r f", `echo <"$f">`}},
		{"loop over lines with IFS", "while IFS= read -r f; do echo \"$f\"; done < list", []string{"read -r f", `echo <"$f">`}},
		{"file test", "if [[ -f notes.txt ]]; then wc -l notes.txt; fi", []string{"safe: [[ -f notes.txt ]]", "wc -l notes.txt"}},
		{"bracket test", "[ -n \"$HOME\" ] && echo set", []string{`safe: [ -n <"$HOME"> ]`, "echo set"}},
		{"commit message in a heredoc", "git commit -F - <<'EOF'\nexplain why rm -rf is refused\nEOF", []string{"git commit -F -"}},
		{"comment with apostrophes", "echo one # it's fine\nls # that's all", []string{"echo one", "ls"}},
		{"sort of a loop's variable", "for f in a b; do sort \"$f\"; done", []string{`sort <"$f">`}},
		{"awk that prints", "ls -l | awk '{print $5}'", []string{"ls -l", "awk '{print $5}'"}},
		{"sed that prints", "sed -n '1,5p;$p' f", []string{"sed -n 1,5p;$p f"}},
		{"regular expression", `[[ $x =~ ^[0-9]+$ ]] && echo number`, []string{"safe: [[ <$x> =~ <^[0-9]+$> ]]", "echo number"}},
		{"names of git by substitution", "git log --author=\"$(git config user.name)\"", []string{
			`git log <--author="$(git config user.name)">`, "git config user.name"}},
	})
}

// sh may be bash, dash or another: only what all of them read alike is complete.
func TestStagesOfSh(t *testing.T) {
	checkForms(t, "sh", []formCase{
		{"if and loop", "if [ -f a ]; then for f in a b; do ls \"$f\"; done; fi", []string{"safe: [ -f a ]", `ls <"$f">`}},
		{"substitution", "echo $(ls)", []string{"echo <$(ls)>", "ls"}},
		{"heredoc", "cat <<E\n$(ls)\nE", []string{"cat", "ls"}},
		{"function", "f() { ls; }; f", []string{"ls", "opaque: f"}},
		{"case", "case a in a) ls;; esac", []string{"ls"}},
		{"brace list", "echo {a,b}", []string{"echo <{a,b}>"}},
		{"comparison of what may be an expression", "[ \"$x\" -eq 1 ]", []string{`opaque: [ "$x" -eq 1 ]`}},
		{"harmless export", "export NO_COLOR=1; ls", []string{"export NO_COLOR=1", "ls"}},
		{"time is a launcher", "time ls", []string{"ls"}},
	})
}

// What is read of zsh means the same under every option.
func TestFormsOfZsh(t *testing.T) {
	checkForms(t, "zsh", []formCase{
		{"redirections", "ls > a 2>&1; ls 2>/dev/null >> b; wc < a; ls 2>&-", []string{"ls", "ls", "wc", "ls"}},
		{"background and negation", "ls & ! ls a; ls &", []string{"ls", "ls a", "ls"}},
		{"assignment in front", "LC_ALL=C sort a", []string{"sort a"}},
		{"assignment that matters", "PATH=. ls", []string{"opaque: PATH=. ls"}},
		{"variable in quotes", `echo "a $x/b" "$HOME"; [ -n "$x" ]`, []string{`echo <"a $x/b"> <"$HOME">`, `safe: [ -n <"$x"> ]`}},
		{"files", "ls *.go src/a?.go ~/x ~", []string{"ls <*.go> <src/a?.go> <~/x> <~>"}},
		{"program that only the shell knows", `"$x" a`, []string{`opaque: "$x" a`}},
	})
}

// What find runs for every file is a stage of its own, where find does nothing else.
func TestFormsOfFind(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"one file at a time", `find a -name x -exec grep -l y {} \; -print`, []string{"find a -name x -print", "grep -l y <{}>"}},
		{"many files", "find . -exec wc -l {} +", []string{"find .", "wc -l <{}>"}},
		{"two commands", `find . -exec a {} \; -exec b c{} \;`, []string{"find .", "a <{}>", "b <c{}>"}},
		{"a plus that is an operand", `find . -exec a + {} \;`, []string{"find .", "a + <{}>"}},
		{"below a launcher", `nice find . -exec env rm {} \;`, []string{"find .", "rm <{}>"}},
		{"a file that is run", `find . -exec {} \;`, []string{"find .", `opaque: find . -exec {} \;`}},
		{"text for a shell", `find . -exec sh -c 'rm {}' \;`, []string{"find .", `opaque: find . -exec sh -c 'rm {}' \;`}},
		{"a shell of its own text", `find . -exec sh -c 'ls | wc' \;`, []string{"find .", "sh -c 'ls | wc'"}},
		{"no end", "find . -exec rm {}", []string{"opaque: find . -exec rm {}"}},
		{"a plus without files", "find . -exec rm a +", []string{"opaque: find . -exec rm a +"}},
		{"nothing to run", `find . -exec \;`, []string{`opaque: find . -exec \;`}},
		{"another action", `find . -exec ls {} \; -delete`, []string{`opaque: find . -exec ls {} \; -delete`}},
		{"an action in the command", `find . -exec find {} -delete \;`, []string{"find .", `opaque: find . -exec find {} -delete \;`}},
		{"an end that only the shell knows", `find . -exec ls {} "$x"`, []string{`opaque: find . -exec ls {} "$x"`}},
		{"a start that only the shell knows", `find "$x" -exec ls {} \;`, []string{`opaque: find "$x" -exec ls {} \;`}},
		{"another directory", `cd a; find . -exec ls {} \;`, []string{"cd a", "find .", "ls <{}>"}},
	})
	for _, s := range Stages(`cd a && find . -exec ls {} \;`, "bash", cwd)[1:] {
		if len(s.Dirs) != 1 || s.Dirs[0] != "a" {
			t.Errorf("%+v, want it below a", s)
		}
	}
}
