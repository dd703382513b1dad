package sequencer

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// waiter is one parked await.
type waiter struct {
	ids  []approval.ID
	left int // how many more must settle before it is over
	over bool
	done func()
}

func (w *waiter) answer() { w.done() }

// Await calls done once, when all (any: one) of the approvals are settled and
// durable: right away, on the caller's goroutine, if they are; else on Run's,
// before the settling records are published. done must not block. withdraw
// ends the wait without a call; it reports whether it came before done.
// Approvals that the session does not know are given back in unknown, and
// then nothing is awaited.
func (s *Sequencer) Await(session approval.ID, ids []approval.ID, any bool, done func()) (withdraw func() bool, unknown *approval.ID) {
	w, unknown := s.park(session, ids, any, done)
	if w == nil || unknown != nil {
		if unknown == nil {
			done()
		}
		return func() bool { return false }, unknown
	}
	return func() bool { return s.withdraw(w) }, nil
}

// park registers a waiter; it returns none where there is nothing to wait for.
func (s *Sequencer) park(session approval.ID, ids []approval.ID, any bool, done func()) (*waiter, *approval.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pending, unknown := s.pending(session, ids)
	switch {
	case unknown != nil:
		return nil, unknown
	case len(pending) == 0, any && len(pending) < len(ids):
		return nil, nil
	}
	w := &waiter{ids: pending, left: len(pending), done: done}
	if any {
		w.left = 1
	}
	for _, id := range pending {
		s.waiters[id] = append(s.waiters[id], w)
	}
	return w, nil
}

// pending are the approvals among ids that are not settled, each once.
func (s *Sequencer) pending(session approval.ID, ids []approval.ID) (pending []approval.ID, unknown *approval.ID) {
	in, ok := s.view.Session(session)
	for _, id := range ids {
		var a *fold.Approval
		if ok {
			a, _ = in.Approval(id)
		}
		if a == nil {
			return nil, &id
		}
		if a.Pending() && !slices.Contains(pending, id) {
			pending = append(pending, id)
		}
	}
	return pending, nil
}

// ready returns the waiters that the records end. Called with mu held.
func (s *Sequencer) ready(records []record.Record) []*waiter {
	var out []*waiter
	for _, r := range records {
		if r.Body.Kind() != record.KindApprovalSettled {
			continue
		}
		for _, w := range s.waiters[r.Approval] {
			if w.left--; w.left == 0 && !w.over {
				w.over = true
				out = append(out, w)
			}
		}
		delete(s.waiters, r.Approval)
	}
	for _, w := range out {
		s.forget(w)
	}
	return out
}

func (s *Sequencer) withdraw(w *waiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.over {
		return false
	}
	w.over = true
	s.forget(w)
	return true
}

// forget takes a waiter out of every list it is still in.
func (s *Sequencer) forget(w *waiter) {
	for _, id := range w.ids {
		rest := slices.DeleteFunc(s.waiters[id], func(x *waiter) bool { return x == w })
		if len(rest) == 0 {
			delete(s.waiters, id)
		} else {
			s.waiters[id] = rest
		}
	}
}
