package sequencer_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// A refusal is a claim about the log: "settled already" must not be said of a
// settlement that may still be lost.
func TestNothingIsSaidBeforeItIsDurable(t *testing.T) {
	r := start(t, newLog())
	session := r.session()
	id := r.open(session)
	r.log.hold()
	first := r.submit(r.opening(session, 0))
	<-r.log.entered

	winner := r.choose(session, id, wire.ChoiceAllowOnce)
	group := map[string]answer{
		"decision":   r.submit(winner),
		"repetition": r.submit(winner),
		"loser":      r.submit(r.choose(session, id, wire.ChoiceAbort)),
		"unknown":    r.submit(r.choose(session, numbered(1<<40), wire.ChoiceAbort)),
	}
	r.log.resume <- carryOut
	<-first
	if size := <-r.log.entered; size != 1 {
		t.Fatalf("the group has %d records, want the decision alone", size)
	}
	for name, a := range group {
		if !a.silent() {
			t.Errorf("%s: answered %+v while its commit was under way", name, <-a)
		}
	}
	if !r.pending(session, id) {
		t.Error("readers see a settlement that is not durable")
	}
	r.log.resume <- carryOut
	want := map[string]int{
		"decision": 0, "repetition": 0, "loser": wire.CodeApprovalAlreadyResolved, "unknown": wire.CodeApprovalNotFound,
	}
	for name, a := range group {
		if got := code(<-a); got != want[name] {
			t.Errorf("%s: code %d, want %d", name, got, want[name])
		}
	}
}

// The loop says things in one order: answers, then those who await, then
// subscribers. What an answer says is what a reader then sees.
func TestAnswersPrecedeAwaitsPrecedeEvents(t *testing.T) {
	var mu sync.Mutex
	var order []string
	say := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, what)
	}
	published := make(chan struct{}, 8)
	r := start(t, newLog(), func(c *sequencer.Config) {
		c.Publish = func(records []record.Record) {
			say(fmt.Sprintf("%d published", len(records)))
			published <- struct{}{}
		}
	})
	session := r.session()
	a, b := r.open(session), r.open(session)
	for range 3 {
		<-published
	}
	order = nil
	for _, id := range []approval.ID{a, b, a} {
		if _, unknown := r.Await(session, []approval.ID{id}, false, func() { say("awaited") }); unknown != nil {
			t.Fatal("not known")
		}
	}
	r.log.hold()
	for _, id := range []approval.ID{a, b} {
		if err := r.Submit(r.choose(session, id, wire.ChoiceAllowOnce), func(sequencer.Reply) {
			if r.pending(session, id) {
				t.Error("the answer came before readers could see it")
			}
			say("answered")
		}); err != nil {
			t.Fatal(err)
		}
		if id == a {
			<-r.log.entered // so that the two are two groups
		}
	}
	r.log.resume <- carryOut
	<-published
	<-r.log.entered
	r.log.resume <- carryOut
	<-published
	want := []string{"answered", "awaited", "awaited", "1 published", "answered", "awaited", "1 published"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// A fault of the program in one command is that command's alone.
func TestPanickingCommandLeavesTheOthersAlone(t *testing.T) {
	r := start(t, newLog())
	session := r.session()
	id := r.open(session)
	r.log.hold()
	first := r.submit(decide.SetMode{Intent: r.intent(), Session: session, Mode: approval.DenyUnmatched})
	<-r.log.entered
	r.misfit.Store(true) // an opening mints an id, the others do not
	before := r.submit(r.choose(session, id, wire.ChoiceAllowOnce))
	broken := r.submit(r.opening(session, 0))
	after := r.submit(decide.SetMode{Intent: r.intent(), Session: session, Mode: approval.PromptUnmatched})
	r.log.resume <- carryOut
	<-first
	if size := <-r.log.entered; size != 2 {
		t.Errorf("the group has %d records, want those of the commands that did not panic", size)
	}
	r.log.resume <- carryOut
	for name, a := range map[string]answer{"before": before, "after": after} {
		if reply := <-a; reply.Refusal != nil {
			t.Errorf("%s: %v", name, reply.Refusal)
		}
	}
	reply := <-broken
	if code(reply) != wire.CodeInternal || reply.Refusal.Data.Retryable {
		t.Errorf("the command that panicked: %+v", reply)
	}
	if text := reply.Refusal.Message; text != "internal error" {
		t.Errorf("it was answered %q: what went wrong inside is not for the wire", text)
	}
}

// However many submit at once, the log has no hole, what was published is the
// log, and the live state is what a replay of it gives.
func TestConcurrentCommandsMakeOneOrder(t *testing.T) {
	const agents, rounds = 16, 20
	r := start(t, newLog())
	sessions := []approval.ID{r.session(), r.session(), r.session()}
	var wg sync.WaitGroup
	for i := range agents {
		wg.Go(func() {
			session := sessions[i%len(sessions)]
			for range rounds {
				id := r.open(session)
				for range 2 { // the second comes too late
					r.do(r.choose(session, id, wire.ChoiceAllowOnce))
				}
			}
		})
	}
	wg.Wait()
	r.Drain()
	if err := <-r.ended; err != nil {
		t.Fatal(err)
	}

	heard := r.heard()
	last := map[approval.ID]uint64{}
	for i, rec := range heard {
		if rec.Seq != uint64(i+1) {
			t.Fatalf("record %d was published as the %dth", rec.Seq, i+1)
		}
		if rec.Prev != last[rec.Session] {
			t.Fatalf("record %d follows %d in its session, want %d", rec.Seq, rec.Prev, last[rec.Session])
		}
		last[rec.Session] = rec.Seq
	}
	if want := len(sessions) + agents*rounds*2; len(heard) != want || r.log.Head() != uint64(want) {
		t.Errorf("published %d, in the log %d, want %d", len(heard), r.log.Head(), want)
	}
	again := start(t, r.log) // replays, and checks every link of the chain
	if diff := cmp.Diff(describe(r.Sequencer), describe(again.Sequencer)); diff != "" {
		t.Errorf("replayed state (-live +replayed):\n%s", diff)
	}
}

// Commands that one goroutine submits are decided in that order, however
// groups are cut.
func TestCommandsKeepTheOrderOfTheirSubmission(t *testing.T) {
	const n = 3000 // more than fit one group
	r := start(t, newLog())
	session := r.session()
	modes := []approval.Mode{approval.DenyUnmatched, approval.PromptUnmatched}
	answers := make([]answer, n)
	for i := range n {
		answers[i] = r.submit(decide.SetMode{Intent: r.intent(), Session: session, Mode: modes[i%2]})
	}
	var seqs []uint64
	for _, a := range answers {
		reply := <-a
		if len(reply.Records) != 1 {
			t.Fatalf("%+v: each command changes the mode of the one before", reply)
		}
		seqs = append(seqs, reply.Records[0].Seq)
	}
	if !slices.IsSorted(seqs) {
		t.Error("commands were reordered")
	}
}
