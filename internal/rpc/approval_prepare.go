package rpc

import (
	"fmt"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

const maxBatch = 256

// approvalPrepare serves approval/prepare (protocol §7). Each request is checked
// and inspected as that of approval/open, before the writer decides about all.
func (r *request) approvalPrepare() { r.command(r.prepareCommand()) }

func (r *request) prepareCommand() (c decide.Prepare, e *wire.Error) {
	var p wire.ApprovalPrepareParams
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
	if e := first(name("runId", p.RunID), sizeOfBatch("requests", len(p.Requests)), checkRequests(p)); e != nil {
		return c, e
	}
	for i, request := range p.Requests {
		one, e := r.opening(decide.Open{Session: c.Session}, handedIn(p.RunID, request))
		if e != nil {
			return c, inEntry("requests", i, e)
		}
		c.Requests = append(c.Requests, one)
	}
	return c, nil
}

// checkRequests checks what a batch asks of its requests beside what
// approval/open does.
func checkRequests(p wire.ApprovalPrepareParams) *wire.Error {
	seen := map[string]bool{}
	for i, request := range p.Requests {
		switch {
		case request.ToolCallID == "":
			return invalid("requests[%d]: toolCallId must be given: the approval is found by it", i)
		case seen[request.ToolCallID]:
			return invalid("requests[%d]: toolCallId %q stands in the batch before", i, clip(request.ToolCallID))
		case request.RunID != "" && request.RunID != p.RunID:
			return invalid("requests[%d]: runId must be that of the batch, or absent", i)
		}
		seen[request.ToolCallID] = true
	}
	return nil
}

// handedIn is a request of a batch as approval/open has it.
func handedIn(run string, p wire.ApprovalPrepareRequest) wire.ApprovalOpenParams {
	return wire.ApprovalOpenParams{
		ToolCallID: p.ToolCallID, ToolName: p.ToolName, RawArgs: p.RawArgs, Reason: p.Reason, Subject: p.Subject,
		Justification: p.Justification, Operation: p.Operation, TurnID: p.TurnID, TaskID: p.TaskID, ItemID: p.ItemID,
		ParentToolCallID: p.ParentToolCallID, Requested: p.Requested, TimeoutMs: p.TimeoutMs, Unattended: p.Unattended,
		CatalogID: p.CatalogID, RunID: run,
	}
}

func sizeOfBatch(member string, n int) *wire.Error {
	if n < 1 || n > maxBatch {
		return invalid("%s must hold 1 to %d, not %d", member, maxBatch, n)
	}
	return nil
}

// inEntry is an error about one entry of a batch, which names it.
func inEntry(member string, i int, e *wire.Error) *wire.Error {
	named := *e
	named.Message = fmt.Sprintf("%s[%d]: %s", member, i, e.Message)
	return &named
}
