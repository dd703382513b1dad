package shell

import "sync"

// subcommands are the programs with fixed subcommands, and those of them that a rule may be suggested
// for; a / joins the words of one. What runs other programs, or text of the user's, is left out
// (policy.md "Shell": prefix suggestion).
var subcommands = sync.OnceValue(func() map[string]map[string]bool {
	return map[string]map[string]bool{
		"git": setOf(`add apply blame branch checkout cherry-pick commit describe diff fetch grep init log ls-files
		ls-remote ls-tree merge mv pull push rebase reflog reset restore rev-list rev-parse revert rm shortlog show
		stash stash/list stash/push stash/pop stash/show status switch tag remote worktree/list worktree/add worktree/remove`),
		"go":        setOf(`build test vet fmt doc env list version get install mod/tidy mod/download mod/verify mod/graph mod/why work/sync`),
		"cargo":     setOf(`build check test clippy fmt doc bench update tree metadata add remove clean fetch`),
		"npm":       setOf(`ci install ls list view outdated audit pack version`),
		"pnpm":      setOf(`install list outdated audit why`),
		"yarn":      setOf(`install list outdated audit why`),
		"pip":       setOf(`install list show freeze check`),
		"pip3":      setOf(`install list show freeze check`),
		"uv":        setOf(`sync lock tree pip/install pip/list`),
		"poetry":    setOf(`install lock show check build`),
		"kubectl":   setOf(`get describe logs top explain version api-resources`),
		"helm":      setOf(`list status lint template`),
		"terraform": setOf(`plan validate fmt show init`),
		"gh": setOf(`pr/list pr/view pr/diff pr/checks pr/status pr/create issue/list issue/view run/list run/view
		repo/view release/list release/view search/issues search/prs search/code`),
		"brew":          setOf(`list info search outdated`),
		"apt":           setOf(`list search show update`),
		"apt-get":       setOf(`update`),
		"systemctl":     setOf(`status is-active list-units`),
		"dotnet":        setOf(`build test restore format`),
		"swift":         setOf(`build test`),
		"gradle":        setOf(`build test check`),
		"mvn":           setOf(`test compile package verify`),
		"bundle":        setOf(`install list check`),
		"composer":      setOf(`install show validate`),
		"mix":           setOf(`compile test format deps.get`),
		"golangci-lint": setOf(`run`),
		"buf":           setOf(`lint build format`),
	}
})

// plainPrograms have no subcommands and start nothing, so that a rule about the name says what it
// means. Those that delete, fetch or take rights away are not suggested.
var plainPrograms = wordSet(`
	ls cat head tail wc grep egrep fgrep rg sort uniq cut tr diff cmp stat file du df echo printf pwd date
	whoami id uname hostname ps tree basename dirname realpath readlink which type jq column nl tac comm
	paste fold seq md5sum sha1sum sha256sum xxd od hexdump strings cksum mkdir touch cp mv
	pytest ruff black isort mypy flake8 pylint pyright eslint prettier tsc jest vitest gofmt goimports
	staticcheck rustfmt shellcheck shfmt hadolint yamllint markdownlint clang-format clang-tidy nproc free uptime
`)

// suggest is the number of words in the prefix of the rule that may be suggested for a command; 0:
// none may.
func suggest(words []word) int {
	name := words[0]
	switch {
	case !name.bare:
		return 0
	case plainPrograms()[name.text]:
		return 1
	}
	known := subcommands()[name.text]
	if known == nil || len(words) < 2 || !words[1].bare {
		return 0
	}
	if len(words) > 2 && words[2].bare && known[words[1].text+"/"+words[2].text] {
		return 3
	}
	if known[words[1].text] {
		return 2
	}
	return 0
}
