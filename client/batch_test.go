package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// batchHome is a daemon with a session of a client that both asks and decides.
func batchHome(t *testing.T) (h home, c *client.Client, session string) {
	t.Helper()
	h = tempHome(t)
	d := h.start(t)
	t.Cleanup(func() { closed(t, d) })
	c = dial(t, h.socket("host"), client.Options{Reconnect: true})
	started, err := c.StartSession(t.Context(), wire.SessionStartParams{WorkspaceRoot: h.workspace()})
	if err != nil {
		t.Fatal(err)
	}
	return h, c, started.Session.SessionID
}

// request is a call of a batch.
func request(call, command string) wire.ApprovalPrepareRequest {
	return wire.ApprovalPrepareRequest{
		ToolCallID: call, ToolName: "bash", RawArgs: `{"command":"` + command + `"}`, Reason: "build",
		Subject: []byte(`{"kind":"shell","command":"` + command + `"}`),
	}
}

// decideNext decides whatever waits longest.
func decideNext(t *testing.T, c *client.Client, session string, choice wire.ChoiceID) {
	t.Helper()
	for {
		pending, err := c.ListPending(t.Context(), wire.ApprovalListPendingParams{SessionID: session})
		if err == nil && len(pending.Approvals) == 0 {
			continue
		}
		if err == nil {
			r := pending.Approvals[0]
			_, err = c.Decide(t.Context(), wire.ApprovalDecideParams{
				SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: choice,
			})
		}
		if err != nil {
			t.Error(err)
		}
		return
	}
}

func TestADecisionThatIsRefusedByTheVettingIsKept(t *testing.T) {
	_, c, session := batchHome(t)
	refusal := errors.New("an edit that cannot be applied")
	batch := client.Batch{SessionID: session, RunID: "run_1", Requests: []wire.ApprovalPrepareRequest{request("call_1", "make a"), request("call_2", "make b")}}
	for range batch.Requests {
		_, err := c.AskEach(t.Context(), batch)
		if pending, ok := errors.AsType[*client.PendingError](err); !ok || len(pending.Undecided) == 0 {
			t.Fatalf("got %v", err)
		}
		decideNext(t, c, session, wire.ChoiceAllowOnce)
	}
	vetted := 0
	batch.Vet = func(r wire.ApprovalPrepareRequest, d wire.Resolution) error {
		vetted++
		if r.ToolCallID != d.ToolCallID {
			t.Errorf("the decision of %s was shown for %s", d.ToolCallID, r.ToolCallID)
		}
		if vetted == 2 {
			return refusal
		}
		return nil
	}
	if _, err := c.AskEach(t.Context(), batch); !errors.Is(err, refusal) {
		t.Fatalf("got %v", err)
	}
	batch.Vet = nil
	got, err := c.AskEach(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got {
		if !d.Consumed || d.PolicyResult != wire.PolicyAllow {
			t.Errorf("the next pass got %+v", d)
		}
	}
}

// Of workers that resolve one run at once, exactly one may carry a call out.
func TestOfTwoWorkersOneMayCarryTheCallOut(t *testing.T) {
	h, c, session := batchHome(t)
	batch := client.Batch{SessionID: session, RunID: "run_1", Requests: []wire.ApprovalPrepareRequest{request("call_1", "make a"), request("call_2", "make b")}}
	if _, err := c.AskEach(t.Context(), batch); err == nil {
		t.Fatal("it was decided by itself")
	}
	decideNext(t, c, session, wire.ChoiceAllowOnce)
	decideNext(t, c, session, wire.ChoiceAllowOnce)
	const workers = 8
	permits := make(chan string, workers*len(batch.Requests))
	done := make(chan error, workers)
	for range workers {
		worker := dial(t, h.socket("host"), client.Options{})
		go func() {
			decisions, err := worker.AskEach(t.Context(), batch)
			for _, d := range decisions {
				if d.Permit != nil {
					permits <- d.ToolCallID
				}
			}
			if _, pending := errors.AsType[*client.PendingError](err); pending {
				err = nil // it prepared after the winner had consumed, and reviewers are asked again
			}
			done <- err
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	close(permits)
	got := map[string]int{}
	for call := range permits {
		got[call]++
	}
	if diff := cmp.Diff(map[string]int{"call_1": 1, "call_2": 1}, got); diff != "" {
		t.Errorf("permits (-want +got):\n%s", diff)
	}
}

// gated is the call of the tests of Gate.
func gated(session string) wire.ApprovalOpenParams {
	return wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make"}`, Reason: "build",
		Subject: []byte(`{"kind":"shell","command":"make"}`),
	}
}

func TestAGateLetsACallThroughOnceItIsApproved(t *testing.T) {
	_, c, session := batchHome(t)
	go decideNext(t, c, session, wire.ChoiceAllowOnce)
	failed := errors.New("the tool failed")
	var permit wire.Permit
	err := c.Gate(t.Context(), gated(session), func(p wire.Permit) error { permit = p; return failed })
	if !errors.Is(err, failed) || permit.ArgsDigest == "" || permit.SubjectDigest == "" {
		t.Errorf("got %v with the permit %+v", err, permit)
	}
}

func TestAGateKeepsACallThatIsRejected(t *testing.T) {
	_, c, session := batchHome(t)
	go decideNext(t, c, session, wire.ChoiceAbort)
	err := c.Gate(t.Context(), gated(session), func(wire.Permit) error { t.Error("it was let through"); return nil })
	denied, ok := errors.AsType[*client.DeniedError](err)
	if !ok || denied.Outcome != wire.OutcomeRejected || denied.Denial.Kind != wire.DenialRejected || denied.Error() != denied.Denial.Message {
		t.Errorf("got %#v", err)
	}
}

func TestAGateThatNobodyWaitsAtWithdrawsTheCall(t *testing.T) {
	_, c, session := batchHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := c.Gate(ctx, gated(session), func(wire.Permit) error { t.Error("it was let through"); return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	pending, err := c.ListPending(t.Context(), wire.ApprovalListPendingParams{SessionID: session})
	if err != nil || len(pending.Approvals) != 0 {
		t.Errorf("%d approvals wait: %v", len(pending.Approvals), err)
	}
}

// The daemon is killed while a call waits at a gate, and a run between its passes.
func TestGatesAndPassesOutliveAKilledDaemon(t *testing.T) {
	h := tempHome(t)
	first := h.start(t)
	c := dial(t, h.socket("host"), client.Options{Reconnect: true})
	started, err := c.StartSession(t.Context(), wire.SessionStartParams{WorkspaceRoot: h.workspace()})
	if err != nil {
		t.Fatal(err)
	}
	session := started.Session.SessionID
	batch := client.Batch{SessionID: session, RunID: "run_1", Requests: []wire.ApprovalPrepareRequest{request("call_2", "make a")}}
	if _, err := c.AskEach(t.Context(), batch); err == nil {
		t.Fatal("it was decided by itself")
	}
	through := make(chan error, 1)
	go func() { through <- c.Gate(t.Context(), gated(session), func(wire.Permit) error { return nil }) }()
	for waiting := 0; waiting < 2; {
		pending, err := c.ListPending(t.Context(), wire.ApprovalListPendingParams{SessionID: session})
		if err != nil {
			t.Fatal(err)
		}
		waiting = len(pending.Approvals)
	}
	if err := first.Crash(); err != nil {
		t.Fatal(err)
	}
	second := h.start(t)
	defer closed(t, second)
	decideNext(t, c, session, wire.ChoiceAllowOnce)
	decideNext(t, c, session, wire.ChoiceAllowOnce)
	if err := <-through; err != nil {
		t.Errorf("the gate: %v", err)
	}
	got, err := c.AskEach(t.Context(), batch)
	if err != nil || got[0].Permit == nil {
		t.Errorf("the pass: %+v, %v", got, err)
	}
}
