package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
)

// PolicyChanged evaluates what a session has pending again, because the rules
// in force are others now (policy.md "Files"). Added allow and deny rules settle
// what they match; a rule that went settles nothing. Of no session it does
// nothing but take its turn.
type PolicyChanged struct{ Session approval.ID }

func (c PolicyChanged) concerns(*fold.State) approval.ID { return c.Session }

func (c PolicyChanged) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || session.Pending == 0 {
		return Result{}
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	d.askAgain()
	return Result{Records: d.records}
}

// askAgain evaluates everything that the draft's session has pending.
func (d *draft) askAgain() {
	for _, a := range d.now().PendingApprovals() {
		full := d.full(a)
		d.settleByPolicy(full, d.ask(d.now(), full), a.Requirement)
	}
}

// spread evaluates what waits in the draft's session, and in those below it that
// see its grants: a grant was given that may cover it. The full policy is asked,
// so a grant never outranks deny or ask (policy.md, last section).
func (d *draft) spread() {
	origin := d.now()
	for session := range d.state.Family(origin) {
		if session.Pending > 0 && d.sees(session, origin.ID) {
			d.in(session.ID, d.askAgain)
		}
	}
}

// sees reports whether session, which is giver or below it, sees its grants.
func (d *draft) sees(session *fold.Session, giver approval.ID) bool {
	for session.ID != giver {
		parent, ok := session.Parent()
		if !ok || !session.Inherits {
			return false
		}
		session, _ = d.state.Session(parent)
	}
	return true
}

// settleByPolicy carries out what policy says now of a pending approval: each
// stage that it allows gets its record, in order, and the approval its terminal
// one where nothing is left or a rule denies it. What it would ask stays as it
// is; a requirement other than asked, which reviewers know, is put to them.
func (d *draft) settleByPolicy(a fold.Full, verdict policy.Verdict, asked int) {
	if verdict.Effect == policy.Deny {
		d.settle(a.Approval, verdict.Resolution, &record.ApprovalSettled{
			Reason: verdict.Explanation, Rule: verdict.Rule, Stages: stagesOf(verdict.Stages),
		})
		return
	}
	settled := settledNow(a.Stages, verdict.Stages)
	d.settleStages(a, settled, verdict, asked)
	if verdict.Effect == policy.Allow {
		after, _ := d.now().Approval(a.ID)
		d.settle(after, verdict.Resolution, &record.ApprovalSettled{Rule: verdict.Rule})
	}
}

// forNow is what may be offered in a record after which others follow at once:
// the rule that may be written is about the requirement that is left in the end.
func forNow(verdict policy.Verdict, last bool) policy.Verdict {
	if !last {
		verdict.Menu.Persist = nil
	}
	return verdict
}

// settledNow are the indices of the stages that were open and are no more.
func settledNow(before, after []approval.StageResolution) (settled []int) {
	for i := range before {
		if before[i].Open() && i < len(after) && !after[i].Open() {
			settled = append(settled, i)
		}
	}
	return settled
}

// settleStages appends a record for each of these stages, settled as verdict
// says, in order. The last one puts the next requirement to reviewers, if there
// is one and it is not the one that they were asked about.
func (d *draft) settleStages(a fold.Full, settled []int, verdict policy.Verdict, asked int) {
	stages := slices.Clone(a.Stages)
	if verdict.Effect == policy.Allow { // nothing is left to offer for, and nothing forbids a grant
		verdict.Menu = policy.Menu{Session: true}
	}
	for n, i := range settled {
		stages[i] = verdict.Stages[i]
		next, left := firstOpen(stages)
		last := n == len(settled)-1
		d.stage(a, &record.StageSettled{Opened: a.Opened, Stage: i}, stages, forNow(verdict, last), last && left && next != asked)
	}
}
