package client

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/approvald/approvald/wire"
)

// awaitSlice is the longest that one approval/await is parked with the daemon.
// The protocol has no way to take a request back, so an await that was abandoned
// stays parked on the connection until it is over.
const awaitSlice = int64(5 * time.Minute / time.Millisecond)

// Await waits until all (p.Any: one) of the approvals are resolved. An approval
// that a restart superseded is awaited under its successor, so a result's
// ApprovalID may differ from the one asked for; results are in the order asked,
// and no result of a successor that exists is superseded.
//
// With Reconnect it outlives connections and daemons and ends only with ctx.
// p.WaitMs is counted by the daemon; time without a connection comes on top, so
// bound it with ctx. Running out of WaitMs is no error: the results then say
// pending.
func (c *Client) Await(ctx context.Context, p wire.ApprovalAwaitParams) (wire.ApprovalAwaitResult, error) {
	ids := slices.Clone(p.ApprovalIDs)
	left := p.WaitMs
	for {
		wait := awaitSlice
		if left != nil {
			wait = min(wait, *left)
		}
		ask := wire.ApprovalAwaitParams{SessionID: p.SessionID, ApprovalIDs: ids, Any: p.Any, WaitMs: &wait}
		var r wire.ApprovalAwaitResult
		if _, err := c.call(ctx, wire.MethodApprovalAwait, ask, &r); err != nil {
			return r, err
		}
		if len(r.Results) != len(ids) {
			return r, fmt.Errorf("%s: %d results for %d approvals", wire.MethodApprovalAwait, len(r.Results), len(ids))
		}
		if follow(ids, r.Results) {
			continue
		}
		if enough(r.Results, p.Any) {
			return r, nil
		}
		if left != nil {
			rest := *left - wait
			if rest <= 0 {
				return r, nil
			}
			left = &rest
		}
	}
}

// follow replaces each superseded id by its successor and reports whether there
// was one.
func follow(ids []string, results []wire.AwaitResult) bool {
	followed := false
	for i, r := range results {
		if r.Resolution == nil || r.Resolution.Outcome != wire.OutcomeSuperseded {
			continue
		}
		next := r.Resolution.SuccessorApprovalID
		if next == "" || next == ids[i] {
			continue
		}
		ids[i] = next
		followed = true
	}
	return followed
}

// enough reports whether all the results are resolved, or one is enough.
func enough(results []wire.AwaitResult, one bool) bool {
	resolved := func(r wire.AwaitResult) bool { return r.State == wire.StateResolved }
	if one {
		return slices.ContainsFunc(results, resolved)
	}
	return !slices.ContainsFunc(results, func(r wire.AwaitResult) bool { return !resolved(r) })
}
