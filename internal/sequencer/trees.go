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

// loadedTree is one that is loaded.
type loadedTree struct {
	used atomic.Bool // since the last sweep
	// owed says that a restart owes it something that is not durable yet, so that
	// nobody may be told of it. Guarded by mu.
	owed bool
}

// found is what a goroutine found in the log of a tree that is to be loaded.
type found struct {
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
	for _, roots := range s.unloadedPending() {
		if err := s.carryJob(job{trees: roots}); err != nil {
			return err
		}
		for _, root := range roots {
			if s.isLoaded(root) {
				continue
			}
			// It could not be read, or somebody else has it read.
			err := s.load(root, func() {})
			if errors.Is(err, ErrStopped) {
				return err
			}
			unreadable = append(unreadable, err)
		}
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

// The bounds of the trees that are read and recovered together: a commit each would
// be two syncs for every session of a daemon that has thousands.
const (
	maxTrees  = 128
	maxOpened = 1024 // approvals that wait in them; one tree may have more
)

// unloadedPending are the roots of the trees that are not loaded and have something
// pending, in the order in which they began, as many together as are recovered in
// one commit.
func (s *Sequencer) unloadedPending() (batches [][]approval.ID) {
	var unloaded []*fold.Session
	s.mu.RLock()
	defer s.mu.RUnlock()
	for session := range s.view.Sessions() {
		if len(session.Lineage) == 1 && session.Waits() && !s.loaded(session) {
			unloaded = append(unloaded, session)
		}
	}
	slices.SortFunc(unloaded, byFirst)
	var batch []approval.ID
	opened := 0
	for i, session := range unloaded {
		batch = append(batch, session.ID)
		opened += session.Pending + session.Below
		if len(batch) == maxTrees || opened >= maxOpened || i == len(unloaded)-1 {
			batches = append(batches, batch)
			batch, opened = nil, 0
		}
	}
	return batches
}

func (s *Sequencer) isLoaded(root approval.ID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	session, ok := s.view.Session(root)
	return !ok || s.loaded(session)
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
		if j.command == nil {
			s.preload(j)
			continue
		}
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

// preload has the trees of a job read that are neither there nor being read. The
// job waits for the last of them.
func (s *Sequencer) preload(j job) {
	var absent []approval.ID
	for _, root := range j.trees {
		_, reading := s.waiting[root]
		if session, ok := s.view.Session(root); ok && !reading && !s.loaded(session) {
			absent = append(absent, root)
		}
	}
	if len(absent) == 0 {
		s.finish(j)
		return
	}
	s.startReading(absent...)
	last := absent[len(absent)-1]
	s.waiting[last] = append(s.waiting[last], j)
}

// finish answers a job that asked for nothing but trees.
func (s *Sequencer) finish(j job) {
	s.busy.Add(-1) // before whoever waits asks whether anything is left
	j.reply(Reply{})
}

// startReading reads trees on a goroutine of its own.
func (s *Sequencer) startReading(roots ...approval.ID) {
	lasts := make([]map[approval.ID]uint64, len(roots))
	for i, root := range roots {
		s.waiting[root] = nil
		lasts[i] = make(map[approval.ID]uint64)
		if session, ok := s.view.Session(root); ok {
			for in := range s.view.Family(session) {
				lasts[i][in.ID] = in.Last
			}
		}
	}
	go func() {
		trees := make([]found, len(roots))
		for i, root := range roots {
			trees[i] = s.read(root, lasts[i])
		}
		select {
		case s.found <- trees:
		case <-s.ended:
		}
	}()
}

// read reads the sessions of a tree, whose last records are given.
func (s *Sequencer) read(root approval.ID, lasts map[approval.ID]uint64) found {
	tree := found{root: root, details: make(map[approval.ID]*fold.Details, len(lasts))}
	for id, last := range lasts {
		if tree.details[id], tree.err = s.cfg.Read(last); tree.err != nil {
			break
		}
	}
	return tree
}

// admit takes up trees that were read together, does what a restart owes them, and
// returns the jobs that waited for them: none for one that cannot be loaded, which
// they are told. Its error is commit's.
func (s *Sequencer) admit(trees []found) (waited []job, err error) {
	var sound []approval.ID
	for i := range trees {
		tree := &trees[i]
		maps.DeleteFunc(s.coming, func(_, root approval.ID) bool { return root == tree.root })
		if tree.err == nil {
			tree.err = s.attach(*tree)
		}
		if tree.err == nil {
			sound = append(sound, tree.root)
		}
	}
	refused, err := s.settleOwed(sound)
	for _, tree := range trees {
		jobs := s.waiting[tree.root]
		delete(s.waiting, tree.root)
		if err != nil {
			waited = append(waited, jobs...)
			continue
		}
		if tree.err = cmp.Or(tree.err, refused[tree.root]); tree.err != nil {
			s.turnAway(jobs, tree)
			continue
		}
		if s.asks(tree.root) {
			s.cfg.TakenUp(tree.root)
		}
		waited = append(waited, s.commands(jobs)...)
	}
	return waited, err
}

// commands are those of the jobs; the others had nothing to wait for but this.
func (s *Sequencer) commands(jobs []job) (commands []job) {
	for _, j := range jobs {
		if j.command == nil {
			s.finish(j)
			continue
		}
		commands = append(commands, j)
	}
	return commands
}

// turnAway answers those who waited for a tree that cannot be loaded.
func (s *Sequencer) turnAway(jobs []job, tree found) {
	s.cfg.Logger.Error("a session cannot be loaded", slog.String("session", tree.root.String()), slog.Any("cause", tree.err))
	for _, j := range jobs {
		j.reply(Reply{Refusal: unreadable(tree.root)})
	}
	s.busy.Add(int64(-len(jobs)))
}

// attach puts what was read into the view, where nobody is told of it yet.
func (s *Sequencer) attach(tree found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, details := range tree.details {
		if !s.view.Load(id, details) {
			s.detach(tree.root)
			return fmt.Errorf("session %s went on while it was being read", id)
		}
	}
	s.trees[tree.root] = &loadedTree{owed: true}
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

// settleOwed does, in a commit of its own, what a restart owes trees: once in a
// process, since an idle unload is no restart (protocol §8). refused is why it could
// not be done for some, which are not loaded then.
func (s *Sequencer) settleOwed(roots []approval.ID) (refused map[approval.ID]error, err error) {
	refused = make(map[approval.ID]error)
	var jobs []job
	for _, root := range roots {
		if _, done := s.recovered[root]; done {
			continue
		}
		for _, id := range s.owing(root) {
			jobs = append(jobs, job{command: decide.Recover{Session: id}, done: func(r Reply) {
				if r.Refusal != nil {
					refused[root] = r.Refusal
				}
			}})
		}
	}
	if len(jobs) > 0 {
		s.now = s.cfg.Clock.Now()
		err = s.commit(jobs)
	}
	for _, root := range roots {
		if _, done := s.recovered[root]; !done && err == nil && refused[root] == nil {
			s.takeUp(root)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, root := range roots {
		if err != nil || refused[root] != nil {
			s.detach(root)
			continue
		}
		s.recovered[root] = struct{}{}
		t := s.trees[root]
		t.owed = false
		t.used.Store(true)
		s.watchIdle()
	}
	return refused, err
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
			s.trees[r.Session] = new(loadedTree)
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
