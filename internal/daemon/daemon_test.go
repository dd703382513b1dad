package daemon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// Whichever way a daemon ends, the next one knows what was acknowledged, and
// supersedes what was pending.
func TestNextDaemonKnowsWhatWasAcknowledged(t *testing.T) {
	ends := map[string]func(*daemon.Daemon) error{"close": (*daemon.Daemon).Close, "crash": (*daemon.Daemon).Crash}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			d := open(t, config(state, 0))
			c := attach(t, d, wire.RoleBoth)
			first := c.must(wire.MethodSessionStart, startParams(1))
			session := member(first, "sessionId")
			opened := c.must(wire.MethodApprovalOpen, openParams(2, session))
			pending := c.must(wire.MethodApprovalOpen, openParams(3, session))
			decided := c.must(wire.MethodApprovalDecide, decideParams(4, session, member(opened, "approvalId")))
			if err := end(d); err != nil {
				t.Fatal(err)
			}

			next := attach(t, open(t, config(state, 1000)), wire.RoleBoth)
			for method, repeated := range map[string]struct {
				params string
				want   []byte
			}{
				wire.MethodSessionStart:   {startParams(1), first},
				wire.MethodApprovalOpen:   {openParams(2, session), opened},
				wire.MethodApprovalDecide: {decideParams(4, session, member(opened, "approvalId")), decided},
			} {
				if diff := cmp.Diff(string(repeated.want), string(next.must(method, repeated.params))); diff != "" {
					t.Errorf("%s again (-before +after):\n%s", method, diff)
				}
			}
			if got := next.outcome(session, member(opened, "approvalId")); got != "allowedOnce" {
				t.Errorf("what was decided is %s", got)
			}
			if got := next.outcome(session, member(pending, "approvalId")); got != "superseded" {
				t.Errorf("what was pending is %s", got)
			}
		})
	}
}

// A hundred sessions that wait are all recovered before anybody is served.
func TestRecoveryComesBeforeService(t *testing.T) {
	const sessions = 100
	state := t.TempDir()
	d := open(t, config(state, 0))
	c := attach(t, d, wire.RoleBoth)
	for n := range sessions {
		session := member(c.must(wire.MethodSessionStart, startParams(2*n)), "sessionId")
		c.must(wire.MethodApprovalOpen, openParams(2*n+1, session))
	}
	closed(t, d)
	next := attach(t, open(t, config(state, 1<<20)), wire.RoleBoth)
	var pending wire.ApprovalListPendingResult
	if err := json.Unmarshal(next.must(wire.MethodApprovalListPending, `{}`), &pending); err != nil {
		t.Fatal(err)
	}
	if len(pending.Approvals) != sessions {
		t.Fatalf("%d approvals are pending, want %d", len(pending.Approvals), sessions)
	}
	for _, a := range pending.Approvals {
		if strings.Contains(a.ApprovalID, "-7000-") { // minted, not derived
			t.Errorf("approval %s is no successor", a.ApprovalID)
		}
	}
}

// One daemon a state directory, and one a runtime directory (protocol §1). The
// one that comes too late touches nothing.
func TestDirectoriesHaveOneDaemon(t *testing.T) {
	state, runtime := t.TempDir(), shortDir(t)
	cfg := config(state, 0)
	cfg.RuntimeDir = runtime
	d := open(t, cfg)
	paths, err := d.Listen()
	if err != nil {
		t.Fatal(err)
	}

	_, err = daemon.Open(cfg)
	if held, ok := errors.AsType[*log.HeldError](err); !ok || held.Holder.PID != os.Getpid() {
		t.Errorf("a second daemon on the state directory: %v", err)
	}
	other := config(t.TempDir(), 0)
	other.RuntimeDir = runtime
	second := open(t, other)
	_, err = second.Listen()
	if held, ok := errors.AsType[*daemon.SocketsHeldError](err); !ok || held.Holder.PID != os.Getpid() {
		t.Errorf("a second daemon on the runtime directory: %v", err)
	}
	closed(t, second)
	for _, path := range slices.Backward(paths) { // the agents' last: it makes this process one
		dialled(t, path).must(wire.MethodSessionList, `{}`)
	}

	closed(t, d)
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	third := open(t, cfg)
	if _, err := third.Listen(); err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// What cannot be opened leaves nothing held.
func TestDaemonThatCannotOpen(t *testing.T) {
	cases := map[string]struct {
		spoil func(t *testing.T, cfg *daemon.Config)
		names string // what the error says
	}{
		"a mode above the ceiling": {func(_ *testing.T, c *daemon.Config) { c.Mode, c.Ceiling = approval.AllowAll, approval.DenyUnmatched }, daemon.ErrModes.Error()},
		"a mode that is none":      {func(_ *testing.T, c *daemon.Config) { c.Mode = "sometimes" }, `"sometimes" is no mode`},
		"a ceiling that is none":   {func(_ *testing.T, c *daemon.Config) { c.Ceiling = "high" }, `"high" is no mode`},
		"a log that is none": {func(t *testing.T, c *daemon.Config) {
			if err := os.WriteFile(filepath.Join(c.StateDir, "sessions.db"), []byte(strings.Repeat("no log", 10_000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "sessions.db"},
		"a record that was altered": {func(t *testing.T, c *daemon.Config) {
			d := open(t, config(c.StateDir, 0))
			attach(t, d, wire.RoleBoth).must(wire.MethodSessionStart, startParams(1))
			closed(t, d)
			path := filepath.Join(c.StateDir, "sessions.db")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := strings.LastIndex(string(raw), `"client":"tester"`)
			if at < 0 {
				t.Fatal("the record is not where it was looked for")
			}
			raw[at+len(`"client":"t`)]++
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "record 1 (sessionStarted)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cfg := config(t.TempDir(), 0)
			c.spoil(t, &cfg)
			if _, err := daemon.Open(cfg); err == nil || !strings.Contains(err.Error(), c.names) {
				t.Errorf("the error is %v, want one with %q", err, c.names)
			}
			lock, err := log.Acquire(cfg.StateDir, log.Holder{}, 0)
			if err != nil {
				t.Fatalf("the lock is still held: %v", err)
			}
			if err := lock.Release(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Closing is once, whoever does it and however often; an awaiting peer hears
// of it, and what is queued is carried out.
func TestClose(t *testing.T) {
	d := open(t, config(t.TempDir(), 0))
	c := attach(t, d, wire.RoleBoth)
	session := member(c.must(wire.MethodSessionStart, startParams(1)), "sessionId")
	id := member(c.must(wire.MethodApprovalOpen, openParams(2, session)), "approvalId")
	await := c.send(wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q]}`, session, id))
	c.must(wire.MethodSessionList, `{}`) // the await is parked
	if err := d.Err(); err != nil || d.Connections() != 1 {
		t.Errorf("before: %v, %d connections", err, d.Connections())
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if got := c.answer(await); !strings.Contains(got, fmt.Sprint(wire.CodeShuttingDown)) {
		t.Errorf("the await was answered %s", got)
	}
	if rest := c.answer("none"); rest != "" || !slices.ContainsFunc(c.over, func(line string) bool { return strings.Contains(line, `"reason":"hostShutdown"`) }) {
		t.Errorf("the peer was not told that its session closes: %q", c.over)
	}
	wg.Wait()
	<-d.Ended()
	if err := d.Err(); err != nil || d.Connections() != 0 {
		t.Errorf("afterwards: %v, %d connections", err, d.Connections())
	}
	if err := d.Crash(); err != nil {
		t.Errorf("a crash after the end: %v", err)
	}
}

// An ephemeral daemon writes nothing, says so, and has no way back to a
// session (protocol §8).
func TestEphemeralDaemon(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	cfg := config(state, 0)
	cfg.Ephemeral = true
	d := open(t, cfg)
	c := attach(t, d, wire.RoleBoth)
	started := c.must(wire.MethodSessionStart, startParams(1))
	session := member(started, "sessionId")
	id := member(c.must(wire.MethodApprovalOpen, openParams(2, session)), "approvalId")
	c.must(wire.MethodApprovalDecide, decideParams(3, session, id))
	if got := c.outcome(session, id); got != "allowedOnce" {
		t.Errorf("what was decided is %s", got)
	}
	for _, method := range []string{wire.MethodSessionResume, wire.MethodSessionRead} {
		if _, e := c.call(method, fmt.Sprintf(`{"sessionId":%q,"commandId":%q}`, session, commandID(4))); e == nil || e.Code != wire.CodeMethodNotFound {
			t.Errorf("%s: %v", method, e)
		}
	}
	if path := member(started, "path"); path != "" {
		t.Errorf("the session is said to be at %q", path)
	}
	closed(t, d)
	if _, err := os.Lstat(state); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is something at %s: %v", state, err)
	}
}

// The directories of approvald's own, and homes, are no workspaces.
func TestOwnDirectoriesAreNoWorkspaces(t *testing.T) {
	base := t.TempDir()
	cfg := config(filepath.Join(base, "state"), 0)
	cfg.ConfigDir, cfg.Homes = filepath.Join(base, "etc", "approvald"), []string{filepath.Join(base, "home")}
	project := filepath.Join(base, "home", "project")
	for _, dir := range []string{cfg.ConfigDir, project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := attach(t, open(t, cfg), wire.RoleBoth)
	for n, root := range []string{base, cfg.StateDir, cfg.ConfigDir, filepath.Dir(cfg.ConfigDir), cfg.Homes[0], "/", project + "/nowhere"} {
		params := fmt.Sprintf(`{"commandId":%q,"workspaceRoot":%q}`, commandID(n), root)
		if _, e := c.call(wire.MethodSessionStart, params); e == nil || e.Code != wire.CodeInvalidParams {
			t.Errorf("%s: %v", root, e)
		}
	}
	c.must(wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q,"workspaceRoot":%q}`, commandID(100), project))
}

// What the kernel says of a peer is in the record of its decision.
func TestDecisionRecordsItsPeer(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	cfg.RuntimeDir = shortDir(t)
	d := open(t, cfg)
	if _, err := d.Listen(); err != nil {
		t.Fatal(err)
	}
	c := dialled(t, rpc.SocketPath(cfg.RuntimeDir, "host"))
	session := member(c.must(wire.MethodSessionStart, startParams(1)), "sessionId")
	id := member(c.must(wire.MethodApprovalOpen, openParams(2, session)), "approvalId")
	c.must(wire.MethodApprovalDecide, decideParams(3, session, id))
	closed(t, d)

	l, err := log.Open(filepath.Join(cfg.StateDir, "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := l.Get(3)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"client":"tester"`, `"transport":"host"`, `"role":"both"`, fmt.Sprintf(`"pid":%d`, os.Getpid()), fmt.Sprintf(`"uid":%d`, os.Getuid())} {
		if !strings.Contains(string(value), want) {
			t.Errorf("the record does not say %s: %s", want, value[88:])
		}
	}
}
