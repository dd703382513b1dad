package faults

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A start takes the state directory, reads or makes the log, and takes the
// runtime directory. Each of these steps is there, and where it fails nobody is
// served from what may not be durable.
var startFaults = []struct {
	name string
	at   strike
	says string // in the line
}{
	{
		"the state directory cannot be made: the daemon does not start, and says so",
		nth(1, "make", "state", fails(unix.ENOSPC, notAtAll)), "creating the state directory",
	},
	{
		"the lock cannot be opened: the daemon does not start, and says so",
		nth(1, "open", "state/lock", fails(unix.EMFILE, notAtAll)), "locking the state directory",
	},
	{
		"the lock cannot be taken, on a file system that has none: the daemon does not start, and says so",
		nth(1, "lock", "state/lock", fails(unix.ENOLCK, notAtAll)), "locking the state directory",
	},
	{
		"the holder cannot be named on a full disk: the daemon does not start, and says so",
		nth(1, "write", "state/daemon.json.tmp", fails(unix.ENOSPC, half)), "naming the holder of the state directory",
	},
	{
		"the first pages of a new log do not fit on the disk: no half of a log is left",
		nth(1, "write", "state/sessions.db.new", fails(unix.ENOSPC, half)), "creating the log",
	},
	{
		"the first pages of a new log cannot be synced: no log is left that may be none after a power cut",
		nth(1, "sync", "state/sessions.db.new", fails(unix.EIO, whole)), "creating the log",
	},
	{
		"a new log cannot be made longer: no half of a log is left",
		nth(1, "resize", "state/sessions.db.new", fails(unix.ENOSPC, notAtAll)), "creating the log",
	},
	{
		"a new log cannot be given its name: nothing is left of it",
		nth(1, "rename", "state/sessions.db", fails(unix.EIO, notAtAll)), "creating the log",
	},
	{
		"the name of a new log cannot be synced: nobody is served from a log whose name a power cut may take",
		nth(1, "sync", "state", fails(unix.EIO, notAtAll)), "creating the log",
	},
	{
		"the name of a new log cannot be synced the second time: nobody is served",
		nth(2, "sync", "state", fails(unix.EIO, notAtAll)), "input/output error",
	},
	{
		"the log cannot be opened: the daemon does not start, and says so",
		nth(1, "open", "state/sessions.db", fails(unix.EMFILE, notAtAll)), "opening the log",
	},
	{
		"the log cannot be synced: nobody is served from what may not be on the disk",
		nth(1, "sync", "state/sessions.db", fails(unix.EIO, notAtAll)), "syncing what an earlier process wrote to the log",
	},
	{
		"a header page of the log cannot be read: the other one, which may be older, is not taken for it",
		nth(1, "read", "state/sessions.db", fails(unix.EIO, notAtAll)), "reading a header page",
	},
	{
		"the log cannot be read: the daemon does not start, and says where",
		nth(3, "read", "state/sessions.db", fails(unix.EIO, notAtAll)), "reading the log at byte 0",
	},
	{
		"the runtime directory cannot be locked: the daemon does not start, and says so",
		nth(1, "open", "run/lock", fails(unix.EMFILE, notAtAll)), "lock the runtime directory",
	},
}

func TestAStartThatFails(t *testing.T) {
	for _, c := range startFaults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := &talk{place: newPlace(t)}
			d := k.serve(t, c.at.judge())
			if d.serves(t) {
				t.Fatal("it serves")
			}
			said, code := d.end(t)
			errno := c.at.fault.errno.Error()
			if code != 1 || len(said) != 1 || !strings.Contains(said[0], c.says) || !strings.Contains(said[0], errno) {
				t.Errorf("it exits %d and says %q, want 1 and one line with %q and %q", code, said, c.says, errno)
			}
			for _, file := range k.namedFiles(t) {
				if file != "state/lock" && file != "run/lock" && file != "state/sessions.db" {
					t.Errorf("it leaves %s", file)
				}
			}
			k.commands(t) // a log that is there holds

			next := k.serve(t, nil)
			if !next.serves(t) || !k.send(next.dial(t), 0) {
				t.Fatalf("the next start does not serve: %q", next.said)
			}
			if said, code := next.stop(t); code != 0 || len(said) > 0 {
				t.Errorf("the next daemon exits %d and says %q", code, said)
			}
		})
	}
}
