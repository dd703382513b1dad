package rpc

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

const maxTimeoutMs = 1<<31 - 1

// approvalOpen serves approval/open (protocol §7): the params are checked, the
// subject is inspected, and the rest is for decide.
func (r *request) approvalOpen() { r.command(r.openCommand()) }

func (r *request) openCommand() (c decide.Open, e *wire.Error) {
	var p wire.ApprovalOpenParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	return r.opening(c, p)
}

// opening checks what is handed in and inspects its subject, for the session of c.
func (r *request) opening(c decide.Open, p wire.ApprovalOpenParams) (_ decide.Open, e *wire.Error) {
	if e := first(checkCall(p), checkTexts(p), checkOperationForm(p)); e != nil {
		return c, e
	}
	var catalog approval.ID
	if p.CatalogID != "" {
		if catalog, e = identity("catalogId", p.CatalogID); e != nil {
			return c, e
		}
	}
	if p.TimeoutMs != nil {
		if *p.TimeoutMs < 1 || *p.TimeoutMs > maxTimeoutMs {
			return c, invalid("timeoutMs must be null or 1 to %d", maxTimeoutMs)
		}
		c.Timeout = time.Duration(*p.TimeoutMs) * time.Millisecond
	}
	if c.Unattended, e = unattended(p.Unattended, ""); e != nil {
		return c, e
	}
	root, e := r.workspaceOf(c)
	if e != nil {
		return c, e
	}
	digest, err := canon.Digest([]byte(p.RawArgs))
	if err != nil {
		return c, invalid("rawArgs must be one JSON text: %v", err)
	}
	c.Action = actionOf(p)
	c.Action.ArgsDigest, c.Action.Catalog = digest, catalog
	found, unfit := r.inspect(p, root)
	if unfit == nil {
		unfit, c.Stale = r.checkOperation(p.Operation, &found, root)
	}
	c.Action.Subject, c.Action.Found, c.Diff, c.Unfit = found.subject, found.found, found.diff, unfit
	return c, nil
}

// workspaceOf is the workspace root of the command's session, "" for none.
func (r *request) workspaceOf(c decide.Open) (root string, e *wire.Error) {
	find := func() (found bool) {
		r.conn.srv.seq.View(func(state *fold.State) {
			if session, ok := state.Session(c.Session); ok {
				root, found = session.Started.WorkspaceRoot, true
			}
		})
		return found
	}
	if find() {
		return root, nil
	}
	r.conn.settle() // its session/start may be under way
	if find() {
		return root, nil
	}
	return "", decide.SessionNotFound(c.Session)
}

// checkCall checks the names of the call.
func checkCall(p wire.ApprovalOpenParams) *wire.Error {
	if p.ToolCallID == "" && p.ParentToolCallID == "" {
		return invalid("toolCallId must be given, unless parentToolCallId is")
	}
	return first(
		optionalName("toolCallId", p.ToolCallID),
		name("toolName", p.ToolName),
		optionalName("parentToolCallId", p.ParentToolCallID),
		optionalName("turnId", p.TurnID),
		optionalName("taskId", p.TaskID),
		optionalName("itemId", p.ItemID),
		optionalName("runId", p.RunID),
	)
}

func checkTexts(p wire.ApprovalOpenParams) *wire.Error {
	switch n := utf8.RuneCountInString(p.Justification); {
	case p.Reason == "":
		return invalid("reason must not be empty")
	case n > maxJustificationChars:
		return invalid("justification must be at most %d characters long, not %d", maxJustificationChars, n)
	case len(p.Subject) == 0:
		return invalid("subject must be given")
	}
	return first(bounded("reason", p.Reason, maxReason), bounded("rawArgs", p.RawArgs, maxRawArgs))
}

// checkOperationForm checks what needs no subject: that the operation is an
// object with a kind, and that escaping the sandbox is justified (protocol §7).
func checkOperationForm(p wire.ApprovalOpenParams) *wire.Error {
	if len(absentIfNull(p.Operation)) == 0 {
		return nil
	}
	kind, err := wire.KindOf(p.Operation)
	switch {
	case err != nil:
		return invalid("operation must be an object that names its kind")
	case kind == wire.OperationShellUnrestricted && p.Justification == "":
		return invalid("justification must be given with an operation of kind %s", kind)
	case len(p.Operation) > maxReason:
		return invalid("operation must be at most %d bytes long, not %d", maxReason, len(p.Operation))
	}
	return nil
}

// absentIfNull is nil for null, which says the same as leaving a member out.
func absentIfNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}
