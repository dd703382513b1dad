package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/wire"
)

// storeFaults are what can go wrong when a decision writes a rule into the store
// of a workspace, after it is in the log.
var storeFaults = []struct {
	name   string
	at     strike
	says   string // the reason that clients are told
	stored bool   // the rule is in the store
}{
	{
		"the directory of the stores cannot be made: the rule holds for its session, and the next start writes it",
		nth(1, "make", "state/workspaces", fails(unix.EACCES, notAtAll)), "could not be written and is as it was: mkdir", false,
	},
	{
		"the new store cannot be opened: the rule holds for its session, and the next start writes it",
		nth(1, "open", "state/workspaces/the new store", fails(unix.EMFILE, notAtAll)), "could not be written and is as it was: open", false,
	},
	{
		"the disk is full in the middle of the new store: nothing is left of it, and the next start writes it",
		nth(1, "write", "state/workspaces/the new store", fails(unix.ENOSPC, half)), "could not be written and is as it was: write", false,
	},
	{
		"the new store cannot be synced: it does not take the place of the old one",
		nth(1, "sync", "state/workspaces/the new store", fails(unix.EIO, notAtAll)), "could not be written and is as it was: sync", false,
	},
	{
		"the sync of the new store fails after it reached the disk: it does not take the place of the old one",
		nth(1, "sync", "state/workspaces/the new store", fails(unix.EIO, whole)), "could not be written and is as it was: sync", false,
	},
	{
		"the new store cannot take the place of the old one: nothing is left of it, and the next start writes it",
		nth(1, "rename", "state/workspaces/the store", fails(unix.EIO, notAtAll)), "could not be written and is as it was: rename", false,
	},
	{
		"the directory of the stores cannot be synced: nobody is told that the rule is written for good, and the next start makes it so",
		nth(1, "sync", "state/workspaces", fails(unix.EIO, notAtAll)), "is written, and a power cut may undo that", true,
	},
	{
		"the store cannot be read again: nobody is told that the rule is in force in its workspace, and the next start says so",
		nth(1, "read", "state/workspaces/the store", fails(unix.EIO, notAtAll)), "it cannot be read: input/output error", true,
	},
}

func TestAStoreThatCannotBeWritten(t *testing.T) {
	for _, c := range storeFaults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := &talk{place: newPlace(t)}
			d := k.serve(t, nil)
			if !d.serves(t) {
				t.Fatalf("the daemon does not start: %q", d.said)
			}
			client := d.dial(t)
			k.send(client, 0)
			k.send(client, 1)
			d.arm(c.at.judge())
			k.send(client, decided)
			if told := client.persistence(); !strings.Contains(told, `"status":"failed"`) || !strings.Contains(told, c.says) {
				t.Errorf("clients are told %s, want a failure that says %q", told, c.says)
			}
			method, params := k.request(1)
			again := client.call(method, strings.Replace(params, commandID(1), commandID(9), 1))
			if !again.accepted() || !strings.Contains(string(again.Result), `"source":"rule"`) {
				t.Errorf("the same action in the session is answered %s, want that the rule allows it", again)
			}
			if said, code := d.stop(t); code != 0 || len(said) != 1 || !strings.Contains(said[0], "a workspace's policy store could not be written") {
				t.Errorf("the daemon exits %d and says %q", code, said)
			}
			want := []string{"run/lock", "state/lock", "state/sessions.db"}
			if c.stored {
				want = append(want, "state/workspaces/the store")
			}
			if got := k.namedFiles(t); !slices.Equal(got, want) {
				t.Errorf("it leaves %q, want %q", got, want)
			}

			next := k.serve(t, func(step) fault { return fault{} })
			if !next.serves(t) {
				t.Fatalf("the next start does not serve: %q", next.said)
			}
			client = next.dial(t)
			client.call(wire.MethodViewSubscribe, fmt.Sprintf(`{"sessionId":%q,"after":"v:%[1]s:4"}`, session)) // it may be history by now
			if told := client.await(func(line string) bool { return strings.Contains(line, `"status":"succeeded"`) }); told == "" {
				t.Error("clients are not told that the rule is written now")
			}
			if !slices.ContainsFunc(next.taken(), func(s step) bool { return s.String() == "sync state/workspaces" }) {
				t.Error("the rule is said to be written for good, and the directory of the stores was not synced")
			}
			if said, code := next.stop(t); code != 0 || len(said) > 0 {
				t.Errorf("the next daemon exits %d and says %q", code, said)
			}
			k.checkStore(t)
		})
	}
}
