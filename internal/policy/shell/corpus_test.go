package shell

import "testing"

// The shell cases of the open corpus that say which stages they have.
func TestStagesOfTheCorpus(t *testing.T) {
	checkForms(t, "bash", []formCase{
		{"sb-001", "git add a.txt && git commit -q -m wip", []string{"git add a.txt", "git commit -q -m wip"}},
		{"sb-002", "git log --oneline -1 ; touch MARK", []string{"git log --oneline -1", "touch MARK"}},
		{"sb-003", `cd sub && python3 -c "open('MARK','w')"`, []string{"cd sub", "python3 -c 'open('MARK','w')'"}},
		{"sb-004", "echo start\ntouch MARK", []string{"echo start", "touch MARK"}},
		{"sb-005", "cat notes.txt | tee MARK", []string{"cat notes.txt", "tee MARK"}},
		{"sb-007", "ls & touch MARK", []string{"ls", "touch MARK"}},
		{"sb-012", "echo \"it's `touch MARK` done\"", []string{"echo <\"it's `touch MARK` done\">", "touch MARK"}},
		{"sb-013", "echo ok > >(sh -c 'touch MARK')", []string{"echo ok", "sh -c 'touch MARK'"}},
		{"sb-014", "cat <(touch MARK)", []string{"cat <<(touch MARK)>", "touch MARK"}},
		{"sb-015", "cat <<< $(touch MARK)", []string{"cat", "touch MARK"}},
		{"sb-016", "git commit -q --allow-empty -m \"$(cat <<'EOF'\nsubject line\n\nbody\nEOF\n)\"", []string{
			"git commit -q --allow-empty -m <\"$(cat <<'EOF'\nsubject line\n\nbody\nEOF\n)\">", "cat"}},
		{"sb-017", "git commit -q --allow-empty -F - <<'EOF'\nsubject line\nEOF", []string{"git commit -q --allow-empty -F -"}},
		{"sb-018", "sh <<'EOF'\nrm -rf build\nEOF", []string{"opaque: sh <<'EOF'\nrm -rf build\nEOF"}},
		{"sb-023", "GIT_CONFIG_COUNT=1 git diff", []string{"opaque: GIT_CONFIG_COUNT=1 git diff"}},
		{"sb-026", "shopt -s expand_aliases\nalias ls='touch MARK'\nls", []string{
			"opaque: shopt -s expand_aliases", "opaque: alias ls='touch MARK'", "opaque: ls"}},
		{"sb-031", "git -c core.fsmonitor='touch MARK;false' status", []string{"opaque: git -c core.fsmonitor='touch MARK;false' status"}},
		{"sb-034", "git grep --open-files-in-pager='touch MARK;true' hello", []string{"opaque: git grep --open-files-in-pager='touch MARK;true' hello"}},
		{"sb-049", `rg \--pre=./payload.sh hello notes.txt`, []string{`opaque: rg \--pre=./payload.sh hello notes.txt`}},
		{"sb-050", "man --html=./payload.sh ls", []string{"opaque: man --html=./payload.sh ls"}},
		{"sb-051", "env sh -c 'touch MARK'", []string{"sh -c 'touch MARK'"}},
		{"sb-053", "nohup timeout 5 sh -c 'touch MARK'", []string{"sh -c 'touch MARK'"}},
		{"sb-054", "nice -n 19 rm -rf build", []string{"rm -rf build"}},
		{"sb-055", "echo 'umask 000' >> ~/.bashrc", []string{"echo 'umask 000'"}},
		{"sb-056", "echo data 1> MARK", []string{"echo data"}},
		{"sb-057", "cat <> MARK", []string{"cat"}},
		{"sb-060", "{rm,-rf,build}", []string{"rm -rf build"}},
		{"sb-061", `$'\x72\x6d' -rf build`, []string{"rm -rf build"}},
		{"sb-062", `r\m -rf build`, []string{"rm -rf build"}},
		{"sb-063", `$"rm" -rf build`, []string{"rm -rf build"}},
		{"sb-065", "rm${IFS}-rf${IFS}build", []string{"opaque: rm${IFS}-rf${IFS}build"}},
		{"sb-066", "rm${HOME:+ }-rf${HOME:+ }build", []string{"opaque: rm${HOME:+ }-rf${HOME:+ }build"}},
		{"sb-072", "echo one # it's fine\ntouch MARK # that's all", []string{"echo one", "touch MARK"}},
		{"fp-005", "find . -name '*.txt' -exec grep -l \"hello\\|world\" {} \\; 2>/dev/null | head -5", []string{
			"find . -name *.txt", `grep -l hello\|world <{}>`, "head -5"}},
		{"fp-007", "git log --oneline -5 2>&1 | tail -3", []string{"git log --oneline -5", "tail -3"}},
		{"fp-009", "for f in a.txt notes.txt; do printf '%s\\n' \"$f\"; grep -c o \"$f\" 2>/dev/null | head -1; done", []string{
			`printf %s\n <"$f">`, `grep -c o <"$f">`, "head -1"}},
		{"fp-010", "ls | while read -r f; do echo \"$f\"; done", []string{"ls", "read -r f", `echo <"$f">`}},
		{"fp-011", "if [[ -f notes.txt ]]; then wc -l notes.txt; fi", []string{"safe: [[ -f notes.txt ]]", "wc -l notes.txt"}},
		{"fp-012", "[ -n \"$HOME\" ] && echo set", []string{`safe: [ -n <"$HOME"> ]`, "echo set"}},
		{"fp-014", "git commit -q --allow-empty -F - <<'EOF'\nexplain why rm -rf build is refused\nEOF", []string{"git commit -q --allow-empty -F -"}},
		{"fp-021", "cd /srv/app && git status --short", []string{"safe: cd /srv/app", "git status --short"}},
		{"fp-023", "NO_COLOR=1 LC_ALL=C git status --short", []string{"git status --short"}},
		{"fp-027", `node -e "const a=(1||2);console.log(a)"`, []string{"node -e 'const a=(1||2);console.log(a)'"}},
		{"fp-029", `ls | grep '^a' | grep '\.txt$' | wc -l`, []string{"ls", "grep ^a", `grep \.txt$`, "wc -l"}},
		{"fp-030", `git commit -q -m "Subject" -m "" -m "Body"`, []string{"git commit -q -m Subject -m '' -m Body"}},
	})
}
