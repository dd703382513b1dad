package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// A reviewer of a session is asked about its children, before and after the
// daemon is killed, and a grant that is given to the parent is there for both
// until it is revoked.
func TestAParentsReviewerOutlivesAKilledDaemon(t *testing.T) {
	h := tempHome(t)
	first := h.start(t)
	ctx := t.Context()
	agent := dial(t, h.socket("host"), client.Options{Role: wire.RoleAgent, Reconnect: true})
	start := func(p wire.SessionStartParams) string {
		t.Helper()
		s, err := agent.StartSession(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		return s.Session.SessionID
	}
	open := func(session, tool string) wire.ApprovalOpenResult {
		t.Helper()
		opened, err := agent.Open(ctx, wire.ApprovalOpenParams{
			SessionID: session, ToolCallID: "call_1", ToolName: tool, RawArgs: `{}`, Reason: "It is needed.", Subject: []byte(`{"kind":"tool"}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	parent := start(wire.SessionStartParams{WorkspaceRoot: h.workspace()})
	child := start(wire.SessionStartParams{ParentSessionID: parent})

	requests := make(chan wire.ApprovalRequest, 8)
	reviewer := dial(t, h.socket("host"), client.Options{
		Role: wire.RoleReviewer, Interactive: true, Reconnect: true, OnRequest: func(r wire.ApprovalRequest) { requests <- r },
	})
	if _, err := reviewer.Subscribe(ctx, parent, client.Head()); err != nil {
		t.Fatal(err)
	}
	asked := func(session, approval string) wire.ApprovalRequest {
		t.Helper()
		r := <-requests
		if r.SessionID != session || approval != "" && r.ApprovalID != approval {
			t.Fatalf("asked about approval %s of session %s, want %s of %s", r.ApprovalID, r.SessionID, approval, session)
		}
		return r
	}

	open(parent, "search")
	request := asked(parent, "")
	decide(t, reviewer, &request, wire.ChoiceAllowSession)
	if got := open(child, "search"); got.State != wire.StateResolved || got.Resolution.Source != wire.SourceSessionGrant {
		t.Errorf("under its parent's grant the child's call is %+v", got)
	}
	waits := open(child, "write")
	request = asked(child, waits.ApprovalID)
	want := &wire.SubagentOrigin{ChildSessionID: child, Path: []string{parent, child}}
	if diff := cmp.Diff(want, request.SubagentOrigin); diff != "" {
		t.Errorf("origin (-want +got):\n%s", diff)
	}

	if err := first.Crash(); err != nil {
		t.Fatal(err)
	}
	defer closed(t, h.start(t))

	request = asked(child, "") // the successor
	decide(t, reviewer, &request, wire.ChoiceAbort)
	grants, err := reviewer.Grants(ctx, wire.GrantListParams{SessionID: child})
	if err != nil || len(grants.Grants) != 1 || !grants.Grants[0].InForce || grants.Grants[0].SessionID != parent {
		t.Fatalf("grants: %+v, %v", grants.Grants, err)
	}
	if _, err := reviewer.RevokeGrant(ctx, wire.GrantRevokeParams{SessionID: parent, GrantID: grants.Grants[0].GrantID}); err != nil {
		t.Fatal(err)
	}
	asked(child, open(child, "search").ApprovalID)
}
