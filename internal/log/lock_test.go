package log_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
)

var started = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

func self() log.Holder {
	return log.Holder{PID: os.Getpid(), Version: "1.2.3", StartedAt: started}
}

// holdForEver is the child: it takes the lock, says so, and waits to be killed,
// or for the end of its parent.
func holdForEver(dir string) error {
	if _, err := log.Acquire(dir, self(), 0); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func startHolder(t *testing.T, dir string) *child {
	t.Helper()
	c := startChild(t, "hold", dir)
	c.line(t)
	return c
}

func acquire(t *testing.T, dir string) *log.Lock {
	t.Helper()
	l, err := log.Acquire(dir, self(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release() })
	return l
}

func TestSecondProcessIsRefusedAndToldThePid(t *testing.T) {
	dir := t.TempDir()
	c := startHolder(t, dir)
	_, err := log.Acquire(dir, self(), 0)
	held, ok := errors.AsType[*log.HeldError](err)
	if !ok {
		t.Fatalf("Acquire: %v, want HeldError", err)
	}
	want := log.Holder{PID: c.cmd.Process.Pid, Version: "1.2.3", StartedAt: started}
	if held.Dir != dir || held.Holder != want {
		t.Errorf("HeldError of %s by %v, want %s by %v", held.Dir, held.Holder, dir, want)
	}
	if sentence := fmt.Sprintf("process %d (approvald 1.2.3, since 2026-01-02T03:04:05.678Z)", want.PID); !strings.Contains(err.Error(), sentence) {
		t.Errorf("%q does not contain %q", err, sentence)
	}
}

func TestSecondLockOfOneProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	acquire(t, dir)
	_, err := log.Acquire(dir, self(), 0)
	if _, ok := errors.AsType[*log.HeldError](err); !ok {
		t.Errorf("Acquire: %v, want HeldError", err)
	}
}

func TestReadHolderNamesTheLiveHolder(t *testing.T) {
	dir := t.TempDir()
	acquire(t, dir)
	if got, held := log.ReadHolder(dir); !held || got != self() {
		t.Errorf("ReadHolder = %v, %v, want %v", got, held, self())
	}
}

func TestNobodyHoldsADirectory(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"that has no lock": func(*testing.T, string) {},
		"that was released": func(t *testing.T, dir string) {
			if err := acquire(t, dir).Release(); err != nil {
				t.Fatal(err)
			}
		},
		"whose holder was killed": func(t *testing.T, dir string) {
			startHolder(t, dir).kill(t)
			if _, err := os.Stat(filepath.Join(dir, "daemon.json")); err != nil {
				t.Fatalf("the killed holder left no daemon.json: %v", err)
			}
		},
		"whose daemon.json names a live process that has no lock": func(t *testing.T, dir string) {
			startHolder(t, dir).kill(t)
			writeHolder(t, dir, os.Getpid())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			prepare(t, dir)
			if got, held := log.ReadHolder(dir); held || got != (log.Holder{}) {
				t.Errorf("ReadHolder = %v, %v, want nobody", got, held)
			}
			acquire(t, dir)
			if got, _ := log.ReadHolder(dir); got != self() {
				t.Errorf("ReadHolder after Acquire = %v, want %v", got, self())
			}
		})
	}
}

// A holder that cannot be named is still a holder.
func TestHolderThatIsNotNamed(t *testing.T) {
	for name, content := range map[string]string{
		"no daemon.json":          "",
		"garbled":                 `{"pid":`,
		"of a killed process":     fmt.Sprintf(`{"pid":%d,"version":"1","startedAt":"2026-01-02T03:04:05.678Z"}`, deadPID(t)),
		"pid that means a group":  `{"pid":-1,"version":"1","startedAt":"2026-01-02T03:04:05.678Z"}`,
		"time that is not a time": fmt.Sprintf(`{"pid":%d,"version":"1","startedAt":"today"}`, os.Getpid()),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the wait for a name takes no time
				dir := t.TempDir()
				lockWithoutName(t, dir)
				if content != "" {
					writeDaemonJSON(t, dir, content)
				}
				_, err := log.Acquire(dir, self(), 0)
				held, ok := errors.AsType[*log.HeldError](err)
				if !ok || held.Holder != (log.Holder{}) {
					t.Errorf("Acquire: %v, want HeldError without a name", err)
				}
				if holder, held := log.ReadHolder(dir); !held || holder != (log.Holder{}) {
					t.Errorf("ReadHolder = %v, %v, want held without a name", holder, held)
				}
			})
		})
	}
}

// Between taking the lock and writing its name a starting daemon has the
// daemon.json of its killed predecessor beside it.
func TestStartingHolderIsWaitedFor(t *testing.T) {
	predecessor := deadPID(t)
	waiters := map[string]func(dir string) log.Holder{
		"Acquire": func(dir string) log.Holder {
			_, err := log.Acquire(dir, log.Holder{PID: os.Getpid(), Version: "other"}, 0)
			held, ok := errors.AsType[*log.HeldError](err)
			if !ok {
				t.Errorf("Acquire: %v, want HeldError", err)
				return log.Holder{}
			}
			return held.Holder
		},
		"ReadHolder": func(dir string) log.Holder {
			holder, _ := log.ReadHolder(dir)
			return holder
		},
	}
	for name, wait := range waiters {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				lockWithoutName(t, dir)
				writeHolder(t, dir, predecessor)
				got := make(chan log.Holder)
				go func() { got <- wait(dir) }()
				synctest.Wait() // it has seen the predecessor and sleeps
				writeHolder(t, dir, os.Getpid())
				if holder := <-got; holder != self() {
					t.Errorf("named %v, want %v", holder, self())
				}
			})
		})
	}
}

// A probe holds a shared lock for an instant; an Acquire must not take it for
// a daemon.
func TestAcquireOutlastsAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		probe := lockWithoutName(t, dir)
		got := make(chan error)
		go func() {
			l, err := log.Acquire(dir, self(), 0)
			if err == nil {
				err = l.Release()
			}
			got <- err
		}()
		synctest.Wait()
		if err := probe.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Errorf("Acquire: %v", err)
		}
	})
}

// A daemon that was killed is still named while the kernel ends it; the one that
// is started in its place has the lock once it is free.
func TestAcquireWaitsForAPredecessorThatIsEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		predecessor := lockWithoutName(t, dir)
		writeHolder(t, dir, os.Getpid())
		got := make(chan error)
		go func() {
			l, err := log.Acquire(dir, self(), time.Second)
			if err == nil {
				err = l.Release()
			}
			got <- err
		}()
		synctest.Wait() // it has found the directory held, and who holds it
		if err := predecessor.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Errorf("Acquire: %v", err)
		}
	})
}

func TestAcquireGivesUpOnALiveHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		acquire(t, dir)
		began := time.Now()
		_, err := log.Acquire(dir, self(), time.Second)
		held, ok := errors.AsType[*log.HeldError](err)
		if !ok || held.Holder != self() {
			t.Errorf("Acquire: %v, want HeldError of %v", err, self())
		}
		if waited := time.Since(began); waited < time.Second || waited > 1100*time.Millisecond {
			t.Errorf("gave up after %v, want a second", waited) // of the bubble's clock
		}
	})
}

func TestAcquireCreatesTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	root := t.TempDir()
	acquire(t, filepath.Join(root, "state", "approvald"))
	for name, want := range map[string]fs.FileMode{
		"state":                       fs.ModeDir | 0o700,
		"state/approvald":             fs.ModeDir | 0o700,
		"state/approvald/lock":        0o600,
		"state/approvald/daemon.json": 0o600,
	} {
		if got := mode(t, filepath.Join(root, name)); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
}

func TestDaemonJSON(t *testing.T) {
	dir := t.TempDir()
	acquire(t, dir)
	data, err := os.ReadFile(filepath.Join(dir, "daemon.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"pid":%d,"version":"1.2.3","startedAt":"2026-01-02T03:04:05.678Z"}`+"\n", os.Getpid())
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("daemon.json (-want +got):\n%s", diff)
	}
}

func TestReleaseLeavesTheLockFileAlone(t *testing.T) {
	dir := t.TempDir()
	l := acquire(t, dir)
	for range 2 { // releasing twice is allowed
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"lock"}, names); diff != "" {
		t.Errorf("left in the directory (-want +got):\n%s", diff)
	}
}

// If the holder cannot be named the lock is given back.
func TestAcquireThatCannotWriteGivesTheLockBack(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, "daemon.json.tmp")
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Acquire(dir, self(), 0); err == nil || !strings.Contains(err.Error(), dir) {
		t.Fatalf("Acquire: %v, want an error that names the directory", err)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	acquire(t, dir)
}

// lockWithoutName locks dir as a daemon that has not written its name yet.
func lockWithoutName(t *testing.T, dir string) *os.File {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return file
}

func writeHolder(t *testing.T, dir string, pid int) {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"pid": pid, "version": "1.2.3", "startedAt": "2026-01-02T03:04:05.678Z", "later": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	writeDaemonJSON(t, dir, string(data))
}

func writeDaemonJSON(t *testing.T, dir, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "daemon.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// deadPID returns the pid of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	c := startHolder(t, t.TempDir())
	c.kill(t)
	return c.cmd.Process.Pid
}
