package faults

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/rpc"
)

// place is a home for daemons, one after another.
type place struct {
	root, state, runtime, work string
	owner                      int // who daemons run as; 0: as the test does
}

func newPlace(t *testing.T) place {
	t.Helper()
	return placeIn(t, memory(t))
}

// placeIn is a place in a directory that is there.
func placeIn(t *testing.T, root string) place {
	t.Helper()
	p := place{root: root, state: filepath.Join(root, "state"), runtime: filepath.Join(root, "run"), work: directory(t, "/tmp")} // no workspace lies in /dev
	for _, dir := range []string{p.runtime, filepath.Join(root, "home")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) log() string { return filepath.Join(p.state, "sessions.db") }

func (p place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append([]string{args[0], "--state-dir", p.state, "--runtime-dir", p.runtime}, args[1:]...)...)
	cmd.Env = []string{"HOME=" + filepath.Join(p.root, "home"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + p.work}
	return cmd
}

// says runs a command to its end.
func (p place) says(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// patience is how long anything may take before it counts as a hang.
const patience = 30 * time.Second

// daemon is a daemon under watch.
type daemon struct {
	*watch
	place
	cmd   *exec.Cmd
	ready chan struct{} // closed when it serves
	ended chan struct{} // closed when it is gone; said and code are set
	said  []string      // on standard error, without the welcome
	code  int           // -1: it was killed
}

// serve starts a daemon; judge decides about its steps, from the first on.
func (p place) serve(t *testing.T, judge func(step) fault) *daemon {
	t.Helper()
	return p.watched(t, judge, p.command("serve", "--mode", "promptUnmatched", "--log-level", "error"))
}

func (p place) watched(t *testing.T, judge func(step) fault, cmd *exec.Cmd) *daemon {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	listener := startWatched(t, cmd, p.owner)
	d := &daemon{place: p, cmd: cmd, ready: make(chan struct{}), ended: make(chan struct{})}
	d.watch = newWatch(t, p.root, cmd.Process.Pid, listener, judge)
	go func() {
		welcome := true
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "approvald: ") || strings.HasPrefix(line, "    | ") || strings.HasPrefix(line, "time="):
				d.said = append(d.said, line)
			case strings.HasSuffix(line, "decide ID allow_once"):
				welcome = false
				close(d.ready)
			case !welcome: // a trace, or whatever nobody has thought of
				d.said = append(d.said, line)
			}
		}
		_ = cmd.Wait() // its code says it
		d.code = cmd.ProcessState.ExitCode()
		<-d.over
		close(d.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-d.ended
	})
	return d
}

// serves waits until the daemon serves, or has ended instead.
func (d *daemon) serves(t *testing.T) bool {
	t.Helper()
	select {
	case <-d.ready:
		return true
	case <-d.ended:
		return false
	case <-time.After(patience):
		t.Fatal("the daemon neither serves nor ends")
		return false
	}
}

// end waits for the daemon's end.
func (d *daemon) end(t *testing.T) (said []string, code int) {
	t.Helper()
	select {
	case <-d.ended:
	case <-time.After(patience):
		t.Fatal("the daemon does not end")
	}
	return d.said, d.code
}

// stop ends the daemon in order, if it is there.
func (d *daemon) stop(t *testing.T) (said []string, code int) {
	t.Helper()
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	return d.end(t)
}

// kill kills the daemon and waits until it is gone.
func (d *daemon) kill(t *testing.T) {
	t.Helper()
	_ = d.cmd.Process.Kill()
	d.end(t)
}

func (d *daemon) dial(t *testing.T) *client { return dial(t, rpc.SocketPath(d.runtime, "host")) }

// commands counts the records of each command that is in the log, which must
// verify.
func (p place) commands(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	if _, err := os.Stat(p.log()); errors.Is(err, os.ErrNotExist) {
		return counts
	}
	r, err := log.OpenReader(p.log())
	if err != nil {
		t.Error(err)
		return counts
	}
	defer r.Close()
	if _, err := audit.Verify(r, audit.Options{}); err != nil {
		t.Errorf("the log does not verify: %v", err)
	}
	err = r.Scan(func(seq uint64, value []byte) error {
		rec, err := record.Decode(seq, value)
		if err == nil && rec.Intake() != nil {
			counts[rec.Command.String()]++
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return counts
}

// namedFiles are the files in the state and the runtime directory, in order.
func (p place) namedFiles(t *testing.T) (names []string) {
	t.Helper()
	for _, dir := range []string{p.state, p.runtime} {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, named(strings.TrimPrefix(path, p.root+"/")))
			}
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}
