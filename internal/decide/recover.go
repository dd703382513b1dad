package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
)

// Recover closes every identity that a session had pending when its daemon
// ended, and opens each again under a successor (protocol §8): answers given
// before the crash are evidence, not authority, and policy is asked afresh.
// It is submitted once per daemon process and session.
type Recover struct{ Session approval.ID }

func (c Recover) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || session.Pending == 0 {
		return Result{}
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	d.add(approval.ID{}, &record.Recovered{Pending: session.Pending})
	for _, a := range session.PendingApprovals() {
		if at := a.Request.ExpiresAt; at != nil && *at <= env.Now.UnixMilli() {
			d.expire(a)
			continue
		}
		d.supersede(a)
	}
	return Result{Records: d.records}
}

// supersede closes a and opens its successor with the same action.
func (d *draft) supersede(a *fold.Approval) {
	successor := approval.Successor(d.session, a.ID, a.Opened)
	d.settle(a, approval.ByRestart, &record.ApprovalSettled{
		Successor: &successor,
		Recovery:  &record.Recovery{Reparsed: reparsed(a.Subject), Executable: true},
	})
	d.open(opening{
		id: successor, action: a.Action(), diff: a.Request.Diff, by: a.Request.By,
		unattended: approval.Unattended(a.Request.Unattended), expiresAt: a.Request.ExpiresAt,
		supersedes: &a.ID,
	})
}

// reparsed reports whether this version splits the command into other stages
// than the one that opened it did.
func reparsed(s approval.Subject) bool {
	sh, ok := s.(approval.Shell)
	if !ok {
		return false
	}
	again := policy.Stages(approval.ID{}, sh.Command, sh.Shell)
	return !slices.EqualFunc(sh.Stages, again, func(a, b approval.Stage) bool {
		return a.ArgvComplete == b.ArgvComplete && slices.Equal(a.Argv, b.Argv)
	})
}
