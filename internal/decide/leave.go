package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// AgentGone cancels what a session and those below it have pending, and ends their
// turns: the connection that owned it ended, and the session was started with
// cancelOnDisconnect (protocol §7).
type AgentGone struct{ Session approval.ID }

func (c AgentGone) concerns(*fold.State) approval.ID { return c.Session }

func (c AgentGone) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || !session.Started.CancelOnDisconnect || env.Owned(c.Session) {
		return Result{} // it came back meanwhile
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	d.abandon(session)
	return Result{Records: d.records}
}

// abandon cancels what a session and those below it have pending and ends their turns,
// but for the sessions that somebody owns who is there, with what is below those.
func (d *draft) abandon(session *fold.Session) {
	d.in(session.ID, func() {
		for _, a := range session.PendingApprovals() {
			d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: "The agent disconnected."})
		}
		d.cancelPrompts(session.PendingPrompts(), wire.SourceAgent, "The agent disconnected.")
		if open, ok := session.OpenTurn(); ok && !open.Hosted { // whose agent's end is another command
			d.cancelOpenTurn("The agent disconnected.")
		}
	})
	for _, id := range session.ChildSessions {
		if child, ok := d.state.Session(id); ok && !d.env.Owned(id) {
			d.abandon(child)
		}
	}
}

// ReviewersGone settles what may not wait in an empty room: the session's last
// interactive reviewer left, or, where Approval is set, the last one that
// could show this approval (protocol §7 "Unattended").
type ReviewersGone struct {
	Session  approval.ID
	Approval approval.ID // zero: all of the session's
}

func (c ReviewersGone) concerns(*fold.State) approval.ID { return c.Session }

func (c ReviewersGone) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || (c.Approval.IsZero() && env.Attended(c.Session)) {
		return Result{} // somebody came back meanwhile
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	for _, a := range session.PendingApprovals() {
		wanted := c.Approval.IsZero() || a.ID == c.Approval
		if wanted && a.Unattended == approval.Refuse {
			d.settle(a, approval.ByNobodyThere, &record.ApprovalSettled{
				Reason: "The last interactive reviewer left before deciding.",
			})
		}
	}
	return Result{Records: d.records}
}
