package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// AgentGone cancels what a session and those below it have pending: the
// connection that owned it ended, and the session was started with
// cancelOnDisconnect (protocol §7).
type AgentGone struct{ Session approval.ID }

func (c AgentGone) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || !session.Started.CancelOnDisconnect || env.Owned(c.Session) {
		return Result{} // it came back meanwhile
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	for below := range s.Family(session) {
		if env.Owned(below.ID) {
			continue // somebody else's, who is there
		}
		d.in(below.ID, func() {
			for _, a := range below.PendingApprovals() {
				d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: "The agent disconnected."})
			}
		})
	}
	return Result{Records: d.records}
}

// ReviewersGone settles what may not wait in an empty room: the session's last
// interactive reviewer left, or, where Approval is set, the last one that
// could show this approval (protocol §7 "Unattended").
type ReviewersGone struct {
	Session  approval.ID
	Approval approval.ID // zero: all of the session's
}

func (c ReviewersGone) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || (c.Approval.IsZero() && env.Attended(c.Session)) {
		return Result{} // somebody came back meanwhile
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	for _, a := range session.PendingApprovals() {
		wanted := c.Approval.IsZero() || a.ID == c.Approval
		if wanted && approval.Unattended(a.Request.Unattended) == approval.Refuse {
			d.settle(a, approval.ByNobodyThere, &record.ApprovalSettled{
				Reason: "The last interactive reviewer left before deciding.",
			})
		}
	}
	return Result{Records: d.records}
}
