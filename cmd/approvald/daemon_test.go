package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// place is where the daemons of a test live, one after another.
type place struct{ state, runtime string }

func newPlace(t *testing.T) place {
	t.Helper()
	runtime, err := os.MkdirTemp("/tmp", "approvald-test") //nolint:usetesting // the path of a socket is short, that of TempDir not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	return place{filepath.Join(t.TempDir(), "state"), runtime}
}

// command is approvald in a process of its own, killed when the test ends.
func (p place) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("approvald", args...)
	cmd.Env = append(os.Environ(), "APPROVALD_STATE_DIR="+p.state, "APPROVALD_RUNTIME_DIR="+p.runtime, "HOME="+t.TempDir())
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// serve starts a daemon and returns when its socket answers.
func (p place) serve(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := p.command(t, append([]string{"serve"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.awaitSocket(t)
	return cmd
}

func (p place) awaitSocket(t *testing.T) {
	t.Helper()
	if err := eventually("a daemon serves", func() bool {
		return answers(t.Context(), rpc.SocketPath(p.runtime, "host"))
	}); err != nil {
		t.Fatal(err)
	}
}

// kill ends a daemon as kill -9 does.
func kill(t *testing.T, daemon *exec.Cmd) {
	t.Helper()
	if err := daemon.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait() // it was killed, as intended
}

// dial connects to a socket as a client of the public package.
func (p place) dial(t *testing.T, socket string, o client.Options) *client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, rpc.SocketPath(p.runtime, socket), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// pending waits for the one approval that is pending and is not the one named.
func (p place) pending(t *testing.T, c *client.Client, not string) (r wire.ApprovalRequest) {
	t.Helper()
	err := eventually("an approval is pending", func() bool {
		page, err := c.ListPending(t.Context(), wire.ApprovalListPendingParams{})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Approvals) != 1 || page.Approvals[0].ApprovalID == not {
			return false
		}
		r = page.Approvals[0]
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read is an approval as the log has it.
func (p place) read(t *testing.T, c *client.Client, r wire.ApprovalRequest) wire.ApprovalReadResult {
	t.Helper()
	got, err := c.ReadApproval(t.Context(), wire.ApprovalReadParams{SessionID: r.SessionID, ApprovalID: r.ApprovalID})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
