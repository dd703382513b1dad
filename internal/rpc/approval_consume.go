package rpc

import (
	"log/slog"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// approvalConsume serves approval/consume (protocol §7). What was approved is
// read from the log and its target looked at again, before the writer decides.
func (r *request) approvalConsume() { r.command(r.consumeCommand()) }

func (r *request) consumeCommand() (c decide.Consume, e *wire.Error) {
	var p wire.ApprovalConsumeParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.ToolCall, c.ArgsDigest, c.SubjectDigest = p.ToolCallID, p.ArgsDigest, p.SubjectDigest
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if c.Approval, e = identity("approvalId", p.ApprovalID); e != nil {
		return c, e
	}
	if e := first(name("toolCallId", p.ToolCallID), name("argsDigest", p.ArgsDigest),
		optionalName("subjectDigest", p.SubjectDigest)); e != nil {
		return c, e
	}
	opened, e := r.openingOf(c.Session, c.Approval)
	if e != nil || opened == nil {
		return c, e // decide says that there is none
	}
	c.Action = fold.ActionOf(opened)
	c.Changed = lookAgain(r.conn.srv.cfg.Inspector, &c.Action)
	return c, nil
}

// openingOf reads the opening record of an approval; nil where there is none.
func (r *request) openingOf(session, id approval.ID) (*record.ApprovalOpened, *wire.Error) {
	var seq uint64
	r.conn.settle() // its approval/open may be under way
	e := r.conn.srv.inSession(session, func(_ *fold.State, in *fold.Session) {
		if a, ok := in.Approval(id); ok {
			seq = a.Opened
		}
	})
	if e != nil || seq == 0 {
		return nil, e
	}
	opening, err := r.conn.srv.seq.Record(seq)
	if err != nil {
		r.conn.srv.log.Error("an opening record cannot be read", slog.Uint64("sequence", seq), slog.Any("cause", err))
		return nil, wire.NewError(wire.CodeInternal, "internal error")
	}
	opened, ok := opening.Body.(*record.ApprovalOpened)
	if !ok {
		return nil, wire.NewError(wire.CodeInternal, "internal error")
	}
	return opened, nil
}
