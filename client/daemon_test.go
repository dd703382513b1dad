package client_test

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// home is where a daemon runs: its state, its sockets and a workspace.
type home struct{ dir string }

// newHome makes a home with a short path, since those of sockets are limited.
func newHome() (home, error) {
	dir, err := os.MkdirTemp("", "apd")
	if err != nil {
		return home{}, err
	}
	h := home{dir}
	for _, sub := range []string{"state", "run", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return home{}, err
		}
	}
	return h, nil
}

func (h home) remove() error { return os.RemoveAll(h.dir) }

func (h home) socket(name string) string {
	return filepath.Join(h.dir, "run", name, name+".sock")
}

func (h home) workspace() string { return filepath.Join(h.dir, "work") }

// serve runs a daemon, which the caller closes or crashes.
func (h home) serve() (*daemon.Daemon, error) {
	clock := sequencer.SystemClock{}
	d, err := daemon.Open(daemon.Config{
		StateDir:   filepath.Join(h.dir, "state"),
		RuntimeDir: filepath.Join(h.dir, "run"),
		NewID:      daemon.Minter(rand.Reader, clock),
		Clock:      clock,
		Identity:   rpc.Identity{Version: "test", Home: h.dir, OS: "linux", Arch: runtime.GOARCH},
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.Listen(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// start is serve for tests.
func (h home) start(t *testing.T) *daemon.Daemon {
	t.Helper()
	d, err := h.serve()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func dial(t *testing.T, path string, o client.Options) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, c) })
	return c
}

func tempHome(t *testing.T) home {
	t.Helper()
	h, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.remove(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// closed closes what must close well.
func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A daemon is killed while an agent waits and a reviewer watches. The agent gets
// the answer to the successor; the reviewer sees each event once.
func TestAwaitAndSubscriptionOutliveAKilledDaemon(t *testing.T) {
	h := tempHome(t)
	first := h.start(t)
	ctx := t.Context()

	// By the host socket: a process that comes by the agent socket is kept from
	// reviewing (protocol §2), and here both are one process.
	agent := dial(t, h.socket("host"), client.Options{Role: wire.RoleAgent, Reconnect: true})
	session, err := agent.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: h.workspace()})
	if err != nil {
		t.Fatal(err)
	}
	id := session.Session.SessionID
	reviewer := dial(t, h.socket("host"), client.Options{Role: wire.RoleReviewer, Reconnect: true})
	events, err := reviewer.Subscribe(ctx, id, client.Head()) // before the first event
	if err != nil {
		t.Fatal(err)
	}
	opened, err := agent.Open(ctx, wire.ApprovalOpenParams{
		SessionID: id, ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make && ls"}`, Reason: "build",
		Subject: []byte(`{"kind":"shell","command":"make && ls"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	settled := make(chan wire.AwaitResult, 1)
	go func() {
		r, err := agent.Await(ctx, wire.ApprovalAwaitParams{SessionID: id, ApprovalIDs: []string{opened.ApprovalID}})
		if err != nil {
			t.Error(err)
			r.Results = make(wire.List[wire.AwaitResult], 1)
		}
		settled <- r.Results[0]
	}()
	before := next(t, events, 1)

	if err := first.Crash(); err != nil {
		t.Fatal(err)
	}
	second := h.start(t)
	defer closed(t, second)

	// The old approval is settled, the new one asked for (protocol §8).
	after := next(t, events, 3)
	var methods []string
	for _, e := range append(before, after...) {
		methods = append(methods, e.Method)
	}
	want := []string{wire.MethodApprovalRequested, wire.MethodApprovalResolved, wire.MethodApprovalUpdated, wire.MethodApprovalRequested}
	if diff := cmp.Diff(want, methods); diff != "" {
		t.Fatalf("events (-want +got):\n%s", diff)
	}
	decoded, err := after[2].Decode()
	if err != nil {
		t.Fatal(err)
	}
	successor, ok := decoded.(*wire.ApprovalRequest)
	if !ok {
		t.Fatalf("requested decodes to %T", decoded)
	}
	decide(t, reviewer, successor, wire.ChoiceAllowAllOnce)

	got := <-settled
	if got.ApprovalID != successor.ApprovalID || got.Resolution == nil || got.Resolution.Outcome != wire.OutcomeAllowedOnce {
		t.Errorf("the agent got %+v, want the successor %s allowed once", got, successor.ApprovalID)
	}
	// The agent owns its session on the new connection.
	if _, err := agent.CloseSession(ctx, wire.SessionCloseParams{SessionID: id}); err != nil {
		t.Error(err)
	}
}

func TestARepeatedCommandIsAnsweredTheSameAcrossAKill(t *testing.T) {
	h := tempHome(t)
	first := h.start(t)
	ctx := t.Context()
	c := dial(t, h.socket("host"), client.Options{Reconnect: true})
	start := wire.SessionStartParams{CommandID: client.NewCommandID(), WorkspaceRoot: h.workspace()}
	before, err := c.StartSession(ctx, start)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Crash(); err != nil {
		t.Fatal(err)
	}
	defer closed(t, h.start(t))
	after, err := c.StartSession(ctx, start)
	if err != nil {
		t.Fatal(err)
	}
	if before.Session.SessionID != after.Session.SessionID || before.Ack != after.Ack {
		t.Errorf("before %+v\nafter  %+v", before, after)
	}
}

// next reads n events.
func next(t *testing.T, s *client.Subscription, n int) []client.Event {
	t.Helper()
	var events []client.Event
	for range n {
		e, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, e)
	}
	return events
}

func decide(t *testing.T, c *client.Client, r *wire.ApprovalRequest, choice wire.ChoiceID) {
	t.Helper()
	if _, err := c.Decide(t.Context(), wire.ApprovalDecideParams{
		SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: choice,
	}); err != nil {
		t.Fatal(err)
	}
}
