package sequencer

import (
	"cmp"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// waiter is one parked await.
type waiter struct {
	number uint64        // they are answered in the order in which they were parked
	ids    []approval.ID // each once
	left   int           // how many more must settle before it is over
	over   bool
	done   func()
}

func (w *waiter) answer() { w.done() }

// Await calls done once, when all (one: the first) of the approvals and prompts are
// settled and durable: right away, on the caller's goroutine, if they are; else on Run's,
// before the settling records are published. done must not block. withdraw
// ends the wait without a call; it reports whether it came before done.
// An id that the session does not know, or that cannot be looked up since
// the session cannot be loaded, is given back in unknown, and then nothing is
// awaited. Await is bound as ViewSession is.
func (s *Sequencer) Await(session approval.ID, ids []approval.ID, one bool, done func()) (withdraw func() bool, unknown *approval.ID) {
	w, unknown, loaded := s.park(session, ids, one, done)
	if !loaded && s.load(session, func() { w, unknown, _ = s.park(session, ids, one, done) }) != nil {
		return func() bool { return false }, &ids[0]
	}
	if w == nil || unknown != nil {
		if unknown == nil {
			done()
		}
		return func() bool { return false }, unknown
	}
	return func() bool { return s.withdraw(w) }, nil
}

// park registers a waiter; it returns none where there is nothing to wait for, or
// where the session is not loaded.
func (s *Sequencer) park(session approval.ID, ids []approval.ID, one bool, done func()) (w *waiter, unknown *approval.ID, loaded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ok := s.view.Session(session)
	switch {
	case !ok:
		return nil, &ids[0], true
	case !s.loaded(in):
		return nil, nil, false
	}
	pending, settled, unknown := sortOut(in, ids)
	switch {
	case unknown != nil:
		return nil, unknown, true
	case len(pending) == 0, one && settled:
		return nil, nil, true
	}
	s.parked++
	w = &waiter{number: s.parked, ids: pending, left: len(pending), done: done}
	if one {
		w.left = 1
	}
	for _, id := range pending {
		if s.waiters[id] == nil {
			s.waiters[id] = make(map[*waiter]struct{})
		}
		s.waiters[id][w] = struct{}{}
	}
	return w, nil, true
}

// sortOut finds the approvals and prompts among ids that are not settled, each once, and
// whether there are others.
func sortOut(in *fold.Session, ids []approval.ID) (pending []approval.ID, settled bool, unknown *approval.ID) {
	seen := make(map[approval.ID]bool, len(ids))
	for _, id := range ids {
		waits, known := isPending(in, id)
		switch {
		case !known:
			return nil, false, &id
		case !waits:
			settled = true
		case !seen[id]:
			seen[id] = true
			pending = append(pending, id)
		}
	}
	return pending, settled, nil
}

// isPending reports whether an approval or a prompt waits, and whether the session
// has one of that id.
func isPending(in *fold.Session, id approval.ID) (waits, known bool) {
	if a, ok := in.Approval(id); ok {
		return a.Pending(), true
	}
	if p, ok := in.Prompt(id); ok {
		return p.Pending(), true
	}
	return false, false
}

// ready returns the waiters that the records end. Called with mu held.
func (s *Sequencer) ready(records []record.Record) []*waiter {
	var out []*waiter
	for _, r := range records {
		if k := r.Body.Kind(); k != record.KindApprovalSettled && k != record.KindInputSettled {
			continue
		}
		for w := range s.waiters[r.Approval] {
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
	slices.SortFunc(out, func(a, b *waiter) int { return cmp.Compare(a.number, b.number) })
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

// forget takes a waiter out of every set it is still in. Sets, because one
// decision may end thousands of awaits that name hundreds of approvals each.
func (s *Sequencer) forget(w *waiter) {
	for _, id := range w.ids {
		delete(s.waiters[id], w)
		if len(s.waiters[id]) == 0 {
			delete(s.waiters, id)
		}
	}
}
