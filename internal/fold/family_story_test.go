package fold_test

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// The family's story is a log of a session and its child: a rule that is
// written, grants that are revoked, permits that are taken and voided, a restart
// and the end, each with the record kinds of it. Its sequences go on from the
// story's.
var (
	parentSession = approval.ID{15: 0xb1}
	childSession  = approval.ID{15: 0xb2}

	ruleApproval   = approval.ID{15: 0xa6} // of the child: three stages, a rule for the first two
	grantApproval  = approval.ID{15: 0xa7} // of the child: granted for the session, its permit voided
	brokenApproval = approval.ID{15: 0xa8} // of the child: pending at the restart
	heirApproval   = approval.ID{15: 0xa9} // its successor, cancelled by the close
	aboveApproval  = approval.ID{15: 0xaa} // of the parent: granted for the session

	// approvals are all of the log.
	approvals = []approval.ID{
		shellApproval, fileApproval, lostApproval, nextApproval, oddApproval,
		ruleApproval, grantApproval, brokenApproval, heirApproval, aboveApproval,
		sendApproval, childsSend, readApproval, askedApproval, turnApproval,
	}

	ruleGrant    = approval.ID{15: 0xf3}
	childsGrant  = approval.ID{15: 0xf4}
	parentsGrant = approval.ID{15: 0xf5}

	// lineages are those of the sessions that are somebody's child.
	lineages = map[approval.ID][]approval.ID{
		childSession: {parentSession, childSession}, mailChild: {mailSession, mailChild}, askedSession: {askingSession, askedSession},
		turnChild: {turnSession, turnChild},
	}
)

const (
	ruleMenu = `[{"choiceId":"allow_local_prefix","label":"Always allow commands like this in this workspace","decision":"approvedPolicyAmendment",` +
		`"scope":"localPersistent","rulePreview":"commands that begin make"}]`
	askedByRule = `{"source":"rule","rule":"user rule 1","explanation":"User rule 1 asks."}`
)

var family = []record.Record{
	in(parentSession, approval.ID{}, opened, &record.SessionStarted{ // 21
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Preset: "workspace-write", Unattended: "park", By: by, Command: accepted(),
	}),
	in(childSession, approval.ID{}, opened, &record.SessionStarted{
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Preset: "workspace-write", Inherited: true, Parent: parentSession, Inherit: "grants",
		Unattended: "refuse", CancelOnDisconnect: true, By: by, Command: accepted(),
	}),
	in(childSession, approval.ID{}, decided, &record.ModeSet{Mode: "denyUnmatched", Source: "approvalReconfigure", By: by, Command: accepted()}),

	in(childSession, ruleApproval, opened, &record.ApprovalOpened{ // 24
		ToolCallID: "call_1", ToolName: "bash", RawArgs: `{}`, ArgsDigest: "sha256:aa", SubjectDigest: "sha256:bb", Reason: "why",
		TurnID: "turn", TaskID: "task", ItemID: "item", Subject: shell(ruleApproval, "unresolved", "unresolved", "unresolved"),
		Stages: stages("unresolved", "unresolved", "unresolved"), Menu: json.RawMessage(ruleMenu), Policy: json.RawMessage(askedByMode),
		Unattended: "refuse", By: by, Command: accepted(),
	}),
	in(childSession, ruleApproval, decided, &record.GrantAdded{
		GrantID: ruleGrant, Scope: "localPersistent", Reach: record.Reach{Kind: "shell"}, RulePreview: "commands that begin make", By: by,
		Rule: json.RawMessage(`{"effect":"allow","kind":"shell","argv_prefix":["make"]}`), Root: "/srv/app",
	}),
	in(childSession, ruleApproval, decided, &record.StageSettled{
		Opened: 24, Stage: 0, ChoiceID: "allow_local_prefix", Decision: "approvedPolicyAmendment",
		Stages: written("unresolved", "unresolved"), Next: 1, Menu: json.RawMessage(fullMenu), By: &by, Command: accepted(),
	}),
	in(childSession, ruleApproval, decided, &record.StageSettled{ // the rule covers it as well
		Opened: 24, Stage: 1, Stages: written("policyAllow", "unresolved"), Next: 2, Menu: json.RawMessage(fullMenu),
		Asks: true, Policy: json.RawMessage(askedByRule),
	}),
	in(childSession, ruleApproval, approval.CommandID{}, &record.PolicyPersisted{ // 28
		GrantID: ruleGrant, Status: record.Failed, Reason: "the disk is full && so on", Opened: 24,
		Stages: written("policyAllow", "unresolved"), Next: 2, Menu: json.RawMessage(fullMenu),
	}),
	in(childSession, ruleApproval, decided, &record.StageSettled{
		Opened: 24, Stage: 2, ChoiceID: "allow_once", Decision: "approved", Stages: written("policyAllow", "allowOnce"),
		Next: 2, Menu: json.RawMessage(`[]`), By: &by, Command: accepted(),
	}),
	in(childSession, ruleApproval, decided, settled(24, approval.ByReviewerOnce, func(s *record.ApprovalSettled) {
		s.ChoiceID, s.Stages, s.By = "allow_once", written("policyAllow", "allowOnce"), &by
	})),
	in(childSession, ruleApproval, approval.CommandID{}, &record.PolicyPersisted{ // 31
		GrantID: ruleGrant, Status: record.Persisted, Opened: 24, Stages: written("policyAllow", "allowOnce"), Menu: json.RawMessage(`[]`),
	}),
	in(childSession, ruleApproval, opened, &record.ApprovalConsumed{Opened: 24, By: by, Command: accepted()}),

	in(childSession, grantApproval, opened, &record.ApprovalOpened{ // 33
		ToolCallID: "call_2", ParentToolCallID: "call_1", ToolName: "t", RawArgs: `{}`, ArgsDigest: "sha256:aa", SubjectDigest: "sha256:cc", Reason: "why",
		TurnID: "turn", TaskID: "task", ItemID: "item", Subject: json.RawMessage(`{"kind":"tool","toolName":"t"}`),
		Menu: json.RawMessage(sessionMenu), Policy: json.RawMessage(askedByMode), Protected: true, Unattended: "park", By: by, Command: accepted(),
	}),
	in(childSession, grantApproval, decided, settled(33, approval.ByReviewerSession, func(s *record.ApprovalSettled) {
		s.ChoiceID, s.By, s.Command = "allow_session", &by, accepted()
		s.Amendment = &record.Amendment{Durability: "session", RulePreview: "tool t"}
	})),
	in(childSession, grantApproval, decided, &record.GrantAdded{
		GrantID: childsGrant, Scope: "session", Reach: record.Reach{Kind: "tool", Tool: "t"}, RulePreview: "tool t", By: by,
	}),
	in(childSession, grantApproval, decided, &record.GrantRevoked{GrantID: childsGrant, By: by, Command: accepted()}), // 36
	in(parentSession, ruleApproval, decided, &record.GrantRevoked{GrantID: ruleGrant, By: by, Command: accepted()}),   // through the other

	in(childSession, brokenApproval, opened, &record.ApprovalOpened{ // 38
		ToolCallID: "call_3", ToolName: "bash", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item",
		Subject: shell(brokenApproval, "unresolved"), Stages: stages("unresolved"), Menu: json.RawMessage(fullMenu),
		Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}),
	in(childSession, approval.ID{}, approval.CommandID{}, &record.Recovered{Pending: 1}),
	in(childSession, brokenApproval, approval.CommandID{}, settled(38, approval.ByRestart, func(s *record.ApprovalSettled) {
		s.Stages, s.Successor, s.Recovery = stages("unresolved"), &heirApproval, &record.Recovery{Executable: true}
	})),
	in(childSession, heirApproval, approval.CommandID{}, &record.ApprovalOpened{ // 41
		ToolCallID: "call_3", ToolName: "bash", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item",
		Subject: shell(heirApproval, "unresolved"), Stages: stages("unresolved"), Menu: json.RawMessage(fullMenu),
		Policy: json.RawMessage(askedByMode), Unattended: "park", Supersedes: &brokenApproval, By: by,
	}),
	in(childSession, approval.ID{}, decided, &record.CommandSettled{By: by, Command: accepted()}), // a cancel of call_2
	in(childSession, grantApproval, decided, &record.PermitVoided{Opened: 33, Reason: "callEnded", By: &by}),

	in(parentSession, aboveApproval, opened, &record.ApprovalOpened{ // 44
		ToolCallID: "call_4", ToolName: "u", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item",
		Subject: json.RawMessage(`{"kind":"tool","toolName":"u"}`), Menu: json.RawMessage(sessionMenu), Policy: json.RawMessage(askedByMode),
		Unattended: "park", By: by, Command: accepted(),
	}),
	in(parentSession, aboveApproval, decided, settled(44, approval.ByReviewerSession, func(s *record.ApprovalSettled) {
		s.ChoiceID, s.By, s.Command = "allow_session", &by, accepted()
		s.Amendment = &record.Amendment{Durability: "session", RulePreview: "tool u"}
	})),
	in(parentSession, aboveApproval, decided, &record.GrantAdded{ // the child sees it
		GrantID: parentsGrant, Scope: "session", Reach: record.Reach{Kind: "tool", Tool: "u"}, RulePreview: "tool u", By: by,
	}),

	in(childSession, heirApproval, decided, settled(41, approval.BySessionClose, func(s *record.ApprovalSettled) { s.Stages = stages("unresolved") })),
	in(childSession, approval.ID{}, decided, &record.SessionClosed{Reason: "parentClosed", By: by}),
	in(parentSession, approval.ID{}, decided, &record.SessionClosed{Reason: "requested", By: by, Command: accepted()}), // 49
}

// in is a record of another session than the story's.
func in(session, id approval.ID, c approval.CommandID, body record.Body) record.Record {
	r := about(id, c, body)
	r.Session = session
	return r
}

// written is the stages of ruleApproval, the first of which a rule was written for.
func written(others ...string) []record.Stage {
	first := record.Stage{Kind: "policyAmendment", ArgvPrefix: []string{"make"}}
	return append([]record.Stage{first}, stages(others...)...)
}
