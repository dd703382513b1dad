package sequencer

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// group is what one commit makes of its jobs.
type group struct {
	replies []Reply
	records []record.Record
	values  [][]byte
	chain   record.Chain
	log     fold.Reader
}

// read reads a record that a command of the group may be decided on.
func (g *group) read(seq uint64) (record.Record, error) {
	if len(g.records) > 0 && seq >= g.records[0].Seq {
		return g.records[seq-g.records[0].Seq], nil
	}
	return g.log(seq)
}

// commit carries out one group. Its error means that the append failed and
// that nothing may be written any more.
func (s *Sequencer) commit(jobs []job) error {
	g := s.decide(jobs)
	if len(g.values) > 0 {
		if _, err := s.cfg.Log.Append(g.values); err != nil {
			for _, j := range jobs {
				j.reply(Reply{Refusal: unknownOutcome()})
			}
			return fmt.Errorf("append %d records: %w", len(g.values), err)
		}
		s.chain = g.chain
	}
	ready := s.apply(g.records)
	s.track(g.records)
	for i, j := range jobs {
		j.reply(g.replies[i])
	}
	for _, w := range ready {
		w.answer()
	}
	if len(g.records) > 0 {
		s.cfg.Publish(g.records)
	}
	return nil
}

// decide decides the jobs in order, each against what those before it made.
func (s *Sequencer) decide(jobs []job) group {
	g := group{replies: make([]Reply, len(jobs)), chain: s.chain, log: s.Record}
	// Only Run moves the view, so Run may read it without the lock.
	ahead := s.view.Over()
	env := decide.Env{
		Now:      s.now.UTC().Truncate(time.Millisecond),
		NewID:    s.cfg.NewID,
		Attended: s.cfg.Attended,
		Owned:    s.cfg.Owned,
		Agent:    s.cfg.Agent, AgentCommand: s.cfg.AgentCommand,
		Read:    g.read,
		Limits:  s.cfg.Limits,
		Profile: s.cfg.Profile,
		Policy:  s.cfg.Policy(),
	}
	for i, j := range jobs {
		result, err := next(ahead, j.command, env)
		if err == nil {
			err = g.encode(result.Records)
		}
		if err != nil {
			g.replies[i] = Reply{Refusal: s.undecided(j.command, err)}
			ahead = s.redo(g.records) // without what this command may have left in it
			continue
		}
		g.records = append(g.records, result.Records...)
		g.replies[i] = Reply{Ack: result.Ack, Refusal: result.Refusal, Records: result.Records}
	}
	return g
}

// undecided logs why a command could not be decided, and is what its client is
// told.
func (s *Sequencer) undecided(c decide.Command, cause error) *wire.Error {
	session := decide.Concerns(s.view, c)
	s.cfg.Logger.Error("a command could not be decided", slog.String("command", fmt.Sprintf("%T", c)),
		slog.String("session", session.String()), slog.Any("cause", cause))
	if _, ok := errors.AsType[decide.UnreadableError](cause); ok {
		return unreadable(session)
	}
	return wire.NewError(wire.CodeInternal, "internal error")
}

// redo is an overlay that holds these records and nothing else.
func (s *Sequencer) redo(records []record.Record) *fold.State {
	ahead := s.view.Over()
	for _, r := range records {
		ahead.Apply(r)
	}
	return ahead
}

// next decides one command. A panic is a fault of this program in one command,
// or says that a record of it cannot be read, and must not take the others with
// it.
func next(ahead *fold.State, c decide.Command, env decide.Env) (result decide.Result, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case decide.UnreadableError:
			err = p
		default:
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return decide.Next(ahead, c, env), nil
}

// encode adds the bytes of a command's records, all or none.
func (g *group) encode(records []record.Record) error {
	values, chain := g.values, g.chain
	for _, r := range records {
		value, err := record.Encode(r.Header, r.Body, chain)
		if err != nil {
			return err
		}
		values, chain = append(values, value), record.ChainOf(value)
	}
	g.values, g.chain = values, chain
	return nil
}

// apply moves the view and returns those whose wait is over.
func (s *Sequencer) apply(records []record.Record) []*waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		s.view.Apply(r)
	}
	s.begun(records)
	s.requests.note(records, s.view.LetGo)
	return s.ready(records)
}

// track keeps the deadlines in step with the records. A deadline runs on the
// monotonic clock from now on (protocol §7 "Unattended").
func (s *Sequencer) track(records []record.Record) {
	for _, r := range records {
		switch body := r.Body.(type) {
		case *record.ApprovalOpened:
			s.expireAt(body.ExpiresAt, r, decide.Expire{Session: r.Session, Approval: r.Approval})
		case *record.InputOpened:
			s.expireAt(body.ExpiresAt, r, decide.ExpireInput{Session: r.Session, Input: r.Approval})
		case *record.ApprovalSettled, *record.InputSettled, *record.InputEngaged:
			s.deadlines.remove(r.Approval)
		}
	}
	s.setAlarm()
}

// expireAt sets the deadline of what a record opened; ms is nil where it has none.
func (s *Sequencer) expireAt(ms *int64, r record.Record, expire decide.Command) {
	if ms != nil {
		left := time.UnixMilli(*ms).Sub(r.At)
		s.deadlines.add(deadline{at: s.now.Add(left), id: r.Approval, expire: expire})
	}
}

// takeUp sets the deadlines of the prompts that a restart left pending in a tree:
// from now on they run on the monotonic clock as well.
func (s *Sequencer) takeUp(root approval.ID) {
	session, ok := s.view.Session(root)
	if !ok {
		return
	}
	for in := range s.view.Family(session) {
		for _, p := range in.PendingPrompts() {
			if at, counts := p.Deadline(); counts {
				left := at.Sub(s.now.Round(0))
				s.deadlines.add(deadline{at: s.now.Add(left), id: p.ID, expire: decide.ExpireInput{Session: in.ID, Input: p.ID}})
			}
		}
	}
	s.setAlarm()
}

func (j job) reply(r Reply) {
	if j.done != nil {
		j.done(r)
	}
}

// unknownOutcome is the answer to a command whose commit failed: the effect
// may be durable, and only the log knows (protocol §3).
func unknownOutcome() *wire.Error {
	return wire.NewError(wire.CodeInternal,
		"The log could not be written and the daemon is stopping; whether this took effect is not known. Retry with the same commandId.",
		func(d *wire.ErrorData) { d.Retryable = true })
}
