package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// step is one call of the daemon's about one of its files.
type step struct {
	call string // as watchedCalls names it
	path string // below the daemon's directories; of a rename, the new name
	from string // of a rename, the old name
}

func (s step) String() string { return s.call + " " + s.path }

// done is how far a step gets that is made to fail.
type done int

const (
	notAtAll done = iota
	half          // of a write; of anything else, not at all
	whole
)

// fault is what becomes of a step.
type fault struct {
	strikes bool // otherwise the step passes
	errno   unix.Errno
	done    done
	kill    bool // the daemon is killed, and not told anything
}

// fails is the fault that the daemon is told of.
func fails(errno unix.Errno, how done) fault { return fault{strikes: true, errno: errno, done: how} }

// killed is the fault after which there is nobody to tell.
func killed(how done) fault { return fault{strikes: true, done: how, kill: true} }

// watch serves the calls of one watched process.
type watch struct {
	t    *testing.T
	root string // what lies below is the daemon's
	pid  int

	mu    sync.Mutex
	judge func(step) fault // guarded by mu; nil: all pass
	steps []step           // guarded by mu; since judge was set
	over  chan struct{}    // closed when the process is gone
}

func newWatch(t *testing.T, root string, pid, listener int, judge func(step) fault) *watch {
	t.Helper()
	w := &watch{t: t, root: root, pid: pid, judge: judge, over: make(chan struct{})}
	go w.serve(listener)
	return w
}

// arm has judge decide about every step from now on, one at a time.
func (w *watch) arm(judge func(step) fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judge, w.steps = judge, nil
}

// taken are the steps since the watch was armed.
func (w *watch) taken() []step {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.steps
}

// notification and response are those of seccomp_unotify(2).
type notification struct {
	id      uint64
	pid     uint32
	flags   uint32
	number  int32
	arch    uint32
	pointer uint64
	args    [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

func (w *watch) serve(listener int) {
	defer close(w.over)
	defer func() { _ = unix.Close(listener) }()
	for {
		poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			w.t.Errorf("watching: %v", err)
			return
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			return // everybody is gone
		}
		var n notification
		if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
			continue // the call was interrupted, or its process killed
		}
		r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if f := w.judged(&n); f.strikes {
			r = response{id: n.id, errno: -int32(f.errno)}
		}
		_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // nobody waits if it was killed
	}
}

func ioctl(fd int, request uint, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(arg))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// judged finds out what a call is about, asks the judge, and does what is done
// of a call that does not pass.
func (w *watch) judged(n *notification) fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.step(n)
	if !ok || w.judge == nil {
		return fault{}
	}
	w.steps = append(w.steps, s)
	f := w.judge(s)
	if !f.strikes {
		return f
	}
	if f.done != notAtAll {
		if err := w.carryOut(n, s, f.done); err != nil {
			w.t.Errorf("carrying out %s: %v", s, err)
		}
	}
	if f.kill {
		_ = unix.Kill(w.pid, unix.SIGKILL) // it waits for us, if it is there
	}
	return f
}

// step reads a call; ok says that it is about a file of the daemon's.
func (w *watch) step(n *notification) (s step, ok bool) {
	s.call = watchedCalls[int(n.number)]
	switch n.number {
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT:
		s.path = w.text(n.args[1])
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		s.from, s.path = w.text(n.args[1]), w.text(n.args[3])
	default:
		s.path, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", w.pid, int32(n.args[0])))
	}
	s.path, ok = strings.CutPrefix(filepath.Clean(s.path), w.root+"/")
	s.from = strings.TrimPrefix(s.from, w.root+"/")
	return s, ok
}

// text is a C string of the process.
func (w *watch) text(at uint64) string {
	const most = 512 // names of tests are shorter, and a page may end behind it
	text, _ := w.memory(at, most)
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}

// memory is a piece of the process's memory, or as much of it as there is.
func (w *watch) memory(at, size uint64) ([]byte, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/mem", w.pid))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data := make([]byte, size)
	n, err := file.ReadAt(data, int64(at))
	return data[:n], err
}

// carryOut does what the daemon asked for, on the files that it has open.
func (w *watch) carryOut(n *notification, s step, how done) error {
	path := filepath.Join(w.root, s.path)
	switch s.call {
	case "write":
		return w.write(n, how)
	case "make", "open", "rename", "remove":
		if how == half {
			return nil
		}
	}
	switch s.call {
	case "make":
		return os.Mkdir(path, os.FileMode(n.args[2])&os.ModePerm)
	case "open":
		file, err := os.OpenFile(path, int(n.args[2])&^unix.O_CLOEXEC, os.FileMode(n.args[3])&os.ModePerm)
		return errors.Join(err, file.Close())
	case "rename":
		return os.Rename(filepath.Join(w.root, s.from), path)
	case "remove":
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	case "sync", "resize":
		return w.with(n, func(fd int) error {
			if s.call == "sync" {
				return unix.Fsync(fd)
			}
			return unix.Ftruncate(fd, int64(n.args[1]))
		})
	}
	return nil // what was read or locked is of no use to one who is told that it was not
}

func (w *watch) write(n *notification, how done) error {
	size := n.args[2]
	if how == half {
		size /= 2
	}
	data, err := w.memory(n.args[1], size)
	if err != nil {
		return err
	}
	at, err := w.place(n)
	if err != nil {
		return err
	}
	return w.with(n, func(fd int) error {
		_, err := unix.Pwrite(fd, data, at)
		return err
	})
}

// with calls fn with a file that the daemon has open.
func (w *watch) with(n *notification, fn func(fd int) error) error {
	path := fmt.Sprintf("/proc/%d/fd/%d", w.pid, int32(n.args[0]))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, unix.EISDIR) {
		file, err = os.Open(path)
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(int(file.Fd())), file.Close())
}

// place is where the daemon's next write to a file goes.
func (w *watch) place(n *notification) (at int64, err error) {
	if n.number == unix.SYS_PWRITE64 {
		return int64(n.args[3]), nil
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", w.pid, int32(n.args[0])))
	if err == nil {
		_, err = fmt.Sscanf(string(info), "pos: %d", &at)
	}
	return at, err
}
