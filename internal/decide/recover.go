package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/policy/shell"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Recover closes every identity that a session had pending when its daemon
// ended, and opens each again under a successor (protocol §8): answers given
// before the crash are evidence, not authority, and policy is asked afresh. The
// restart has disconnected every reviewer, who may come back: what is to be
// refused where nobody is there waits, until ReviewersGone says that nobody is.
// Prompts keep their id, and those whose deadline passed meanwhile time out. Turns
// stay open, but for those of a program of --agent-cmd, which ended with the daemon.
// It is submitted once per daemon process and session.
type Recover struct{ Session approval.ID }

func (c Recover) concerns(*fold.State) approval.ID { return c.Session }

func (c Recover) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || !NeedsRecovery(session) {
		return Result{}
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	if owed(session) {
		d.add(approval.ID{}, &record.Recovered{Pending: session.Pending})
		d.void(session.Claims(protectedPermit), wire.ReasonProtectedWriteRestart, nil)
		d.loseCatalogs()
		d.loseHosted(func(int) bool { return true }, session.Last, wire.TurnWasCancelled, hostRestart, "The daemon was restarted, and the agent that it had started ended with it.")
	}
	for _, a := range d.now().PendingApprovals() {
		if at := a.ExpiresAt; at != nil && *at <= env.Now.UnixMilli() {
			d.expire(a)
			continue
		}
		d.supersede(d.full(a))
	}
	for _, p := range overdue(d.now(), env.Now) {
		d.expirePrompt(p)
	}
	return Result{Records: d.records}
}

// NeedsRecovery reports whether a restart may owe the session something.
func NeedsRecovery(session *fold.Session) bool {
	return session.Prompts > 0 || owed(session)
}

// owed reports whether a restart owes the session more than that its prompts wait
// on.
func owed(session *fold.Session) bool {
	return session.Pending > 0 || len(session.Claims(protectedPermit)) > 0 ||
		len(session.OpenCatalogs()) > 0 || len(session.Claims(cataloguedPermit)) > 0 || hosting(session)
}

// hostRestart is the reason of the end of a turn whose agent ended with the daemon
// (protocol §8).
const hostRestart = "hostRestart"

// protectedPermit reports whether a is a permit for a protected write: it was
// given while somebody watched, and does not outlive the daemon (protocol §8).
func protectedPermit(a *fold.Approval) bool { return permitted(a) && a.Claim.Protected }

// supersede closes a and opens its successor with the same action.
func (d *draft) supersede(a fold.Full) {
	successor := approval.Successor(d.session, a.ID, a.Opened)
	action := a.Action()
	var reparsed bool
	action.Subject, reparsed = splitAgain(action.Subject)
	if reparsed { // what was found is about other stages; of what nothing is known, policy asks in every mode
		action.Found = approval.Found{Protected: a.Request.Protected}
	}
	d.settle(a.Approval, approval.ByRestart, &record.ApprovalSettled{
		Successor: &successor,
		Recovery:  &record.Recovery{Reparsed: reparsed, Executable: true},
	})
	d.open(opening{
		id: successor, action: action, diff: a.Request.Diff, by: a.Request.By,
		unattended: a.Unattended, expiresAt: a.ExpiresAt,
		supersedes: &a.ID,
	})
}

// splitAgain is the subject with its stages derived anew and none of them
// decided, and whether this version splits the command into others than the
// one that opened it did.
func splitAgain(s approval.Subject) (again approval.Subject, reparsed bool) {
	sh, ok := s.(approval.Shell)
	if !ok {
		return s, false
	}
	before := sh.Stages
	sh.Stages = policy.Stages(approval.ID{}, shell.Stages(sh.Command, sh.Shell, sh.Cwd))
	return sh, !slices.EqualFunc(before, sh.Stages, func(a, b approval.Stage) bool {
		return a.ArgvComplete == b.ArgvComplete && slices.Equal(a.Argv, b.Argv)
	})
}
