package linear

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// server is a daemon in memory that does what the model says, but for its fault.
type server struct {
	mu     sync.Mutex
	fault  fault
	story  *story
	state  *state
	past   []*state // the state before each change
	minted uint64
	gone   bool
	random *rand.Rand
}

// fault is one thing that a server does wrong. after and said are what the model
// says; what is returned takes their place.
type fault struct {
	name    string
	does    func(s *server, in input, after *state, said string) (*state, string)
	forgets func(said string) bool // the ledger does not keep such an answer
	crashes func(s *server) *state // what a crash leaves; nil: everything
}

var faults = []fault{
	{name: "a permit can be taken again", does: func(_ *server, in input, after *state, said string) (*state, string) {
		if strings.HasPrefix(said, "consumed") {
			after = after.edit()
			a := after.approvals[in.target]
			a.consumed = false
			after.set(a)
		}
		return after, said
	}},
	{name: "a decision is acknowledged and not carried out", does: func(s *server, _ input, after *state, said string) (*state, string) {
		if strings.HasSuffix(said, "terminal false") {
			return s.state, said
		}
		return after, said
	}},
	{name: "who decides later is acknowledged as well", does: func(_ *server, in input, after *state, said string) (*state, string) {
		if strings.HasPrefix(said, "refused -32051") {
			return after, "decided " + in.target + " terminal true"
		}
		return after, said
	}},
	{name: "lists lag behind", does: func(s *server, in input, after *state, said string) (*state, string) {
		if in.what == wire.MethodApprovalListPending && len(s.past) > 5 {
			return after, model{story: s.story}.read(s.past[len(s.past)-5], in)
		}
		return after, said
	}},
	{name: "a cancellation leaves the permit", does: func(s *server, in input, after *state, said string) (*state, string) {
		if said == "cancelled []" {
			return s.state, said
		}
		return after, said
	}},
	{name: "a permit is given for another call", does: func(s *server, in input, after *state, said string) (*state, string) {
		if strings.HasSuffix(said, string(wire.ReasonCallMismatch)) {
			return s.state, "consumed: allow allowedOnce approved"
		}
		return after, said
	}},
	{name: "acks are forgotten", forgets: func(said string) bool { return !strings.HasPrefix(said, "refused") }},
	{name: "refusals are forgotten", forgets: func(said string) bool { return strings.HasPrefix(said, "refused") }},
	{name: "a crash loses what was acknowledged last", crashes: func(s *server) *state { return s.past[len(s.past)-3] }},
	{name: "a restart keeps the answers to earlier stages", does: func(_ *server, in input, after *state, said string) (*state, string) {
		if in.what == restart {
			after = after.edit()
			for _, a := range after.pending() {
				a.stages = strings.Replace(a.stages, "oo", "do", 1)
				after.set(a)
			}
		}
		return after, said
	}},
	{name: "a restart forgets grants", does: func(_ *server, in input, after *state, said string) (*state, string) {
		if in.what == restart {
			after = after.edit()
			after.grants = map[int]bool{}
		}
		return after, said
	}},
	{name: "a restart ends permits", does: func(_ *server, in input, after *state, said string) (*state, string) {
		if in.what == restart {
			after = after.edit()
			for _, a := range maps.Clone(after.approvals) {
				after.void(a)
			}
		}
		return after, said
	}},
}

func newServer(f fault, seed uint64) *server {
	s := newStory(approval.ID{1})
	s.writing = true
	host := &server{fault: f, story: s, state: newState(), random: rand.New(rand.NewPCG(seed, 1))}
	s.mint = func(call string) string {
		id := host.mint()
		s.openedAt[id], s.callOf[id] = host.minted, call
		return id
	}
	return host
}

func (s *server) mint() string {
	s.minted++
	return approval.Successor(s.story.session, approval.ID{2}, s.minted).String()
}

// serve carries an operation out. Called with mu held.
func (s *server) serve(in input) string {
	m := model{story: s.story}
	if _, known := s.state.ledger[in.command]; in.what == wire.MethodApprovalOpen && !known {
		id := s.mint()
		s.story.opening[in.call], s.story.openedAt[id] = id, s.minted
	}
	after, said := m.do(s.state, in)
	if s.fault.does != nil {
		after, said = s.fault.does(s, in, after, said)
	}
	if _, known := s.state.ledger[in.command]; !known && s.fault.forgets != nil && s.fault.forgets(said) {
		after = after.edit()
		after.ledger = s.state.ledger
	}
	if after != s.state {
		s.past, s.state = append(s.past, s.state), after
	}
	return said
}

func (s *server) do(in input) (reply, error) {
	runtime.Gosched() // so that others come between
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone && s.random.IntN(2) == 0 {
		return reply{}, errGone
	}
	said := s.serve(in)
	if s.gone {
		return reply{}, errGone
	}
	r := reply{answer: said}
	if strings.HasPrefix(said, "opened") {
		r.met = []known{{id: s.story.opening[in.call], call: in.call}}
	}
	if in.what == wire.MethodApprovalPrepare {
		for _, a := range s.state.approvals {
			if strings.Contains(said, a.id) {
				r.met = append(r.met, known{id: a.id, call: a.call})
			}
		}
	}
	if in.what == wire.MethodApprovalListPending {
		for _, a := range s.state.pending() {
			r.met = append(r.met, known{a.id, a.call, a.current()})
		}
	}
	return r, nil
}

func (s *server) cut(in input, whole bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole && !s.gone && s.random.IntN(2) == 0 {
		s.serve(in)
	}
	return nil
}

func (s *server) dial() (peer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil, errGone
	}
	return s, nil
}

func (s *server) restarts() (crash, open func() error) {
	crash = func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = true
		return nil
	}
	open = func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.fault.crashes != nil {
			s.state = s.fault.crashes(s)
		}
		for _, a := range s.state.pending() {
			old, err := approval.ParseID(a.id)
			if err != nil {
				return err
			}
			s.minted++
			s.story.openedAt[approval.Successor(s.story.session, old, a.opened).String()] = s.minted
		}
		s.serve(input{what: restart})
		s.gone = false
		return nil
	}
	return crash, open
}

// tell gives the story, which is written to no more.
func (s *server) tell() (*story, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.story.writing = false
	return s.story, nil
}

// occasions are the histories made of one faulty server, at most: a fault shows
// where somebody asks.
const occasions = 15

func TestFaultyServersAreRejected(t *testing.T) {
	for _, f := range slices.Concat([]fault{{name: "none"}}, faults, batchFaults) {
		t.Run(f.name, func(t *testing.T) {
			first := seedOf(t)
			for seed := first; seed < first+occasions; seed++ {
				r, err := record(plan{seed: seed, clients: 4, lives: 3, each: 80}, newServer(f, seed))
				if err != nil {
					t.Fatal(err)
				}
				got := r.check()
				switch {
				case f.name == "none" && got == porcupine.Illegal:
					report(t, r, seed)
				case f.name != "none" && got == porcupine.Illegal:
					return
				}
			}
			if f.name != "none" {
				t.Errorf("%d histories from APPROVALD_LINEAR_SEED=%d were accepted", occasions, first)
			}
		})
	}
}
