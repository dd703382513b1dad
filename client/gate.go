package client

import (
	"context"
	"fmt"
	"time"

	"github.com/approvald/approvald/wire"
)

// withdrawal is how long [Client.Gate] tries to withdraw what nobody waits for
// any more.
const withdrawal = 5 * time.Second

// DeniedError says that a call must not be carried out. Denial.Message is written
// for the model.
type DeniedError struct {
	ApprovalID string
	Outcome    wire.Outcome
	Denial     wire.Denial
}

func (e *DeniedError) Error() string { return e.Denial.Message }

// Gate carries a call out if it is approved: it opens the approval, waits, takes
// the permit, and calls act with it, whose error it returns. act runs at most
// once, and only with a permit for exactly these arguments; do nothing else there
// than what was approved.
//
// A call that is denied is a *[DeniedError]. A permit that is not for the call any
// more, because its target or the policy has changed, is a *[wire.Error] of the
// kind approvalMismatch. Where ctx ends before the permit is taken the call is
// withdrawn; one without a ToolCallID of its own cannot be while its opening is not
// answered. A permit that was taken is gone, whether or not act got to the end.
func (c *Client) Gate(ctx context.Context, call wire.ApprovalOpenParams, act func(wire.Permit) error) error {
	opened, err := c.Open(ctx, call)
	if err != nil {
		c.withdraw(ctx, call.SessionID, call.ToolCallID) // it may have been opened
		return err
	}
	id, resolution := opened.ApprovalID, opened.Resolution
	if resolution == nil {
		r, err := c.Await(ctx, wire.ApprovalAwaitParams{SessionID: call.SessionID, ApprovalIDs: []string{id}})
		if err != nil {
			c.withdraw(ctx, call.SessionID, opened.ToolCallID)
			return err
		}
		id, resolution = r.Results[0].ApprovalID, r.Results[0].Resolution
	}
	take := wire.ApprovalConsumeParams{
		SessionID: call.SessionID, ApprovalID: id, ToolCallID: opened.ToolCallID, ArgsDigest: opened.ArgsDigest,
	}
	if resolution != nil && resolution.Permit != nil {
		take.SubjectDigest = resolution.Permit.SubjectDigest // a successor has its own
	}
	taken, err := c.Consume(ctx, take)
	switch {
	case err != nil:
		c.withdraw(ctx, call.SessionID, opened.ToolCallID) // the permit may be there still
		return err
	case taken.PolicyResult == wire.PolicyAllow && taken.Permit != nil && taken.Permit.ArgsDigest == opened.ArgsDigest:
		return act(*taken.Permit)
	}
	denied := &DeniedError{ApprovalID: id, Outcome: taken.Outcome}
	if taken.Denial != nil {
		denied.Denial = *taken.Denial
	} else {
		denied.Denial.Message = fmt.Sprintf("The call of %q was not carried out: nothing permits it.", call.ToolName)
	}
	return denied
}

// withdraw cancels the call where ctx has ended: nobody would act on what is decided
// about it. Where it cannot, the approval stays and permits nothing by itself.
func (c *Client) withdraw(ctx context.Context, session, call string) {
	if ctx.Err() == nil || call == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawal)
	defer cancel()
	_, _ = c.Cancel(ctx, wire.ApprovalCancelParams{SessionID: session, ToolCallID: call})
}
