package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// Each case is one method: what is called, the params that must be on the wire,
// the result that the daemon sends, and what the caller must get.
func TestMethodsSendTheirParamsAndReturnTheirResults(t *testing.T) {
	ack := wire.Accepted("c1")
	req := wire.RequirementID{ApprovalID: "a1", SourceIndex: 2}
	cases := []struct {
		method, params, result string
		call                   func(context.Context, *Client) (any, error)
		want                   any
	}{
		{wire.MethodSessionStart, `{"commandId":"c1","name":"n"}`, `{"commandId":"c1","status":"accepted","session":{"sessionId":"s1"},"viewCursor":"v"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.StartSession(ctx, wire.SessionStartParams{CommandID: "c1", Name: "n"})
			}, wire.SessionStartResult{Ack: ack, Session: wire.Session{SessionID: "s1"}, ViewCursor: "v"}},
		{wire.MethodSessionResume, `{"commandId":"c1","sessionId":"s1","cursor":"v0"}`, `{"commandId":"c1","status":"accepted","viewCursor":"v"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ResumeSession(ctx, wire.SessionResumeParams{CommandID: "c1", SessionID: "s1", Cursor: new("v0")})
			}, wire.SessionResumeResult{Ack: ack, ViewCursor: "v"}},
		{wire.MethodSessionRead, `{"sessionId":"s1"}`, `{"viewCursor":"v"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.ReadSession(ctx, "s1") }, wire.SessionReadResult{ViewCursor: "v"}},
		{wire.MethodSessionList, `{"limit":3}`, `{"sessions":[{"sessionId":"s1"}],"nextCursor":"k"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ListSessions(ctx, wire.SessionListParams{Limit: new(3)})
			}, wire.SessionListResult{Sessions: []wire.Session{{SessionID: "s1"}}, NextCursor: new("k")}},
		{wire.MethodSessionSetApprovalMode, `{"commandId":"c1","sessionId":"s1","mode":"denyUnmatched"}`, `{"commandId":"c1","status":"accepted","applyOutcome":"noop"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.SetApprovalMode(ctx, wire.SessionSetApprovalModeParams{CommandID: "c1", SessionID: "s1", Mode: wire.ModeDenyUnmatched})
			}, wire.SessionSetApprovalModeResult{Ack: ack, ApplyOutcome: wire.ApplyNoop}},
		{wire.MethodSessionClose, `{"commandId":"c1","sessionId":"s1","reason":"done"}`, `{"commandId":"c1","status":"accepted"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.CloseSession(ctx, wire.SessionCloseParams{CommandID: "c1", SessionID: "s1", Reason: "done"})
			}, wire.SessionCloseResult{Ack: ack}},
		{wire.MethodViewPage, `{"sessionId":"s1","limit":5,"direction":"backward"}`, `{"events":[{"method":"m","params":{}}],"nextCursor":null}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Page(ctx, wire.ViewPageParams{SessionID: "s1", Limit: 5, Direction: wire.DirectionBackward})
			}, wire.ViewPageResult{Events: []wire.ViewEvent{{Method: "m", Params: []byte(`{}`)}}}},
		{wire.MethodViewUnsubscribe, `{"sessionId":"s1"}`, `{}`,
			func(ctx context.Context, c *Client) (any, error) { return nil, c.Unsubscribe(ctx, "s1") }, nil},
		{wire.MethodApprovalOpen, `{"commandId":"c1","sessionId":"s1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"shell","command":"a && b"}}`, `{"commandId":"c1","status":"accepted","approvalId":"a1","state":"pending"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Open(ctx, wire.ApprovalOpenParams{CommandID: "c1", SessionID: "s1", ToolName: "bash", RawArgs: "{}", Reason: "r", Subject: []byte(`{"kind":"shell","command":"a && b"}`)})
			}, wire.ApprovalOpenResult{Ack: ack, ApprovalID: "a1", State: wire.StatePending}},
		{wire.MethodApprovalCancel, `{"commandId":"c1","sessionId":"s1","all":true}`, `{"commandId":"c1","status":"accepted","cancelled":["a1"]}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Cancel(ctx, wire.ApprovalCancelParams{CommandID: "c1", SessionID: "s1", All: true})
			}, wire.ApprovalCancelResult{Ack: ack, Cancelled: []string{"a1"}}},
		{wire.MethodApprovalPrepare, `{"commandId":"c1","sessionId":"s1","runId":"r1","requests":[{"toolCallId":"k1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"x"}}]}`,
			`{"commandId":"c1","status":"accepted","approvals":[{"approvalId":"a1","toolCallId":"k1","created":true}]}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Prepare(ctx, wire.ApprovalPrepareParams{CommandID: "c1", SessionID: "s1", RunID: "r1", Requests: []wire.ApprovalPrepareRequest{
					{ToolCallID: "k1", ToolName: "bash", RawArgs: "{}", Reason: "r", Subject: []byte(`{"kind":"x"}`)},
				}})
			}, wire.ApprovalPrepareResult{Ack: ack, Approvals: []wire.PreparedApproval{{ApprovalID: "a1", ToolCallID: "k1", Created: true}}}},
		{wire.MethodApprovalConsumeAll, `{"commandId":"c1","sessionId":"s1","runId":"r1","items":[{"approvalId":"a1","toolCallId":"k1","argsDigest":"d","expect":"allow"}]}`,
			`{"commandId":"c1","status":"accepted","decisions":[{"approvalId":"a1","policyResult":"allow","consumed":true,"permit":{"argsDigest":"d"}}]}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ConsumeAll(ctx, wire.ApprovalConsumeAllParams{CommandID: "c1", SessionID: "s1", RunID: "r1", Items: []wire.ApprovalConsumeItem{
					{ApprovalID: "a1", ToolCallID: "k1", ArgsDigest: "d", Expect: wire.PolicyAllow},
				}})
			}, wire.ApprovalConsumeAllResult{Ack: ack, Decisions: []wire.ConsumedDecision{
				{ApprovalID: "a1", PolicyResult: wire.PolicyAllow, Consumed: true, Permit: &wire.Permit{ArgsDigest: "d"}},
			}}},
		{wire.MethodApprovalDecide, `{"commandId":"c1","sessionId":"s1","approvalId":"a1","requirementId":{"approvalId":"a1","sourceIndex":2},"choiceId":"abort","feedback":"no"}`, `{"commandId":"c1","status":"accepted","approvalId":"a1","terminal":true}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Decide(ctx, wire.ApprovalDecideParams{CommandID: "c1", SessionID: "s1", ApprovalID: "a1", RequirementID: req, ChoiceID: wire.ChoiceAbort, Feedback: new("no")})
			}, wire.ApprovalDecideResult{Ack: ack, ApprovalID: "a1", Terminal: true}},
		{wire.MethodApprovalListPending, `{"sessionId":"s1"}`, `{"approvals":[{"approvalId":"a1"}],"userInputs":[],"nextCursor":null}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ListPending(ctx, wire.ApprovalListPendingParams{SessionID: "s1"})
			}, wire.ApprovalListPendingResult{Approvals: []wire.ApprovalRequest{{ApprovalID: "a1"}}, UserInputs: wire.List[wire.UserInputRequest]{}}},
		{wire.MethodApprovalRead, `{"sessionId":"s1","approvalId":"a1"}`, `{"request":{"approvalId":"a1"},"resolution":{"outcome":"rejected"}}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: "s1", ApprovalID: "a1"})
			}, wire.ApprovalReadResult{Request: wire.ApprovalRequest{ApprovalID: "a1"}, Resolution: &wire.Resolution{Outcome: wire.OutcomeRejected}}},
		{wire.MethodUserInputOpen, `{"commandId":"c1","sessionId":"s1","toolCallId":"call_1","toolName":"ask","questions":[{"id":"q","header":"","question":"Why?","options":[],"selection":{"mode":"single"}}]}`, `{"commandId":"c1","status":"accepted","userInputId":"u1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.OpenInput(ctx, wire.UserInputOpenParams{
					CommandID: "c1", SessionID: "s1", ToolCallID: "call_1", ToolName: "ask",
					Questions: []wire.Question{{ID: "q", Question: "Why?", Selection: wire.Selection{Mode: wire.SelectSingle}}},
				})
			}, wire.UserInputOpenResult{Ack: ack, UserInputID: "u1"}},
		{wire.MethodUserInputAnswer, `{"commandId":"c1","sessionId":"s1","userInputId":"u1","answers":[{"questionId":"q","freeText":"a && b"}]}`, `{"commandId":"c1","status":"accepted","userInputId":"u1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.AnswerInput(ctx, wire.UserInputAnswerParams{
					CommandID: "c1", SessionID: "s1", UserInputID: "u1", Answers: []wire.Answer{{QuestionID: "q", FreeText: new("a && b")}},
				})
			}, wire.UserInputResult{Ack: ack, UserInputID: "u1"}},
		{wire.MethodUserInputCancel, `{"commandId":"c1","sessionId":"s1","userInputId":"u1","reason":"no"}`, `{"commandId":"c1","status":"accepted","userInputId":"u1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.CancelInput(ctx, wire.UserInputCancelParams{CommandID: "c1", SessionID: "s1", UserInputID: "u1", Reason: "no"})
			}, wire.UserInputResult{Ack: ack, UserInputID: "u1"}},
		{wire.MethodUserInputClarify, `{"commandId":"c1","sessionId":"s1","userInputId":"u1","clarification":{"format":"text","content":"a"}}`, `{"commandId":"c1","status":"accepted","userInputId":"u1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.ClarifyInput(ctx, wire.UserInputClarifyParams{
					CommandID: "c1", SessionID: "s1", UserInputID: "u1", Clarification: wire.Clarification{Format: wire.ClarificationText, Content: "a"},
				})
			}, wire.UserInputResult{Ack: ack, UserInputID: "u1"}},
		{wire.MethodUserInputInterrupt, `{"commandId":"c1","sessionId":"s1","userInputId":"u1"}`, `{"commandId":"c1","status":"accepted","userInputId":"u1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.InterruptInput(ctx, wire.UserInputInterruptParams{CommandID: "c1", SessionID: "s1", UserInputID: "u1"})
			}, wire.UserInputResult{Ack: ack, UserInputID: "u1"}},
		{wire.MethodUserInputAwait, `{"sessionId":"s1","userInputIds":["u1"],"waitMs":5}`, `{"results":[{"userInputId":"u1","state":"settled","settlement":{"outcome":"timedOut"}}]}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.AwaitInput(ctx, wire.UserInputAwaitParams{SessionID: "s1", UserInputIDs: []string{"u1"}, WaitMs: new(int64(5))})
			}, wire.UserInputAwaitResult{Results: []wire.UserInputAwaited{
				{UserInputID: "u1", State: wire.UserInputSettled, Settlement: &wire.UserInputSettlement{Outcome: wire.UserInputTimedOut}},
			}}},
		{wire.MethodCatalogOpen, `{"commandId":"c1","sessionId":"s1","serverName":"mail","tools":[{"name":"send","digest":"d"}]}`, `{"commandId":"c1","status":"accepted","catalogId":"k1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.OpenCatalog(ctx, wire.CatalogOpenParams{CommandID: "c1", SessionID: "s1", ServerName: "mail", Tools: []wire.CatalogTool{{Name: "send", Digest: "d"}}})
			}, wire.CatalogOpenResult{Ack: ack, CatalogID: "k1"}},
		{wire.MethodCatalogUpdate, `{"commandId":"c1","sessionId":"s1","catalogId":"k1","tools":[]}`, `{"commandId":"c1","status":"accepted"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.UpdateCatalog(ctx, wire.CatalogUpdateParams{CommandID: "c1", SessionID: "s1", CatalogID: "k1"})
			}, wire.CatalogUpdateResult{Ack: ack}},
		{wire.MethodCatalogClose, `{"commandId":"c1","sessionId":"s1","catalogId":"k1"}`, `{"commandId":"c1","status":"accepted"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.CloseCatalog(ctx, wire.CatalogCloseParams{CommandID: "c1", SessionID: "s1", CatalogID: "k1"})
			}, wire.CatalogCloseResult{Ack: ack}},
		{wire.MethodTurnStart, `{"commandId":"c1","sessionId":"s1","input":[{"text":"a && b"}]}`,
			`{"commandId":"c1","status":"accepted","turnId":"t1","startedNewTurn":true,"disposition":"started"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.StartTurn(ctx, wire.TurnStartParams{CommandID: "c1", SessionID: "s1", Input: []json.RawMessage{[]byte(`{"text":"a && b"}`)}})
			}, wire.TurnStartResult{Ack: ack, TurnID: "t1", StartedNewTurn: true, Disposition: wire.TurnBegan}},
		{wire.MethodTurnInterrupt, `{"commandId":"c1","sessionId":"s1","turnId":"t1"}`, `{"commandId":"c1","status":"accepted","turnId":"t1"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.InterruptTurn(ctx, wire.TurnInterruptParams{CommandID: "c1", SessionID: "s1", TurnID: "t1"})
			}, wire.TurnInterruptResult{Ack: ack, TurnID: "t1"}},
		{wire.MethodTurnComplete, `{"commandId":"c1","sessionId":"s1","turnId":"t1","terminal":"failed","reason":"r"}`, `{"commandId":"c1","status":"accepted"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.CompleteTurn(ctx, wire.TurnCompleteParams{CommandID: "c1", SessionID: "s1", TurnID: "t1", Terminal: wire.TurnHasFailed, Reason: "r"})
			}, wire.TurnCompleteResult{Ack: ack}},
		{wire.MethodGrantList, `{"sessionId":"s1"}`, `{"grants":[{"grantId":"g1","inForce":true}]}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.Grants(ctx, wire.GrantListParams{SessionID: "s1"})
			}, wire.GrantListResult{Grants: []wire.Grant{{GrantID: "g1", InForce: true}}}},
		{wire.MethodGrantRevoke, `{"commandId":"c1","sessionId":"s1","grantId":"g1"}`, `{"commandId":"c1","status":"accepted"}`,
			func(ctx context.Context, c *Client) (any, error) {
				return c.RevokeGrant(ctx, wire.GrantRevokeParams{CommandID: "c1", SessionID: "s1", GrantID: "g1"})
			}, wire.GrantRevokeResult{Ack: ack}},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.method, "/", "-"), func(t *testing.T) {
			script := hello + fmt.Sprintf(`
				> {"jsonrpc":"2.0","id":"$1","method":%q,"params":%s}
				< {"jsonrpc":"2.0","id":"$1","result":%s}
			`, c.method, c.params, c.result)
			bubble(t, []string{script}, func(t *testing.T, dial Dialer) {
				got, err := c.call(t.Context(), connect(t, dial, Options{}))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestCommandsWithoutAnIDGetOne(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"approval/cancel","params":{"commandId":"$c1","sessionId":"s1","all":true}}
		< {"jsonrpc":"2.0","id":"$1","result":{"commandId":"$c1","status":"accepted","cancelled":[]}}
	`}, func(t *testing.T, dial Dialer) {
		r, err := connect(t, dial, Options{}).Cancel(t.Context(), wire.ApprovalCancelParams{SessionID: "s1", All: true})
		if err != nil || !uuidV7.MatchString(r.CommandID) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestRefusalsAreWireErrors(t *testing.T) {
	cases := []struct{ name, sent, want string }{
		{"with data", `{"code":-32051,"message":"too late","data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"a1","resolution":{"decision":"abort","resolvedBy":"user","viewCursor":"v","outcome":"rejected"},"more":1}}`,
			`{"code":-32051,"message":"too late","data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"a1","resolution":{"decision":"abort","resolvedBy":"user","viewCursor":"v","outcome":"rejected"}}}`},
		{"without data the kind is that of the code", `{"code":-32001,"message":"m"}`, `{"code":-32001,"message":"m","data":{"kind":"overloaded","retryable":true}}`},
		{"data of another shape", `{"code":-32050,"message":"m","data":"text"}`, `{"code":-32050,"message":"m","data":{"kind":"approvalNotFound","retryable":false}}`},
		{"an unknown code", `{"code":7,"message":"m","data":{"kind":"newKind","retryable":true}}`, `{"code":7,"message":"m","data":{"kind":"newKind","retryable":true}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []string{hello + `
				> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
				< {"jsonrpc":"2.0","id":"$1","error":` + c.sent + `}
			`}, func(t *testing.T, dial Dialer) {
				_, err := connect(t, dial, Options{}).ReadSession(t.Context(), "s1")
				var refusal *wire.Error
				if !errors.As(err, &refusal) {
					t.Fatalf("got %v", err)
				}
				got, err := wire.Marshal(refusal)
				if err != nil || string(got) != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

func TestAnswersThatDoNotFitAreErrors(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$1","result":{"session":7}}
	`}, func(t *testing.T, dial Dialer) {
		_, err := connect(t, dial, Options{}).ReadSession(t.Context(), "s1")
		if err == nil || !strings.Contains(err.Error(), "does not fit") {
			t.Errorf("got %v", err)
		}
	})
}

func TestACallEndsWithItsContextAndItsLateAnswerHarmsNobody(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
		> {"jsonrpc":"2.0","id":"$2","method":"session/read","params":{"sessionId":"s2"}}
		< {"jsonrpc":"2.0","id":"$1","result":{"viewCursor":"late"}}
		< {"jsonrpc":"2.0","id":"$2","result":{"viewCursor":"v"}}
	`}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.ReadSession(ctx, "s1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if r, err := c.ReadSession(t.Context(), "s2"); err != nil || r.ViewCursor != "v" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestAFrameOverTheCapIsRefusedHereAndTheConnectionLives(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$1","result":{}}
	`}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		_, err := c.ReadSession(t.Context(), strings.Repeat("x", wire.MaxFrame))
		if !wire.IsKind(err, wire.KindInputTooLarge) {
			t.Errorf("got %v", err)
		}
		if _, err := c.ReadSession(t.Context(), "s1"); err != nil {
			t.Error(err)
		}
	})
}
