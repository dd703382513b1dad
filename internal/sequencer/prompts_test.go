package sequencer_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// ask opens a prompt; 0 is no deadline.
func (r *rig) ask(session approval.ID, until time.Duration) approval.ID {
	r.t.Helper()
	return r.accepted(decide.OpenInput{
		Intent: r.intent(), Session: session, ToolCall: "call", ToolName: "ask", AutoResolution: until,
		Questions: []wire.Question{{ID: "q", Question: "Why?"}},
	}).Records[0].Approval
}

func (r *rig) answer(session, id approval.ID) decide.AnswerInput {
	return decide.AnswerInput{Intent: r.intent(), Session: session, Input: id, Answers: []wire.Answer{{QuestionID: "q", FreeText: new("so")}}}
}

// outcome is how readers see that a prompt ended; "" for one that waits.
func (r *rig) outcome(session, id approval.ID) (outcome string) {
	r.t.Helper()
	if _, err := r.ViewSession(session, func(_ *fold.State, in *fold.Session) {
		p, ok := in.Prompt(id)
		if !ok {
			r.t.Errorf("prompt %s is not known", id)
		} else if !p.Pending() {
			outcome = p.Settled.Outcome
		}
	}); err != nil {
		r.t.Error(err)
	}
	return outcome
}

// A deadline of a prompt is the instant that was recorded, through restarts that
// leave no record; what passed while nobody was there is settled when it is read.
func TestDeadlineOfAPromptSurvivesRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &readLog{heldLog: newLog()}
		r := start(t, l.heldLog)
		session := r.session()
		short, long, engaged, never := r.ask(session, time.Minute), r.ask(session, time.Hour), r.ask(session, time.Hour), r.ask(session, 0)
		r.do(decide.EngageInput{Session: session, Input: engaged})
		r.end()
		before := l.Head()

		time.Sleep(40 * time.Minute)
		r = restart(t, l)
		if err := r.LoadPending(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"inputSettled"}, kinds(t, l.heldLog, before)); diff != "" {
			t.Errorf("records of the first restart (-want +got):\n%s", diff)
		}
		if got := r.outcome(session, short); got != "timedOut" {
			t.Errorf("what passed meanwhile is %q", got)
		}
		r.end()

		r = restart(t, l)
		if err := r.LoadPending(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20*time.Minute - time.Millisecond)
		synctest.Wait()
		if got := r.outcome(session, long); got != "" {
			t.Fatalf("%q before the recorded instant", got)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if got := r.outcome(session, long); got != "timedOut" {
			t.Errorf("%q at the recorded instant", got)
		}
		time.Sleep(1000 * time.Hour)
		synctest.Wait()
		for _, id := range []approval.ID{engaged, never} {
			if got := r.outcome(session, id); got != "" {
				t.Errorf("what has no deadline any more is %q", got)
			}
		}
		if diff := cmp.Diff([]string{"inputSettled", "inputSettled"}, kinds(t, l.heldLog, before)); diff != "" {
			t.Errorf("records since (-want +got):\n%s", diff)
		}
		if !r.Idle() {
			t.Error("not idle with nothing to do")
		}
	})
}

func TestAnAwaitOfPromptsEndsWhenAllAreSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		first, second := r.ask(session, time.Minute), r.ask(session, 0)
		var answered atomic.Int32
		if _, unknown := r.Await(session, []approval.ID{first, second, first}, false, func() { answered.Add(1) }); unknown != nil {
			t.Fatal("not known")
		}
		r.accepted(r.answer(session, second))
		if synctest.Wait(); answered.Load() != 0 {
			t.Fatal("answered with one that waits")
		}
		time.Sleep(time.Minute)
		if synctest.Wait(); answered.Load() != 1 {
			t.Errorf("answered %d times", answered.Load())
		}
		if _, unknown := r.Await(session, []approval.ID{numbered(1 << 40)}, false, func() {}); unknown == nil {
			t.Error("a prompt that is not there was awaited")
		}
	})
}

// An answer that was sent in time but is taken up after the deadline loses to it.
func TestLateAnswerLosesToTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, newLog())
		session := r.session()
		id := r.ask(session, time.Minute)
		r.log.hold()
		first := r.submit(r.opening(session, 0))
		<-r.log.entered
		engaged, late := r.submit(decide.EngageInput{Session: session, Input: id}), r.submit(r.answer(session, id))
		time.Sleep(2 * time.Minute) // the disk is slow
		r.log.free()
		<-first
		if reply := <-engaged; len(reply.Records) != 0 {
			t.Errorf("somebody who came late engaged: %+v", reply)
		}
		if reply := <-late; code(reply) != wire.CodeUserInputAlreadySettled || reply.Refusal.Data.Settlement.Outcome != wire.UserInputTimedOut {
			t.Errorf("the late answer: %+v", reply)
		}
	})
}

// A session with a prompt that waits stays loaded, and one without is let go.
func TestASessionWithAPromptStaysLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &readLog{heldLog: newLog()}
		r := start(t, l.heldLog)
		session, other := r.session(), r.session()
		id := r.ask(session, 0)
		r.ask(other, time.Minute)
		r.end()
		r = restart(t, l, func(c *sequencer.Config) { c.IdleWindow = time.Minute })
		if err := r.LoadPending(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		var loaded []approval.ID
		r.View(func(s *fold.State) {
			for in := range s.Sessions() {
				if in.Loaded() {
					loaded = append(loaded, in.ID)
				}
			}
		})
		if !slices.Equal(loaded, []approval.ID{session}) {
			t.Errorf("%v are loaded, want %v", loaded, session)
		}
		r.accepted(r.answer(session, id))
		if n := len(slices.DeleteFunc(r.heard(), func(rec record.Record) bool { return rec.Body.Kind() != record.KindInputSettled })); n != 2 {
			t.Errorf("%d prompts were settled, want 2", n)
		}
	})
}
