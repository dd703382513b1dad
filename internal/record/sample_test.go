package record

import (
	"encoding/json"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// sample is one record of a kind: with every member, or with as few as it can
// have.
type sample struct {
	name   string
	header Header // without version, kind and chain, which Encode sets
	body   Body
}

// The ids of seed 003.
var (
	seedSession  = approval.ID{0x01, 0x98, 0xf0, 0xaa, 0x11, 0x11, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xaa}
	seedApproval = approval.ID{0x01, 0x98, 0xf0, 0xac, 0x77, 0x77, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xe1}
	seedCommand  = mustCommand("018f6a2a-3333-7abc-8def-00000000d001")
	ulidCommand  = mustCommand("01HX5M2E0VZB8Q9T6K3R7W1Y4C")
	seedChain    = ChainOf([]byte("the record before"))
)

var (
	aboutApproval = Header{Session: seedSession, Approval: seedApproval, Command: seedCommand, At: at, Prev: 0x0102030405060708}
	aboutSession  = Header{Session: seedSession, Command: ulidCommand, At: at, Prev: 3}
	uncaused      = Header{Session: seedSession, Approval: seedApproval, At: at}
	at            = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
)

var samples = slices.Concat(basicSamples, catalogSamples, turnSamples)

var basicSamples = []sample{
	{"full", aboutSession, &SessionStarted{
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Unattended: "refuse", CancelOnDisconnect: true,
		ProviderID: "p", ModelID: "m", Name: "a && b", By: party(), Command: accepted(),
	}},
	{"child", aboutSession, &SessionStarted{
		Mode: "promptUnmatched", Preset: "read-only", Inherited: true, Parent: approval.ID{15: 0xa0}, Inherit: "none", Unattended: "park", Command: accepted(),
	}},
	{"least", aboutSession, &SessionStarted{Mode: "denyUnmatched", Unattended: "park", Command: refused()}},

	{"full", aboutSession, &ModeSet{Mode: "allowAll", Source: "approvalReconfigure", By: party(), Command: accepted()}},
	{"least", aboutSession, &ModeSet{Mode: "allowAll", Source: "approvalReconfigure", Command: accepted()}},

	{"full", aboutApproval, &ApprovalOpened{
		ToolCallID: "call_1/2", ToolName: "bash", RawArgs: `{"command": "make && <x>"}`, ArgsDigest: "sha256:aa",
		Reason: "why", Justification: "because", Operation: json.RawMessage(`{"kind":"shell-unrestricted"}`),
		TurnID: "t1", TaskID: "k1", ItemID: "i1", ParentToolCallID: "call_1", RunID: "r1", Requested: true,
		Subject: json.RawMessage(`{"kind":"shell","command":"make && <x>"}`), SubjectDigest: "sha256:bb", Diff: "-a\n+b\n",
		Stages:      []Stage{{Kind: "knownSafe"}, {Kind: "unresolved", Diagnostic: "a & b"}},
		Requirement: 1, Menu: json.RawMessage(`[{"choiceId":"abort"}]`), Policy: json.RawMessage(`{"source":"mode"}`),
		ExpiresAt: new(int64(1767323045678)), Unattended: "refuse", Supersedes: &approval.ID{15: 0xe0},
		By: party(), Command: accepted(),
	}},
	{"protected", aboutApproval, &ApprovalOpened{
		ToolCallID: "c", ToolName: "write", RawArgs: `{}`, ArgsDigest: "sha256:aa", Reason: "why", TurnID: "t1", TaskID: "k1", ItemID: "i1",
		Subject: json.RawMessage(`{"kind":"fileAccess"}`), SubjectDigest: "sha256:bb",
		Menu: json.RawMessage(`[]`), Policy: json.RawMessage(`{}`), Unattended: "park",
		Found: json.RawMessage(`{"file":{"access":"write","text":"<a>"}}`), Protected: true, PermissionMode: "danger-full-access", Command: accepted(),
	}},
	{"least", uncaused, &ApprovalOpened{
		ToolCallID: "c", ToolName: "t", RawArgs: `{}`, ArgsDigest: "sha256:aa", Reason: "why", TurnID: "t1", TaskID: "k1", ItemID: "i1",
		Subject: json.RawMessage(`{"kind":"teleport"}`), SubjectDigest: "sha256:bb",
		Menu: json.RawMessage(`[]`), Policy: json.RawMessage(`{}`), Unattended: "park",
	}},

	{"full", aboutApproval, &StageSettled{
		Opened: 2, Stage: 1, ChoiceID: "allow_once", Decision: "approved",
		Stages: []Stage{{Kind: "knownSafe"}, {Kind: "allowOnce"}, {Kind: "unresolved", Diagnostic: "a & b"}},
		Next:   2, Menu: json.RawMessage(`[{"choiceId":"abort"}]`), Asks: true, By: new(party()), Command: accepted(),
	}},
	{"asks", aboutApproval, &StageSettled{
		Opened: 2, Stages: []Stage{{Kind: "allowOnce"}, {Kind: "unresolved"}}, Next: 1, Menu: json.RawMessage(`[]`),
		Asks: true, Policy: json.RawMessage(`{"source":"mode"}`), Command: accepted(),
	}},
	{"amended", aboutApproval, &StageSettled{
		Opened: 2, ChoiceID: "allow_local_prefix", Decision: "approvedPolicyAmendment",
		Stages: []Stage{{Kind: "policyAmendment", ArgvPrefix: []string{"git", "add"}}}, Menu: json.RawMessage(`[]`),
		By: new(party()), Command: accepted(),
	}},
	{"least", uncaused, &StageSettled{
		Opened: 2, Stages: []Stage{{Kind: "policyAllow"}}, Menu: json.RawMessage(`[]`),
	}},

	{"full", aboutApproval, &ApprovalSettled{
		Opened: 2, Outcome: "allowedSession", Decision: "approvedForSession", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer",
		ChoiceID: "allow_session", Feedback: "go on", Reason: "why", Stages: []Stage{{Kind: "allowOnce"}},
		Amendment: &Amendment{Durability: "session", RulePreview: "write /srv/app/a.txt"},
		Successor: &approval.ID{15: 0xe2}, Recovery: &Recovery{Reparsed: true, Executable: true},
		By: new(party()), Command: accepted(),
	}},
	{"ruled", uncaused, &ApprovalSettled{
		Opened: 2, Outcome: "rejected", Decision: "denied", PolicyResult: "deny", ResolvedBy: "policy", Source: "rule",
		Reason: "why", Rule: "user rule 3 (policy.toml:17)",
	}},
	{"least", uncaused, &ApprovalSettled{
		Opened: 2, Outcome: "timedOut", Decision: "timedOut", PolicyResult: "deny", ResolvedBy: "policy", Source: "deadline",
	}},

	{"full", aboutApproval, &GrantAdded{
		GrantID: approval.ID{15: 0xf1}, Scope: "session", RulePreview: "all of it", By: party(),
		Reach: Reach{
			Kind: "shell", Command: "make && <x>", Cwd: "/srv/app", Shell: "bash", Path: "/a", Access: "read", Host: "h", Port: 443,
			Protocol: "https", Action: "signal", Target: "x", PID: 17, StartedAt: "then", Argv: `["a"]`, Server: "s", Tool: "t",
		},
	}},
	{"persistent", aboutApproval, &GrantAdded{
		GrantID: approval.ID{15: 0xf2}, Scope: "localPersistent", RulePreview: "git add …", By: party(),
		Rule: json.RawMessage(`{"effect":"allow","argv_prefix":["git","add"]}`), Root: "/srv/app",
	}},
	{"least", aboutApproval, &GrantAdded{GrantID: approval.ID{15: 0xf1}, Scope: "session", Reach: Reach{Kind: "tool"}}},

	{"full", aboutSession, &SessionClosed{Reason: "done", By: party(), Command: accepted()}},
	{"least", uncaused, &SessionClosed{Reason: "closed"}},

	{"full", uncaused, &Recovered{Pending: 3}},
	{"least", uncaused, &Recovered{}},

	{"full", aboutSession, &CommandSettled{By: party(), Command: refused()}},
	{"least", aboutSession, &CommandSettled{Command: accepted()}},

	{"full", aboutSession, &GrantRevoked{GrantID: approval.ID{15: 0xf1}, By: party(), Command: accepted()}},
	{"least", aboutSession, &GrantRevoked{GrantID: approval.ID{15: 0xf1}, Command: accepted()}},

	{"full", aboutApproval, &ApprovalConsumed{Opened: 2, By: party(), Command: accepted()}},
	{"least", aboutApproval, &ApprovalConsumed{Opened: 2, Command: accepted()}},
	{"batch", aboutApproval, &ApprovalConsumed{Opened: 2, By: party()}},

	{"full", uncaused, &PermitVoided{Opened: 2, Reason: "callEnded", By: new(party())}},
	{"least", uncaused, &PermitVoided{Opened: 2, Reason: "protectedWriteRestart"}},

	{"full", aboutApproval, &InputOpened{
		ToolCallID: "call_1", ToolName: "ask_user", TurnID: "t1", ItemID: "i1", Questions: json.RawMessage(`[{"id":"q","question":"a && <b>?"}]`),
		AutoResolutionMs: new(int64(5000)), ExpiresAt: new(int64(1767323045678)), By: party(), Command: accepted(),
	}},
	{"least", aboutApproval, &InputOpened{
		ToolCallID: "c", ToolName: "t", TurnID: "t1", ItemID: "i1", Questions: json.RawMessage(`[]`), Command: accepted(),
	}},

	{"full", uncaused, &InputEngaged{Opened: 2, By: party()}},
	{"least", uncaused, &InputEngaged{Opened: 2}},

	{"full", aboutApproval, &InputSettled{
		Opened: 2, Outcome: "answered", Source: "reviewer", Answers: json.RawMessage(`[{"questionId":"q","freeText":"a && <b>"}]`),
		Clarification: json.RawMessage(`{"format":"text","content":"a && <b>"}`), Reason: "why", By: new(party()), Command: accepted(),
	}},
	{"least", uncaused, &InputSettled{Opened: 2, Outcome: "timedOut", Source: "deadline"}},

	{"full", uncaused, &PolicyPersisted{
		GrantID: approval.ID{15: 0xf1}, Status: "failed", Reason: "no space", Opened: 2,
		Stages: []Stage{{Kind: "allowOnce"}}, Next: 1, Menu: json.RawMessage(`[]`),
	}},
	{"least", uncaused, &PolicyPersisted{GrantID: approval.ID{15: 0xf1}, Status: "succeeded", Opened: 2, Menu: json.RawMessage(`[]`)}},
}

func party() Party {
	return Party{
		Client: "inbox", Version: "1.0", Role: "reviewer", Transport: "host", PID: 17, UID: new(0), Executable: "/usr/bin/inbox",
	}
}

func accepted() *Intake {
	return &Intake{Payload: "00ff", Ack: json.RawMessage(`{"commandId":"c","status":"accepted"}`)}
}

func refused() *Intake {
	return &Intake{Payload: "00ff", Refusal: json.RawMessage(`{"code":-32052,"message":"a && b"}`)}
}

// encoded is the bytes of a sample behind the record that seedChain is of.
func (s sample) encoded(t rapid.TB) []byte {
	t.Helper()
	value, err := Encode(s.header, s.body, seedChain)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// record is what the bytes of a sample must decode to at sequence 9.
func (s sample) record() Record {
	h := s.header
	h.Version, h.Kind, h.Chain = kinds[s.body.Kind()].version, s.body.Kind(), seedChain
	return Record{Seq: 9, Header: h, Body: s.body}
}

func mustCommand(s string) approval.CommandID {
	id, err := approval.ParseCommandID(s)
	if err != nil {
		panic(err)
	}
	return id
}
