package record

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
)

// catalogSamples are of the records about catalogs, and of what others say of a
// catalog.
var catalogSamples = []sample{
	{"catalogued", aboutApproval, &ApprovalOpened{
		ToolCallID: "c", ToolName: "send", RawArgs: `{}`, ArgsDigest: "sha256:aa", Reason: "why", TurnID: "t1", TaskID: "k1", ItemID: "i1",
		CatalogID: approval.ID{15: 0xc1},
		Subject:   json.RawMessage(`{"kind":"tool","toolName":"send","serverName":"mail","toolDigest":"sha256:01"}`), SubjectDigest: "sha256:bb",
		Menu: json.RawMessage(`[]`), Policy: json.RawMessage(`{}`), Unattended: "park", Command: accepted(),
	}},
	{"bound", aboutApproval, &GrantAdded{
		GrantID: approval.ID{15: 0xf3}, Scope: "session", RulePreview: "a tool & its definition", By: party(),
		Reach: Reach{Kind: "tool", Server: "mail", Tool: "send", Catalog: approval.ID{15: 0xc1}.String(), Digest: "sha256:01"},
	}},

	{"full", aboutSession, &CatalogOpened{
		CatalogID: approval.ID{15: 0xc1}, ServerName: "mail & more", Transport: "stdio",
		Tools: []Tool{{Name: "send", Digest: "sha256:01"}, {Name: "<read>", Digest: "sha256:02"}}, By: party(), Command: accepted(),
	}},
	{"least", aboutSession, &CatalogOpened{CatalogID: approval.ID{15: 0xc1}, ServerName: "mail", Tools: []Tool{}, Command: accepted()}},

	{"full", aboutSession, &CatalogChanged{
		CatalogID: approval.ID{15: 0xc1}, Transport: "http", Tools: []Tool{{Name: "send", Digest: "sha256:03"}},
		Grants: []approval.ID{{15: 0xf3}, {15: 0xf4}}, By: party(), Command: accepted(),
	}},
	{"least", aboutSession, &CatalogChanged{CatalogID: approval.ID{15: 0xc1}, Tools: []Tool{}, Command: accepted()}},

	{"full", aboutSession, &CatalogClosed{
		CatalogID: approval.ID{15: 0xc1}, Reason: CatalogWasClosed, Grants: []approval.ID{{15: 0xf3}}, By: new(party()), Command: accepted(),
	}},
	{"least", uncaused, &CatalogClosed{CatalogID: approval.ID{15: 0xc1}, Reason: CatalogLost}},
}
