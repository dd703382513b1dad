package faults

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watchedRole is the environment variable that makes this test binary put
// itself under watch, hand the watch to its parent, and become the program that
// its arguments name.
const watchedRole = "APPROVALD_FAULTS_TEST_WATCHED"

// watchedUser is the environment variable that says which user it becomes.
const watchedUser = "APPROVALD_FAULTS_TEST_USER"

// parentSocket is the file on which the parent waits for the watch.
const parentSocket = 3

// binary is approvald as it is built for everyone.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv(watchedRole) != "" {
		fmt.Fprintln(os.Stderr, "faults:", becomeWatched(os.Args[1:]))
		os.Exit(exitUnwatched)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "approvald-faults")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "approvald")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "github.com/approvald/approvald/cmd/approvald")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return m.Run()
}

// exitUnwatched is the exit code of a child that could not become watched.
const exitUnwatched = 97

// watchedCalls are the system calls that change files, or on which promises
// about them rest. Those that only look are left alone.
var watchedCalls = map[int]string{
	unix.SYS_OPENAT:    "open",
	unix.SYS_READ:      "read",
	unix.SYS_PREAD64:   "read",
	unix.SYS_WRITE:     "write",
	unix.SYS_PWRITE64:  "write",
	unix.SYS_FSYNC:     "sync",
	unix.SYS_FDATASYNC: "sync",
	unix.SYS_FADVISE64: "forget",
	unix.SYS_FTRUNCATE: "resize",
	unix.SYS_FLOCK:     "lock",
	unix.SYS_MKDIRAT:   "make",
	unix.SYS_RENAMEAT:  "rename",
	unix.SYS_RENAMEAT2: "rename",
	unix.SYS_UNLINKAT:  "remove",
}

// becomeWatched returns only if it fails.
func becomeWatched(argv []string) error {
	runtime.LockOSThread() // the flag below is this thread's, and exec keeps it
	unix.CloseOnExec(parentSocket)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	program := filter()
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		uintptr(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})))
	if errno != 0 {
		return fmt.Errorf("the kernel gives no watch: %w", errno)
	}
	if err := unix.Sendmsg(parentSocket, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return fmt.Errorf("hand over the watch: %w", err)
	}
	if user, err := strconv.Atoi(os.Getenv(watchedUser)); err == nil && user != 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(user), syscall.Setuid(user)); err != nil {
			return fmt.Errorf("become user %d: %w", user, err)
		}
	}
	return unix.Exec(argv[0], argv, os.Environ())
}

// filter has the watched calls wait for the parent.
func filter() []unix.SockFilter {
	const number = 0 // of struct seccomp_data
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for call := range watchedCalls {
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(call), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	return append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
}

// startWatched starts a program under watch; whoever gets the listener must
// serve it. Where the kernel has no such thing the test is skipped. The program
// runs as a user, 0 for the one that the test runs as.
func startWatched(t *testing.T, cmd *exec.Cmd, user int) (listener int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	cmd.Args = append([]string{os.Args[0], cmd.Path}, cmd.Args[1:]...)
	cmd.Path = os.Args[0]
	cmd.Env = append(cmd.Env, watchedRole+"=1", fmt.Sprintf("%s=%d", watchedUser, user))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.ExtraFiles = []*os.File{theirs}
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		t.Fatal(err)
	}
	conn, err := net.FileConn(ours)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), oob) //nolint:errcheck // it is one
	if err != nil || n == 0 {
		if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); ok && exit.ExitCode() == exitUnwatched {
			t.Skip("the kernel does not let a test watch a program's system calls (seccomp, since Linux 5.19)")
		}
		t.Fatalf("the watch was not handed over: %v", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	return fds[0]
}
