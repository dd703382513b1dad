package crash

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
)

// childRole is the environment variable that makes this test binary the
// daemon; its arguments are the state and the runtime directory.
const childRole = "APPROVALD_CRASH_TEST_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(childRole) == "" {
		goleak.VerifyTestMain(m) // ends the process
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
}

// What the daemon says while it starts.
const (
	begins  = "begins"
	listens = "listens"
)

// serve is a daemon that lasts until it is killed or its standard input ends.
func serve(state, sockets string) error {
	fmt.Println(begins)
	clock := sequencer.SystemClock{}
	d, err := daemon.Open(daemon.Config{
		StateDir: state, RuntimeDir: sockets, Clock: clock, NewID: daemon.Minter(rand.Reader, clock),
		Identity: rpc.Identity{Version: "crash", Home: state, OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	})
	if err != nil {
		return err
	}
	if _, err := d.Listen(); err != nil {
		return err
	}
	fmt.Println(listens)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return d.Close()
}

// place is where a daemon lives: its state, and the directory of its sockets,
// which one daemon after another uses, whatever the one before left in it.
type place struct{ state, sockets string }

func newPlace(t *testing.T, state string) place {
	t.Helper()
	sockets, err := os.MkdirTemp("", "approvald") //nolint:usetesting // its path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(sockets); err != nil {
			t.Error(err)
		}
	})
	return place{state, sockets}
}

func (p place) socket() string { return rpc.SocketPath(p.sockets, "host") }
func (p place) log() string    { return filepath.Join(p.state, "sessions.db") }

// process is a running daemon.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.Closer
	said   *bufio.Scanner
	killed sync.Once
}

// start starts a daemon and waits until it begins to open its log.
func start(t *testing.T, at place) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], at.state, at.sockets)
	cmd.Env = append(os.Environ(), childRole+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe() // open for as long as the daemon runs
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: cmd, stdin: stdin, said: bufio.NewScanner(out)}
	t.Cleanup(p.kill)
	if !p.says(begins) {
		t.Fatal("the daemon ended before it began")
	}
	return p
}

// says waits until the daemon says so, or is gone.
func (p *process) says(what string) bool {
	for p.said.Scan() {
		if p.said.Text() == what {
			return true
		}
	}
	return false
}

// listening waits until the daemon listens.
func (p *process) listening() {
	p.t.Helper()
	if !p.says(listens) {
		p.t.Fatal("the daemon ended before it listened")
	}
}

// killIn kills the daemon that long from now and reports whether it had come to
// listen. That the moment is a random one is all that time is used for.
func (p *process) killIn(moment time.Duration) (listened bool) {
	timer := time.AfterFunc(moment, p.kill)
	defer timer.Stop()
	listened = p.says(listens)
	for p.said.Scan() { // ends when it is dead
	}
	p.kill()
	return listened
}

// killAtCommit kills the daemon when it has written the header page of its next
// commit, which is before it has answered anybody, or when it has listened for a
// while and written nothing.
func (p *process) killAtCommit(at place) (listened bool) {
	gone := make(chan struct{})
	var idle atomic.Bool
	go func() {
		defer close(gone)
		listened = p.says(listens)
		idle.Store(true)
		for p.said.Scan() { // ends when it is dead
		}
	}()
	commit := nextCommit(at.log())
	for n := 0; n < patience && !commit(); {
		if idle.Load() {
			n++
		}
		runtime.Gosched()
	}
	p.kill()
	<-gone
	return listened
}

// patience is how often a commit is looked for that may not come.
const patience = 2000

// nextCommit is a question that is answered with yes once a commit was made
// since: bbolt writes the one of two header pages that is older.
func nextCommit(path string) func() bool {
	headers := func() (both [2][80]byte) {
		f, err := os.Open(path)
		if err != nil {
			return both // there is none yet
		}
		defer f.Close()
		for i := range both {
			_, _ = f.ReadAt(both[i][:], int64(i*os.Getpagesize())) // a short file has none either
		}
		return both
	}
	before := headers()
	return func() bool { return headers() != before }
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

// stores is the text of the rules that decisions wrote.
func (p place) stores(t *testing.T) (all string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.state, "workspaces", "[^.]*.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// end ends a daemon in order.
func (p *process) end() {
	p.t.Helper()
	p.killed.Do(func() {
		if err := p.stdin.Close(); err != nil {
			p.t.Error(err)
		}
		for p.said.Scan() { // ends when it has
		}
		if err := p.cmd.Wait(); err != nil {
			p.t.Errorf("the daemon that was to end in order: %v", err)
		}
	})
}

// below lists the files in a directory and below it.
func below(t *testing.T, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// copyState makes one state directory a copy of another, as a crash left it.
func copyState(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
