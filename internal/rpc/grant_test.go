package rpc

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// grantTo has a session grant given for a tool, and gives the approval.
func (c *client) grantTo(session, tool string) (id string) {
	c.t.Helper()
	var result wire.ApprovalOpenResult
	c.must(wire.MethodApprovalOpen, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":%q,"rawArgs":"{}","reason":"because","subject":{"kind":"tool"}}`,
		command(), session, tool), &result)
	c.choose(session, result.ApprovalID, wire.ChoiceAllowSession)
	return result.ApprovalID
}

// grants lists what grant/list gives, by the approvals that they were given on.
func (c *client) grants(params string) (rows []wire.Grant) {
	c.t.Helper()
	var result wire.GrantListResult
	c.must(wire.MethodGrantList, params, &result)
	return result.Grants
}

func approvalsOf(rows []wire.Grant) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.CreatedBy.ApprovalID)
	}
	return ids
}

// Whose grants a list has: the session's own and those that it sees of its
// ancestors', in the order given; of all where no session is named.
func TestListsOfGrants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		root, other := c.start(), c.start()
		heir, stranger := c.child(root), c.child(root, `"inherit":"none"`)
		below := c.child(stranger)
		given := map[string]string{}
		var order []string
		for _, session := range []string{below, root, heir, other, stranger} {
			given[session] = c.grantTo(session, "search_"+session)
			order = append(order, given[session])
		}
		for session, want := range map[string][]string{
			root:     {given[root]},
			heir:     {given[root], given[heir]},
			stranger: {given[stranger]},
			below:    {given[below], given[stranger]},
			other:    {given[other]},
			"":       order,
		} {
			params := `{}`
			if session != "" {
				params = inSession(session)
			}
			if diff := cmp.Diff(want, approvalsOf(c.grants(params))); diff != "" {
				t.Errorf("of session %q (-want +got):\n%s", session, diff)
			}
		}
		if e := c.refused(wire.MethodGrantList, inSession(numbered(1<<40).String())); e.Code != wire.CodeSessionNotFound {
			t.Errorf("of a session that is not there: %+v", e)
		}
	})
}

// A row says what a reviewer allowed, when, by which decision, and whether that
// still holds.
func TestRowOfAGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newHost(t).as(wire.RoleBoth)
		dir := t.TempDir()
		session := c.start(fmt.Sprintf(`"workspaceRoot":%q`, dir))
		id := c.grantTo(session, "search")
		var resolved wire.ApprovalReadResult
		c.must(wire.MethodApprovalRead, inSession(session, fmt.Sprintf(`"approvalId":%q`, id)), &resolved)
		rows := c.grants(inSession(session))
		if len(rows) != 1 {
			t.Fatalf("%d grants", len(rows))
		}
		row := rows[0]
		if row.GrantID == "" || row.CreatedBy.CommandID == "" {
			t.Errorf("it has grant %q, command %q", row.GrantID, row.CreatedBy.CommandID)
		}
		want := wire.Grant{
			GrantID: row.GrantID, Scope: wire.ScopeSession, Kind: wire.SubjectTool,
			RulePreview: "tool search with any arguments; not bound to a tool definition",
			CreatedBy:   wire.GrantOrigin{ApprovalID: id, CommandID: row.CreatedBy.CommandID},
			CreatedAt:   resolved.Resolution.DecidedAt, InForce: true, SessionID: session, WorkspaceRoot: dir,
		}
		if diff := cmp.Diff(want, row); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A grant that is revoked allows nothing any more, is listed as such, and stays
// what it was for what it has allowed.
func TestRevokingAGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c, other := h.as(wire.RoleBoth), h.as(wire.RoleReviewer)
		session, another := c.start(), c.start()
		c.grantTo(session, "search")
		grant := c.grants(inSession(session))[0]
		if got := c.state(session, c.open(session)); got != "allowedOnce" {
			t.Fatalf("under the grant it is %s", got)
		}
		revoke := func(in, grant string) string {
			return inSession(in, fmt.Sprintf(`"commandId":%q,"grantId":%q`, command(), grant))
		}
		if e := other.refused(wire.MethodGrantRevoke, revoke(another, grant.GrantID)); e.Code != wire.CodeNotFound {
			t.Errorf("through another session: %+v", e)
		}
		if e := other.refused(wire.MethodGrantRevoke, revoke(session, numbered(1<<40).String())); e.Code != wire.CodeNotFound {
			t.Errorf("a grant that is not there: %+v", e)
		}
		if e := other.refused(wire.MethodGrantRevoke, revoke(session, "grant")); e.Code != wire.CodeInvalidParams {
			t.Errorf("no id: %+v", e)
		}
		params := revoke(session, grant.GrantID)
		first, again := other.call(wire.MethodGrantRevoke, params), c.call(wire.MethodGrantRevoke, params)
		if first.Error != nil || string(first.Result) != string(again.Result) {
			t.Errorf("it was answered %s and, repeated, %s", first.raw, again.raw)
		}
		other.must(wire.MethodGrantRevoke, revoke(session, grant.GrantID), nil) // changes nothing
		if rows := c.grants(inSession(session)); len(rows) != 1 || rows[0].InForce {
			t.Errorf("listed: %+v", rows)
		}
		if got := c.state(session, c.open(session)); got != "pending" {
			t.Errorf("without the grant it is %s", got)
		}
	})
}

// A session grant ends with its session.
func TestGrantsOfAClosedSessionAreNotInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newHost(t).as(wire.RoleBoth)
		session := c.start()
		c.grantTo(session, "search")
		c.must(wire.MethodSessionClose, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		if rows := c.grants(`{}`); len(rows) != 1 || rows[0].InForce {
			t.Errorf("listed: %+v", rows)
		}
	})
}

// Rules that decisions wrote are listed with their workspace; one that a store
// holds is in force as long as the loaded policy has it.
func TestListsOfRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		holds := map[approval.ID]bool{}
		h := newHostOver(t, logOfRules(t), func(_ *host, c *Config) {
			c.RuleInForce = func(grant approval.Grant) bool { return holds[grant.ID] }
		})
		c := h.as(wire.RoleReviewer)
		session, neighbour, elsewhere := numbered(1).String(), numbered(2).String(), numbered(3).String()
		stored, unstored := numbered(11), numbered(12)
		ids := func(params string) (ids []string) {
			for _, g := range c.grants(params) {
				ids = append(ids, g.GrantID)
			}
			return ids
		}
		both := []string{stored.String(), unstored.String()}
		for params, want := range map[string][]string{
			inSession(session):                               both,
			inSession(neighbour):                             both,
			inSession(elsewhere):                             nil,
			`{"workspaceRoot":"/nowhere/app"}`:               both,
			`{"workspaceRoot":"/nowhere"}`:                   nil,
			inSession(session, `"workspaceRoot":"/nowhere"`): nil,
			`{}`: both,
		} {
			if diff := cmp.Diff(want, ids(params)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", params, diff)
			}
		}
		inForce := func() (force [2]bool) {
			for i, g := range c.grants(`{}`) {
				force[i] = g.InForce
			}
			return force
		}
		if got := inForce(); got != [2]bool{false, true} {
			t.Errorf("in force while the policy has no such rule: %v", got)
		}
		holds[stored] = true
		if got := inForce(); got != [2]bool{true, true} {
			t.Errorf("in force while the policy has it: %v", got)
		}
		c.must(wire.MethodSessionClose, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		if got := inForce(); got != [2]bool{true, false} {
			t.Errorf("in force when the session is closed: %v", got)
		}
	})
}

// logOfRules has three sessions, two of one workspace, and in the first two
// rules, of which a store holds one.
func logOfRules(t *testing.T) *log.Memory {
	t.Helper()
	l := new(log.Memory)
	chain := record.Chain{}
	prev := map[approval.ID]uint64{}
	add := func(session, id approval.ID, body record.Body) {
		value, err := record.Encode(record.Header{Session: session, Approval: id, Prev: prev[session]}, body, chain)
		if err != nil {
			t.Fatal(err)
		}
		if prev[session], err = l.Append([][]byte{value}); err != nil {
			t.Fatal(err)
		}
		chain = record.ChainOf(value)
	}
	for n, root := range map[uint64]string{1: "/nowhere/app", 2: "/nowhere/app", 3: "/nowhere/else"} {
		add(numbered(n), approval.ID{}, &record.SessionStarted{
			WorkspaceRoot: root, Mode: string(approval.PromptUnmatched), Unattended: string(approval.Park),
		})
	}
	opened := &record.ApprovalOpened{Subject: []byte(`{"kind":"tool","toolName":"search"}`), Menu: []byte(`[]`), Policy: []byte(`{}`)}
	add(numbered(1), numbered(21), opened)
	at := l.Head()
	for _, grant := range []uint64{11, 12} {
		add(numbered(1), numbered(21), &record.GrantAdded{
			GrantID: numbered(grant), Scope: string(approval.ScopeLocalPersistent), Reach: record.Reach{Kind: approval.KindTool},
			Rule: []byte(`{}`), Root: "/nowhere/app", RulePreview: "any call",
		})
	}
	add(numbered(1), numbered(21), &record.PolicyPersisted{GrantID: numbered(11), Status: record.Persisted, Opened: at, Menu: []byte(`[]`)})
	return l
}

// A rule that a decision wrote is listed under its workspace, and ended through
// any session there.
func TestARuleIsRevokedThroughAnySessionOfItsWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := desk(t)
		c := newHost(t).as(wire.RoleBoth)
		in := fmt.Sprintf(`"workspaceRoot":%q`, dir)
		session, neighbour, elsewhere := c.start(in), c.start(in), c.start(fmt.Sprintf(`"workspaceRoot":%q`, dir+"/dir"))
		subject := `{"kind":"fileAccess","path":"main.go","access":"write"}`
		open := func() (opened wire.ApprovalOpenResult) {
			c.must(wire.MethodApprovalOpen, opening(session, subject), &opened)
			return opened
		}
		c.choose(session, open().ApprovalID, wire.ChoiceAllowLocalPath)
		rows := c.grants(inSession(neighbour))
		if len(rows) != 1 || rows[0].Scope != wire.ScopeLocalPersistent || rows[0].WorkspaceRoot != dir || !rows[0].InForce {
			t.Fatalf("listed: %+v", rows)
		}
		if got := open(); got.State != wire.StateResolved {
			t.Errorf("under the rule it is %s", got.State)
		}
		revoke := func(session string) string {
			return inSession(session, fmt.Sprintf(`"commandId":%q,"grantId":%q`, command(), rows[0].GrantID))
		}
		if e := c.refused(wire.MethodGrantRevoke, revoke(elsewhere)); e.Code != wire.CodeNotFound {
			t.Errorf("through a session of another workspace: %+v", e)
		}
		c.must(wire.MethodGrantRevoke, revoke(neighbour), nil)
		if rows := c.grants(fmt.Sprintf(`{"workspaceRoot":%q}`, dir)); len(rows) != 1 || rows[0].InForce {
			t.Errorf("listed: %+v", rows)
		}
		if got := open(); got.State != wire.StatePending {
			t.Errorf("without the rule it is %s", got.State)
		}
	})
}
