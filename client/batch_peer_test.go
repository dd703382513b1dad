package client

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

const oneCall = hello + `
	> {"jsonrpc":"2.0","id":"$1","method":"approval/prepare","params":"$prepare"}
	< {"jsonrpc":"2.0","id":"$1","result":{"approvals":[{"approvalId":"a1","toolCallId":"k1","argsDigest":"d"}]}}
	> {"jsonrpc":"2.0","id":"$2","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a1"],"waitMs":0}}
`

var oneBatch = Batch{SessionID: "s1", RunID: "r1", Requests: []wire.ApprovalPrepareRequest{{ToolCallID: "k1"}}}

// Whatever a daemon answers, only the permit of a decision that was looked at, and
// for these arguments, allows a call.
func TestAskEachDeniesWhatItHasNotLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		looked, taken string
		want          wire.PolicyResult
	}{
		"as it was":       {"allow", `{"approvalId":"a1","toolCallId":"k1","policyResult":"allow","consumed":true,"permit":{"argsDigest":"d"}}`, wire.PolicyAllow},
		"a denial":        {"deny", `{"approvalId":"a1","toolCallId":"k1","policyResult":"allow","consumed":true,"permit":{"argsDigest":"d"}}`, wire.PolicyDeny},
		"not taken":       {"allow", `{"approvalId":"a1","toolCallId":"k1","policyResult":"allow","consumed":false,"permit":{"argsDigest":"d"}}`, wire.PolicyDeny},
		"another":         {"allow", `{"approvalId":"a2","toolCallId":"k1","policyResult":"allow","consumed":true,"permit":{"argsDigest":"d"}}`, wire.PolicyDeny},
		"another call":    {"allow", `{"approvalId":"a1","toolCallId":"k2","policyResult":"allow","consumed":true,"permit":{"argsDigest":"d"}}`, wire.PolicyDeny},
		"other arguments": {"allow", `{"approvalId":"a1","toolCallId":"k1","policyResult":"allow","consumed":true,"permit":{"argsDigest":"e"}}`, wire.PolicyDeny},
		"no permit":       {"allow", `{"approvalId":"a1","toolCallId":"k1","policyResult":"allow","consumed":true}`, wire.PolicyDeny},
		"a denied permit": {"deny", `{"approvalId":"a1","toolCallId":"k1","policyResult":"deny","consumed":true,"permit":{"argsDigest":"d"}}`, wire.PolicyDeny},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, []string{oneCall + `
				< {"jsonrpc":"2.0","id":"$2","result":{"results":[{"approvalId":"a1","state":"resolved","resolution":{"policyResult":"` + c.looked + `"}}]}}
				> {"jsonrpc":"2.0","id":"$3","method":"approval/consumeAll","params":{"commandId":"$c3","sessionId":"s1","runId":"r1","items":[{"approvalId":"a1","toolCallId":"k1","argsDigest":"d","expect":"` + c.looked + `"}]}}
				< {"jsonrpc":"2.0","id":"$3","result":{"decisions":[` + c.taken + `]}}
			`}, func(t *testing.T, dial Dialer) {
				got, err := connect(t, dial, Options{}).AskEach(t.Context(), oneBatch)
				if err != nil {
					t.Fatal(err)
				}
				if got[0].PolicyResult != c.want || (got[0].Permit != nil) != (c.want == wire.PolicyAllow) {
					t.Errorf("got %+v, want %s", got[0], c.want)
				}
			})
		})
	}
}

// What a restart replaced between the phases is not applied: the pass is over,
// and names what to await.
func TestAPassThatMeetsARestartIsPendingUnderTheSuccessor(t *testing.T) {
	bubble(t, []string{oneCall + `
		< {"jsonrpc":"2.0","id":"$2","result":{"results":[{"approvalId":"a1","state":"resolved","resolution":{"outcome":"superseded","policyResult":"deny","successorApprovalId":"a2"}}]}}
	`}, func(t *testing.T, dial Dialer) {
		_, err := connect(t, dial, Options{}).AskEach(t.Context(), oneBatch)
		pending, ok := errors.AsType[*PendingError](err)
		if !ok || pending.ApprovalID != "a2" || pending.ToolCallID != "k1" || len(pending.Undecided) != 1 {
			t.Errorf("got %#v", err)
		}
	})
}

// A daemon that answers for fewer calls than were asked about answers for none.
func TestAskEachNeedsAnAnswerForEach(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"approval/prepare","params":"$prepare"}
		< {"jsonrpc":"2.0","id":"$1","result":{"approvals":[]}}
	`}, func(t *testing.T, dial Dialer) {
		if got, err := connect(t, dial, Options{}).AskEach(t.Context(), oneBatch); err == nil {
			t.Errorf("got %+v", got)
		}
	})
}

// Where a context ends while a gate waits for an answer, whatever it is to, the call
// is withdrawn: it may have been opened, and the permit may be there.
func TestAGateWithdrawsWhatItHasNoAnswerAbout(t *testing.T) {
	const withdrawn = `
		> {"jsonrpc":"2.0","id":"$9","method":"approval/cancel","params":{"commandId":"$c9","sessionId":"s1","toolCallId":"k1"}}
		< {"jsonrpc":"2.0","id":"$9","result":{"cancelled":["a1"]}}
	`
	const opening = hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"approval/open","params":"$open"}
	`
	const permitted = opening + `
		< {"jsonrpc":"2.0","id":"$1","result":{"approvalId":"a1","toolCallId":"k1","argsDigest":"d","state":"resolved","resolution":{"policyResult":"allow"}}}
		> {"jsonrpc":"2.0","id":"$2","method":"approval/consume","params":"$consume"}
	`
	for name, script := range map[string]string{"to the opening": opening, "to the taking": permitted} {
		t.Run(name, func(t *testing.T) {
			bubble(t, []string{script + withdrawn}, func(t *testing.T, dial Dialer) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				call := wire.ApprovalOpenParams{SessionID: "s1", ToolCallID: "k1", ToolName: "t", RawArgs: "{}", Reason: "r", Subject: []byte(`{"kind":"tool"}`)}
				err := connect(t, dial, Options{}).Gate(ctx, call, func(wire.Permit) error { t.Error("it was let through"); return nil })
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
