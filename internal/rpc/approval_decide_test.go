package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// A protected write is allowed only while somebody who can be asked is there for
// its session, be it through one above it; that nobody is leaves no trace
// (policy.md "Verdict", protocol §9).
func TestAProtectedWriteNeedsAReviewerWhoIsThere(t *testing.T) {
	cases := map[string]struct {
		come func(h *host, decider *client, parent, session string)
		want bool
	}{
		"nobody":                     {func(*host, *client, string, string) {}, false},
		"the decider":                {func(_ *host, decider *client, _, session string) { decider.subscribe(session) }, true},
		"the decider, of the parent": {func(_ *host, decider *client, parent, _ string) { decider.subscribe(parent) }, true},
		"another reviewer":           {func(h *host, _ *client, _, session string) { h.as(wire.RoleReviewer).subscribe(session) }, true},
		"a reviewer of all sessions": {func(h *host, _ *client, _, _ string) { h.as(wire.RoleReviewer, `"allSessions":true`) }, true},
		"one who is not to be asked": {func(h *host, _ *client, _, session string) {
			h.as(wire.RoleReviewer, `"interactive":false`).subscribe(session)
		}, false},
		"an agent":                         {func(h *host, _ *client, _, session string) { resume(h.as(wire.RoleAgent), session) }, false},
		"a reviewer of a session below it": {func(h *host, _ *client, _, session string) { c := h.as(wire.RoleBoth); c.subscribe(c.child(session)) }, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				agent, decider := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
				parent := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, desk(t)))
				session := agent.child(parent)
				var opened wire.ApprovalOpenResult
				agent.must(wire.MethodApprovalOpen,
					opening(session, `{"kind":"fileAccess","path":".git/hooks/pre-commit","access":"write"}`), &opened)
				id := opened.ApprovalID
				c.come(h, decider, parent, session)
				h.settle()

				var read wire.ApprovalReadResult
				decider.must(wire.MethodApprovalRead, inSession(session, fmt.Sprintf(`"approvalId":%q`, id)), &read)
				var menu []wire.ChoiceID
				for _, choice := range read.Request.AvailableChoices {
					menu = append(menu, choice.ChoiceID)
				}
				if diff := cmp.Diff([]wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort}, menu); diff != "" || !read.Request.ProtectedWrite {
					t.Errorf("protected: %t; menu (-want +got):\n%s", read.Request.ProtectedWrite, diff)
				}

				params := decideParams(session, id, wire.ChoiceAllowOnce)
				f := decider.call(wire.MethodApprovalDecide, params)
				if c.want {
					if f.Error != nil {
						t.Errorf("it was refused: %s", f.raw)
					}
					return
				}
				if f.Error == nil || f.Error.Code != wire.CodeApprovalReviewerUnavailable ||
					f.Error.Data.Kind != wire.KindApprovalReviewerUnavailable || !strings.Contains(f.raw, id) {
					t.Fatalf("it was answered %s", f.raw)
				}
				decider.subscribe(session)
				h.settle()
				decider.must(wire.MethodApprovalDecide, params, nil) // nothing was recorded
			})
		})
	}
}

// Nobody needs to be there to reject one.
func TestAProtectedWriteIsRejectedByAnyone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, decider := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session := agent.start(fmt.Sprintf(`"workspaceRoot":%q`, desk(t)))
		var opened wire.ApprovalOpenResult
		agent.must(wire.MethodApprovalOpen, opening(session, `{"kind":"fileAccess","path":".git/config","access":"write"}`), &opened)
		decider.choose(session, opened.ApprovalID, wire.ChoiceAbort)
		if got := agent.state(session, opened.ApprovalID); got != "rejected" {
			t.Errorf("it is %s", got)
		}
	})
}
