package sequencer

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// A tree is a root session with every session below it. It is loaded, recovered
// and unloaded as one, because commands, subscriptions and cancellations reach up
// and down in it: who has one session of it has what they need. Run reads no log
// for it; a command for a tree that is not loaded waits until a goroutine has read
// it, and those for others go on.

// tree is one that is loaded.
type tree struct {
	used atomic.Bool // since the last sweep
	// owed says that a restart owes it something that is not durable yet, so that
	// nobody may be told of it. Guarded by mu.
	owed bool
}

// read is what a goroutine found in the log of a tree that is to be loaded.
type read struct {
	root    approval.ID
	details map[approval.ID]*fold.Details
	err     error
}

// ViewSession calls fn with the durable state and a session in it that is loaded,
// with all those above and below it, after what a restart owes them is done. It
// waits for that where it has to, so it must not be called on Run's goroutine;
// else fn is bound as by View. found is false where there is no such session;
// the error is ErrStopped or says that the session cannot be read.
func (s *Sequencer) ViewSession(id approval.ID, fn func(*fold.State, *fold.Session)) (found bool, err error) {
	found, ready := s.viewLoaded(id, fn)
	if !found || ready {
		return found, nil
	}
	return true, s.load(id, func() { s.viewLoaded(id, fn) })
}

func (s *Sequencer) viewLoaded(id approval.ID, fn func(*fold.State, *fold.Session)) (found, ready bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	session, found := s.view.Session(id)
	if !found || !s.loaded(session) {
		return found, false
	}
	fn(s.view, session)
	return true, true
}

// LoadPending loads every session that has something pending, in the order in
// which their roots began. From then on they stay loaded while they have. One that
// cannot be read is in the error, and keeps no other from being loaded. It is bound
// as ViewSession is.
func (s *Sequencer) LoadPending() error {
	var unreadable []error
	for _, root := range s.unloadedPending() {
		err := s.load(root, func() {})
		if errors.Is(err, ErrStopped) {
			return err
		}
		unreadable = append(unreadable, err)
	}
	return errors.Join(unreadable...)
}

// ViewPending calls fn with each session that has something pending, in no
// particular order, but for those that are not loaded: after LoadPending those are
// the ones in its error. fn is bound as by View.
func (s *Sequencer) ViewPending(fn func(*fold.Session)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for session := range s.view.Sessions() {
		if session.Pending+session.Prompts > 0 && s.loaded(session) {
			fn(session)
		}
	}
}

func (s *Sequencer) unloadedPending() (roots []approval.ID) {
	var found []*fold.Session
	s.mu.RLock()
	defer s.mu.RUnlock()
	for session := range s.view.Sessions() {
		if len(session.Lineage) == 1 && session.Waits() && !s.loaded(session) {
			found = append(found, session)
		}
	}
	slices.SortFunc(found, byFirst)
	for _, session := range found {
		roots = append(roots, session.ID)
	}
	return roots
}

// load has the tree of a session loaded, and waits for it. then runs on Run's
// goroutine, before the tree can be unloaded again: whoever looked for it later
// might come too late, over and over.
func (s *Sequencer) load(id approval.ID, then func()) error {
	var refusal *wire.Error
	err := s.carry(decide.Load{Session: id}, func(r Reply) {
		if refusal = r.Refusal; refusal == nil {
			then()
		}
	})
	switch {
	case err != nil || refusal == nil:
		return err
	case refusal.Data.Retryable: // an append has failed: Run ends, and says why
		return ErrStopped
	}
	return refusal
}

// loaded reports whether the tree of a session is there and owed nothing, and
// marks it as used. Called with mu held, if only for reading, or by Run.
func (s *Sequencer) loaded(session *fold.Session) bool {
	t := s.trees[session.Lineage[0]]
	if t == nil || t.owed {
		return false
	}
	t.used.Store(true)
	return true
}

// present sorts out the jobs whose trees are loaded, or that need none. The
// others wait for theirs, in the order in which they came.
func (s *Sequencer) present(jobs []job) []job {
	here := jobs[:0]
	for _, j := range jobs {
		root, absent := s.absent(j.command)
		if !absent {
			here = append(here, j)
			continue
		}
		if _, reading := s.waiting[root]; !reading {
			s.startReading(root)
		}
		s.waiting[root] = append(s.waiting[root], j)
		if c, ok := j.command.(decide.StartSession); ok && !c.Session.IsZero() {
			s.coming[c.Session] = root
		}
	}
	return here
}

// absent is the root of the tree that a command has to wait for: of the session
// that it is about or, where there is none yet, of the one which a command before
// it, that waits as well, is to start.
func (s *Sequencer) absent(c decide.Command) (root approval.ID, absent bool) {
	id := decide.Concerns(s.view, c)
	if session, ok := s.view.Session(id); ok {
		return session.Lineage[0], !s.loaded(session)
	}
	root, absent = s.coming[id]
	return root, absent
}

// startReading reads a tree on a goroutine of its own.
func (s *Sequencer) startReading(root approval.ID) {
	s.waiting[root] = nil
	lasts := make(map[approval.ID]uint64)
	if session, ok := s.view.Session(root); ok {
		for in := range s.view.Family(session) {
			lasts[in.ID] = in.Last
		}
	}
	go func() {
		found := read{root: root, details: make(map[approval.ID]*fold.Details, len(lasts))}
		for id, last := range lasts {
			if found.details[id], found.err = s.cfg.Read(last); found.err != nil {
				break
			}
		}
		select {
		case s.found <- found:
		case <-s.ended:
		}
	}()
}

// admit takes up a tree that was read, does what a restart owes it, and returns
// the jobs that waited for it: none where it cannot be loaded, which they are
// told. Its error is commit's.
func (s *Sequencer) admit(found read) ([]job, error) {
	waited := s.waiting[found.root]
	delete(s.waiting, found.root)
	maps.DeleteFunc(s.coming, func(_, root approval.ID) bool { return root == found.root })
	if found.err == nil {
		found.err = s.attach(found)
	}
	if found.err == nil {
		var err error
		if found.err, err = s.settleOwed(found.root); err != nil {
			return waited, err
		}
	}
	if found.err == nil && s.asks(found.root) {
		s.cfg.TakenUp(found.root)
	}
	if found.err != nil {
		s.cfg.Logger.Error("a session cannot be loaded", slog.String("session", found.root.String()), slog.Any("cause", found.err))
		for _, j := range waited {
			j.reply(Reply{Refusal: unreadable(found.root)})
		}
		s.busy.Add(int64(-len(waited)))
		return nil, nil
	}
	return waited, nil
}

// attach puts what was read into the view, where nobody is told of it yet.
func (s *Sequencer) attach(found read) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, details := range found.details {
		if !s.view.Load(id, details) {
			s.detach(found.root)
			return fmt.Errorf("session %s went on while it was being read", id)
		}
	}
	s.trees[found.root] = &tree{owed: true}
	return nil
}

// detach takes the details of a tree out of the view. Called with mu held.
func (s *Sequencer) detach(root approval.ID) {
	if session, ok := s.view.Session(root); ok {
		for in := range s.view.Family(session) {
			s.view.Unload(in.ID)
		}
	}
	delete(s.trees, root)
}

// settleOwed does, in a commit of its own, what a restart owes a tree: once in a
// process, since an idle unload is no restart (protocol §8). owed is why it could
// not be done; the tree is not loaded then.
func (s *Sequencer) settleOwed(root approval.ID) (owed, err error) {
	var jobs []job
	if _, done := s.recovered[root]; !done {
		for _, id := range s.owing(root) {
			jobs = append(jobs, job{decide.Recover{Session: id}, func(r Reply) {
				if r.Refusal != nil {
					owed = r.Refusal
				}
			}})
		}
	}
	if len(jobs) > 0 {
		s.now = s.cfg.Clock.Now()
		if err = s.commit(jobs); err == nil && owed == nil {
			s.takeUp(root)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if owed != nil || err != nil {
		s.detach(root)
		return owed, err
	}
	s.recovered[root] = struct{}{}
	t := s.trees[root]
	t.owed = false
	t.used.Store(true)
	s.watchIdle()
	return nil, nil
}

// asks reports whether prompts wait in a tree. One that is loaded again has none:
// it was not unloaded while anything waited.
func (s *Sequencer) asks(root approval.ID) bool {
	session, ok := s.view.Session(root)
	return ok && session.Prompts+session.PromptsBelow > 0
}

// owing are the sessions of a tree that a restart owes something, in the order in
// which they began.
func (s *Sequencer) owing(root approval.ID) (ids []approval.ID) {
	session, ok := s.view.Session(root)
	if !ok {
		return nil
	}
	var owing []*fold.Session
	for in := range s.view.Family(session) {
		if decide.NeedsRecovery(in) {
			owing = append(owing, in)
		}
	}
	slices.SortFunc(owing, byFirst)
	for _, in := range owing {
		ids = append(ids, in.ID)
	}
	return ids
}

// begun enters the roots that these records started. Called with mu held.
func (s *Sequencer) begun(records []record.Record) {
	for _, r := range records {
		if body, ok := r.Body.(*record.SessionStarted); ok && body.Parent.IsZero() {
			s.trees[r.Session] = new(tree)
			s.recovered[r.Session] = struct{}{}
			s.watchIdle()
		}
	}
}

func byFirst(a, b *fold.Session) int { return cmp.Compare(a.First, b.First) }

// unreadable is the answer to a command for a session whose records cannot be
// read.
func unreadable(root approval.ID) *wire.Error {
	return wire.NewError(wire.CodeInternal,
		"The records of this session cannot be read from the log. The daemon's own log says why; approvald verify looks through all of it.",
		func(d *wire.ErrorData) { d.SessionID = root.String() })
}
