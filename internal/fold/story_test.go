package fold_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// The story is a log of one session in which every kind of record occurs, and
// every event that there is.
var (
	shellApproval = approval.ID{15: 0xa1} // three stages, allowed one by one
	fileApproval  = approval.ID{15: 0xa2} // settled by policy at once
	lostApproval  = approval.ID{15: 0xa3} // of two stages, half decided, superseded by a restart
	nextApproval  = approval.ID{15: 0xa4} // its successor, granted for the session
	oddApproval   = approval.ID{15: 0xa5} // of an unknown kind, cancelled by the close

	opened  = command(1)
	decided = command(2)
	at      = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	by      = record.Party{Client: "inbox", Version: "1.0", Role: "reviewer", Transport: "host"}
)

const (
	fullMenu = `[{"choiceId":"allow_once","label":"Allow once","decision":"approved","scope":"once"},` +
		`{"choiceId":"abort","label":"Reject","decision":"abort","scope":"once","acceptsFeedback":true}]`
	sessionMenu = `[{"choiceId":"allow_session","label":"Allow for this session","decision":"approvedForSession","scope":"session",` +
		`"rulePreview":"exactly this && that"}]`
	askedByMode = `{"source":"mode","explanation":"Nothing in force covers this."}`
)

var story = log[:len(beginning)]

// log is the story, and after it those of a family (family_story_test.go), of
// catalogs (catalog_story_test.go), of prompts (prompt_story_test.go) and of turns
// (turn_story_test.go).
var log = numbered(slices.Concat(beginning, family, mailStory, prompting, turnStory)...)

var beginning = []record.Record{
	about(approval.ID{}, opened, &record.SessionStarted{
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Unattended: "park", Name: "a && b", By: by, Command: accepted(),
	}),
	about(shellApproval, opened, &record.ApprovalOpened{
		ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command": "make && true; make <x>"}`, ArgsDigest: "sha256:aa",
		Reason: "it must run", Justification: "so says the model", Operation: json.RawMessage(`{"kind":"shell-unrestricted"}`),
		TurnID: "turn", TaskID: "task", ItemID: "item", RunID: "run", Requested: true,
		Subject:   shell(shellApproval, "unresolved", "knownSafe", "unresolved"),
		ExpiresAt: new(at.Add(time.Hour).UnixMilli()), Menu: json.RawMessage(fullMenu), Policy: json.RawMessage(askedByMode),
		Unattended: "park", By: by, Command: accepted(),
	}),
	about(shellApproval, decided, &record.StageSettled{
		Opened: 2, Stage: 0, ChoiceID: "allow_once", Decision: "approved", Stages: stages("allowOnce", "knownSafe", "unresolved"),
		Next: 2, Menu: json.RawMessage(sessionMenu), Asks: true, By: &by, Command: accepted(),
	}),
	about(fileApproval, opened, &record.ApprovalOpened{
		ToolCallID: "call_2", ToolName: "write", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item",
		ParentToolCallID: "call_1", Subject: json.RawMessage(`{"kind":"fileAccess","toolName":"write","path":"/srv/app/a&b","requestedPath":"a&b","access":"write","exists":false}`),
		Menu: json.RawMessage(`[]`), Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}),
	about(fileApproval, opened, settled(4, approval.ByModeDeny, func(s *record.ApprovalSettled) { s.Reason = "The mode denies it." })),
	about(shellApproval, approval.CommandID{}, &record.StageSettled{
		Opened: 2, Stage: 2, Stages: stages("allowOnce", "knownSafe", "policyAllow"), Next: 2, Menu: json.RawMessage(`[]`),
	}),
	about(shellApproval, decided, settled(2, approval.BySessionGrant, func(s *record.ApprovalSettled) {
		s.Stages = stages("allowOnce", "knownSafe", "policyAllow")
	})),
	about(approval.ID{}, decided, &record.ModeSet{Mode: "allowAll", Source: "approvalReconfigure", By: by, Command: accepted()}),
	about(lostApproval, opened, &record.ApprovalOpened{
		ToolCallID: "call_3", ToolName: "bash", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item", RunID: "run",
		Subject: shell(lostApproval, "unresolved", "unresolved"), Menu: json.RawMessage(fullMenu),
		Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}),
	about(lostApproval, decided, &record.StageSettled{
		Opened: 9, Stage: 0, ChoiceID: "allow_once", Decision: "approved", Stages: stages("allowOnce", "unresolved"),
		Next: 1, Menu: json.RawMessage(fullMenu), Asks: true, By: &by, Command: accepted(),
	}),
	about(approval.ID{}, approval.CommandID{}, &record.Recovered{Pending: 1}),
	about(lostApproval, approval.CommandID{}, settled(9, approval.ByRestart, func(s *record.ApprovalSettled) {
		s.Stages, s.Successor = stages("allowOnce", "unresolved"), &nextApproval
		s.Recovery = &record.Recovery{Reparsed: true, Executable: true}
	})),
	about(nextApproval, approval.CommandID{}, &record.ApprovalOpened{
		ToolCallID: "call_3", ToolName: "bash", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item", RunID: "run",
		Subject: shell(nextApproval, "unresolved", "unresolved"), Menu: json.RawMessage(sessionMenu),
		Policy: json.RawMessage(askedByMode), Unattended: "park", Supersedes: &lostApproval, By: by,
	}),
	about(nextApproval, decided, settled(13, approval.ByReviewerSession, func(s *record.ApprovalSettled) {
		s.ChoiceID, s.Stages, s.By, s.Command = "allow_session", stages("unresolved", "unresolved"), &by, accepted()
		s.Amendment = &record.Amendment{Durability: "session", RulePreview: "exactly this && that"}
		s.Feedback = "in no event"
	})),
	about(nextApproval, decided, &record.GrantAdded{
		GrantID: approval.ID{15: 0xf1}, Scope: "session", Reach: record.Reach{Kind: "tool", Tool: "t"}, RulePreview: "exactly this && that", By: by,
	}),
	about(approval.ID{}, decided, &record.CommandSettled{By: by, Command: refused()}),
	about(nextApproval, decided, &record.GrantAdded{
		GrantID: approval.ID{15: 0xf2}, Scope: "session", Reach: record.Reach{Kind: "tool", Tool: "u"}, RulePreview: "another", By: by,
	}),
	about(oddApproval, opened, &record.ApprovalOpened{
		ToolCallID: "call_4", ParentToolCallID: "call_1", ToolName: "teleport", RawArgs: `{}`, Reason: "why", TurnID: "other turn", TaskID: "task", ItemID: "item",
		Subject: json.RawMessage(`{"to":"a && <b>","kind":"teleport","n":1.50}`), Menu: json.RawMessage(fullMenu),
		Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}),
	about(oddApproval, decided, settled(18, approval.BySessionClose, func(s *record.ApprovalSettled) { s.Reason = "The session was closed." })),
	about(approval.ID{}, decided, &record.SessionClosed{Reason: "done && dusted", By: by, Command: accepted()}),
}

// commits are the sequences at which a commit of the log ends.
var commits = []uint64{1, 2, 3, 5, 7, 8, 9, 10, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 27, 28, 30, 31, 32, 33, 35, 36, 37, 38, 41, 43, 44, 46, 49, 50, 51, 52, 53, 55, 56, 57, 60, 62, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91, 93, 95}

// told is the state after the first n records of the log.
func told(n int) *fold.State {
	s := new(fold.State)
	for _, r := range log[:n] {
		s.Apply(r)
	}
	return s
}

// openingOf is the record that the events of r are drawn from besides r.
func openingOf(r record.Record) record.Record {
	if seq := fold.OpeningOf(r); seq != 0 {
		return log[seq-1]
	}
	return record.Record{}
}

// events are those of a record of the log.
func events(r record.Record) []fold.Event { return fold.Events(r, openingOf(r), lineages[r.Session]) }

func about(id approval.ID, c approval.CommandID, body record.Body) record.Record {
	return record.Record{Header: record.Header{Session: session, Approval: id, Command: c}, Body: body}
}

// numbered gives records their place in the log, a second apart.
func numbered(records ...record.Record) []record.Record {
	last := map[approval.ID]uint64{}
	for i := range records {
		records[i].Seq, records[i].Prev = uint64(i+1), last[records[i].Session]
		last[records[i].Session] = records[i].Seq
		records[i].At = at.Add(time.Duration(i) * time.Second)
	}
	return records
}

// reread is the record as a restart reads it.
func reread(t testing.TB, r record.Record) record.Record {
	t.Helper()
	value, err := record.Encode(r.Header, r.Body, r.Chain)
	if err != nil {
		t.Fatal(err)
	}
	back, err := record.Decode(r.Seq, value)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// shell is the published form of a command whose stages stand as given.
func shell(id approval.ID, states ...approval.StageState) json.RawMessage {
	s := approval.Shell{Command: "make && true; make <x>", Cwd: "/srv/app", Shell: "bash"}
	for i, state := range states {
		s.Stages = append(s.Stages, approval.Stage{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: i}, Position: i + 1, TotalStages: len(states),
			Argv: []string{"make", "<x>"}, ArgvComplete: true, Resolution: approval.StageResolution{Kind: state},
		})
	}
	raw, err := approval.EncodeSubject(s)
	if err != nil {
		panic(err)
	}
	return raw
}

func stages(states ...string) []record.Stage {
	var out []record.Stage
	for _, state := range states {
		out = append(out, record.Stage{Kind: state})
	}
	return out
}

func settled(opened uint64, how approval.Resolution, more ...func(*record.ApprovalSettled)) *record.ApprovalSettled {
	s := &record.ApprovalSettled{
		Opened: opened, Outcome: string(how.Outcome), Decision: how.Decision,
		PolicyResult: how.PolicyResult, ResolvedBy: how.ResolvedBy, Source: how.Source,
	}
	for _, m := range more {
		m(s)
	}
	return s
}

func accepted() *record.Intake {
	return &record.Intake{Payload: "00", Ack: json.RawMessage(`{"status":"accepted"}`)}
}

func refused() *record.Intake {
	return &record.Intake{Payload: "00", Refusal: json.RawMessage(`{"code":-32052}`)}
}

func command(n byte) approval.CommandID {
	id, err := approval.ParseCommandID(fmt.Sprintf("018f6a2a-3333-7abc-8def-0000000000%02x", n))
	if err != nil {
		panic(err)
	}
	return id
}
