package sequencer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

func TestFullQueueRefusesAndLosesNothing(t *testing.T) {
	const room = 3
	r := start(t, newLog(), func(c *sequencer.Config) { c.Queue = room })
	session := r.session()
	r.log.hold()
	taken := []answer{r.submit(r.opening(session, 0))}
	<-r.log.entered
	for range room {
		taken = append(taken, r.submit(r.opening(session, 0)))
	}
	err := r.Submit(r.opening(session, 0), func(sequencer.Reply) { t.Error("a command that was refused was answered") })
	if !errors.Is(err, sequencer.ErrOverloaded) {
		t.Errorf("Submit to a full queue returned %v", err)
	}
	if r.Idle() {
		t.Error("idle while commands are queued")
	}
	r.log.free()
	for i, a := range taken {
		if reply := <-a; reply.Refusal != nil {
			t.Errorf("command %d was taken and refused: %v", i, reply.Refusal)
		}
	}
	r.accepted(r.opening(session, 0)) // there is room again
}

// The daemon's own commands must not be lost: they wait where a client's is
// refused.
func TestEnqueueWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog(), func(c *sequencer.Config) { c.Queue = 1 })
		session := r.session()
		refusing := r.opening(session, 0)
		refusing.Unattended = "refuse"
		id := r.accepted(refusing).Records[0].Approval
		r.mu.Lock()
		r.attended = false
		r.mu.Unlock()

		r.log.hold()
		r.submit(r.opening(session, 0))
		<-r.log.entered
		r.submit(r.opening(session, 0))
		done := make(chan error, 1)
		go func() { done <- r.Enqueue(decide.ReviewersGone{Session: session}) }()
		synctest.Wait()
		if len(done) > 0 {
			t.Fatalf("it did not wait: %v", <-done)
		}
		r.log.free()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if r.pending(session, id) {
			t.Error("the command was lost")
		}
		if !r.Idle() {
			t.Error("not idle after everything was carried out")
		}
	})
}

// Who changes what decisions depend on waits with Carry: what was decided before
// is in the view by then, a group that was being committed included.
func TestCarryWaitsForWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		r.log.hold()
		underWay := r.submit(r.opening(session, 0))
		<-r.log.entered
		done := make(chan error, 1)
		go func() { done <- r.Carry(decide.PolicyChanged{}) }()
		synctest.Wait()
		if len(done) > 0 {
			t.Fatalf("it did not wait: %v", <-done)
		}
		r.log.free()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if underWay.silent() {
			t.Error("what was under way is not answered")
		}
		r.Drain()
		if err := r.Carry(decide.PolicyChanged{}); !errors.Is(err, sequencer.ErrStopped) {
			t.Errorf("Carry after Drain returned %v", err)
		}
	})
}

func TestDrainCarriesOutWhatIsQueued(t *testing.T) {
	const n = 2500 // more than two groups
	r := start(t, newLog())
	session := r.session()
	r.log.hold()
	queued := []answer{r.submit(r.opening(session, 0))}
	<-r.log.entered
	for range n {
		queued = append(queued, r.submit(r.opening(session, 0)))
	}
	r.Drain()
	r.Drain() // twice is once
	if err := r.Submit(r.opening(session, 0), nil); !errors.Is(err, sequencer.ErrStopped) {
		t.Errorf("Submit after Drain returned %v", err)
	}
	r.log.free()
	if err := <-r.ended; err != nil {
		t.Errorf("Run returned %v after Drain", err)
	}
	for i, a := range queued {
		if len(a) != 1 {
			t.Fatalf("command %d has %d answers after Run has returned", i, len(a))
		}
		if reply := <-a; reply.Refusal != nil {
			t.Fatalf("command %d: %v", i, reply.Refusal)
		}
	}
	if head := r.log.Head(); head != n+2 {
		t.Errorf("the log ends at %d, want %d", head, n+2)
	}
}

// A daemon that is told to stop at once leaves what is queued to the log's
// truth: it is not there.
func TestEndOfContextEndsRun(t *testing.T) {
	r := start(t, newLog())
	session := r.session()
	r.log.hold()
	first := r.submit(r.opening(session, 0))
	<-r.log.entered
	r.stop()
	r.log.free()
	if reply := <-first; reply.Refusal != nil {
		t.Errorf("the group under way: %v", reply.Refusal)
	}
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	if err := r.Enqueue(decide.Recover{Session: session}); err != nil && !errors.Is(err, sequencer.ErrStopped) {
		t.Errorf("Enqueue returned %v", err)
	}
}

// A hundred callers decide one approval in whatever groups come about.
func TestOneOfManyDecidersWins(t *testing.T) {
	r := start(t, newLog())
	session := r.session()
	id := r.open(session)
	r.log.hold()
	first := r.submit(r.opening(session, 0))
	<-r.log.entered
	var answers []answer
	for i := range 100 {
		answers = append(answers, r.submit(r.choose(session, id, []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort}[i%2])))
	}
	r.log.free()
	<-first
	accepted := 0
	for _, a := range answers {
		reply := <-a
		switch code(reply) {
		case 0:
			accepted++
		case wire.CodeApprovalAlreadyResolved:
			if got := reply.Refusal.Data.Resolution; got == nil || got.Outcome != "allowedOnce" {
				t.Errorf("a loser was told %+v", got)
			}
		default:
			t.Errorf("a loser was told %v", reply.Refusal)
		}
	}
	if accepted != 1 {
		t.Errorf("%d decisions were accepted", accepted)
	}
}
