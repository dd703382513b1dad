package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

var protectedPaths = []string{
	"/srv/app/.git/hooks/pre-commit", "/srv/app/.git/config", "/srv/app/.git", "/srv/app/.git/modules/lib/hooks/pre-commit",
	"/srv/app/.git/modules/lib/config", "/srv/app/.git/worktrees/a/config.worktree", "/srv/lib/.git/hooks/post-commit",
	"/srv/lib.git/hooks/update", "/srv/app/.husky/pre-push", "/srv/app/.approvald/policy.toml", "/srv/app/.claude/settings.json",
	"/home/u/.claude.json", "/srv/app/.codex/config.toml", "/srv/app/.cursor/mcp.json", "/srv/app/.gemini/settings.json",
	"/srv/app/.vscode/tasks.json", "/srv/app/.vscode/settings.json", "/srv/app/.vscode/launch.json", "/srv/app/.mcp.json",
	"/srv/app/.idea/runConfigurations/a.xml", "/srv/app/.devcontainer/devcontainer.json", "/srv/app/.envrc", "/home/u/.bashrc",
	"/home/u/.profile", "/home/u/.zshrc", "/home/u/.zshenv", "/home/u/.config/fish/config.fish", "/home/u/.ssh/authorized_keys",
	"/home/u/.gnupg/gpg.conf", "/home/u/.gitconfig", "/home/u/.config/git/config", "/etc/passwd", "/var/spool/cron/crontabs/u",
	"/home/u/.config/systemd/user/a.service", "/home/u/.config/autostart/a.desktop", "/home/u/Library/LaunchAgents/a.plist",
	"/usr/local/bin/ls", "/home/u/.local/bin/ls", "/srv/app/.npmrc", "/srv/app/.hg/hgrc", "/srv/app/.jj/repo/config.toml",
	"/home/u/.config/approvald/policy.toml", "/srv/app/.amazonq/mcp.json", "/home/u/.gradle/init.d/a.gradle", "/home/u/.sqliterc",
	// as other file systems read them
	"/srv/app/.GIT/hooks/a", "/srv/app/.gi\u200ct/hooks/a", "/srv/app/.git /config", "/srv/app/.git./config", "/srv/app/git~1/config", "/srv/app/.Claude/settings.json",
}

var ordinaryPaths = []string{
	"/srv/app/main.go", "/srv/app/.gitignore", "/srv/app/.gitattributes", "/srv/app/config", "/srv/app/hooks/use.ts",
	"/srv/app/.git/COMMIT_EDITMSG", "/srv/app/src/git/config", "/srv/app/.github/workflows/ci.yml", "/srv/app/.vscode/extensions.json",
	"/srv/app/docs/ssh/config", "/srv/app/Makefile", "/srv/app/.env", "/srv/app/etc/passwd",
}

func TestProtectedWritesAreAskedWhateverAllowsThem(t *testing.T) {
	p := compile(t, glob(allow, write, "/**"), argv(allow, ""))
	for _, path := range protectedPaths {
		for name, a := range map[string]approval.Action{
			"file": fileAt(write, path), "shell": command(run("ls"), run("echo a", to(path))), "operand": command(run("tee a", on(write, path))),
			"link": fileAt(write, "/srv/app/x", written(path)),
		} {
			t.Run(name+" "+path, func(t *testing.T) {
				for mode, want := range map[approval.Mode]policy.Effect{
					approval.AllowAll: ask, approval.PromptUnmatched: ask, approval.OnRequest: ask, approval.DenyUnmatched: deny,
				} {
					context := in(mode)
					context.Granted = everything
					v := p.Evaluate(a, context)
					if v.Effect != want || v.Protected != (want == ask) || v.Menu != (policy.Menu{}) {
						t.Errorf("%s: %v, protected %v, menu %+v: %s", mode, v.Effect, v.Protected, v.Menu, v.Explanation)
					}
				}
			})
		}
		t.Run("read "+path, func(t *testing.T) {
			if v := compile(t, glob(allow, read, "/**")).Evaluate(fileAt(read, path), in(approval.PromptUnmatched)); v.Effect != allow {
				t.Errorf("%v: %s", v.Effect, v.Explanation)
			}
		})
	}
	for _, path := range ordinaryPaths {
		t.Run("ordinary "+path, func(t *testing.T) {
			if v := p.Evaluate(fileAt(write, path), in(approval.PromptUnmatched)); v.Effect != allow || v.Protected {
				t.Errorf("%v: %s", v.Effect, v.Explanation)
			}
		})
	}
}

func TestDangerRefusesWhatWouldStillPrompt(t *testing.T) {
	p := compile(t, argv(ask, "rm"))
	for _, c := range []struct {
		name   string
		action approval.Action
		want   policy.Effect
	}{
		{"unmatched", command(run("make")), allow},
		{"asked", command(run("rm a")), allow},
		{"protected", fileAt(write, "/srv/app/.git/config"), deny},
		{"unknown kind", approval.Action{Subject: stranger}, deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			context := in(approval.AllowAll)
			context.Under[0].Preset = approval.DangerFullAccess
			v := p.Evaluate(c.action, context)
			if v.Effect != c.want || v.Effect == deny && v.Resolution != approval.ByModeDeny {
				t.Errorf("%v by %+v: %s", v.Effect, v.Resolution, v.Explanation)
			}
		})
	}
}

func TestADenyRuleWinsOverProtection(t *testing.T) {
	v := compile(t, glob(deny, write, "**/.git/**")).Evaluate(fileAt(write, "/srv/app/.git/config"), in(approval.PromptUnmatched))
	if v.Effect != deny || v.Protected {
		t.Errorf("%v, protected %v", v.Effect, v.Protected)
	}
}

func TestTheListOfProtectedFilesIsConfiguration(t *testing.T) {
	l := layer(glob(allow, write, "/**"))
	l.Protected, l.Unprotected = []string{"deploy/**"}, []string{"**/.envrc"}
	p := compileSetup(t, policy.Setup{Layers: []policy.Layer{l}})
	for path, want := range map[string]policy.Effect{
		"/srv/app/deploy/a": ask, "/srv/app/.envrc": allow, "/srv/app/.git/config": ask, "/srv/app/a": allow,
	} {
		if v := p.Evaluate(fileAt(write, path), in(approval.PromptUnmatched)); v.Effect != want {
			t.Errorf("%s: %v, want %v", path, v.Effect, want)
		}
	}
}

// What the administrator protects, the user does not lay open.
func TestAnUnprotectedGlobReachesNoOtherFilesList(t *testing.T) {
	managed, user := layer(), layer(glob(allow, write, "/**"))
	managed.Protected, user.Unprotected = []string{"deploy/**"}, []string{"deploy/**", "**/.envrc"}
	p := compileSetup(t, policy.Setup{Layers: []policy.Layer{managed, user}})
	for path, want := range map[string]policy.Effect{"/srv/app/deploy/a": ask, "/srv/app/.envrc": allow, "/srv/app/a": allow} {
		if v := p.Evaluate(fileAt(write, path), in(approval.PromptUnmatched)); v.Effect != want {
			t.Errorf("%s: %v, want %v", path, v.Effect, want)
		}
	}
}
