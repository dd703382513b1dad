package policy_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

const (
	read  = approval.Read
	write = approval.Write
)

func folds(t *approval.Target) { t.Folds = true }

func TestFileRules(t *testing.T) {
	check(t, []row{
		{"an absolute glob", rules(glob(allow, write, "/srv/app/**")), fileAt(write, "/srv/app/a/b"), allow},
		{"the directory before /**", rules(glob(deny, write, "/srv/app/secret/**")), fileAt(write, "/srv/app/secret"), deny},
		{"a neighbour with a longer name", rules(glob(allow, write, "/srv/app/**")), fileAt(write, "/srv/app2/a"), ask},
		{"the other access", rules(glob(allow, write, "/srv/app/**")), fileAt(read, "/srv/app/a"), ask},
		{"a relative glob is from the workspace", rules(glob(allow, write, "src/**")), fileAt(write, "/srv/app/src/a"), allow},
		{"and nowhere else", rules(glob(allow, write, "src/**")), fileAt(write, "/srv/other/src/a"), ask},
		{"nor deeper", rules(glob(allow, write, "src/*")), fileAt(write, "/srv/app/x/src/a"), ask},
		{"a star crosses no slash", rules(glob(allow, write, "src/*")), fileAt(write, "/srv/app/src/a/b"), ask},
		{"**/ is anywhere", rules(glob(deny, read, "**/.env")), fileAt(read, "/data/x/.env"), deny},
		{"also at the top", rules(glob(deny, read, "**/.env")), fileAt(read, "/.env"), deny},
		{"a part in the middle", rules(glob(deny, read, "**/private/**")), fileAt(read, "/a/private/b"), deny},
		{"braces over a slash", rules(glob(deny, read, "{a,b/c}/d")), fileAt(read, "/srv/app/b/c/d"), deny},
		{"a class", rules(glob(allow, read, "[ab].txt")), fileAt(read, "/srv/app/a.txt"), allow},
		{"an escaped star is a star", rules(glob(allow, read, `\*`)), fileAt(read, "/srv/app/*"), allow},
		{"and nothing else", rules(glob(allow, read, `\*`)), fileAt(read, "/srv/app/a"), ask},
		{"everything", rules(glob(allow, read, "/**")), fileAt(read, "/etc/passwd"), allow},
		{"deny wins over a closer allow", rules(glob(allow, read, "/srv/app/a/b"), glob(deny, read, "/srv/**")), fileAt(read, "/srv/app/a/b"), deny},
		{"ask wins over allow", rules(glob(allow, read, "/srv/**"), glob(ask, read, "/srv/app/a")), fileAt(read, "/srv/app/a"), ask},
		{"outside, denied", rules(glob(allow, write, "/**"), outside(deny, write)), fileAt(write, "/data/a"), deny},
		{"outside, inside", rules(glob(allow, write, "/**"), outside(deny, write)), fileAt(write, "/srv/app/a"), allow},
		{"outside, a longer name", rules(outside(allow, read)), fileAt(read, "/srv/application/a"), allow},
	})
}

func TestAllowNeedsTheRealPathAndDenyTakesEither(t *testing.T) {
	link := written("/srv/app/link")
	check(t, []row{
		{"allow by the written path alone", rules(glob(allow, write, "/srv/app/**")), fileAt(write, "/outside/a", link), ask},
		{"allow by the real path", rules(glob(allow, write, "/outside/**")), fileAt(write, "/outside/a", link), allow},
		{"deny by the real path", rules(glob(allow, write, "/**"), glob(deny, write, "/outside/**")), fileAt(write, "/outside/a", link), deny},
		{"deny by the written path", rules(glob(allow, write, "/**"), glob(deny, write, "link")), fileAt(write, "/outside/a", link), deny},
		{"outside by the real path", rules(glob(allow, write, "/**"), outside(deny, write)), fileAt(write, "/outside/a", link), deny},
	})
	resolved := glob(deny, read, "/etc/app/**")
	resolved.Resolved = "/usr/etc/app/**"
	loose := glob(allow, read, "/var/run/**")
	loose.Resolved = "/run/**"
	check(t, []row{
		{"deny by the real path of the rule", rules(glob(allow, read, "/**"), resolved), fileAt(read, "/usr/etc/app/x"), deny},
		{"allow not by it", rules(loose), fileAt(read, "/run/x"), ask},
	})
}

// Many tools take some spellings for another path than the file system does.
func TestASpellingWithTwoReadingsIsCoveredByNothing(t *testing.T) {
	spelled := func(access approval.Access, path string) approval.Action {
		a := fileAt(access, "/srv/app/"+path)
		if s, ok := a.Subject.(approval.File); ok {
			s.RequestedPath = path
			a.Subject = s
		}
		return a
	}
	all := glob(allow, read, "/**")
	for path, want := range map[string]policy.Effect{
		"~": ask, "~/x": ask, "~root/x": ask, "$HOME/x": ask, " x": ask, "x ": ask, "file:///x": ask, "FILE:x": ask, "http://x/y": ask,
		"x~": allow, "a/~/x": allow, "a$b": allow, "a b": allow, "a:b": allow,
	} {
		t.Run(path, func(t *testing.T) {
			if v := compile(t, all).Evaluate(spelled(read, path), in(approval.PromptUnmatched)); v.Effect != want || v.Menu.Persist != nil {
				t.Errorf("%v, menu %+v: %s", v.Effect, v.Menu, v.Explanation)
			}
		})
	}
	check(t, []row{
		{"the file of a URL", rules(all, glob(deny, read, "/etc/**")), spelled(read, "file:///etc/shadow"), deny},
		{"of this machine", rules(all, glob(deny, read, "/etc/**")), spelled(read, "File://localhost/etc/shadow"), deny},
		{"in escapes", rules(all, glob(deny, read, "/etc/**")), spelled(read, "file:/%65tc/x/../shadow"), deny},
		{"its text", rules(all, glob(deny, read, "**/shadow")), spelled(read, "file:etc/shadow"), deny},
	})
}

func TestNamesThatFoldAreComparedFolded(t *testing.T) {
	check(t, []row{
		{"deny", rules(glob(allow, read, "/srv/**"), glob(deny, read, "**/.env")), fileAt(read, "/srv/app/.ENV", folds), deny},
		{"deny in another script", rules(glob(allow, read, "/srv/**"), glob(deny, read, "**/keys")), fileAt(read, "/srv/app/\u212Aeys", folds), deny},
		{"deny, where they do not fold", rules(glob(allow, read, "/srv/**"), glob(deny, read, "**/.env")), fileAt(read, "/srv/app/.ENV"), allow},
		{"allow", rules(glob(allow, read, "Src/**")), fileAt(read, "/SRV/app/src/a", folds), allow},
		{"protected", rules(glob(allow, write, "/srv/**")), fileAt(write, "/srv/app/.GIT/hooks/x", folds), ask},
	})
}

func TestADirectoryIsAskedAboutWhereARuleCoversWhatIsBelow(t *testing.T) {
	dir := typed(approval.TargetDirectory)
	all := glob(allow, read, "/**")
	for _, c := range []struct {
		pattern, dir string
		want         policy.Effect
	}{
		{"/srv/app/secret/**", "/srv/app", ask},
		{"/srv/app/secret/**", "/srv", ask},
		{"/srv/app/secret/**", "/", ask},
		{"/srv/app/secret/**", "/srv/app/secret", deny},
		{"/srv/app/secret/**", "/srv/app/secret/x", deny},
		{"/srv/app/secret/**", "/srv/app/secrets", allow},
		{"/srv/app/secret/**", "/srv/app/sec", allow},
		{"/etc/shadow", "/etc", ask},
		{"/etc/shadow", "/etc/shadow.d", allow},
		{"secret/**", "/srv/app", ask},
		{"secret/**", "/srv", ask},
		{"secret/**", "/srv/app/src", allow},
		{"secret/**", "/data", allow},
		{"**/.env", "/data", ask},
		{"/srv/*/secret/**", "/srv/app", ask},
		{"/srv/*/secret/**", "/srv/app/src", allow},
		{"/srv/*/secret/x", "/srv/app/secret", ask},
		{"/srv/**/x", "/srv/a/b/c", ask},
		{"{a,b/c}/x", "/srv/app/q", ask}, // not told apart
		{"src/*.key", "/srv/app/src", ask},
		{"src/*.key", "/srv/app/src/a", allow},
		{`/srv/\*/x`, "/srv/*", ask},
		{`/srv/\*/x`, "/srv/a", allow},
	} {
		check(t, []row{{c.pattern + " and " + c.dir, rules(all, glob(deny, read, c.pattern)), fileAt(read, c.dir, dir), c.want}})
	}
}

func TestFilesThatNoFileToolMayTouch(t *testing.T) {
	all := rules(glob(allow, read, "/**"), glob(allow, write, "/**"))
	check(t, []row{
		{"of a process", all, fileAt(read, "/proc/1/environ", func(t *approval.Target) { t.OfProcess = true }), deny},
		{"a device", all, fileAt(write, "/dev/sda", typed(approval.TargetSpecial)), deny},
		{"a pipe", all, fileAt(read, "/srv/app/pipe", typed(approval.TargetSpecial)), deny},
	})
	v := compile(t, all...).Evaluate(fileAt(read, "/dev/sda", typed(approval.TargetSpecial)), in(approval.AllowAll))
	if v.Effect != deny || v.Resolution != approval.ByBuiltinDeny {
		t.Errorf("under allowAll: %v by %+v", v.Effect, v.Resolution)
	}
}

func TestAFileWithSeveralNamesIsAskedAbout(t *testing.T) {
	linked := func(t *approval.Target) { t.Links = 2 }
	check(t, []row{
		{"write", rules(glob(allow, write, "/srv/**")), fileAt(write, "/srv/app/a", linked), ask},
		{"read", rules(glob(allow, read, "/srv/**")), fileAt(read, "/srv/app/a", linked), allow},
		{"denied", rules(glob(deny, write, "/srv/**")), fileAt(write, "/srv/app/a", linked), deny},
	})
	context := in(approval.PromptUnmatched)
	context.Granted = everything
	if v := compile(t).Evaluate(fileAt(write, "/srv/app/a", linked), context); v.Effect != allow {
		t.Errorf("with a grant for it: %v", v.Effect)
	}
	context = in(approval.PromptUnmatched)
	context.Under[0].Preset = approval.WorkspaceWrite
	if v := compile(t).Evaluate(fileAt(write, "/srv/app/a", linked), context); v.Effect != ask {
		t.Errorf("under workspace-write: %v", v.Effect)
	}
}

func TestAPathThatIsNotKnownIsCoveredByNoRule(t *testing.T) {
	unknown := func(t *approval.Target) { t.Unresolved, t.Path, t.Written, t.Type = "it cannot be read", "", "", "" }
	bare := fileAt(read, "/srv/app/a")
	bare.Found.File = nil
	check(t, []row{
		{"allow", rules(glob(allow, read, "/**")), fileAt(read, "/srv/app/a", unknown), ask},
		{"not inspected", rules(glob(allow, read, "/**")), bare, ask},
		{"not inspected, denied", rules(glob(deny, read, "/srv/**")), bare, deny},
	})
	p := compile(t, glob(deny, read, "**/.env"))
	if v := p.Evaluate(fileAt(read, "/srv/app/a", unknown), in(approval.AllowAll)); v.Effect != ask {
		t.Errorf("under allowAll with a deny rule: %v", v.Effect)
	}
	if v := p.Evaluate(fileAt(write, "/srv/app/a", unknown), in(approval.AllowAll)); v.Effect != allow {
		t.Errorf("under allowAll with a deny rule of another access: %v", v.Effect)
	}
}

// Without a workspace, what is relative to it binds everywhere and allows
// nothing.
func TestWithoutAWorkspace(t *testing.T) {
	for _, c := range []struct {
		rule policy.Rule
		want policy.Effect
	}{
		{glob(allow, read, "**"), ask},
		{glob(allow, read, "src/a"), ask},
		{outside(allow, read), ask},
		{glob(allow, read, "/srv/**"), allow},
		{glob(deny, read, "src/a"), deny},
		{glob(deny, read, "**"), deny},
		{outside(deny, read), deny},
	} {
		t.Run(policy.Describe(c.rule), func(t *testing.T) {
			context := policy.Context{Under: under(approval.PromptUnmatched)}
			if v := compile(t, c.rule).Evaluate(fileAt(read, "/srv/app/src/a"), context); v.Effect != c.want || v.Menu.Persist != nil {
				t.Errorf("effect %v, want %v; persist %v", v.Effect, c.want, v.Menu.Persist)
			}
		})
	}
}

func TestPermissionModeIsTheLeastPresetThatCovers(t *testing.T) {
	for _, c := range []struct {
		name   string
		action approval.Action
		want   approval.Preset
	}{
		{"read inside", fileAt(read, "/srv/app/a"), approval.ReadOnly},
		{"write inside", fileAt(write, "/srv/app/a"), approval.WorkspaceWrite},
		{"read outside", fileAt(read, "/srv/a"), approval.DangerFullAccess},
		{"write outside through a link", fileAt(write, "/srv/a", written("/srv/app/a")), approval.DangerFullAccess},
		{"a protected file", fileAt(write, "/srv/app/.git/config"), ""},
		{"reading it", fileAt(read, "/srv/app/.git/config"), approval.ReadOnly},
		{"a device", fileAt(read, "/srv/app/pipe", typed(approval.TargetSpecial)), ""},
		{"a file with several names", fileAt(write, "/srv/app/a", func(t *approval.Target) { t.Links = 2 }), approval.DangerFullAccess},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := compile(t).Evaluate(c.action, in(approval.PromptUnmatched)); v.PermissionMode != c.want {
				t.Errorf("%q, want %q", v.PermissionMode, c.want)
			}
		})
	}
}
