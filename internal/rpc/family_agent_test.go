package rpc

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/approvald/approvald/wire"
)

// An agent that owns a session sees what is below it, whoever started that, and
// no other agent does (protocol §2, §4 "Children").
func TestAnAgentSeesWhatIsBelowItsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		parent, sub, other := h.as(wire.RoleAgent), h.as(wire.RoleAgent), h.as(wire.RoleAgent)
		root := parent.start()
		resume(sub, root)
		child := sub.child(root)
		id := sub.open(child)
		h.settle()

		if got := parent.state(child, id); got != "pending" {
			t.Errorf("it is %s to the owner of the parent", got)
		}
		for _, method := range []string{wire.MethodSessionStarted, wire.MethodApprovalRequested} {
			if n := parent.heard(method, child); n != 1 {
				t.Errorf("the owner of the parent heard %s %d times", method, n)
			}
			if n := other.heard(method, child); n != 0 {
				t.Errorf("another agent heard %s", method)
			}
		}
		var list wire.SessionListResult
		parent.must(wire.MethodSessionList, `{}`, &list)
		if len(list.Sessions) != 2 {
			t.Errorf("it lists %d sessions", len(list.Sessions))
		}
		for _, method := range []string{wire.MethodSessionRead, wire.MethodViewSubscribe, wire.MethodApprovalListPending} {
			if e := other.refused(method, inSession(child)); e.Code != wire.CodeSessionNotFound {
				t.Errorf("%s by another agent: %+v", method, e)
			}
		}
		var cancelled wire.ApprovalCancelResult
		parent.must(wire.MethodApprovalCancel, inSession(child, fmt.Sprintf(`"commandId":%q,"approvalId":%q`, command(), id)), &cancelled)
		if len(cancelled.Cancelled) != 1 {
			t.Error("the owner of the parent could not withdraw it")
		}
	})
}

// An agent that owns the child alone does not see the parent.
func TestAnAgentDoesNotSeeWhatIsAboveItsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		parent := h.as(wire.RoleAgent)
		root := parent.start()
		child := parent.child(root)
		sub := h.as(wire.RoleAgent)
		resume(sub, child)
		parent.open(root)
		h.settle()
		if e := sub.refused(wire.MethodSessionRead, inSession(root)); e.Code != wire.CodeSessionNotFound {
			t.Errorf("session/read of the parent: %+v", e)
		}
		for _, f := range sub.all() {
			if f.Method != "" && strings.Contains(f.raw, fmt.Sprintf(`"sessionId":%q`, root)) {
				t.Errorf("it was told %s", f.raw)
			}
		}
	})
}

// An agent starts children of what it owns and of nothing else; what it repeats
// on a connection that owns nothing yet is answered as before (protocol §3).
func TestWhoseChildrenAnAgentStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, other := h.as(wire.RoleAgent), h.as(wire.RoleAgent)
		root := agent.start()
		for _, parent := range []string{root, numbered(1 << 40).String()} {
			e := other.refused(wire.MethodSessionStart, startParams(fmt.Sprintf(`"parentSessionId":%q`, parent)))
			if e.Code != wire.CodeSessionNotFound || e.Data.SessionID != parent {
				t.Errorf("below %s: %+v", parent, e)
			}
		}
		params := startParams(fmt.Sprintf(`"parentSessionId":%q`, root))
		var first, again wire.SessionStartResult
		agent.must(wire.MethodSessionStart, params, &first)
		other.must(wire.MethodSessionStart, params, &again)
		if first.Session.SessionID != again.Session.SessionID {
			t.Error("the repeated start made another session")
		}
		if got := other.state(first.Session.SessionID, other.open(first.Session.SessionID)); got != "pending" {
			t.Errorf("what is opened in it is %s", got)
		}

		both := h.as(wire.RoleBoth)
		absent := numbered(1 << 41).String()
		if e := both.refused(wire.MethodSessionStart, startParams(fmt.Sprintf(`"parentSessionId":%q`, absent))); e.Code != wire.CodeSessionNotFound {
			t.Errorf("a parent that is not there: %+v", e)
		}
	})
}

// A start that follows its parent's on the wire finds the parent.
func TestAChildMayBeStartedRightBehindItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		root := numbered(1 << 40).String()
		h.log.gate.close()
		agent.send(wire.MethodSessionStart, startParams(fmt.Sprintf(`"sessionId":%q`, root)))
		child := agent.send(wire.MethodSessionStart, startParams(fmt.Sprintf(`"parentSessionId":%q`, root)))
		h.settle()
		h.log.gate.open()
		var result wire.SessionStartResult
		agent.decode(agent.answer(child), &result)
		if result.Session.ParentSessionID != root || result.Session.Kind != wire.SessionSubagent {
			t.Errorf("it is %+v", result.Session)
		}
	})
}
