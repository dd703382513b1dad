package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/wire"
)

// A real disk that fills up: the daemon ends with one line; while there is no
// room the next one serves, or says in one line why it cannot; and when there is
// room again, everything that was acknowledged is there.
func TestAFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	root := memory(t)
	p := placeIn(t, root)
	if err := os.Mkdir(p.state, 0o700); err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	if err := unix.Mount("tmpfs", p.state, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): that takes root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(p.state, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	k := &talk{place: p}
	d := k.serve(t, nil)
	if !d.serves(t) {
		t.Fatalf("the daemon does not start: %q", d.said)
	}
	c := d.dial(t)
	k.send(c, 0)

	big := strings.Repeat("x", 4000)
	open := func(c *client, n int) *reply {
		return c.call(wire.MethodApprovalOpen, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"run",`+
			`"rawArgs":"{}","reason":%q,"subject":{"kind":"tool"}}`, commandID(n), session, big))
	}
	acks := map[int]string{}
	last := 100
	for ; ; last++ {
		r := open(c, last)
		if r.unknown() {
			break
		}
		if acks[last] = r.String(); !r.accepted() || last > 1000 {
			t.Fatalf("command %d is answered %s", last, r)
		}
	}
	said, code := d.end(t)
	if code != 1 || len(said) != 1 || !strings.Contains(said[0], "no space left on device") || !strings.Contains(said[0], "start it again") {
		t.Errorf("the daemon exits %d and says %q", code, said)
	}
	k.commands(t)

	fillUp(t, filepath.Join(p.state, "ballast"))
	full := k.serve(t, nil)
	if full.serves(t) {
		t.Error("a daemon serves that cannot write")
	}
	if said, code := full.end(t); code != 1 || len(said) != 1 || !strings.Contains(said[0], "no space left on device") {
		t.Errorf("on the full disk the next daemon exits %d and says %q", code, said)
	}

	if err := unix.Mount("tmpfs", p.state, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%d", 64*size)); err != nil {
		t.Fatal(err)
	}
	next := k.serve(t, nil)
	if !next.serves(t) {
		t.Fatalf("with room again the daemon does not start: %q", next.said)
	}
	c = next.dial(t)
	for n, ack := range acks {
		if got := open(c, n).String(); got != ack {
			t.Errorf("command %d was answered\n%s\nand is now\n%s", n, ack, got)
		}
	}
	if r := open(c, last); !r.accepted() {
		t.Errorf("the command whose outcome was not known is answered %s", r)
	}
	if said, code := next.stop(t); code != 0 || len(said) > 0 {
		t.Errorf("the daemon exits %d and says %q", code, said)
	}
	if n := k.commands(t)[commandID(last)]; n != 1 {
		t.Errorf("that command is in the log %d times", n)
	}
}

// fillUp writes until there is no room.
func fillUp(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

const nobody = 65534

// What the user may not write to is said in one line; nothing has changed by
// then, and when the permission is there the daemon serves.
func TestWhatMayNotBeWritten(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a daemon as another user")
	}
	if err := os.Chmod(filepath.Dir(binary), 0o711); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		path   string // below the place
		mode   os.FileMode
		before bool // there was a daemon before
		says   string
	}{
		{"the directory above a new state directory may not be written: the daemon does not start", "", 0o555, false, "creating the state directory"},
		{"the state directory may not be written: the daemon does not start", "state", 0o500, true, "naming the holder of the state directory"},
		{"the lock may not be written: the daemon does not start", "state/lock", 0o400, true, "locking the state directory"},
		{"the log may not be written: the daemon does not start", "state/sessions.db", 0o400, true, "opening the log"},
		{"the runtime directory may not be written: the daemon does not start", "run", 0o500, true, "lock the runtime directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &talk{place: newPlace(t)}
			k.owner = nobody
			give(t, k.root, nobody)
			give(t, k.work, nobody)
			if c.before {
				d := k.serve(t, nil)
				if !d.serves(t) { // nobody but the user may speak to it
					t.Fatalf("as nobody the daemon does not serve: %q", d.said)
				}
				d.stop(t)
				if c.path == "run" {
					if err := os.RemoveAll(filepath.Join(k.runtime, "lock")); err != nil {
						t.Fatal(err)
					}
				}
			}
			path := filepath.Join(k.root, c.path)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			d := k.serve(t, nil)
			if d.serves(t) {
				t.Fatal("it serves")
			}
			if said, code := d.end(t); code != 1 || len(said) != 1 || !strings.Contains(said[0], c.says) || !strings.Contains(said[0], "permission denied") {
				t.Errorf("it exits %d and says %q, want 1 and one line with %q", code, said, c.says)
			}
			k.commands(t) // the log holds
			if err := os.Chmod(path, info.Mode().Perm()); err != nil {
				t.Fatal(err)
			}
			next := k.serve(t, nil)
			if !next.serves(t) {
				t.Fatalf("with the permission it does not serve: %q", next.said)
			}
			if said, code := next.stop(t); code != 0 || len(said) > 0 {
				t.Errorf("it exits %d and says %q", code, said)
			}
		})
	}
}

// give makes all that is below a directory another user's.
func give(t *testing.T, root string, uid int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, uid, uid))
	})
	if err != nil {
		t.Fatal(err)
	}
}
