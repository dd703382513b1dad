package decide

import (
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// ExpireInput settles a prompt whose deadline has come, unless somebody has engaged
// with it. Whether it has come is for the caller to know, on the monotonic clock.
type ExpireInput struct {
	Session approval.ID
	Input   approval.ID
}

func (c ExpireInput) concerns(*fold.State) approval.ID { return c.Session }

func (c ExpireInput) decide(s *fold.State, env Env) Result {
	p, ok := running(s, c.Session, c.Input)
	if !ok {
		return Result{}
	}
	d := newDraft(s, env, c.Session, approval.CommandID{})
	d.expirePrompt(p)
	return Result{Records: d.records}
}

func (d *draft) expirePrompt(p *fold.Prompt) {
	d.settlePrompt(p, wire.UserInputTimedOut, wire.SourceDeadline, &record.InputSettled{})
}

// overdue are the prompts of a session whose deadline had come at an instant of the
// calendar: what a restart knows of it.
func overdue(session *fold.Session, now time.Time) (out []*fold.Prompt) {
	for _, p := range session.PendingPrompts() {
		if at, counts := p.Deadline(); counts && !at.After(now) {
			out = append(out, p)
		}
	}
	return out
}
