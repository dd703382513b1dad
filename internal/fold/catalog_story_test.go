package fold_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// The story of catalogs is a log of a session and its child: a server's tools,
// a grant that is bound to one, a change that ends it, a turn that ends, and a
// restart. Its sequences go on from the family's.
var (
	mailSession = approval.ID{15: 0xb3}
	mailChild   = approval.ID{15: 0xb4}

	sendApproval = approval.ID{15: 0xab} // granted for the session, its permit voided
	childsSend   = approval.ID{15: 0xac} // of the child, under its parent's catalog
	readApproval = approval.ID{15: 0xad} // nested in the call of the first, ended with the turn

	mailCatalog, nextCatalog = approval.ID{15: 0xc1}, approval.ID{15: 0xc2}

	boundGrant, nextGrant = approval.ID{15: 0xf6}, approval.ID{15: 0xf8}

	nextReach = approval.Reach{Kind: "tool", Server: "mail", Tool: "read"}.Under(nextCatalog, "sha256:03")
	sendReach = approval.Reach{Kind: "tool", Server: "mail", Tool: "send"}.Under(mailCatalog, "sha256:01")
)

var mailStory = []record.Record{
	in(mailSession, approval.ID{}, opened, &record.SessionStarted{Mode: "promptUnmatched", Unattended: "park", By: by, Command: accepted()}), // 50
	in(mailChild, approval.ID{}, opened, &record.SessionStarted{
		Mode: "promptUnmatched", Parent: mailSession, Inherit: "grants", Unattended: "park", By: by, Command: accepted(),
	}),
	in(mailSession, approval.ID{}, opened, &record.CatalogOpened{
		CatalogID: mailCatalog, ServerName: "mail", Transport: "stdio", Tools: mailTools("sha256:01"), By: by, Command: accepted(),
	}),
	in(mailSession, sendApproval, opened, underCatalog("send", "call_1", "")), // 53
	in(mailSession, sendApproval, decided, settled(53, approval.ByReviewerSession, func(s *record.ApprovalSettled) {
		s.ChoiceID, s.By, s.Command = "allow_session", &by, accepted()
		s.Amendment = &record.Amendment{Durability: "session", RulePreview: "tool send"}
	})),
	in(mailSession, sendApproval, decided, &record.GrantAdded{
		GrantID: boundGrant, Scope: "session", Reach: record.Reach(sendReach), RulePreview: "tool send", By: by,
	}),
	in(mailChild, childsSend, opened, underCatalog("send", "call_2", "")),             // 56
	in(mailSession, readApproval, opened, underCatalog("read", "call_1/1", "call_1")), // 57
	in(mailChild, childsSend, opened, settled(56, approval.ByCatalog)),
	in(mailSession, sendApproval, opened, &record.PermitVoided{Opened: 53, Reason: "catalogClosed", By: &by}),
	in(mailSession, approval.ID{}, opened, &record.CatalogChanged{ // 60
		CatalogID: mailCatalog, Transport: "stdio", Tools: mailTools("sha256:02"), Grants: []approval.ID{boundGrant}, By: by, Command: accepted(),
	}),
	in(mailSession, readApproval, opened, settled(57, approval.ByTurnEnd)),
	in(mailSession, approval.ID{}, opened, &record.TurnEnded{TurnID: "turn", Terminal: "failed", Reason: "a && b", By: by, Command: accepted()}), // 62
	in(mailSession, approval.ID{}, approval.CommandID{}, &record.Recovered{}),
	in(mailSession, approval.ID{}, approval.CommandID{}, &record.CatalogClosed{CatalogID: mailCatalog, Reason: record.CatalogLost}),
	in(mailSession, approval.ID{}, opened, &record.CatalogOpened{CatalogID: nextCatalog, ServerName: "mail", Tools: mailTools("sha256:02"), By: by, Command: accepted()}),
	in(mailChild, approval.ID{}, opened, &record.TurnEnded{TurnID: "turn", Terminal: "completed", By: by, Command: accepted()}), // 66
	in(mailChild, approval.ID{}, opened, &record.SessionClosed{Reason: "done", By: by, Command: accepted()}),
	in(mailSession, sendApproval, decided, &record.GrantAdded{ // 68
		GrantID: nextGrant, Scope: "session", Reach: record.Reach(nextReach), RulePreview: "tool read", By: by,
	}),
	in(mailSession, approval.ID{}, opened, &record.CatalogClosed{
		CatalogID: nextCatalog, Reason: record.CatalogWasClosed, Grants: []approval.ID{nextGrant}, By: &by, Command: accepted(),
	}),
}

func mailTools(send string) []record.Tool {
	return []record.Tool{{Name: "send", Digest: send}, {Name: "read", Digest: "sha256:03"}}
}

func underCatalog(tool, call, parent string) *record.ApprovalOpened {
	return &record.ApprovalOpened{
		ToolCallID: call, ParentToolCallID: parent, ToolName: tool, RawArgs: `{}`, ArgsDigest: "sha256:aa", SubjectDigest: "sha256:dd", Reason: "why",
		TurnID: map[bool]string{true: "turn", false: "inner turn"}[parent == ""], TaskID: "task", ItemID: "item", CatalogID: mailCatalog,
		Subject: json.RawMessage(`{"kind":"tool","toolName":"` + tool + `","serverName":"mail","toolDigest":"sha256:01"}`),
		Menu:    json.RawMessage(sessionMenu), Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}
}

// dumpCatalogs writes down what a session says of catalogs and turns.
func dumpCatalogs(b *strings.Builder, s *fold.State, session *fold.Session) {
	for _, c := range session.OpenCatalogs() {
		fmt.Fprintf(b, "open catalog %+v\n", *c)
	}
	for _, id := range []approval.ID{mailCatalog, nextCatalog} {
		if c, ok := s.Catalog(session, id); ok {
			fmt.Fprintf(b, "catalog %+v\n", *c)
		}
		for _, g := range s.Bound(session, id, func(string) bool { return true }) {
			fmt.Fprintf(b, "bound to %s: %s\n", id, g.ID)
		}
	}
	for _, turn := range []string{"turn", "inner turn", "other turn"} {
		known, ended := session.Turn(turn)
		fmt.Fprintf(b, "turn %s: %v, ended %v, around %q\n", turn, known, ended, session.EndedAround(turn, "call_1"))
	}
	for _, reach := range []approval.Reach{sendReach, nextReach} {
		g, ok := s.Granted(session, reach)
		fmt.Fprintf(b, "granted under the catalog: %v %s\n", ok, g.ID)
	}
}

func TestACatalogIsWhatWasListedLast(t *testing.T) {
	for n, want := range map[int]string{52: "sha256:01", 59: "sha256:01", 60: "sha256:02", 63: "sha256:02", 64: ""} {
		in, _ := told(n).Session(mailSession)
		c, ok := in.Catalog(mailCatalog)
		if !ok || c.Server != "mail" || c.Tools["send"] != want || c.Closed != (want == "") {
			t.Errorf("after record %d: %+v", n, c)
		}
	}
	s := told(63)
	child, _ := s.Session(mailChild)
	if c, ok := s.Catalog(child, mailCatalog); !ok || c.Session != mailSession {
		t.Errorf("the child sees %+v, %v", c, ok)
	}
	if _, ok := child.Catalog(mailCatalog); ok {
		t.Error("it is taken for the child's own")
	}
}

// What is closed stays closed, and what was never opened is not changed.
func TestAClosedCatalogIsNotChanged(t *testing.T) {
	s := told(64)
	for _, id := range []approval.ID{mailCatalog, nextCatalog} {
		late := in(mailSession, approval.ID{}, opened, &record.CatalogChanged{CatalogID: id, Tools: mailTools("sha256:04"), Command: accepted()})
		late.Seq = s.Head() + 1
		s.Apply(late)
	}
	session, _ := s.Session(mailSession)
	if open := session.OpenCatalogs(); len(open) != 0 {
		t.Errorf("open: %+v", *open[0])
	}
}

// A grant that is bound to a definition covers that one alone, and one that is
// not covers the tool however it is listed.
func TestABoundGrantCoversItsDefinitionAlone(t *testing.T) {
	plain := approval.Reach{Kind: "tool", Server: "mail", Tool: "send"}
	s := told(55)
	for session, sees := range map[approval.ID]bool{mailSession: true, mailChild: true, parentSession: false} {
		in, _ := s.Session(session)
		for name, c := range map[string]struct {
			reach approval.Reach
			want  bool
		}{
			"itself":                  {sendReach, sees},
			"another digest":          {plain.Under(mailCatalog, "sha256:02"), false},
			"another catalog":         {plain.Under(nextCatalog, "sha256:01"), false},
			"no catalog":              {plain, false},
			"another tool":            {approval.Reach{Kind: "tool", Server: "mail", Tool: "read"}.Under(mailCatalog, "sha256:01"), false},
			"names that join alike":   {approval.Reach{Kind: "tool", Server: "mails", Tool: "end"}.Under(mailCatalog, "sha256:01"), false},
			"the tool without server": {approval.Reach{Kind: "tool", Tool: "send"}.Under(mailCatalog, "sha256:01"), false},
		} {
			if _, ok := s.Granted(in, c.reach); ok != c.want {
				t.Errorf("session %s, %s: granted %v", session, name, ok)
			}
		}
	}
	unbound := in(mailSession, sendApproval, decided, &record.GrantAdded{GrantID: approval.ID{15: 0xf7}, Scope: "session", Reach: record.Reach(plain), By: by})
	unbound.Seq = 56
	s.Apply(unbound)
	in, _ := s.Session(mailSession)
	for _, reach := range []approval.Reach{plain, plain.Under(nextCatalog, "sha256:09"), sendReach} {
		if _, ok := s.Granted(in, reach); !ok {
			t.Errorf("%+v is not granted", reach)
		}
	}
}

func TestAGrantEndsWithTheRecordThatNamesIt(t *testing.T) {
	for n, want := range map[int]bool{68: true, 69: false} {
		if g, ok := told(n).Grant(nextGrant); !ok || g.Ended == want {
			t.Errorf("after record %d: %+v", n, g)
		}
	}
	for n, want := range map[int]bool{55: true, 59: true, 60: false} {
		s := told(n)
		for _, id := range []approval.ID{mailSession, mailChild} {
			in, _ := s.Session(id)
			if _, ok := s.Granted(in, sendReach); ok != want {
				t.Errorf("after record %d, session %s: in force %v", n, id, ok)
			}
		}
		if g, ok := s.Grant(boundGrant); !ok || g.Ended == want || g.Revoked {
			t.Errorf("after record %d: %+v", n, g)
		}
	}
}

// A turn is known from what names it, and over for what is nested in its calls.
func TestATurnIsOverForWhatIsNestedInIt(t *testing.T) {
	before, _ := told(61).Session(mailSession)
	after, _ := told(62).Session(mailSession)
	for _, c := range []struct{ turn, parent, want string }{
		{"turn", "", "turn"}, {"other turn", "", ""}, {"", "", ""},
		{"", "call_1", "turn"}, {"other turn", "call_1", "turn"}, {"", "call_1/1", "turn"}, {"", "nobody", ""},
	} {
		if got := before.EndedAround(c.turn, c.parent); got != "" {
			t.Errorf("before the end, %+v: %q", c, got)
		}
		if got := after.EndedAround(c.turn, c.parent); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if known, _ := after.Turn("other turn"); known {
		t.Error("a turn that nothing named is known")
	}
}

func TestACatalogSaysWhatAnApprovalIsUnder(t *testing.T) {
	pending, _ := told(57).Session(mailSession)
	for id, want := range map[approval.ID]string{sendApproval: "send", readApproval: "read"} {
		a, _ := pending.Approval(id)
		if tool, ok := a.Under(mailCatalog); !ok || tool != want || !a.Catalogued() {
			t.Errorf("%s, pending %v: under %q, %v", id, a.Pending(), tool, ok)
		}
		if _, ok := a.Under(nextCatalog); ok {
			t.Errorf("%s is under another catalog", id)
		}
	}
	in, _ := told(len(log)).Session(childSession)
	if a, _ := in.Approval(grantApproval); a.Catalogued() {
		t.Error("a tool without a catalog is under one")
	}
}
