package policy_test

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

func TestWhatOnlyReadsIsCoveredByAReadOnlyRule(t *testing.T) {
	for _, text := range []string{
		"cat a b", "cat", "cat $x", "echo $x", "ls -la src", "head -n 5 a", "tail -3", "wc -l a", "grep -rn foo src", "grep $x a",
		"rg -n foo src", "find . -name a -type f", "sort -k2 -t , a", "uniq -c", "uniq -f 1 a", "cut -d : -f1", "tr a b", "diff -u a b",
		"stat a", "file a", "du -sh", "df -h", "tree -L 2", "jq .a x.json", "printf %s a", "pwd", "date +%F", "date -d tomorrow +%F",
		"whoami", "id -u", "env", "which git", "type ls", "ps aux", "sed -n 1,5p a", "sed s/a/b/g x", "sed -n -e /x/p a", "man ls", "man -k x",
		"basename /a/b", "command -v go", "git reflog -5", `sed -E s/(a)/\1/g x`, "sed s|a|b| x", "sed /a/,/b/d x", "sed s,a,b,g x", "dirname $x", "realpath a", "readlink -f a", "cmp a b", "xxd -l 8 a", "test -f a", "hostname -f", "column -t",
		"git status --short", "git log --oneline -5", "git --no-pager log", "git diff HEAD~1 -- a", "git show HEAD:a", "git blame a",
		"git branch", "git branch -a", "git branch -vv", "git branch --list topic", "git branch --show-current", "git branch --contains HEAD",
		"git tag", "git tag -l v1", "git tag -n5", "git remote -v", "git remote", "git remote get-url origin", "git config --get user.name",
		"git config --list", "git config -l --show-origin", "git ls-files", "git rev-parse HEAD", "git stash list", "git stash show -p",
		"git grep -n foo", "git cat-file -p HEAD", "git worktree list", "git reflog", "git reflog show", "git describe --tags",
		"awk {print} a", "awk -F: {print} a", "awk -F , -v a=b NR==1 a", "mawk 1 a", "sed -n 1p;5p a", "sed s/[^/]// a", "sed y/abc/xyz/ a", "sed -n /a/{p;q} a", "sed s;a;b; x",
		"git -C . status", "git config user.name", "git symbolic-ref --short HEAD", "git submodule status", "git submodule", "git notes list", "git bisect log",
		"date -Iseconds", "date -dyesterday +%F", "rg -tzig foo", "diff -xlib a b", "yq -o=json .a x.yaml", "git config --type bool --get core.bare",
		"git shortlog -sn", "git merge-base a b", "git --version", "git log -- $f", "git log --author=a",
	} {
		t.Run(text, func(t *testing.T) {
			rule := readOnly(strings.Fields(text)[0])
			if v := compile(t, rule).Evaluate(command(run(text)), in(approval.PromptUnmatched)); v.Effect != allow {
				t.Errorf("%v: %s", v.Effect, v.Explanation)
			}
		})
	}
}

func TestWhatMayDoMoreIsNotCoveredByAReadOnlyRule(t *testing.T) {
	for _, text := range []string{
		"rm a", "awk -f x a", "awk system(a)", "awk {print>1}", "awk -e 1 a", "awk -i inplace 1 a", "awk $x a", "gawk -l x 1", "less a", "vim a", "xargs ls", "nohup ls", "timeout 5 ls", "env ls", "env -i", "env A=1", "python3 a", "tee a",
		"find . -delete", "find . -exec ls {} ;", "find . -fprint x", "find . -ok ls ;", "find $x", "find -- $x", "find . -name *.txt",
		"sort -o a b", "sort --output=a b", "sort --out=a b", "sort -uo a b", "sort --compress-program=x a", "sort $x",
		"uniq a b", "xxd -r a", "xxd a b", "tree -o x", "date -s 1", "date --set=1", "date 01011200", "hostname evil", "man -P x ls", "man --html=x ls", "man -l x",
		"rg --pre=x a", "rg --pre x a", "rg --hostname-bin=x a", "rg -z a", "rg $x", "file -C -m x", "diff -l a b", "sed -i s/a/b/ x", "sed -ni p x",
		"sed --in-place p x", "sed -e wx a", "sed -f x a", "sed s/a/b/e x", "sed s/a/b/w x", "sed $x a", "sed -e p -e $x a", "sed -ep a", "sed ew a", "sed 1,5p;w a",
		"printf -v a b", "command ls", "command -p ls", `sed s/a/b/;w x`, `sed s/a/b\/e x`, "sed s|a|b|e x", "sed s/[/]/w/x/ a", "sed s/a/b/w/x a", "sed /a/w x", "sed 1e x", `sed /a\/wx a`, "yq -i .a x", "/bin/cat a", "./cat a", "$x a",
		"git", "git push", "git commit", "git checkout a", "git -c a=b status", "git --git-dir=x status", "git --exec-path=x status",
		"git -p log", "git branch topic", "git branch -D topic", "git branch -d topic", "git branch -m a b", "git branch -f topic", "git branch --edit-description",
		"git branch -av topic", "git branch --list -D topic", "git branch --set-upstream-to=a", "git tag v1", "git tag -d v1", "git tag -f v1", "git tag -a",
		"git remote add a b", "git remote -v update", "git remote set-url a b", "git remote prune a", "git config user.name a", "git config --unset a",
		"git config -e", "git config a.b c d", "git symbolic-ref HEAD x", "git symbolic-ref -d HEAD", "git submodule update", "git submodule -q foreach ls", "git notes add", "git bisect bad", "git config --list --edit", "git config core.pager x --get", "git config x --list", "git blame --output=x a", "git annotate --outp x a",
		"git rev-list --output=x HEAD", "xxd - --", "xxd a -- b", "xxd a -r", "sed -l 1p p x", "sed --line-length 1p p x", "sed -nl1 p x", "yq --security-enable-system-operator .a x",
		"date -us 1", "rg -nz a", "diff -ul a b", "git diff --output=x", "git diff --outp=x", "git diff --ext-diff", "git log --textconv", "git show --ext-diff", "git grep -O a",
		"git grep -nO a", "git grep --open-files-in-pager=x a", "git grep --open=x a", "git stash", "git stash pop", "git stash -u", "git stash drop",
		"git reflog expire", "git reflog delete a", "git worktree add a", "git worktree", "git cat-file --filters a", "git $x", "git log $x", "git log --$x",
		"git fsck", "git gc", "git archive HEAD", "git submodule foreach ls", "git bisect run x", "git difftool", "git help -w log", "git ls-remote x",
	} {
		t.Run(text, func(t *testing.T) {
			program := strings.Fields(text)[0]
			if strings.Contains(program, "/") {
				program = "cat"
			}
			p := compile(t, readOnly(program), policy.Rule{Kind: approval.KindProcess, Action: "none"})
			if v := p.Evaluate(command(run(text)), in(approval.PromptUnmatched)); v.Effect != ask {
				t.Errorf("%v: %s", v.Effect, v.Explanation)
			}
		})
	}
}

// A word that is not known yet must not be able to become an option of a
// program that has options which write.
func TestAWordThatMayBecomeAnOptionIsNoReading(t *testing.T) {
	for _, c := range []struct {
		word string
		want policy.Effect
	}{
		{`"$x"`, ask},
		{`"src/$x"`, allow},
		{`src/$x`, ask}, // may fall apart
		{`"src"$x`, ask},
		{`"src/$@"`, ask},
		{`"src/${a[@]}"`, ask},
		{`"src/${a[0]}"`, allow},
		{`"--author=$x"`, allow},
		{`"--$x"`, ask},
		{`*`, ask},
		{`src/*`, allow},
		{`~/src`, allow},
		{`<(ls)`, allow},
		{`<input>`, ask},
		{`"a$(echo x)"`, allow},
		{`"a$(echo '(' )"$x"$(echo ')' )"`, ask}, // its quotes are not where they seem to be
	} {
		t.Run(c.word, func(t *testing.T) {
			a := command(word("git", "log", c.word).unknown(2))
			if v := compile(t, readOnly("git")).Evaluate(a, in(approval.PromptUnmatched)); v.Effect != c.want {
				t.Errorf("%v: %s", v.Effect, v.Explanation)
			}
			a = command(word("git", "log", "--", c.word).unknown(3))
			if v := compile(t, readOnly("git")).Evaluate(a, in(approval.PromptUnmatched)); v.Effect != allow {
				t.Errorf("behind --: %v: %s", v.Effect, v.Explanation)
			}
		})
	}
}

func TestAReadOnlyRuleBindsLikeAnyAllowRule(t *testing.T) {
	check(t, []row{
		{"no other program", rules(readOnly("cat")), command(run("ls")), ask},
		{"no opaque stage", rules(readOnly("cat")), command(run("!cat a")), ask},
		{"no untrusted program", rules(readOnly("make", "cat")), command(run("cat a", untrusted)), ask},
		{"no program in another directory", rules(readOnly("git")), command(run("git -C x status", elsewhere)), ask},
		{"a near miss", rules(readOnly("git"), argv(deny, "git log -p")), command(run("git log -5")), ask},
		{"deny wins", rules(readOnly("git"), argv(deny, "git log")), command(run("git log")), deny},
		{"a written file is a question", rules(readOnly("cat")), command(run("cat a", to("/srv/app/b"))), ask},
		{"program text is not reading", rules(readOnly("sed")), command(run("sed p a", codeAt(1))), ask},
		{"a sed program of several words", rules(readOnly("sed")), command(word("sed", "-n", "1p;w x", "a")), ask},
		{"a sed pattern with a blank", rules(readOnly("sed")), command(word("sed", "-n", "/a b/p", "a")), allow},
	})
}
