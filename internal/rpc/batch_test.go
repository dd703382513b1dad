package rpc

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// As many calls as a batch may have are one commit, and their ack goes before all
// of their events.
func TestTheLargestBatchIsOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		h.settle()
		h.log.groups = nil
		prepare := wire.ApprovalPrepareParams{CommandID: command(), SessionID: session, RunID: "run"}
		for n := range maxBatch {
			prepare.Requests = append(prepare.Requests, wire.ApprovalPrepareRequest{
				ToolCallID: fmt.Sprintf("call-%d", n), ToolName: "bash", RawArgs: `{}`, Reason: "r",
				Subject: json.RawMessage(`{"kind":"shell","command":"true","cwd":"/"}`),
			})
		}
		var prepared wire.ApprovalPrepareResult
		c.must(wire.MethodApprovalPrepare, prepare, &prepared)
		take := wire.ApprovalConsumeAllParams{CommandID: command(), SessionID: session, RunID: "run"}
		for n, a := range prepared.Approvals {
			if want := fmt.Sprintf("call-%d", n); a.ToolCallID != want || !a.Created || a.Resolution == nil {
				t.Fatalf("request %d was answered %+v", n, a)
			}
			take.Items = append(take.Items, wire.ApprovalConsumeItem{
				ApprovalID: a.ApprovalID, ToolCallID: a.ToolCallID, ArgsDigest: a.ArgsDigest, Expect: wire.PolicyAllow,
			})
		}
		var taken wire.ApprovalConsumeAllResult
		c.must(wire.MethodApprovalConsumeAll, take, &taken)
		for n, d := range taken.Decisions {
			if d.ApprovalID != take.Items[n].ApprovalID || !d.Consumed || d.Permit == nil {
				t.Fatalf("item %d was answered %+v", n, d)
			}
		}
		h.settle()
		if len(taken.Decisions) != maxBatch || len(h.log.groups) != 2 || h.log.groups[0] != 2*maxBatch || h.log.groups[1] != maxBatch {
			t.Errorf("%d decisions, commits of %d records", len(taken.Decisions), h.log.groups)
		}
	})
}

// An agent has nothing to do with the runs of sessions that it does not own, and is
// not told what there is.
func TestABatchOfASessionThatAnAgentDoesNotOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		owner, other := h.as(wire.RoleAgent), h.as(wire.RoleAgent)
		session := owner.start()
		for method, params := range map[string]any{
			wire.MethodApprovalPrepare:    wire.ApprovalPrepareParams{CommandID: command(), SessionID: session, RunID: "run"},
			wire.MethodApprovalConsumeAll: wire.ApprovalConsumeAllParams{CommandID: command(), SessionID: session, RunID: "run"},
		} {
			if f := other.call(method, params); f.Error == nil || f.Error.Code != wire.CodeSessionNotFound {
				t.Errorf("%s was answered %s", method, f.raw)
			}
		}
	})
}
