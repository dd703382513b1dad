package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// A commit that finds no room in the file makes it longer and syncs that, before
// it writes a page.
func TestALogThatCannotGrow(t *testing.T) {
	for _, c := range []struct {
		name string
		at   strike
	}{
		{
			"the file cannot be made longer on a full disk: its caller hears that the outcome is unknown, and the log is without the record",
			nth(1, "resize", "state/sessions.db", fails(unix.ENOSPC, notAtAll)),
		},
		{
			"making the file longer fails after it was done: the log is without the record",
			nth(1, "resize", "state/sessions.db", fails(unix.EIO, whole)),
		},
		{
			"the daemon is killed when the file is longer: the log is without the record",
			nth(1, "resize", "state/sessions.db", killed(whole)),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := &talk{place: newPlace(t)}
			k.fillFile(t)
			d := k.serve(t, c.at.judge())
			if !d.serves(t) {
				t.Fatalf("the daemon does not start: %q", d.said)
			}
			client := d.dial(t)
			k.send(client, 0)
			open := func(n int) (string, string) {
				return wire.MethodApprovalOpen, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"run",`+
					`"rawArgs":"{}","reason":%q,"subject":{"kind":"tool"}}`, commandID(n), session, strings.Repeat("x", 4000))
			}
			last := 100
			for client.call(open(last)).accepted() && last < 200 {
				last++
			}
			said, code := d.end(t)
			if c.at.fault.kill {
				if code != -1 {
					t.Errorf("it was to be killed, and exits %d", code)
				}
			} else if code != 1 || len(said) != 1 || !strings.Contains(said[0], c.at.fault.errno.Error()) {
				t.Errorf("the daemon exits %d and says %q", code, said)
			}
			if n := k.commands(t)[commandID(last)]; n != 0 {
				t.Error("the log has the record")
			}
			next := k.serve(t, func(step) fault { return fault{} })
			if !next.serves(t) {
				t.Fatalf("the next start does not serve: %q", next.said)
			}
			if r := next.dial(t).call(open(last)); !r.accepted() {
				t.Errorf("the retry is answered %s", r)
			}
			grown := slices.ContainsFunc(next.taken(), func(s step) bool { return s.call == "resize" })
			if was := c.at.fault.done == whole; grown == was {
				t.Errorf("the file was made longer again: %t", grown)
			}
			if said, code := next.stop(t); code != 0 || len(said) > 0 {
				t.Errorf("the next daemon exits %d and says %q", code, said)
			}
		})
	}
}

// fillFile makes a log whose file has room for a few records more.
func (p place) fillFile(t *testing.T) {
	t.Helper()
	var chain record.Chain
	for records := uint64(0); ; {
		l, err := log.Open(p.log())
		if err != nil {
			t.Fatal(err)
		}
		var group [][]byte
		for range max(1, p.room(t)/32_000) { // half of it
			value := encoded(t, records, chain, 15_000)
			chain, group = record.ChainOf(value), append(group, value)
			records++
		}
		if _, err := l.Append(group); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if p.room(t) < 100<<10 {
			return
		}
	}
}

// room is how much of the file has no page in it yet.
func (p place) room(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(p.log())
	if err != nil {
		t.Fatal(err)
	}
	snapshot := filepath.Join(t.TempDir(), "copy") // the log may be open
	if err := log.Snapshot(p.log(), snapshot, nil); err != nil {
		t.Fatal(err)
	}
	used, err := os.Stat(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size() - used.Size()
}
