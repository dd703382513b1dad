package policy

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/approvald/approvald/internal/approval"
)

// isProtected is why a write to the target is protected: the first default or
// configured glob that covers its written or its real path; nil for none. A
// layer's unprotected globs take files out of the defaults and of its own list:
// what the administrator protects, the user does not lay open.
func (q *inquiry) isProtected(t approval.Target) *entry {
	var freed []int // the layers that take the target out
	for _, b := range q.shelves {
		for _, p := range []string{t.Path, t.Written} {
			for e := range b.freed.covering(p, q.in.Root, t.Folds) {
				freed = append(freed, e.layer)
			}
		}
	}
	if len(freed) == 0 {
		// A question too many is better than a file system with ideas of its own.
		for _, p := range []string{plainly(t.Path), plainly(t.Written)} {
			for e := range guarded().covering(p, q.in.Root, true) {
				return e
			}
		}
	}
	for _, b := range q.shelves {
		for _, p := range []string{t.Path, t.Written} {
			for e := range b.guarded.covering(p, q.in.Root, t.Folds) {
				if !slices.Contains(freed, e.layer) {
					return e
				}
			}
		}
	}
	return nil
}

// plainly is a path as file systems read it that leave something out of a name:
// HFS+ what is invisible, NTFS blanks and dots at the end, for which it has short
// names, too.
func plainly(p string) string {
	names := strings.Split(p, "/")
	changed := false
	for i, name := range names {
		plain := name
		if strings.ContainsFunc(name, invisible) {
			plain = strings.Map(func(r rune) rune {
				if invisible(r) {
					return -1
				}
				return r
			}, name)
		}
		plain = strings.TrimRight(plain, " .")
		if strings.EqualFold(plain, "git~1") {
			plain = ".git"
		}
		if plain != name && plain != "" {
			names[i], changed = plain, true
		}
	}
	if !changed {
		return p
	}
	return strings.Join(names, "/")
}

func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) }

// protectedWrite is the finding of a write to a protected target.
func (q *inquiry) protectedWrite(t approval.Target) finding {
	why := "it is on the configured list"
	if e := q.isProtected(t); e != nil && e.Reason != "" {
		why = e.Reason
	}
	return finding{match: protected, why: says("%s is protected: %s", accessTo{&t}, why)}
}

// guarded are the files that are protected by default.
var guarded = sync.OnceValue(func() *globs {
	s := newGlobs()
	for _, g := range protectedByDefault {
		for _, glob := range g.globs {
			s.add(glob, &entry{Rule: Rule{Effect: Ask, Kind: approval.KindFile, Access: approval.Write, Glob: glob, Reason: g.why}})
		}
	}
	return s
})

// protectedByDefault are the files through which a write becomes code that runs
// unasked, or a permission (policy.md "File"). What a build or a test runs is
// not among them: that is what writing code is for. Nor is what a push starts
// on other machines (.github/workflows): the push is asked about.
var protectedByDefault = []struct {
	why   string
	globs []string
}{
	{"git runs what it finds here", []string{
		"**/.git/**/hooks/**", "**/.git/**/config", "**/.git/**/config.worktree", // core.fsmonitor, core.sshCommand, aliases with !
		"**/.git/**/commondir", "**/.git/**/gitdir", // they say where the other two are read from
		"**/*.git/**/hooks/**", "**/*.git/**/config", // bare repositories
		"**/.githooks/**", "**/.husky/**", // where core.hooksPath usually points
	}},
	{"another version control system runs what it finds here", []string{
		"**/.hg/hgrc", "**/.hg/hgrc-not-shared", "**/.hgrc", "**/.sl/config", "**/.jj/repo/config.toml", "**/.config/jj/**",
		"**/.subversion/config", // the same as with git: hooks, aliases, programs
	}},
	{"a .git that is a file sends git to another directory", []string{"**/.git"}},
	{"it is git's configuration for every repository", []string{"**/.gitconfig", "**/.config/git/**"}},
	{"it is approvald's own place in a project", []string{"**/.approvald/**"}},
	{"it is where approvald looks for its rules", []string{"**/.config/approvald/**"}},
	{"it configures an agent: its permissions, hooks and servers", []string{
		"**/.claude/**", "**/.claude.json", "**/.codex/**", "**/.cursor/**", "**/.gemini/**", "**/.mcp.json",
		"**/.aider.conf.yml", "**/.amp/**", "**/.agents/**", "**/.clinerules/**", "**/.continue/**", "**/.config/goose/**",
		"**/.config/opencode/**", "**/.amazonq/**", "**/.aws/amazonq/**", "**/.codeium/**", "**/.copilot/**", "**/.crush.json", "**/.factory/**", "**/.github/hooks/**", "**/.junie/**",
		"**/.kilocode/**", "**/.kiro/**", "**/.opencode/**", "**/.qwen/**", "**/.roo/**", "**/.windsurf/**",
		"**/opencode.json", "**/opencode.jsonc",
	}},
	{"an editor starts what it finds here when it opens the project", []string{
		"**/.vscode/tasks.json", "**/.vscode/settings.json", "**/.vscode/launch.json", "**/.vscode/mcp.json", "**/*.code-workspace",
		"**/.idea/runConfigurations/**", "**/.idea/workspace.xml", "**/.idea/externalDependencies.xml", "**/.run/**",
		"**/.zed/tasks.json", "**/.zed/settings.json", "**/.fleet/run.json", "**/.exrc", "**/.nvimrc", "**/.nvim.lua",
		"**/.dir-locals.el", "**/.vimrc", "**/.vim/**", "**/.config/nvim/**", "**/.emacs", "**/.emacs.d/**",
		"**/.config/emacs/**", "**/.config/Code/User/**", "**/.vscode-server/**", "**/.config/zed/**",
	}},
	{"a container or machine is built and started from it unasked", []string{"**/.devcontainer/**", "**/.devcontainer.json", "**/.gitpod.yml"}},
	{"a shell reads it when the directory is entered", []string{"**/.envrc", "**/.mise.toml", "**/mise.toml", "**/.mise/**", "**/.config/direnv/**", "**/.config/mise/**"}},
	{"a shell or login runs it when it starts", []string{
		"**/.bashrc", "**/.bash_profile", "**/.bash_login", "**/.bash_logout", "**/.bash_aliases", "**/.profile", "**/.inputrc",
		"**/.zshrc", "**/.zshenv", "**/.zprofile", "**/.zlogin", "**/.zlogout", "**/.kshrc", "**/.mkshrc", "**/.cshrc", "**/.tcshrc",
		"**/.login", "**/.config/fish/**", "**/.config/nushell/**", "**/.config/zsh/**", "**/.oh-my-zsh/**", "**/.pam_environment",
		"**/.xinitrc", "**/.xprofile", "**/.xsession", "**/.xsessionrc", "**/.tmux.conf", "**/.config/tmux/**", "**/.screenrc",
	}},
	{"it opens this machine, or others, to whoever is named in it", []string{
		"**/.ssh/**", "**/.gnupg/**", "**/.aws/**", "**/.azure/**", "**/.config/gcloud/**", "**/.kube/**", "**/.docker/config.json",
		"**/.netrc", "**/.git-credentials", "**/.rhosts", "**/.shosts", "**/.password-store/**", "**/.config/gh/**",
	}},
	{"a program reads it before it does anything else", []string{
		"**/.npmrc", "**/.yarnrc", "**/.yarnrc.yml", "**/.pypirc", "**/.pip/**", "**/.config/pip/**", "**/.cargo/config", "**/.cargo/config.toml",
		"**/.gdbinit", "**/.lldbinit", "**/.pdbrc", "**/.pythonrc", "**/.irbrc", "**/.Rprofile", "**/.gemrc", "**/.curlrc", "**/.wgetrc",
		"**/sitecustomize.py", "**/usercustomize.py", "**/.psqlrc", "**/.sqliterc", "**/.mailcap", "**/.bundle/config", "**/.gradle/init.gradle", "**/.gradle/init.d/**",
	}},
	{"the system runs it by itself, at a time or at login", []string{
		"/var/spool/cron/**", "/var/at/**", "/private/var/at/**",
		"**/.config/systemd/**", "**/.local/share/systemd/**", "/usr/lib/systemd/**", "/lib/systemd/**", "**/.config/autostart/**",
		"**/.config/environment.d/**", "**/Library/LaunchAgents/**", "/Library/LaunchDaemons/**", "/Library/LaunchAgents/**",
		"**/.local/share/applications/**", "**/.local/share/dbus-1/services/**",
	}},
	{"programs are found here by their bare names", []string{
		"/bin/**", "/sbin/**", "/lib/**", "/usr/bin/**", "/usr/sbin/**", "/usr/local/bin/**", "/usr/local/sbin/**", "**/.local/bin/**",
		"/opt/homebrew/bin/**", "**/.cargo/bin/**",
	}},
	{"it configures the system", []string{"/etc/**", "/private/etc/**"}},
	{"it is the system itself", []string{"/boot/**", "/dev/**", "/proc/**", "/sys/**"}},
}
