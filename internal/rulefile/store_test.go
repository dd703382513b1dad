package rulefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rulefile"
)

const root = "/srv/app"

var noon = time.Date(2026, 1, 31, 12, 0, 0, 123456789, time.FixedZone("", 3600))

// grantID is the n-th of some ids.
func grantID(n byte) approval.ID { return approval.ID{15: n} }

// words is an allow rule for commands that begin with words.
func words(argv ...string) policy.Rule {
	return policy.Rule{Effect: policy.Allow, Kind: approval.KindShell, HasArgv: true, Argv: argv}
}

// previews are the rules of a store, in order, as grant: rule.
func previews(t *testing.T, s *rulefile.Store) []string {
	t.Helper()
	granted, err := s.Rules(root)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range granted {
		out = append(out, fmt.Sprint(g.Rule.Grant[15], g.Rule.Argv))
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAGrantIsReadBackAsItWasGiven(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	rule := policy.Rule{Effect: policy.Allow, Kind: approval.KindFile, Access: approval.Write, Glob: `/srv/app/a "b" \[c].txt`, Reason: "builds"}
	rule.Resolved, rule.Ref = "/elsewhere", policy.Ref{Layer: "session"} // neither is of the rule
	must(t, s.Add(root, rule, grantID(1), noon))
	got, err := s.Rules(root)
	must(t, err)
	rule.Resolved, rule.Grant = "", grantID(1)
	rule.Ref = policy.Ref{Layer: rulefile.Workspace, File: s.Path(root), Index: 1, Line: 6}
	want := []rulefile.Granted{{Rule: rule, CreatedAt: noon.UTC()}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestAStoreIsTextThatPeopleCanRead(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Add(root, words("git", "status"), grantID(1), noon))
	got, err := os.ReadFile(s.Path(root))
	must(t, err)
	want := `# Written by approvald: what reviewers allowed for good in one workspace.
# Revoke a grant with "approvald grants revoke". Rules of your own belong in your policy file.

workspace = "/srv/app"

[[rule]]
effect = "allow"
kind = "shell"
argv_prefix = ["git", "status"]
grant = "00000000-0000-0000-0000-000000000001"
created_at = 2026-01-31T11:00:00.123456789Z
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
}

func TestAStoreIsItsOwnersAlone(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Add(root, words("ls"), grantID(1), noon))
	for path, want := range map[string]os.FileMode{s.Path(root): 0o600, filepath.Dir(s.Path(root)): 0o700} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", path, got, want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(s.Path(root)))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("there is more than the store: %v", entries)
	}
}

func TestTheSameGrantTwiceIsOneRule(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Add(root, words("ls"), grantID(1), noon))
	must(t, s.Add(root, words("ls"), grantID(1), noon.Add(time.Hour)))
	if diff := cmp.Diff([]string{"1 [ls]"}, previews(t, s)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestAGrantDoesNotChangeItsRule(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Add(root, words("ls"), grantID(1), noon))
	err := s.Add(root, words("rm"), grantID(1), noon)
	if err == nil || !strings.Contains(err.Error(), "wrote another rule") {
		t.Errorf("it may: %v", err)
	}
	if diff := cmp.Diff([]string{"1 [ls]"}, previews(t, s)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestRemovingTakesOneRuleAndIsDoneWhereThereIsNone(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Remove(root, grantID(1))) // no file
	for n := range byte(3) {
		must(t, s.Add(root, words("ls", fmt.Sprint(n)), grantID(n+1), noon))
	}
	must(t, s.Remove(root, grantID(2)))
	must(t, s.Remove(root, grantID(2)))
	if diff := cmp.Diff([]string{"1 [ls 0]", "3 [ls 2]"}, previews(t, s)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	must(t, s.Remove(root, grantID(1)))
	must(t, s.Remove(root, grantID(3)))
	if got := previews(t, s); got != nil {
		t.Errorf("left: %v", got)
	}
}

func TestWorkspacesShareNothing(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	must(t, s.Add("/srv/other", words("rm"), grantID(1), noon))
	must(t, s.Remove(root, grantID(1)))
	must(t, s.Add(root, words("ls"), grantID(2), noon))
	if diff := cmp.Diff([]string{"2 [ls]"}, previews(t, s)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// What is written and not whole again when it is read is not written.
func TestARuleThatNoFileCanHoldIsNotWritten(t *testing.T) {
	for name, rule := range map[string]policy.Rule{
		"a control character":          words("ls", "a\x07b"),
		"a NUL":                        words("ls", "a\x00b"),
		"a bidirectional mark":         words("ls", "a\u202eb"),
		"no UTF-8":                     words("ls", "a\xffb"),
		"an empty word":                words("ls", ""),
		"nothing covered":              {Effect: policy.Allow, Kind: approval.KindShell},
		"a kind that nobody has":       {Effect: policy.Allow, Kind: "teleport"},
		"members of another kind":      {Effect: policy.Allow, Kind: approval.KindShell, HasArgv: true, Argv: []string{"ls"}, Host: "example.org"},
		"words that are not in force":  {Effect: policy.Allow, Kind: approval.KindNetwork, Host: "example.org", Argv: []string{"ls"}},
		"a deny rule":                  {Effect: policy.Deny, Kind: approval.KindShell, HasArgv: true, Argv: []string{"ls"}},
		"a directory that is called ~": {Effect: policy.Allow, Kind: approval.KindFile, Access: approval.Read, Glob: "~/x"},
		"a pattern that is none":       {Effect: policy.Allow, Kind: approval.KindFile, Access: approval.Read, Glob: "[a"},
		"a host with a scheme":         {Effect: policy.Allow, Kind: approval.KindNetwork, Host: "https://example.org"},
		"a port out of range":          {Effect: policy.Allow, Kind: approval.KindNetwork, Host: "example.org", Port: 65536},
	} {
		t.Run(name, func(t *testing.T) {
			s := rulefile.NewStore(newRoom(t).Stores)
			if err := s.Add(root, rule, grantID(1), noon); err == nil {
				t.Error("it was written")
			}
			if _, err := os.Stat(s.Path(root)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a file: %v", err)
			}
		})
	}
}

func TestARuleWithoutItsGrantIsNotWritten(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	if err := s.Add(root, words("ls"), approval.ID{}, noon); err == nil {
		t.Error("it was written")
	}
}

func TestADamagedStoreIsLeftAsItIs(t *testing.T) {
	for name, text := range map[string]string{
		"cut off":              "workspace = \"/srv/app\"\n[[rule]]\neffect = \"all",
		"empty":                "",
		"of another workspace": "workspace = \"/srv/other\"\n",
		"with a key too many":  "workspace = \"/srv/app\"\nmode = \"allowAll\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			s := rulefile.NewStore(r.Stores)
			r.write(s.Path(root), text)
			for what, err := range map[string]error{
				"Add":    s.Add(root, words("ls"), grantID(1), noon),
				"Remove": s.Remove(root, grantID(1)),
			} {
				if err == nil || !strings.Contains(err.Error(), s.Path(root)) {
					t.Errorf("%s says %v", what, err)
				}
			}
			if _, err := s.Rules(root); err == nil {
				t.Error("it has rules")
			}
			got, err := os.ReadFile(s.Path(root))
			must(t, err)
			if string(got) != text {
				t.Errorf("it is now %q", got)
			}
		})
	}
}

func TestAStoreThatOthersCanWriteIsNotUsed(t *testing.T) {
	r := newRoom(t)
	s := rulefile.NewStore(r.Stores)
	must(t, s.Add(root, words("ls"), grantID(1), noon))
	for _, path := range []string{s.Path(root), r.Stores} {
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.Chmod(path, info.Mode().Perm()|0o002))
		if err := s.Add(root, words("rm"), grantID(2), noon); err == nil || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("with a writable %s: %v", path, err)
		}
		must(t, os.Chmod(path, info.Mode().Perm()))
	}
}

func TestAStoreInsideItsWorkspaceIsNotUsed(t *testing.T) {
	r := newRoom(t)
	link := filepath.Join(r.dir, "link")
	must(t, os.MkdirAll(filepath.Join(r.dir, "ws", "state"), 0o700))
	must(t, os.Symlink(filepath.Join(r.dir, "ws", "state"), link))
	for name, c := range map[string]struct{ dir, root string }{
		"by name":                     {filepath.Join(r.dir, "ws", "stores"), filepath.Join(r.dir, "ws")},
		"the workspace itself":        {filepath.Join(r.dir, "ws"), filepath.Join(r.dir, "ws")},
		"through a link":              {filepath.Join(link, "stores", "new"), filepath.Join(r.dir, "ws")},
		"the whole file system":       {r.Stores, "/"},
		"a workspace that is unclean": {r.Stores, "/srv/app/"},
		"a workspace that is none":    {r.Stores, "app"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rulefile.NewStore(c.dir)
			if err := s.Add(c.root, words("ls"), grantID(1), noon); err == nil {
				t.Error("it was written")
			}
		})
	}
	beside := rulefile.NewStore(filepath.Join(r.dir, "ws-state"))
	if err := beside.Add(filepath.Join(r.dir, "ws"), words("ls"), grantID(1), noon); err != nil {
		t.Errorf("beside, with the same beginning: %v", err)
	}
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	s := rulefile.NewStore(newRoom(t).Stores)
	var all sync.WaitGroup
	for n := range byte(24) {
		all.Go(func() {
			if err := s.Add(root, words("ls", fmt.Sprint(n)), grantID(n+1), noon); err != nil {
				t.Error(err)
			}
			if n%3 == 0 {
				if err := s.Remove(root, grantID(n+1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := previews(t, s); len(got) != 16 {
		t.Errorf("there are %d: %v", len(got), got)
	}
}

// A kill between the writing of a store and its renaming leaves a file that
// nobody would ever look at.
func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "workspaces")
	s := rulefile.NewStore(dir)
	if err := s.Tidy(); err != nil {
		t.Fatalf("where there is no directory: %v", err)
	}
	if err := s.Add(root, words("make"), grantID(1), noon); err != nil {
		t.Fatal(err)
	}
	store := filepath.Base(s.Path(root))
	keep := []string{"." + store, "." + store + "~", ".toml1", "notes.txt", store + ".new", ".notes.txt.new"}
	for _, name := range append(keep, "."+store+".new") {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half a rule"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Tidy(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := append(keep, store)
	slices.Sort(want)
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := previews(t, s); len(got) != 1 {
		t.Errorf("the store holds %q", got)
	}
}
