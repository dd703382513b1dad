package sequencer

import (
	"context"
	"runtime"
	"sync"
)

// The bounds of a group (perf.md §8). Yields is how often the loop lets
// callers run while the group is smaller than the last one: without it two
// cohorts of callers alternate with half groups (perf.md fact 3).
const (
	maxGroup = 1024
	yields   = 8
)

// Run is the writer's loop. It returns nil after Drain, the cause after a
// failed append, and ctx's error when ctx ends, which leaves queued commands
// unanswered: the process is going down.
func (s *Sequencer) Run(ctx context.Context) error {
	end := sync.OnceFunc(func() { close(s.ended) })
	defer end()
	defer s.restSweep()
	for {
		w, err := s.take(ctx)
		if err != nil {
			return err
		}
		if err := s.carryOut(w); err != nil {
			end()
			s.fail()
			return err
		}
		if w.end && len(s.waiting) == 0 {
			return nil
		}
	}
}

// work is what Run has taken at once.
type work struct {
	found []found // trees; none where no read has ended
	jobs  []job
	alarm bool
	end   bool // nothing will follow
}

// take waits for work. While somebody waits for a tree there is no end.
func (s *Sequencer) take(ctx context.Context) (w work, err error) {
	drain := s.drain
	if len(s.waiting) > 0 {
		drain = nil
	}
	select {
	case j := <-s.queue:
		w.jobs = append(w.jobs, j)
	case w.found = <-s.found:
	case <-s.alarm:
		w.alarm = true
	case <-s.sweep:
		s.unloadIdle()
	case <-drain:
		w.end = true
	case <-ctx.Done():
		return w, ctx.Err()
	}
	w.jobs = s.gather(w.jobs)
	for n := 0; n < yields && len(w.jobs) < s.last && !w.end; n++ {
		runtime.Gosched()
		w.jobs = s.gather(w.jobs)
	}
	if w.end && len(w.jobs) == maxGroup {
		w.end = false // there may be more; drain stays closed and leads back here
	}
	s.last = len(w.jobs)
	return w, nil
}

// carryOut makes one group of the work, due deadlines first, so that a late
// command loses to them, and then those that waited for a tree that has come.
func (s *Sequencer) carryOut(w work) error {
	jobs := w.jobs
	if w.found != nil {
		waited, err := s.admit(w.found)
		if err != nil {
			s.abandon(append(waited, jobs...))
			return err
		}
		jobs = append(waited, jobs...)
	}
	due := s.due()
	s.busy.Add(int64(len(due)))
	jobs = s.present(append(due, jobs...))
	held := int64(len(jobs))
	if w.alarm {
		held++
	}
	defer func() { s.busy.Add(-held) }()
	if len(jobs) == 0 {
		return nil
	}
	return s.commit(jobs)
}

// gather adds what is queued right now.
func (s *Sequencer) gather(group []job) []job {
	for len(group) < maxGroup {
		select {
		case j := <-s.queue:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// due are the expiries whose time has come, and sets the alarm for the next.
func (s *Sequencer) due() []job {
	s.now = s.cfg.Clock.Now()
	var jobs []job
	for _, d := range s.deadlines.popDue(s.now) {
		jobs = append(jobs, job{command: d.expire})
	}
	s.setAlarm()
	return jobs
}

func (s *Sequencer) setAlarm() {
	s.deadlines.arm(s.now, s.cfg.Clock, func() {
		s.busy.Add(1)
		select {
		case s.alarm <- struct{}{}:
		default: // the loop has one waiting for it
			s.busy.Add(-1)
		}
	})
}

// fail answers everything that is still queued, or waits for a tree, after a
// failed append.
func (s *Sequencer) fail() {
	s.Drain()
	for root, jobs := range s.waiting {
		s.abandon(jobs)
		delete(s.waiting, root)
	}
	for {
		select {
		case j := <-s.queue:
			s.abandon([]job{j})
		default:
			return
		}
	}
}

// abandon answers jobs that will not be carried out.
func (s *Sequencer) abandon(jobs []job) {
	for _, j := range jobs {
		j.reply(Reply{Refusal: unknownOutcome()})
	}
	s.busy.Add(int64(-len(jobs)))
}
