package client

import (
	"context"
	"fmt"

	"github.com/approvald/approvald/wire"
)

// Prepare hands in the calls for which a run has paused: the unconsumed approval
// of each is found, or opened where there is none. A commandId is minted where p
// has none; each pass over a run is a command of its own. See [Client.AskEach].
func (c *Client) Prepare(ctx context.Context, p wire.ApprovalPrepareParams) (wire.ApprovalPrepareResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalPrepareResult
	_, err := c.call(ctx, wire.MethodApprovalPrepare, p, &r)
	return r, err
}

// ConsumeAll takes what was decided about prepared calls, once and in one commit.
// An error of the kind approvalPending says that one is undecided, and consumed
// nothing. A decision whose Consumed is false denies its call. A commandId is
// minted where p has none.
func (c *Client) ConsumeAll(ctx context.Context, p wire.ApprovalConsumeAllParams) (wire.ApprovalConsumeAllResult, error) {
	p.CommandID = orNewID(p.CommandID)
	var r wire.ApprovalConsumeAllResult
	_, err := c.call(ctx, wire.MethodApprovalConsumeAll, p, &r)
	return r, err
}

// Batch is what a run has paused for. Build it identically for every pass: the
// same run, call ids, tools and arguments.
type Batch struct {
	SessionID string
	RunID     string
	Requests  []wire.ApprovalPrepareRequest // 1 to 256

	// Vet, where it is not nil, looks at each decision before any is taken. Its
	// error ends the pass, and every decision stays for the next one.
	Vet func(wire.ApprovalPrepareRequest, wire.Resolution) error
}

// PendingError says that a pass of [Client.AskEach] found a call undecided, and
// took nothing.
type PendingError struct {
	ApprovalID string   // of the first call that is undecided
	ToolCallID string   // that call
	Undecided  []string // the approvals of all of them: what to await
}

func (e *PendingError) Error() string {
	return fmt.Sprintf("the call %q is not decided yet", e.ToolCallID)
}

// AskEach makes one pass over a batch: it prepares every call and, where all of
// them are decided, vets the decisions and takes exactly the ones it has vetted.
// There is one decision a request, in their order; where Consumed is false the
// decision was taken, voided or changed meanwhile, and the call is denied.
//
// While any call is undecided nothing is taken and the error is a *[PendingError].
// Make the next pass when something was decided: [Client.Await] one of Undecided.
// Have one worker resolve a run: of two, one takes the decisions, and a pass that
// the other makes after that asks reviewers again.
func (c *Client) AskEach(ctx context.Context, b Batch) ([]wire.ConsumedDecision, error) {
	prepared, err := c.Prepare(ctx, wire.ApprovalPrepareParams{SessionID: b.SessionID, RunID: b.RunID, Requests: b.Requests})
	if err != nil {
		return nil, err
	}
	if len(prepared.Approvals) != len(b.Requests) {
		return nil, fmt.Errorf("%s: %d approvals for %d requests", wire.MethodApprovalPrepare, len(prepared.Approvals), len(b.Requests))
	}
	decided, err := c.decided(ctx, b.SessionID, prepared.Approvals)
	if err != nil {
		return nil, err
	}
	take := wire.ApprovalConsumeAllParams{SessionID: b.SessionID, RunID: b.RunID}
	for i, a := range prepared.Approvals {
		if b.Vet != nil {
			if err := b.Vet(b.Requests[i], decided[i]); err != nil {
				return nil, err
			}
		}
		take.Items = append(take.Items, wire.ApprovalConsumeItem{
			ApprovalID: a.ApprovalID, ToolCallID: a.ToolCallID, ArgsDigest: a.ArgsDigest, Expect: decided[i].PolicyResult,
		})
	}
	taken, err := c.ConsumeAll(ctx, take)
	if err != nil {
		return nil, err
	}
	if len(taken.Decisions) != len(take.Items) {
		return nil, fmt.Errorf("%s: %d decisions for %d items", wire.MethodApprovalConsumeAll, len(taken.Decisions), len(take.Items))
	}
	for i := range taken.Decisions {
		hold(&taken.Decisions[i], take.Items[i])
	}
	return taken.Decisions, nil
}

// decided reads what was decided about each approval, or says that one is not: an
// approval that a restart superseded waits under its successor, which the next
// pass finds.
func (c *Client) decided(ctx context.Context, session string, approvals []wire.PreparedApproval) ([]wire.Resolution, error) {
	now := int64(0)
	ask := wire.ApprovalAwaitParams{SessionID: session, WaitMs: &now}
	for _, a := range approvals {
		ask.ApprovalIDs = append(ask.ApprovalIDs, a.ApprovalID)
	}
	var r wire.ApprovalAwaitResult
	if _, err := c.call(ctx, wire.MethodApprovalAwait, ask, &r); err != nil {
		return nil, err
	}
	if len(r.Results) != len(approvals) {
		return nil, fmt.Errorf("%s: %d results for %d approvals", wire.MethodApprovalAwait, len(r.Results), len(approvals))
	}
	var pending *PendingError
	out := make([]wire.Resolution, len(approvals))
	for i, one := range r.Results {
		id := approvals[i].ApprovalID
		if one.Resolution != nil && one.Resolution.Outcome != wire.OutcomeSuperseded {
			out[i] = *one.Resolution
			continue
		}
		if one.Resolution != nil {
			id = one.Resolution.SuccessorApprovalID
		}
		if pending == nil {
			pending = &PendingError{ApprovalID: id, ToolCallID: approvals[i].ToolCallID}
		}
		pending.Undecided = append(pending.Undecided, id)
	}
	if pending != nil {
		return nil, pending
	}
	return out, nil
}

// hold denies what is not the decision that was vetted. The daemon has compared
// them already; what permits a call is compared twice.
func hold(d *wire.ConsumedDecision, want wire.ApprovalConsumeItem) {
	if d.PolicyResult != wire.PolicyAllow {
		d.Permit = nil
		return
	}
	if d.Consumed && d.ApprovalID == want.ApprovalID && d.ToolCallID == want.ToolCallID && want.Expect == wire.PolicyAllow &&
		d.Permit != nil && d.Permit.ArgsDigest == want.ArgsDigest {
		return
	}
	d.PolicyResult, d.Decision, d.Permit = wire.PolicyDeny, wire.DecisionDenied, nil
	d.Denial = &wire.Denial{Kind: wire.DenialConflict, Message: "The call was not carried out: what was taken is not what was looked at. Repeating the same call will not help."}
}
