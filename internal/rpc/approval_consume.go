package rpc

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/inspect"
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
	c.Changed = changed(r.conn.srv.cfg.Inspector, c.Action)
	return c, nil
}

// openingOf reads the opening record of an approval; nil where there is none.
func (r *request) openingOf(session, id approval.ID) (*record.ApprovalOpened, *wire.Error) {
	var seq uint64
	r.conn.settle() // its approval/open may be under way
	r.conn.srv.seq.View(func(state *fold.State) {
		if in, ok := state.Session(session); ok {
			if a, ok := in.Approval(id); ok {
				seq = a.Opened
			}
		}
	})
	if seq == 0 {
		return nil, nil
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

// changed says how the target of an action differs from what was approved; ""
// where it does not. What cannot be looked at any more differs.
func changed(look *inspect.Inspector, a approval.Action) string {
	switch s := a.Subject.(type) {
	case approval.File:
		return changedFile(look, s, a.Found)
	case approval.Process:
		return changedProcess(look, s)
	case approval.Shell:
		if dir, err := look.Dir(s.Cwd, ""); err != nil || dir != s.Cwd {
			return fmt.Sprintf("the directory %s is another one now", s.Cwd)
		}
	}
	return ""
}

func changedFile(look *inspect.Inspector, s approval.File, found approval.Found) string {
	if was := found.File; was != nil && was.Written != "" {
		now, err := look.File(was.Written, "")
		switch {
		case err != nil:
			return fmt.Sprintf("the path %q cannot be followed any more: %v", was.Written, err)
		case now.Path != s.Path || now.OfProcess != was.OfProcess:
			return fmt.Sprintf("the path %q leads to %q now, and what was approved is %q", was.Written, now.Path, s.Path)
		case now.Links > 1 && was.Links <= 1 && was.Access == approval.Write:
			return fmt.Sprintf("the file %q has another name by now, which it did not have when this was approved", s.Path)
		}
	}
	if found.Image == nil {
		return ""
	}
	switch now, err := look.Image(s.Path); {
	case err != nil:
		return fmt.Sprintf("the file %q cannot be compared with what it was: %v", s.Path, err)
	case now.Parent != found.Image.Parent:
		return fmt.Sprintf("the directory of the file %q is another one now", s.Path)
	case found.Image.Absent() && !now.Absent():
		return fmt.Sprintf("the file %q was not there when this was approved, and is now", s.Path)
	case now != *found.Image:
		return fmt.Sprintf("the file %q was changed since this was approved", s.Path)
	}
	return ""
}

func changedProcess(look *inspect.Inspector, s approval.Process) string {
	if s.PID == 0 || s.StartedAt == "" {
		return ""
	}
	now, ok := look.Process(s.PID)
	switch {
	case !ok:
		return fmt.Sprintf("process %d is not there any more", s.PID)
	case string(wire.FormatTime(now.StartedAt)) != s.StartedAt, len(s.Argv) > 0 && !slices.Equal(now.Argv, s.Argv):
		return fmt.Sprintf("process %d is another one now", s.PID)
	}
	return ""
}
