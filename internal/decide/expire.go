package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Expire settles an approval whose deadline has come. Whether it has is for
// the caller to know, on the monotonic clock; a decision that comes later
// loses to it (protocol §7).
type Expire struct {
	Session  approval.ID
	Approval approval.ID
}

func (c Expire) concerns(*fold.State) approval.ID { return c.Session }

func (c Expire) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok {
		return Result{}
	}
	a, ok := session.Approval(c.Approval)
	if !ok || !a.Pending() {
		return Result{}
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	d.expire(a)
	return Result{Records: d.records}
}

func (d *draft) expire(a *fold.Approval) {
	d.settle(a, approval.ByDeadline, &record.ApprovalSettled{})
}
