package daemon_test

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

// openFiles are what this process has open, each by what it leads to.
func openFiles(t *testing.T) (files []string) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err != nil {
			continue // the one that the directory was read by
		}
		if kind, _, found := strings.Cut(target, ":["); found {
			target = kind // sockets and pipes are numbered
		}
		files = append(files, target)
	}
	slices.Sort(files)
	return files
}

// below lists the files in a directory and below it.
func below(t *testing.T, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path) // it is below
			names = append(names, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// However it ends, and whoever is connected, a daemon leaves no descriptor open,
// no socket and no temporary file. (That it leaves no goroutine is TestMain's.)
func TestADaemonLeavesNothingBehind(t *testing.T) {
	ends := []struct {
		name string
		end  func(*daemon.Daemon) error
	}{{"once before, for what the Go runtime opens", (*daemon.Daemon).Close}, {"close", (*daemon.Daemon).Close}, {"crash", (*daemon.Daemon).Crash}}
	for i, e := range ends {
		t.Run(e.name, func(t *testing.T) {
			temp, state, root, user, runtime := t.TempDir(), filepath.Join(t.TempDir(), "state"), t.TempDir(), t.TempDir(), shortDir(t)
			t.Setenv("TMPDIR", temp)
			before := openFiles(t)
			cfg := config(state, 0)
			cfg.RuntimeDir, cfg.Policy = runtime, rulefile.Files{User: filepath.Join(user, "policy.toml")}
			d := open(t, cfg)
			paths, err := d.Listen()
			if err != nil {
				t.Fatal(err)
			}
			// Those who are connected at the end: on each socket and on a pipe, one that
			// waits, one that never says anything, one that is gone already.
			reviewer, host, piped := dialled(t, paths[1]), dialled(t, paths[2]), attach(t, d, wire.RoleBoth)
			silent, err := net.Dial("unix", paths[2])
			if err != nil {
				t.Fatal(err)
			}
			gone := dialled(t, paths[2])
			_ = gone.conn.Close()
			session := host.started(1, root)
			host.must(wire.MethodViewSubscribe, fmt.Sprintf(`{"sessionId":%q}`, session))
			given := member(host.must(wire.MethodApprovalOpen, connectParams(2, session, "docs.example.org")), "approvalId")
			waits := member(host.must(wire.MethodApprovalOpen, openParams(3, session)), "approvalId")
			reviewer.must(wire.MethodApprovalDecide, alwaysParams(4, session, given)) // writes a rule into a store
			host.heard(`"change":{"kind":"policyPersistence","status":"succeeded"}`)
			if err := os.WriteFile(cfg.Policy.User, []byte("schema = 1\nmode = \"denyUnmatched\"\n"), 0o600); err != nil { // its watcher reads it
				t.Fatal(err)
			}
			host.heard(`"method":"policy/changed"`)
			piped.send(wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q]}`, session, waits))
			agent := dialled(t, paths[0]) // the last: it makes this process one

			if err := e.end(d); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*caller{reviewer, host, piped, agent} {
				_ = c.conn.Close()
			}
			_ = silent.Close()
			if diff := cmp.Diff(before, openFiles(t)); diff != "" && i > 0 {
				t.Errorf("descriptors (-before +after):\n%s", diff)
			}
			stores := below(t, filepath.Join(state, "workspaces"))
			if len(stores) != 1 {
				t.Fatalf("stores: %q", stores)
			}
			if diff := cmp.Diff([]string{"lock", "sessions.db", filepath.Join("workspaces", stores[0])}, below(t, state)); diff != "" {
				t.Errorf("the state directory (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"lock"}, below(t, runtime)); diff != "" {
				t.Errorf("the runtime directory (-want +got):\n%s", diff)
			}
			if left := below(t, temp); len(left) > 0 {
				t.Errorf("temporary files: %q", left)
			}
		})
	}
}

// Nor does one that could not be opened, wherever it came to an end.
func TestADaemonThatCannotOpenLeavesNothingOpen(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, cfg *daemon.Config){
		"its state directory is another's": func(t *testing.T, cfg *daemon.Config) { open(t, *cfg) },
		"its policy is bad": func(t *testing.T, cfg *daemon.Config) {
			cfg.Policy.User = filepath.Join(t.TempDir(), "policy.toml")
			policyAt(t, cfg.Policy.User, "[[rule]]\neffect = \"alow\"\nkind = \"network\"\n")
		},
		"its log is none": func(t *testing.T, cfg *daemon.Config) {
			if err := os.WriteFile(filepath.Join(cfg.StateDir, "sessions.db"), []byte(strings.Repeat("no log", 10_000)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t.TempDir(), 0)
			spoil(t, &cfg)
			before := openFiles(t)
			if _, err := daemon.Open(cfg); err == nil {
				t.Fatal("it opened")
			}
			if diff := cmp.Diff(before, openFiles(t)); diff != "" {
				t.Errorf("descriptors (-before +after):\n%s", diff)
			}
		})
	}
}
