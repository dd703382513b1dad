package sequencer

import (
	"context"
	"runtime"
	"sync"

	"github.com/approvald/approvald/internal/decide"
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
	for {
		group, held, last, err := s.take(ctx)
		if err != nil {
			return err
		}
		if len(group) > 0 {
			err = s.commit(group)
		}
		s.busy.Add(-held)
		if err != nil {
			end()
			s.fail()
			return err
		}
		if last {
			return nil
		}
	}
}

// take waits for work and returns it as one group, due deadlines first, so
// that a late command loses to them. held is what it counts for in busy. end
// says that nothing will follow.
func (s *Sequencer) take(ctx context.Context) (group []job, held int64, end bool, err error) {
	select {
	case j := <-s.queue:
		group = append(group, j)
	case <-s.alarm:
		held = 1
	case <-s.drain:
		end = true
	case <-ctx.Done():
		return nil, 0, false, ctx.Err()
	}
	group = s.gather(group)
	for n := 0; n < yields && len(group) < s.last && !end; n++ {
		runtime.Gosched()
		group = s.gather(group)
	}
	if end && len(group) == maxGroup {
		end = false // there may be more; drain stays closed and leads back here
	}
	s.last = len(group)
	held += int64(len(group))
	return append(s.due(), group...), held, end, nil
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
		jobs = append(jobs, job{command: decide.Expire{Session: d.session, Approval: d.approval}})
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

// fail answers everything that is still queued after a failed append.
func (s *Sequencer) fail() {
	s.Drain()
	for {
		select {
		case j := <-s.queue:
			s.busy.Add(-1)
			j.reply(Reply{Refusal: unknownOutcome()})
		default:
			return
		}
	}
}
