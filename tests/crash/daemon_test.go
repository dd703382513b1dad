package crash

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
)

// childRole is the environment variable that makes this test binary the
// daemon; its arguments are the state and the runtime directory.
const childRole = "APPROVALD_CRASH_TEST_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(childRole) == "" {
		os.Exit(m.Run())
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
}

// stages are what the daemon says while it starts; at any of them it may be
// killed.
var stages = []string{"started", "opened", "listening"}

// serve is a daemon that lasts until it is killed or its standard input ends.
func serve(state, runtime string) error {
	fmt.Println(stages[0])
	clock := sequencer.SystemClock{}
	d, err := daemon.Open(daemon.Config{
		StateDir: state, RuntimeDir: runtime, Clock: clock, NewID: daemon.Minter(rand.Reader, clock),
		Identity: rpc.Identity{Version: "crash", Home: state, OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	})
	if err != nil {
		return err
	}
	fmt.Println(stages[1])
	if _, err := d.Listen(); err != nil {
		return err
	}
	fmt.Println(stages[2])
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return d.Close()
}

// process is a running daemon.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	said   *bufio.Scanner
	socket string
	killed sync.Once
}

func startDaemon(t *testing.T, state string) *process {
	t.Helper()
	runtime, err := os.MkdirTemp("", "approvald") //nolint:usetesting // its path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], state, runtime)
	cmd.Env = append(os.Environ(), childRole+"=1")
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // open for as long as the test runs
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, said: bufio.NewScanner(out), socket: rpc.SocketPath(runtime, "host")}
	t.Cleanup(func() {
		p.kill()
		if err := os.RemoveAll(runtime); err != nil {
			t.Error(err)
		}
	})
	return p
}

// waitFor waits until the daemon has come to a stage of its start.
func (p *process) waitFor(stage string) {
	p.t.Helper()
	for p.said.Scan() {
		if p.said.Text() == stage {
			return
		}
	}
	p.t.Fatalf("the daemon ended before it was %s: %v", stage, p.said.Err())
}

// kill kills the daemon and returns when it is gone. Any goroutine may call
// it, more than once.
func (p *process) kill() {
	p.killed.Do(func() {
		if err := p.cmd.Process.Kill(); err != nil {
			p.t.Errorf("kill: %v", err)
		}
		if err := p.cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			p.t.Errorf("the daemon ended by itself: %v", err)
		}
	})
}
