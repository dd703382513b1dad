package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// RuleStored says what became of writing a persistent grant's rule into its
// workspace's store (policy.md "Files"). Where it failed, the rule stays in force
// for the session, and the next start tries again.
type RuleStored struct {
	Grant approval.ID
	Err   error // nil: the store holds it
}

func (c RuleStored) concerns(s *fold.State) approval.ID {
	grant, _ := s.Grant(c.Grant)
	return grant.Session
}

func (c RuleStored) decide(s *fold.State, env Env) Result {
	grant, ok := s.Grant(c.Grant)
	if !ok || grant.Persisted {
		return Result{}
	}
	session, ok := s.Session(grant.Session)
	if !ok {
		return Result{}
	}
	a, ok := session.Approval(grant.Approval)
	if !ok {
		return Result{}
	}
	body := &record.PolicyPersisted{
		GrantID: grant.ID, Status: record.Persisted, Opened: a.Opened, Next: a.Requirement, Menu: noMenu,
	}
	if c.Err != nil {
		body.Status, body.Reason = record.Failed, c.Err.Error()
	}
	d := newDraft(s, env, session.ID, approval.CommandID{})
	if a.Pending() {
		said := d.full(a)
		body.Stages, body.Menu = stagesOf(said.Stages), said.Menu
	} else {
		body.Stages = a.Settled.Stages
	}
	d.add(a.ID, body)
	return Result{Records: d.records}
}
