package rpc

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// approvalConsumeAll serves approval/consumeAll (protocol §7). As for
// approval/consume, what was approved is read from the log and its target looked
// at again, before the writer decides.
func (r *request) approvalConsumeAll() { r.command(r.consumeAllCommand()) }

func (r *request) consumeAllCommand() (c decide.ConsumeAll, e *wire.Error) {
	var p wire.ApprovalConsumeAllParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	c.Run = p.RunID
	if e := first(name("runId", p.RunID), sizeOfBatch("items", len(p.Items))); e != nil {
		return c, e
	}
	seen := map[approval.ID]bool{}
	for i, item := range p.Items {
		taking, e := takingOf(item)
		if e == nil && seen[taking.Approval] {
			e = invalid("approvalId %s stands in the batch before", taking.Approval)
		}
		if e != nil {
			return c, inEntry("items", i, e)
		}
		seen[taking.Approval] = true
		c.Items = append(c.Items, taking)
	}
	for i := range c.Items {
		item := &c.Items[i]
		opened, e := r.openingOf(c.Session, item.Approval)
		if e != nil {
			return c, e
		}
		if opened == nil {
			return c, nil // decide says that there is none
		}
		item.Action = fold.ActionOf(opened)
		item.Changed = lookAgain(r.conn.srv.cfg.Inspector, &item.Action)
	}
	return c, nil
}

// takingOf reads one item of a batch.
func takingOf(p wire.ApprovalConsumeItem) (t decide.Taking, e *wire.Error) {
	t.ToolCall, t.ArgsDigest, t.Expect = p.ToolCallID, p.ArgsDigest, p.Expect
	if t.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
		return t, e
	}
	switch p.Expect {
	case "", wire.PolicyAllow, wire.PolicyDeny:
	default:
		return t, invalid("expect must be allow or deny, or absent")
	}
	return t, first(name("toolCallId", p.ToolCallID), name("argsDigest", p.ArgsDigest))
}
