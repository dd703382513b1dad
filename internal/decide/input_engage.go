package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// EngageInput removes the deadline of a prompt for good: somebody has begun to answer
// (protocol §6, userInput/engaged). It is a notification and no command of a client:
// there is no answer and no entry in the ledger. What has no deadline is left as it
// is.
type EngageInput struct {
	Session approval.ID
	Input   approval.ID
	By      record.Party
}

func (c EngageInput) concerns(*fold.State) approval.ID { return c.Session }

func (c EngageInput) decide(s *fold.State, env Env) Result {
	p, ok := running(s, c.Session, c.Input)
	if !ok {
		return Result{}
	}
	d := newDraft(s, env, c.Session, approval.CommandID{})
	d.add(p.ID, &record.InputEngaged{Opened: p.Opened, By: c.By})
	return Result{Records: d.records}
}

// running is a prompt that waits and has a deadline, which nobody has removed.
func running(s *fold.State, session, input approval.ID) (*fold.Prompt, bool) {
	in, ok := s.Session(session)
	if !ok {
		return nil, false
	}
	p, ok := in.Prompt(input)
	if !ok || !p.Pending() {
		return nil, false
	}
	_, counts := p.Deadline()
	return p, counts
}
