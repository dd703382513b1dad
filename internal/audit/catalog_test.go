package audit_test

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// cataloged is a tool of a catalog that is asked about, granted, changed and
// gone, and the end of a turn.
func cataloged(s *story, session approval.ID, agent, person record.Party) {
	c1, c2 := command(s.t, "018f6a2a-3333-7abc-8def-00000000d001"), command(s.t, "01HX5M2E0VZB8Q9T6K3R7W1Y4C")
	ack := &record.Intake{Payload: "00", Ack: json.RawMessage(`{"commandId":"c"}`)}
	none, catalog, a, b := approval.ID{}, id('c', 1), id('a', 7), id('a', 8)
	tool := func(call string) *record.ApprovalOpened {
		return &record.ApprovalOpened{
			ToolCallID: call, ToolName: "send", RawArgs: `{"to":"you"}`, ArgsDigest: "sha256:aa", Reason: "to tell you", TurnID: "t1", TaskID: "k1", ItemID: "i1",
			CatalogID: catalog, Subject: json.RawMessage(`{"kind":"tool","toolName":"send","serverName":"mail","arguments":{"to":"you"},"toolDigest":"sha256:01"}`),
			SubjectDigest: "sha256:bb", Menu: json.RawMessage(`[{"choiceId":"allow_session"}]`), Policy: json.RawMessage(`{"source":"mode","explanation":"Nothing covers it."}`),
			Unattended: "park", By: agent, Command: ack,
		}
	}
	s.add(session, none, c1, &record.CatalogOpened{
		CatalogID: catalog, ServerName: "mail", Transport: "stdio", Tools: []record.Tool{{Name: "send", Digest: "sha256:01"}}, By: agent, Command: ack,
	})
	at := s.add(session, a, c1, tool("call_7"))
	s.add(session, a, c2, &record.ApprovalSettled{
		Opened: at, Outcome: "allowedSession", Decision: "approvedForSession", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer",
		ChoiceID: "allow_session", Amendment: &record.Amendment{Durability: "session", RulePreview: "tool send"}, By: &person, Command: ack,
	})
	s.add(session, a, c2, &record.GrantAdded{
		GrantID: id('g', 3), Scope: "session", RulePreview: "tool send", By: person,
		Reach: record.Reach{Kind: "tool", Server: "mail", Tool: "send", Catalog: catalog.String(), Digest: "sha256:01"},
	})
	waits := s.add(session, b, c1, tool("call_8"))
	s.add(session, b, c1, &record.ApprovalSettled{
		Opened: waits, Outcome: "cancelled", Decision: "abort", PolicyResult: "deny", ResolvedBy: "policy", Source: "catalog", Reason: "The tool changed.",
	})
	s.add(session, a, c1, &record.PermitVoided{Opened: at, Reason: "catalogClosed", By: &agent})
	s.add(session, none, c1, &record.CatalogChanged{
		CatalogID: catalog, Transport: "stdio", Tools: []record.Tool{{Name: "send", Digest: "sha256:02"}}, Grants: []approval.ID{id('g', 3)}, By: agent, Command: ack,
	})
	s.add(session, none, approval.CommandID{}, &record.CatalogClosed{CatalogID: catalog, Reason: record.CatalogLost})
	s.add(session, none, c1, &record.TurnEnded{TurnID: "t1", Terminal: "failed", Reason: "the model gave up", By: agent, Command: ack})
	started := id('t', 1)
	s.add(session, started, c1, &record.TurnStarted{Input: json.RawMessage(`[{"type":"text","text":"fix it && go"}]`), Agent: &agent, By: agent, Command: ack})
	s.add(session, started, c1, &record.TurnEnded{TurnID: started.String(), Terminal: "completed", By: agent, Command: ack})
	s.add(session, id('t', 2), c1, &record.TurnStarted{Input: json.RawMessage(`[{}]`), Hosted: true, By: agent, Command: ack})
	s.add(session, id('t', 2), approval.CommandID{}, &record.TurnEnded{TurnID: id('t', 2).String(), Terminal: "cancelled", Reason: "hostRestart"})
}
