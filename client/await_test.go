package client

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// asks is one approval/await and its answer.
func asks(id, params, results string) string {
	return `
		> {"jsonrpc":"2.0","id":"` + id + `","method":"approval/await","params":` + params + `}
		< {"jsonrpc":"2.0","id":"` + id + `","result":{"results":` + results + `}}
	`
}

const (
	allowedA1    = `{"approvalId":"a1","state":"resolved","resolution":{"approvalId":"a1","outcome":"allowedOnce"}}`
	pendingA2    = `{"approvalId":"a2","state":"pending"}`
	supersededA2 = `{"approvalId":"a2","state":"resolved","resolution":{"approvalId":"a2","outcome":"superseded","successorApprovalId":"a3"}}`
	rejectedA3   = `{"approvalId":"a3","state":"resolved","resolution":{"approvalId":"a3","outcome":"rejected"}}`
)

func TestAwait(t *testing.T) {
	// What is asked and answered in turn, and what the caller gets.
	type outcome struct{ ID, State, Outcome string }
	cases := []struct {
		name   string
		any    bool
		waitMs *int64
		script string
		want   []outcome
	}{
		{"waits for all, in slices, for as long as it takes", false, nil,
			asks("$1", `{"sessionId":"s1","approvalIds":["a1","a2"],"waitMs":300000}`, "["+allowedA1+","+pendingA2+"]") +
				asks("$2", `{"sessionId":"s1","approvalIds":["a1","a2"],"waitMs":300000}`, "["+allowedA1+","+pendingA2+"]") +
				asks("$3", `{"sessionId":"s1","approvalIds":["a1","a2"],"waitMs":300000}`, "["+allowedA1+","+`{"approvalId":"a2","state":"resolved","resolution":{"outcome":"timedOut"}}`+"]"),
			[]outcome{{"a1", "resolved", "allowedOnce"}, {"a2", "resolved", "timedOut"}}},
		{"follows a successor and keeps the order asked", false, nil,
			asks("$1", `{"sessionId":"s1","approvalIds":["a2","a1"],"waitMs":300000}`, "["+supersededA2+","+allowedA1+"]") +
				asks("$2", `{"sessionId":"s1","approvalIds":["a3","a1"],"waitMs":300000}`, "["+rejectedA3+","+allowedA1+"]"),
			[]outcome{{"a3", "resolved", "rejected"}, {"a1", "resolved", "allowedOnce"}}},
		{"a successor counts as unresolved under any", true, nil,
			asks("$1", `{"sessionId":"s1","approvalIds":["a2"],"any":true,"waitMs":300000}`, "["+supersededA2+"]") +
				asks("$2", `{"sessionId":"s1","approvalIds":["a3"],"any":true,"waitMs":300000}`, "["+rejectedA3+"]"),
			[]outcome{{"a3", "resolved", "rejected"}}},
		{"superseded without a successor is the end of it", false, nil,
			asks("$1", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":300000}`, `[{"approvalId":"a2","state":"resolved","resolution":{"outcome":"superseded"}}]`),
			[]outcome{{"a2", "resolved", "superseded"}}},
		{"any is satisfied by one", true, nil,
			asks("$1", `{"sessionId":"s1","approvalIds":["a1","a2"],"any":true,"waitMs":300000}`, "["+allowedA1+","+pendingA2+"]"),
			[]outcome{{"a1", "resolved", "allowedOnce"}, {"a2", "pending", ""}}},
		{"zero asks once", false, new(int64(0)),
			asks("$1", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":0}`, "["+pendingA2+"]"),
			[]outcome{{"a2", "pending", ""}}},
		{"zero follows a successor all the same", false, new(int64(0)),
			asks("$1", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":0}`, "["+supersededA2+"]") +
				asks("$2", `{"sessionId":"s1","approvalIds":["a3"],"waitMs":0}`, `[{"approvalId":"a3","state":"pending"}]`),
			[]outcome{{"a3", "pending", ""}}},
		{"a long wait is cut into slices", false, new(int64(301_000)),
			asks("$1", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":300000}`, "["+pendingA2+"]") +
				asks("$2", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":1000}`, "["+pendingA2+"]"),
			[]outcome{{"a2", "pending", ""}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []string{hello + c.script}, func(t *testing.T, dial Dialer) {
				ids := make([]string, 0, 2)
				for _, o := range c.want {
					if o.ID == "a3" {
						o.ID = "a2"
					}
					ids = append(ids, o.ID)
				}
				asked := append([]string(nil), ids...)
				r, err := connect(t, dial, again).Await(t.Context(), wire.ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: ids, Any: c.any, WaitMs: c.waitMs})
				if err != nil {
					t.Fatal(err)
				}
				var got []outcome
				for _, r := range r.Results {
					o := outcome{r.ApprovalID, string(r.State), ""}
					if r.Resolution != nil {
						o.Outcome = string(r.Resolution.Outcome)
					}
					got = append(got, o)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(asked, ids); diff != "" {
					t.Errorf("the caller's ids were changed:\n%s", diff)
				}
			})
		})
	}
}

// The daemon is killed while the agent waits: the connection breaks, nobody
// listens for a while, and the new daemon has reissued the approval.
func TestAwaitOutlivesARestartOfTheDaemon(t *testing.T) {
	bubble(t, []string{
		hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a2"],"waitMs":300000}}
			< {"jsonrpc":"2.0","id":"$1","error":{"code":-32095,"message":"m","data":{"kind":"shuttingDown","retryable":true}}}
			close`,
		"refuse",
		hello + asks("$2", `{"sessionId":"s1","approvalIds":["a2"],"waitMs":300000}`, "["+supersededA2+"]") + `
			> {"jsonrpc":"2.0","id":"$3","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a3"],"waitMs":300000}}
			close`,
		hello + asks("$4", `{"sessionId":"s1","approvalIds":["a3"],"waitMs":300000}`, "["+rejectedA3+"]"),
	}, func(t *testing.T, dial Dialer) {
		r, err := connect(t, dial, again).Await(t.Context(), wire.ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: []string{"a2"}})
		if err != nil || r.Results[0].ApprovalID != "a3" || r.Results[0].Resolution.Outcome != wire.OutcomeRejected {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	bubble(t, []string{hello + `> {"jsonrpc":"2.0","id":"$1","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a1"],"waitMs":300000}}`}, func(t *testing.T, dial Dialer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := connect(t, dial, again).Await(ctx, wire.ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: []string{"a1"}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAwaitRefusesAnAnswerOfAnotherLength(t *testing.T) {
	bubble(t, []string{hello + asks("$1", `{"sessionId":"s1","approvalIds":["a1"],"waitMs":300000}`, `[]`)}, func(t *testing.T, dial Dialer) {
		if r, err := connect(t, dial, again).Await(t.Context(), wire.ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: []string{"a1"}}); err == nil {
			t.Errorf("got %+v", r)
		}
	})
}
