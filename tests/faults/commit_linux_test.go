package faults

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/wire"
)

// strike is a fault of the nth call of its kind on a file, from when the watch is
// armed.
type strike struct {
	nth        int
	call, path string
	fault      fault
}

func nth(n int, call, path string, f fault) strike { return strike{n, call, path, f} }

func (k strike) judge() func(step) fault {
	left := k.nth
	return func(s step) fault {
		if s.call != k.call || named(s.path) != k.path {
			return fault{}
		}
		if left--; left != 0 {
			return fault{}
		}
		return k.fault
	}
}

type commitFault struct {
	name  string
	at    strike
	hears bool // the caller is told that the outcome is unknown; otherwise the connection breaks
	kept  bool // the log has the record
}

// A commit writes pages, syncs them, writes a header page that names them, and
// syncs that. commitFaults are what can go wrong with each, and what becomes of
// the one command that is committed.
var commitFaults = []commitFault{
	{
		"the write of a page fails: its caller hears that the outcome is unknown, the log is without the record, and a retry carries the command out",
		nth(1, "write", "state/sessions.db", fails(unix.EIO, notAtAll)), true, false,
	},
	{
		"the write of a page fails after it reached the disk: the log is without the record all the same",
		nth(2, "write", "state/sessions.db", fails(unix.EIO, whole)), true, false,
	},
	{
		"the disk is full in the middle of a page: the log is without the record",
		nth(3, "write", "state/sessions.db", fails(unix.ENOSPC, half)), true, false,
	},
	{
		"the sync of the pages fails: the log is without the record",
		nth(1, "sync", "state/sessions.db", fails(unix.EIO, notAtAll)), true, false,
	},
	{
		"the sync of the pages fails after they reached the disk: the log is without the record",
		nth(1, "sync", "state/sessions.db", fails(unix.EIO, whole)), true, false,
	},
	{
		"the write of the header page fails: the log is without the record",
		nth(4, "write", "state/sessions.db", fails(unix.EIO, notAtAll)), true, false,
	},
	{
		"the write of the header page fails after it reached the disk: its caller hears that the outcome is unknown, the log has the record, and a retry is answered from it",
		nth(4, "write", "state/sessions.db", fails(unix.EIO, whole)), true, true,
	},
	{
		"the sync of the header page fails: the next start makes it durable, and a retry is answered from the log",
		nth(2, "sync", "state/sessions.db", fails(unix.EIO, notAtAll)), true, true,
	},
	{
		"the sync of the header page fails after it reached the disk: its caller hears that the outcome is unknown, and the next start has the record",
		nth(2, "sync", "state/sessions.db", fails(unix.EIO, whole)), true, true,
	},
	{
		"the daemon is killed in the middle of a page: the connection breaks, and the log is without the record",
		nth(1, "write", "state/sessions.db", killed(half)), false, false,
	},
	{
		"the daemon is killed between the pages and the header page: the log is without the record",
		nth(1, "sync", "state/sessions.db", killed(whole)), false, false,
	},
	{
		"the daemon is killed when the header page is written and not synced: the next start makes it durable, and a retry is answered from the log",
		nth(4, "write", "state/sessions.db", killed(whole)), false, true,
	},
	{
		"the daemon is killed after the sync of the header page: the connection breaks, and the next start has the record",
		nth(2, "sync", "state/sessions.db", killed(whole)), false, true,
	},
}

func TestACommitThatFails(t *testing.T) {
	for _, c := range commitFaults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := &talk{place: newPlace(t)}
			d := k.serve(t, nil)
			if !d.serves(t) {
				t.Fatalf("the daemon does not start: %q", d.said)
			}
			caller, onlooker := d.dial(t), d.dial(t)
			k.send(caller, 0)
			d.arm(c.at.judge())
			method, params := k.request(1)
			heard := caller.call(method, params)
			said, code := d.end(t)
			c.checkEnd(t, heard, said, code)
			if line := onlooker.await(func(line string) bool { return strings.Contains(line, commandID(1)) }); line != "" {
				t.Errorf("another client was told of what may not be durable: %s", line)
			}
			if got := k.commands(t)[commandID(1)] == 1; got != c.kept {
				t.Errorf("the log has the record: %t", got)
			}

			next := k.serve(t, func(step) fault { return fault{} })
			if !next.serves(t) {
				t.Fatalf("the next start does not serve: %q", next.said)
			}
			var begins []string
			for _, s := range next.taken() {
				if s.path == "state/sessions.db" && len(begins) < 4 {
					begins = append(begins, s.call)
				}
			}
			if want := []string{"open", "sync", "forget", "read"}; !slices.Equal(begins, want) {
				t.Errorf("the next start begins with the log by %q, want %q: it may answer from what is not on the disk", begins, want)
			}
			caller = next.dial(t)
			caller.call(wire.MethodApprovalListPending, `{}`) // answered when all that waited is recovered
			next.arm(func(step) fault { return fault{} })
			if !k.send(caller, 1) || !k.send(caller, 0) {
				t.Error("a retry was not answered")
			}
			wrote := slices.ContainsFunc(next.taken(), func(s step) bool { return s.call == "write" })
			if wrote == c.kept {
				t.Errorf("the retry was carried out: %t", wrote)
			}
			if said, code := next.stop(t); code != 0 || len(said) > 0 {
				t.Errorf("the next daemon exits %d and says %q", code, said)
			}
			if n := k.commands(t)[commandID(1)]; n != 1 {
				t.Errorf("the command is in the log %d times", n)
			}
		})
	}
}

// checkEnd holds what the caller heard and how the daemon ended.
func (c commitFault) checkEnd(t *testing.T, heard *reply, said []string, code int) {
	t.Helper()
	if !c.hears {
		if heard != nil || code != -1 || len(said) > 0 {
			t.Errorf("the caller hears %s; the daemon exits %d and says %q", heard, code, said)
		}
		return
	}
	const message = "The log could not be written and the daemon is stopping; whether this took effect is not known. Retry with the same commandId."
	if heard == nil || heard.Error == nil || heard.Error.Code != wire.CodeInternal || heard.Error.Message != message || !heard.Error.Data.Retryable {
		t.Errorf("the caller hears %s", heard)
	}
	const begin = "approvald: the log can no longer be written, so the daemon ended; start it again, and what was acknowledged is there: "
	if code != 1 || len(said) != 1 || !strings.HasPrefix(said[0], begin) {
		t.Errorf("the daemon exits %d and says %q, want 1 and one line that begins %q", code, said, begin)
	}
}
