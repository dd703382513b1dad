package sequencer_test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// failed is a writer whose second held append has failed.
type failed struct {
	*rig
	session, decided, pending approval.ID
	winner                    decide.Decide
	group, queued             []answer
	awaited                   bool // an await on decided was answered
	told                      int  // records that subscribers had heard of before
}

// failAppend has a decision, the decision that loses to it and a repetition
// of it decided in one group, whose append fails while further commands are
// queued.
func failAppend(t *testing.T, how outcome) *failed {
	t.Helper()
	f := &failed{rig: start(t, newLog())}
	f.session = f.rig.session()
	f.decided, f.pending = f.open(f.session), f.open(f.session)
	if _, unknown := f.Await(f.session, []approval.ID{f.decided}, false, func() { f.awaited = true }); unknown != nil {
		t.Fatalf("approval %s is not known", unknown)
	}

	f.log.hold()
	first := f.submit(f.opening(f.session, 0))
	<-f.log.entered // what is queued from here on is the next group
	f.winner = f.choose(f.session, f.decided, wire.ChoiceAllowOnce)
	f.group = []answer{
		f.submit(f.winner),
		f.submit(f.choose(f.session, f.decided, wire.ChoiceAbort)),
		f.submit(f.winner),
		f.submit(decide.Cancel{Intent: f.intent(), Session: f.session, Approval: f.decided}),
	}
	f.log.resume <- carryOut
	if reply := <-first; reply.Refusal != nil {
		t.Fatalf("the group before the failure was refused: %v", reply.Refusal)
	}
	<-f.log.entered
	f.told = len(f.heard())
	f.queued = []answer{
		f.submit(f.choose(f.session, f.pending, wire.ChoiceAllowOnce)),
		f.submit(f.opening(f.session, 0)),
	}
	if err := f.Enqueue(decide.ReviewersGone{Session: f.session}); err != nil {
		t.Fatal(err)
	}
	f.log.resume <- how
	return f
}

var failures = map[string]outcome{"not persisted": lose, "persisted anyway": persist}

func TestAfterAFailedAppend(t *testing.T) {
	for name, how := range failures {
		t.Run(name, func(t *testing.T) {
			f := failAppend(t, how)

			t.Run("Run ends with the cause", func(t *testing.T) {
				if err := <-f.ended; !errors.Is(err, errDisk) {
					t.Errorf("Run returned %v", err)
				}
			})
			t.Run("every caller of the group and of the queue may retry", func(t *testing.T) {
				for i, a := range append(f.group, f.queued...) {
					reply := <-a
					if code(reply) != wire.CodeInternal || !reply.Refusal.Data.Retryable {
						t.Errorf("answer %d: %+v, want a retryable %d", i, reply, wire.CodeInternal)
					}
				}
			})
			t.Run("nothing more is written", func(t *testing.T) {
				if n := f.log.appends.Load(); n != 5 { // session, two approvals, the third, the failure
					t.Errorf("%d appends were begun, want none after the failed one", n)
				}
			})
			t.Run("nothing more is taken", func(t *testing.T) {
				err := f.Submit(f.winner, func(sequencer.Reply) { t.Error("a command that was not taken was answered") })
				if !errors.Is(err, sequencer.ErrStopped) {
					t.Errorf("Submit returned %v", err)
				}
				if err := f.Enqueue(decide.Recover{Session: f.session}); !errors.Is(err, sequencer.ErrStopped) {
					t.Errorf("Enqueue returned %v", err)
				}
			})
			t.Run("readers never saw it", func(t *testing.T) {
				if !f.rig.pending(f.session, f.decided) {
					t.Error("the view has moved")
				}
				if n := len(f.heard()); n != f.told {
					t.Errorf("subscribers heard of %d records that may not be durable", n-f.told)
				}
				if f.awaited {
					t.Error("an await was answered")
				}
			})
		})
	}
}

// What the log holds after the failure is all that counts: the same command
// again is accepted once, whichever way the append went.
func TestReopeningAfterAFailedAppendTellsTheTruth(t *testing.T) {
	for name, how := range failures {
		t.Run(name, func(t *testing.T) {
			f := failAppend(t, how)
			if err := <-f.ended; !errors.Is(err, errDisk) {
				t.Fatalf("Run returned %v", err)
			}
			f.log.free()

			again := start(t, f.log)
			if was := how == lose; again.pending(f.session, f.decided) != was {
				t.Errorf("pending is %t, want %t", !was, was)
			}
			before := f.log.Head()
			reply := again.accepted(f.winner)
			var ack wire.ApprovalDecideResult
			if err := json.Unmarshal(reply.Ack, &ack); err != nil {
				t.Fatal(err)
			}
			want := wire.ApprovalDecideResult{
				Ack: wire.Accepted(f.winner.Command.String()), ApprovalID: f.decided.String(), Terminal: true,
			}
			if diff := cmp.Diff(want, ack); diff != "" {
				t.Errorf("ack of the retry (-want +got):\n%s", diff)
			}
			if made, want := f.log.Head()-before, map[outcome]uint64{lose: 1, persist: 0}[how]; made != want {
				t.Errorf("the retry made %d records, want %d", made, want)
			}
			if reply := again.do(again.choose(f.session, f.decided, wire.ChoiceAbort)); code(reply) != wire.CodeApprovalAlreadyResolved {
				t.Errorf("another decision: %+v", reply)
			}
		})
	}
}

// Enqueue waits for room. The failure must not wait for it in turn.
func TestFailedAppendReleasesWhoWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog(), func(c *sequencer.Config) { c.Queue = 1 })
		session := r.session()
		r.log.hold()
		first := r.submit(r.opening(session, 0))
		<-r.log.entered
		second := r.submit(r.opening(session, 0)) // the queue is full
		waiting := make(chan error, 1)
		go func() { waiting <- r.Enqueue(decide.ReviewersGone{Session: session}) }()
		synctest.Wait()
		r.log.resume <- lose
		if err := <-r.ended; !errors.Is(err, errDisk) {
			t.Errorf("Run returned %v", err)
		}
		<-first
		<-second
		if err := <-waiting; err != nil && !errors.Is(err, sequencer.ErrStopped) {
			t.Errorf("Enqueue returned %v", err)
		}
	})
}
