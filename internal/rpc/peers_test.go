package rpc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/approvald/approvald/wire"
)

// Each socket is private, in a directory of its own that is private too, also
// where something else was there before (protocol §1).
func TestSocketsArePrivate(t *testing.T) {
	h := newHost(t)
	dir := h.listen()
	for _, name := range []string{"agent", "reviewer", "host"} {
		wantMode(t, filepath.Dir(SocketPath(dir, name)), os.ModeDir|0o700)
		wantMode(t, SocketPath(dir, name), os.ModeSocket|0o600)
	}

	other := t.TempDir()
	for _, name := range []string{"agent", "host"} {
		if err := os.MkdirAll(filepath.Join(other, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(SocketPath(other, "agent"), []byte("left over"), 0o666); err != nil {
		t.Fatal(err)
	}
	sockets, err := h.Listen(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sockets.Paths() {
		wantMode(t, filepath.Dir(path), os.ModeDir|0o700)
		wantMode(t, path, os.ModeSocket|0o600)
	}
	if err := sockets.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range sockets.Paths() {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
	}
}

func TestSocketsThatCannotBe(t *testing.T) {
	h := newHost(t)
	cases := map[string]func(t *testing.T) (dir string){
		"a path that is too long": func(t *testing.T) string {
			return filepath.Join(t.TempDir(), fmt.Sprintf("%0100d", 0))
		},
		"a file where the directory should be": func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "reviewer"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"a link where the directory should be": func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.Symlink(t.TempDir(), filepath.Join(dir, "host")); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"something in the socket's place that cannot go": func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(SocketPath(dir, "host"), "x"), 0o700); err != nil {
				t.Fatal(err)
			}
			return dir
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			dir := prepare(t)
			if _, err := h.Listen(dir); err == nil {
				t.Fatal("it was accepted")
			}
			for _, name := range []string{"agent", "reviewer", "host"} {
				if info, err := os.Lstat(SocketPath(dir, name)); err == nil && info.Mode()&os.ModeSocket != 0 {
					t.Errorf("the socket %s was left behind", name)
				}
			}
		})
	}
}

const nobody = 65534

// Another user gets no word out of any socket, even where the modes would let
// it connect.
func TestPeerOfAnotherUserIsTurnedAway(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it takes root to become another user")
	}
	h := newHost(t)
	dir := h.listen()
	want := func(role, want string) {
		t.Helper()
		for _, name := range []string{"agent", "reviewer", "host"} {
			c := startChild(t, role, SocketPath(dir, name))
			if got := c.line(); got != want {
				t.Errorf("%s on the socket %s: %q, want %q", role, name, got, want)
			}
		}
	}
	want("nobody", "no permission")
	for path := SocketPath(dir, "agent"); path != filepath.Dir(dir); path = filepath.Dir(path) {
		open(t, path)
	}
	for _, name := range []string{"reviewer", "host"} {
		open(t, filepath.Dir(SocketPath(dir, name)))
		open(t, SocketPath(dir, name))
	}
	want("nobody", "turned away")
	want("ask", "served served")
}

func open(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
}

// askAsNobody gives its user up and asks.
func askAsNobody(args []string) error {
	for _, drop := range []func() error{
		func() error { return syscall.Setgroups(nil) },
		func() error { return syscall.Setgid(nobody) },
		func() error { return syscall.Setuid(nobody) },
	} {
		if err := drop(); err != nil {
			return err
		}
	}
	return askAsChild(args)
}

// A process that holds a connection on agent.sock is no reviewer, nor is any
// that descends from it; others are served (protocol §2).
func TestDescendantsOfAnAgentAreNoReviewers(t *testing.T) {
	h := newHost(t)
	dir := h.listen()
	agent := startChild(t, "agent", SocketPath(dir, "agent"))
	if got := agent.line(); got != "ready" {
		t.Fatalf("the agent said %q", got)
	}
	const never, served = "roleForbidden roleForbidden", "served served"
	for _, c := range []struct{ who, name, want string }{
		{"self", "host", never}, {"self", "reviewer", never}, {"self", "agent", served},
		{"child", "host", never}, {"child", "agent", served}, {"grandchild", "reviewer", never},
	} {
		agent.tell(c.who + " " + SocketPath(dir, c.name))
		if got := agent.line(); got != c.want {
			t.Errorf("%s on the socket %s: %q, want %q", c.who, c.name, got, c.want)
		}
	}
	for role, name := range map[string]string{"ask": "host", "through": "reviewer"} {
		if got := startChild(t, role, SocketPath(dir, name)).line(); got != served {
			t.Errorf("a process beside the agent (%s) on the socket %s: %q", role, name, got)
		}
	}
}

// What a decision records of who made it comes from the kernel.
func TestRecordedPeerIsTheKernels(t *testing.T) {
	h := newHost(t)
	c := h.dialAs(h.listen(), wire.RoleBoth)
	c.must(wire.MethodSessionList, `{}`, nil)
	got := h.only().transport.Peer
	exe, err := exec.LookPath(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "darwin" {
		exe = "" // not asked for there
	}
	if got.PID != os.Getpid() || got.UID == nil || *got.UID != os.Getuid() || got.Executable != exe {
		t.Errorf("peer is %+v, want pid %d, uid %d, executable %s", got, os.Getpid(), os.Getuid(), exe)
	}
}
