package crash

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

// asker asks a daemon that nobody kills meanwhile.
type asker struct {
	t *testing.T
	*client
}

func newAsker(t *testing.T, at place) asker {
	t.Helper()
	c, err := dial(at, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.conn.Close() })
	return asker{t, c}
}

func (a asker) ask(result any, method, params string, args ...any) {
	a.t.Helper()
	text := fmt.Sprintf(params, args...)
	replies, err := a.call(request{method, text})
	if err != nil || replies[0].error != nil {
		a.t.Fatalf("%s %s: %v, %s", method, text, err, replies[0].text)
	}
	if err := json.Unmarshal(replies[0].result, result); err != nil {
		a.t.Fatal(err)
	}
}

// waiting lists what is pending everywhere, in the order of the list.
func (a asker) waiting() (rows []wire.ApprovalRequest, prompts []wire.UserInputRequest) {
	a.t.Helper()
	for cursor := ""; ; {
		var page wire.ApprovalListPendingResult
		a.ask(&page, wire.MethodApprovalListPending, `{"limit":100%s}`, cursor)
		rows, prompts = append(rows, page.Approvals...), append(prompts, page.UserInputs...)
		if page.NextCursor == nil {
			return rows, prompts
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, *page.NextCursor)
	}
}

// holdAgainst compares what a restarted daemon says with what follows from the
// log that it found: what is pending, what became of every approval, modes,
// what is closed, grants.
func (a asker) holdAgainst(before *twin, now time.Time) {
	a.t.Helper()
	var ids []string
	successors := map[string]*action{}
	for _, act := range before.pending() {
		successors[successor(act)] = act
	}
	rows, prompts := a.waiting()
	a.comparePrompts(before, prompts, now)
	for _, row := range rows {
		ids = append(ids, row.ApprovalID)
		if of := successors[row.ApprovalID]; of != nil && !sameCall(row, of) {
			a.t.Errorf("approval %s is pending as\n%+v\nand takes the place of %s, which was\n%s", row.ApprovalID, row, of.id, carried(of))
		}
	}
	slices.Sort(ids)
	want, may := before.expected(now)
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(may, id) })
	if !slices.Equal(ids, want) {
		a.t.Errorf("the daemon says that\n%q\nare pending; by the log these should be:\n%q", ids, want)
	}
	of := map[string][]*action{}
	for _, act := range before.order {
		of[act.session] = append(of[act.session], act)
	}
	for _, s := range before.begun {
		for part := range slices.Chunk(of[s.id], 1000) {
			a.compareOutcomes(part, now)
		}
		a.compareSession(before, s)
	}
}

func sameCall(row wire.ApprovalRequest, a *action) bool {
	b := a.opened.body
	return row.SessionID == a.session && row.ToolCallID == b.ToolCallID && row.RawArgs == b.RawArgs && row.ToolName == b.ToolName && row.TurnID == b.TurnID
}

// compareRead reads one approval back.
func (a asker) compareRead(act *action, now time.Time) {
	a.t.Helper()
	var known wire.ApprovalReadResult
	a.ask(&known, wire.MethodApprovalRead, `{"sessionId":%q,"approvalId":%q}`, act.session, act.id)
	outcome, _, _ := strings.Cut(outcomeOf(act, now), " ")
	switch {
	case known.Request.ApprovalID != act.id || !sameCall(known.Request, act):
		a.t.Errorf("approval %s is read as\n%+v\nand was opened as\n%s", act.id, known.Request, carried(act))
	case known.Resolution == nil || string(known.Resolution.Outcome) != outcome:
		a.t.Errorf("approval %s is read as resolved %+v; by the log it should be %s", act.id, known.Resolution, outcome)
	}
}

// claim is what taking an approval comes to once a restart has done what it owes:
// "consumed", or the code of the refusal with its reason.
func (t *twin) claim(a *action, now time.Time) string {
	superseded := strings.HasPrefix(outcomeOf(a, now), "superseded")
	switch s := t.sessions[a.session]; {
	case a.consumed != nil:
		return "-32091 "
	case superseded:
		return "-32093 superseded"
	case s.closed:
		return "-32093 sessionClosed"
	case a.voided != nil:
		return "-32093 " + a.voided.body.Reason
	case a.opened.body.Protected && a.allowed():
		return "-32093 protectedWriteRestart"
	case a.catalogued() && a.allowed():
		return "-32093 catalogClosed"
	}
	return "consumed"
}

// compareOutcomes asks what became of approvals of a session.
func (a asker) compareOutcomes(part []*action, now time.Time) {
	a.t.Helper()
	ids := make([]string, len(part))
	for i, act := range part {
		ids[i] = act.id
	}
	list, err := json.Marshal(ids)
	if err != nil {
		a.t.Fatal(err)
	}
	var known wire.ApprovalAwaitResult
	a.ask(&known, wire.MethodApprovalAwait, `{"sessionId":%q,"approvalIds":%s,"waitMs":0}`, part[0].session, list)
	for i, result := range known.Results {
		is, want := "pending", outcomeOf(part[i], now)
		if r := result.Resolution; r != nil {
			is = fmt.Sprintf("%s %s %s by %s (%s) %s", r.Outcome, r.Decision, r.PolicyResult, r.ResolvedBy, r.Source, r.SuccessorApprovalID)
		}
		if result.ApprovalID != part[i].id || is != want {
			a.t.Errorf("approval %s is %s; by the log it should be %s", part[i].id, is, want)
		}
	}
}

// outcomeOf is what became of an approval once a restart has done what it owes.
func outcomeOf(a *action, now time.Time) string {
	switch at := a.opened.body.ExpiresAt; {
	case a.settled != nil:
		b, next := a.settled.body, ""
		if b.Successor != nil {
			next = *b.Successor
		}
		return fmt.Sprintf("%s %s %s by %s (%s) %s", b.Outcome, b.Decision, b.PolicyResult, b.ResolvedBy, b.Source, next)
	case a.catalogued():
		return "cancelled abort deny by policy (catalog) "
	case at != nil && *at <= now.UnixMilli():
		return "timedOut timedOut deny by policy (deadline) "
	}
	return "superseded abort deny by policy (recovery) " + successor(a)
}

// compareSession asks what a session is like.
func (a asker) compareSession(before *twin, s *session) {
	a.t.Helper()
	var known struct{ Session wire.Session }
	a.ask(&known, wire.MethodSessionRead, `{"sessionId":%q}`, s.id)
	if mode := known.Session.ApprovalMode.Mode; string(mode) != s.mode {
		a.t.Errorf("session %s has the mode %s; by the log it should be %s", s.id, mode, s.mode)
	}
	if s.closed && known.Session.Status != wire.SessionNotLoaded {
		a.t.Errorf("session %s is %s; by the log it is closed", s.id, known.Session.Status)
	}
	a.compareTurn(s, known.Session)
	var grants wire.GrantListResult
	a.ask(&grants, wire.MethodGrantList, `{"sessionId":%q}`, s.id)
	var is, want []string
	for _, g := range grants.Grants {
		if g.InForce && g.SessionID == s.id && (g.Scope == wire.ScopeSession || before.grants[g.GrantID] == nil || before.grants[g.GrantID].stored) {
			is = append(is, g.GrantID)
		}
	}
	for id, g := range before.grants {
		if g.session == s.id && (!g.rule && g.catalog == "" && !s.closed || g.stored) {
			want = append(want, id)
		}
	}
	slices.Sort(is)
	slices.Sort(want)
	if !slices.Equal(is, want) {
		a.t.Errorf("session %s has the grants %q; by the log they should be %q", s.id, is, want)
	}
}
