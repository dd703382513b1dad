package shell

import (
	"strings"
	"testing"
)

func TestSuggestedPrefixes(t *testing.T) {
	for command, want := range map[string]string{
		"ls -l a":                   "ls",
		"grep -rn x .":              "grep",
		"git status --short":        "git status",
		"git stash list":            "git stash list",
		"git stash -u":              "git stash",
		"git commit -m 'x y'":       "git commit",
		"git commit -m \"$(date)\"": "git commit",
		"git log > x":               "git log",
		"go mod tidy":               "go mod tidy",
		"cargo test --all":          "cargo test",
		"gh pr view 5":              "gh pr view",
		"git":                       "", // never one word for a program with subcommands
		"git -C x status":           "",
		"git --no-pager log":        "",
		"git foo":                   "",
		"git 'status'":              "", // quoted
		"git $x":                    "",
		"go run x.go":               "",
		"'ls' a":                    "",
		`l\s a`:                     "",
		"./ls":                      "",
		"/bin/ls":                   "",
		"$x":                        "",
		"sh x.sh":                   "",
		"bash -c ls":                "",
		"python3 x.py":              "",
		"node -e x":                 "",
		"awk '{print}' f":           "",
		"env ls":                    "", // launchers
		"sudo ls":                   "",
		"xargs ls":                  "",
		"npm run build":             "",
		"npm test":                  "",
		"npx x":                     "",
		"make test":                 "",
		"uv run x":                  "",
		"docker ps":                 "",
		"kubectl exec x -- ls":      "",
		"kubectl get pods":          "kubectl get",
		"ssh host ls":               "",
		"rm a":                      "",
		"curl https://example.com":  "",
		"unheard-of a":              "",
		"FOO=1 ls":                  "", // opaque
		"rg --pre x y":              "",
		"[ -f a ]":                  "", // known safe
		"if":                        "",
	} {
		t.Run(command, func(t *testing.T) {
			if got := strings.Join(Stages(command, "bash", cwd)[0].Prefix, " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// No program is in two tables that say different things about it.
func TestTablesOfProgramsAgree(t *testing.T) {
	for name := range plainPrograms() {
		if subcommands()[name] != nil || launchers()[name] != nil || interpreterNamed(name) != nil || runners()[name] || opaquePrograms()[name] != "" || unsettlingWords()[name] {
			t.Errorf("%s is suggested in one word, and something else too", name)
		}
	}
	for name := range opaquePrograms() {
		if launchers()[name] != nil || interpreters()[name] != nil || carriers()[name] != nil || subcommands()[name] != nil || runners()[name] {
			t.Errorf("%s is always opaque, and something else too", name)
		}
	}
	for name := range harmlessVariables() {
		if standingVariables()[name] {
			t.Errorf("%s is harmless and is not", name)
		}
	}
}
