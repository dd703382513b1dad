package tolerance

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// A thousand connections: each sees the request, the decision and its end, once.
func TestAThousandConnections(t *testing.T) {
	const connections = 1000
	place := newPlace(t)
	place.serve(t)
	agent := dial(t, place.socket("host"))
	agent.hello(`"interactive":false`)
	session := agent.start()
	crowd := make([]*peer, connections)
	for i := range crowd {
		crowd[i] = dial(t, place.socket("reviewer"))
		crowd[i].hello(`"allSessions":true`)
		crowd[i].must(wire.MethodSessionList, `{"limit":1}`) // it is subscribed
	}
	approval := agent.open(session)
	crowd[connections-1].must(wire.MethodApprovalDecide, deciding(session, approval, wire.ChoiceAbort))
	for i, p := range crowd {
		p.event(wire.MethodApprovalResolved, about(approval))
		seen := map[string]int{}
		for _, f := range p.kept {
			seen[f.Method]++
		}
		delete(seen, wire.MethodSessionStatusChanged) // of which only the latest need be sent
		// A request that was settled before it could be sent is not sent.
		if asked := seen[wire.MethodApprovalRequest]; asked > 1 {
			t.Errorf("reviewer %d was asked %d times", i, asked)
		}
		delete(seen, wire.MethodApprovalRequest)
		if diff := cmp.Diff(map[string]int{wire.MethodApprovalRequested: 1}, seen); diff != "" {
			t.Fatalf("reviewer %d saw before the end (-want +got):\n%s", i, diff)
		}
	}
}

// A name says who a client claims to be, and nothing else: two of one name are two.
func TestTwoClientsOfOneName(t *testing.T) {
	place := newPlace(t)
	place.serve(t)
	agent, one, two := dial(t, place.socket("host")), dial(t, place.socket("host")), dial(t, place.socket("host"))
	for _, p := range []*peer{agent, one, two} {
		p.hello() // all as "tolerance"
	}
	session := agent.start()
	for _, p := range []*peer{one, two} {
		p.must(wire.MethodViewSubscribe, object(in(session)))
	}
	approval := agent.open(session, `"unattended":"refuse"`)
	for _, p := range []*peer{agent, one, two} {
		if id := string(p.event(wire.MethodApprovalRequest, about(approval)).ID); id != "1" {
			t.Errorf("the first request of a connection has the id %s", id)
		}
	}
	one.hangUp() // the others of its name are still there
	agent.hangUp()
	if state := two.state(session, approval); state != "pending" {
		t.Errorf("when one of three went, the approval was %s", state)
	}
	two.must(wire.MethodApprovalDecide, deciding(session, approval, wire.ChoiceAllowOnce))
}

// Of two who decide at once one does, the other is told how, and both see one end.
func TestTwoReviewersRacing(t *testing.T) {
	place := newPlace(t)
	place.serve(t)
	agent := dial(t, place.socket("host"))
	agent.hello(`"interactive":false`)
	session := agent.start()
	racers := []*peer{dial(t, place.socket("host")), dial(t, place.socket("host"))}
	choices := []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort}
	for _, p := range racers {
		p.hello(`"allSessions":true`)
		p.must(wire.MethodSessionList, `{}`)
	}
	for range 30 {
		approval := agent.open(session)
		var race sync.WaitGroup
		start := make(chan struct{})
		answers := make([]frame, len(racers))
		for i, p := range racers {
			id, line := p.request(wire.MethodApprovalDecide, deciding(session, approval, choices[i]))
			race.Go(func() {
				<-start
				p.write(line)
				answers[i] = p.answer(id)
			})
		}
		close(start)
		race.Wait()
		won, lost := answers[0], answers[1]
		outcome := "allowedOnce"
		if won.Error != nil {
			won, lost, outcome = lost, won, "rejected"
		}
		if won.Error != nil || lost.Error == nil || lost.Error.Data.Kind != wire.KindApprovalAlreadyResolved {
			t.Fatalf("the answers are %s and %s", answers[0].raw, answers[1].raw)
		}
		if told := lost.Error.Data.Resolution; told == nil || string(told.Outcome) != outcome {
			t.Errorf("the one who lost is told %s, and it was %s", lost.raw, outcome)
		}
		for _, p := range racers {
			p.event(wire.MethodApprovalResolved, about(approval), fmt.Sprintf(`"outcome":%q`, outcome))
		}
	}
	for _, p := range racers {
		p.must(wire.MethodSessionList, `{}`)
		for _, f := range p.kept {
			if f.Method == wire.MethodApprovalResolved {
				t.Errorf("a second end: %s", f.raw)
			}
		}
	}
}

// Answers come when they are due, not in the order of the questions, and under the ids of those: an
// await that is parked is overtaken, also by a question with the same id.
func TestAnswersComeWhenTheyAreDue(t *testing.T) {
	w := newPlace(t).start(t)
	p, reviewer := w.join(wire.RoleBoth, `"interactive":false`), w.join(wire.RoleReviewer)
	session := p.start()
	first, second := p.open(session), p.open(session)
	await := func(id, approval string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"approval/await","params":{%s,"approvalIds":[%q]}}`+"\n", id, in(session), approval)
	}
	p.write(await("1", first) + await("2", second) + ask(`"id":1`) + ask(`"id":3`))
	if diff := cmp.Diff([]string{"1 result", "3 result"}, p.answers()); diff != "" {
		t.Errorf("while two awaits are parked (-want +got):\n%s", diff)
	}
	for _, of := range []struct{ approval, id string }{{second, "2"}, {first, "1"}} {
		reviewer.must(wire.MethodApprovalDecide, deciding(session, of.approval, wire.ChoiceAbort))
		if f := p.answer(of.id); !strings.Contains(f.raw, of.approval) {
			t.Errorf("the await %s is answered %s", of.id, f.raw)
		}
	}
}
