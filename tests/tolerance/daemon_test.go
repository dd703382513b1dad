package tolerance

import (
	"bufio"
	"crypto/rand"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// place is a home for daemons, one after another: state, sockets, a home directory and a workspace.
type place struct{ dir string }

func newPlace(t testing.TB) place {
	t.Helper()
	dir, err := os.MkdirTemp("", "apd") //nolint:usetesting // TempDir is too long for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, sub := range []string{"run", "home", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return place{dir}
}

func (p place) state() string             { return filepath.Join(p.dir, "state") }
func (p place) work() string              { return filepath.Join(p.dir, "work") }
func (p place) socket(name string) string { return rpc.SocketPath(filepath.Join(p.dir, "run"), name) }

// process is the real binary, serving.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	logged sync.WaitGroup // the reader of standard error
	waited sync.Once
	err    error // of Wait
}

// serve starts the real binary and returns when its sockets listen.
func (p place) serve(t testing.TB, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--state-dir", p.state(), "--runtime-dir", filepath.Join(p.dir, "run")}, flags...)...)
	cmd.Env = []string{"HOME=" + filepath.Join(p.dir, "home"), "PATH=" + os.Getenv("PATH")}
	d := &process{t: t, cmd: cmd}
	var err error
	if d.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if d.stdout, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, unless the test failed
		_ = d.wait()
	})
	ready, said := make(chan struct{}), bufio.NewScanner(stderr)
	d.logged.Go(func() {
		for serving := false; said.Scan(); {
			if !serving && strings.HasPrefix(said.Text(), "  hosts") {
				serving = true
				close(ready)
			}
			if strings.Contains(said.Text(), "level=ERROR") {
				t.Errorf("the daemon logs %s", said.Text())
			}
		}
	})
	<-ready
	return d
}

// wait waits for the process to end, once its standard output has been read to the end or nobody
// reads it.
func (d *process) wait() error {
	d.waited.Do(func() {
		d.logged.Wait()
		d.err = d.cmd.Wait()
	})
	return d.err
}

// end ends the process by a signal; it must exit 0.
func (d *process) end(signal os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(signal); err != nil {
		d.t.Fatal(err)
	}
	if err := d.wait(); err != nil {
		d.t.Errorf("the daemon ended with %v, want exit code 0", err)
	}
}

// stdio is the connection on the process's standard input and output.
func (d *process) stdio() io.ReadWriteCloser {
	return ownStdio{client.Join(d.stdout, d.stdin), d.stdin}
}

type ownStdio struct {
	io.ReadWriteCloser
	stdin io.Closer
}

// CloseWrite ends the process's input.
func (s ownStdio) CloseWrite() error { return s.stdin.Close() }

// within is a daemon in this process.
type within struct {
	*daemon.Daemon
	t     testing.TB
	place place
	conns sync.WaitGroup
}

// start starts a daemon in this process; options change its configuration.
func (p place) start(t testing.TB, options ...func(*daemon.Config)) *within {
	t.Helper()
	clock := sequencer.SystemClock{}
	config := daemon.Config{
		StateDir: p.state(), RuntimeDir: filepath.Join(p.dir, "run"), Homes: []string{filepath.Join(p.dir, "home")},
		NewID: daemon.Minter(rand.Reader, clock), Clock: clock, Ceiling: "allowAll",
		Identity: rpc.Identity{Version: "tolerance", Home: p.state(), OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	}
	for _, option := range options {
		option(&config)
	}
	d, err := daemon.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	w := &within{Daemon: d, t: t, place: p}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		w.conns.Wait()
	})
	return w
}

// pipe connects to the daemon by a pipe that has no buffer: a write is over when it has been read.
func (w *within) pipe(widest wire.Role) net.Conn {
	near, far := net.Pipe()
	w.conns.Go(func() {
		w.ServeStream(map[wire.Role]string{
			wire.RoleAgent: "agent", wire.RoleReviewer: "reviewer", wire.RoleBoth: "host",
		}[widest], widest, far)
	})
	return near
}

// join connects a peer by a pipe and makes its handshake; capabilities are those of approvald.
func (w *within) join(widest wire.Role, capabilities ...string) *peer {
	w.t.Helper()
	p := newPeer(w.t, w.pipe(widest))
	p.hello(capabilities...)
	return p
}
