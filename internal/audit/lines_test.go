package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/lines.jsonl")

// Every record is one line, and a filter lets through what a look at each line
// by itself lets through.
func TestEveryRecordIsOneLineAndFiltersChooseAmongThem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory(t)
		var open []opening
		for range rapid.IntRange(1, 60).Draw(rt, "records") {
			s.anyRecord(rt, &open)
		}
		path := s.path()
		all := linesOf(rt, path, audit.Filter{})
		if len(all) != len(s.values) {
			rt.Fatalf("%d lines of %d records", len(all), len(s.values))
		}
		for i, l := range all {
			if l.Seq != uint64(i)+1 || !slices.Contains(audit.Events(), l.Event) {
				rt.Fatalf("line %d is %+v", i+1, l)
			}
		}
		f := anyFilter(rt, s.at)
		var want []*audit.Line
		for _, l := range all {
			if plainMatch(f, l) {
				want = append(want, l)
			}
		}
		got := linesOf(rt, path, f)
		if diff := cmp.Diff(texts(rt, want), texts(rt, got)); diff != "" {
			rt.Fatalf("filter %+v (-want +got):\n%s", f, diff)
		}
	})
}

func anyFilter(t *rapid.T, end time.Time) (f audit.Filter) {
	some := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
	if some("session") {
		f.Session = id('s', 2).String()[:rapid.SampledFrom([]int{2, 36}).Draw(t, "length")]
	}
	if some("approval") {
		f.Approval = id('a', rapid.Uint64Range(0, 9).Draw(t, "approval")).String()
	}
	if some("events") {
		f.Events = rapid.SliceOfN(rapid.SampledFrom(audit.Events()), 1, 5).Draw(t, "events")
	}
	if some("tools") {
		f.Tools = []string{"bash"}
	}
	if some("outcomes") {
		f.Outcomes = rapid.SampledFrom([][]string{{"rejected"}, {"rejected", "allowedOnce"}}).Draw(t, "outcomes")
	}
	if some("since") {
		f.Since = end.Add(-rapid.SampledFrom([]time.Duration{5 * time.Second, 20 * time.Second}).Draw(t, "since"))
	}
	if some("until") {
		f.Until = end.Add(-rapid.SampledFrom([]time.Duration{0, 4 * time.Second}).Draw(t, "until"))
	}
	if some("path") {
		f.Path = rapid.SampledFrom([]string{"/", "/srv/app", "/srv/app/", "/srv/app/a.txt", "/srv/ap"}).Draw(t, "path")
	}
	if some("text") {
		f.Text = rapid.SampledFrom([]string{"why", "MAKE", "why not", "nothing such"}).Draw(t, "text")
	}
	return f
}

// plainMatch is what the documentation of a Filter says, and nothing clever.
func plainMatch(f audit.Filter, l *audit.Line) bool {
	at, err := wire.Time(l.At).Parse()
	if err != nil {
		return false
	}
	texts := strings.ToLower(strings.Join([]string{l.Subject, l.Reason, l.Justification, l.Why, l.Feedback, string(l.Answers), string(l.Clarification), string(l.Input)}, "\x00"))
	path := strings.Split(strings.Trim(l.Path, "/"), "/")
	top := strings.Split(strings.Trim(f.Path, "/"), "/")
	inPath := l.Path != "" && (strings.Trim(f.Path, "/") == "" || len(path) >= len(top) && slices.Equal(path[:len(top)], top))
	for _, wrong := range []bool{
		f.Session != "" && !strings.HasPrefix(l.SessionID, f.Session),
		f.Approval != "" && !strings.HasPrefix(l.ApprovalID+l.UserInputID, f.Approval),
		f.Events != nil && !slices.Contains(f.Events, l.Event),
		f.Tools != nil && !slices.Contains(f.Tools, l.ToolName),
		f.Outcomes != nil && !slices.Contains(f.Outcomes, l.Outcome),
		!f.Since.IsZero() && at.Before(f.Since),
		!f.Until.IsZero() && !at.Before(f.Until),
		f.Path != "" && !inPath,
		f.Text != "" && !strings.Contains(texts, strings.ToLower(f.Text)),
	} {
		if wrong {
			return false
		}
	}
	return true
}

func texts(t *rapid.T, lines []*audit.Line) (out []string) {
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

// golden is a log with every kind of record, in the order in which a daemon
// writes such.
func golden(t testing.TB) string {
	s := newStory(t)
	session, child := id('s', 1), id('s', 2)
	uid := 1000
	agent := record.Party{Client: "agent", Version: "1.0", Role: "agent", Transport: "agent", PID: 17, UID: &uid, Executable: "/usr/bin/agent"}
	person := record.Party{Client: "inbox", Version: "2.1", Role: "reviewer", Transport: "reviewer", PID: 18, UID: &uid, Executable: "/usr/bin/inbox"}
	c1, c2 := command(t, "018f6a2a-3333-7abc-8def-00000000d001"), command(t, "01HX5M2E0VZB8Q9T6K3R7W1Y4C")
	ack := &record.Intake{Payload: "00", Ack: json.RawMessage(`{"commandId":"c"}`)}
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	none := approval.ID{}
	opened := func(n int, menu, policy string) *record.ApprovalOpened {
		return &record.ApprovalOpened{
			ToolCallID: "call_1", ToolName: "bash", RawArgs: `{"command":"make\u001b[2J"}`, ArgsDigest: "sha256:aa", Reason: "to build",
			Justification: "It asks.", TurnID: "t1", TaskID: "k1", ItemID: "i1", ParentToolCallID: "call_0", RunID: "r1",
			Subject: raw(subjects[n]), SubjectDigest: "sha256:bb", Menu: raw(menu), Policy: raw(policy), Unattended: "park", By: agent, Command: ack,
		}
	}
	s.add(session, none, c1, &record.SessionStarted{Mode: "promptUnmatched", Preset: "read-only", WorkspaceRoot: "/srv/app", Unattended: "park", Name: "work", By: agent, Command: ack})
	s.add(child, none, c1, &record.SessionStarted{Mode: "promptUnmatched", Parent: session, Inherit: "grants", Unattended: "park", By: agent, Command: ack})
	s.add(session, none, c2, &record.ModeSet{Mode: "onRequest", Source: "approvalReconfigure", By: person, Command: ack})
	s.add(session, none, c2, &record.CommandSettled{By: person, Command: ack})

	// A command in two parts: a rule for the one, once for the other.
	shell := opened(0, `[{"choiceId":"allow_local_prefix"},{"choiceId":"abort"}]`, `{"source":"mode","explanation":"Nothing covers it."}`)
	shell.Stages = []record.Stage{{Kind: "unresolved", Diagnostic: "nothing covers it"}, {Kind: "unresolved"}}
	shell.ExpiresAt = new(int64(1767323105000))
	a := id('a', 1)
	at := s.add(session, a, c1, shell)
	amended := []record.Stage{{Kind: "policyAmendment", ArgvPrefix: []string{"git", "add"}}, {Kind: "unresolved"}}
	s.add(session, a, c2, &record.GrantAdded{GrantID: id('g', 1), Scope: "localPersistent", RulePreview: "git add …", Root: "/srv/app", Rule: raw(`{}`), By: person})
	s.add(session, a, c2, &record.StageSettled{
		Opened: at, ChoiceID: "allow_local_prefix", Decision: "approvedPolicyAmendment", Stages: amended,
		Next: 1, Menu: raw(`[{"choiceId":"allow_once"}]`), Asks: true, By: &person, Command: ack,
	})
	s.add(session, a, approval.CommandID{}, &record.PolicyPersisted{GrantID: id('g', 1), Status: record.Failed, Reason: "no space", Opened: at, Stages: amended, Menu: raw(`[]`)})
	s.add(session, a, c2, &record.ApprovalSettled{
		Opened: at, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer", ChoiceID: "allow_once",
		Stages: []record.Stage{amended[0], {Kind: "allowOnce"}}, Amendment: &record.Amendment{Durability: "localPersistent", RulePreview: "git add …"}, By: &person, Command: ack,
	})
	s.add(session, a, c1, &record.ApprovalConsumed{Opened: at, By: agent, Command: ack})

	// A rule allows without asking; the permit is not taken.
	b := id('a', 2)
	at = s.add(session, b, c1, opened(1, `[]`, `{"source":"rule","rule":"user rule 3 (policy.toml:17)","explanation":"A rule allows it."}`))
	s.add(session, b, c1, &record.ApprovalSettled{Opened: at, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "policy", Source: "rule"})
	s.add(session, b, approval.CommandID{}, &record.PermitVoided{Opened: at, Reason: "callEnded"})

	// A person says no, and why; a restart closes another.
	c, d := id('a', 3), id('a', 4)
	at = s.add(child, c, c1, opened(3, `[{"choiceId":"abort"}]`, `{"source":"mode","explanation":"Nothing covers it."}`))
	s.add(child, c, c2, &record.ApprovalSettled{
		Opened: at, Outcome: "rejected", Decision: "abort", PolicyResult: "deny", ResolvedBy: "user", Source: "reviewer", ChoiceID: "abort",
		Feedback: "use the mirror\nplease", By: &person, Command: ack,
	})
	s.add(session, none, c2, &record.CommandSettled{By: person, Command: &record.Intake{Payload: "00", Refusal: raw(`{"code":-32051,"message":"It was settled before."}`)}})
	at = s.add(child, d, c1, opened(5, `[{"choiceId":"abort"}]`, `{"source":"mode","explanation":"Nothing covers it."}`))
	s.add(child, none, approval.CommandID{}, &record.Recovered{Pending: 1})
	s.add(child, d, approval.CommandID{}, &record.ApprovalSettled{
		Opened: at, Outcome: "superseded", Decision: "superseded", PolicyResult: "deny", ResolvedBy: "policy", Source: "recovery", Successor: new(id('a', 5)),
	})
	successor := opened(5, `[{"choiceId":"abort"}]`, `{"source":"mode","explanation":"Nothing covers it."}`)
	successor.Supersedes, successor.Command = &d, nil
	s.add(child, id('a', 5), approval.CommandID{}, successor)
	s.add(session, none, c2, &record.GrantRevoked{GrantID: id('g', 1), By: person, Command: ack})

	// A session grant covers a command.
	e := id('a', 6)
	granted := opened(0, `[]`, `{"source":"sessionGrant","explanation":"A reviewer granted this for the session (make test)."}`)
	granted.Stages = []record.Stage{{Kind: "policyAllow", Diagnostic: "session grant " + id('g', 2).String()}}
	at = s.add(session, e, c1, granted)
	s.add(session, e, c1, &record.ApprovalSettled{
		Opened: at, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "policy", Source: "sessionGrant", Stages: granted.Stages,
	})
	cataloged(s, session, agent, person)

	// A prompt is answered after somebody engaged with it, another times out.
	p, q := id('p', 1), id('p', 2)
	prompt := &record.InputOpened{
		ToolCallID: "call_2", ToolName: "ask_user", TurnID: "t1", ItemID: "i2", By: agent, Command: ack,
		Questions:        raw(`[{"id":"q1","header":"","question":"Which port?","options":[],"selection":{"mode":"single"}},{"id":"q2","header":"","question":"Why?","options":[],"selection":{"mode":"single"}}]`),
		AutoResolutionMs: new(int64(5000)), ExpiresAt: new(int64(1767323105000)),
	}
	at = s.add(session, p, c1, prompt)
	s.add(session, p, approval.CommandID{}, &record.InputEngaged{Opened: at, By: person})
	s.add(session, p, c2, &record.InputSettled{
		Opened: at, Outcome: "answered", Source: "reviewer", Answers: raw(`[{"questionId":"q1","freeText":"8080"},{"questionId":"q2","freeText":"it is free"}]`), By: &person, Command: ack,
	})
	at = s.add(child, q, c1, prompt)
	s.add(child, q, approval.CommandID{}, &record.InputSettled{Opened: at, Outcome: "timedOut", Source: "deadline"})
	r := id('p', 3)
	at = s.add(session, r, c1, prompt)
	s.add(session, r, c2, &record.InputSettled{
		Opened: at, Outcome: "clarified", Source: "reviewer", Clarification: raw(`{"format":"text","content":"Ask me later."}`), Reason: "r", By: &person, Command: ack,
	})
	s.add(session, none, c1, &record.SessionClosed{Reason: "done", By: agent, Command: ack})
	return s.path()
}

// The lines of a log with every kind of record, as they were when they were
// written down. What changes there changes for everybody who reads lines: members
// may come, none goes.
func TestLinesAreAsTheyWereWrittenDown(t *testing.T) {
	var got bytes.Buffer
	kinds := map[audit.Event]bool{}
	for _, l := range linesOf(t, golden(t), audit.Filter{}) {
		text, err := wire.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(text, '\n'))
		kinds[l.Event] = true
	}
	if len(kinds) != len(audit.Events()) {
		t.Errorf("there are lines of %d events, want %d", len(kinds), len(audit.Events()))
	}
	const file = "testdata/lines.jsonl"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("lines (-want +got; -update rewrites %s):\n%s", file, diff)
	}
}

func TestSurveySaysWhatCameLater(t *testing.T) {
	r, err := log.OpenReader(golden(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := audit.NewSurvey(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	fates := map[string]audit.Fate{}
	if err := audit.Lines(r, audit.Filter{Events: []audit.Event{audit.Opened}}, nil, func(l *audit.Line) error {
		fates[l.ApprovalID] = s.Fate(l.Opened)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]audit.Fate{
		id('a', 1).String(): audit.FateConsumed, id('a', 2).String(): audit.FateVoided,
		id('a', 3).String(): audit.FateOpen, id('a', 4).String(): audit.FateOpen, id('a', 5).String(): audit.FateOpen, id('a', 6).String(): audit.FateOpen,
		id('a', 7).String(): audit.FateVoided, id('a', 8).String(): audit.FateOpen,
	}
	if diff := cmp.Diff(want, fates); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
	var pending []string
	if err := audit.Pending(r, s, audit.Filter{}, func(l *audit.Line) error {
		pending = append(pending, l.ApprovalID)
		return nil
	}); err != nil || !slices.Equal(pending, []string{id('a', 5).String()}) {
		t.Errorf("pending are %v, %v", pending, err)
	}
}

// No line is told of what is behind damage, and a line of a record that names a
// wrong one is not told.
func TestLinesEndBeforeDamage(t *testing.T) {
	path := golden(t)
	damage(t, path, 12)
	read := func(path string) (n int, err error) {
		r, err := log.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return n, audit.Lines(r, audit.Filter{}, nil, func(*audit.Line) error { n++; return nil })
	}
	n, err := read(path)
	if seq, kind, ok := audit.Damage(err); n != 11 || !ok || seq != 12 || kind != "approvalSettled" {
		t.Errorf("%d lines, then %v", n, err)
	}
	for name, opened := range map[string]uint64{"a record of another kind": 1, "a record that comes later": 4, "itself": 3, "another approval's": 2} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.add(id('s', 1), approval.ID{}, approval.CommandID{}, &record.Recovered{})
			o := &record.ApprovalOpened{Subject: json.RawMessage(subjects[0]), Menu: json.RawMessage(`[]`), Policy: json.RawMessage(`{}`)}
			s.add(id('s', 1), id('a', 1), approval.CommandID{}, o)
			s.add(id('s', 1), id('a', 2), approval.CommandID{}, &record.PermitVoided{Opened: opened})
			s.add(id('s', 1), id('a', 2), approval.CommandID{}, o)
			n, err := read(s.path())
			if seq, _, ok := audit.Damage(err); n != 2 || !ok || seq != 3 {
				t.Errorf("%d lines, then %v", n, err)
			}
		})
	}
}

// A reader that has enough ends the work.
func TestLinesEndWhereTheirReaderDoes(t *testing.T) {
	r, err := log.OpenReader(golden(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stop := errors.New("stop")
	if err := audit.Lines(r, audit.Filter{}, nil, func(l *audit.Line) error {
		if l.Seq == 3 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("Lines: %v, want stop", err)
	}
}

func TestHeadIsThatOfVerify(t *testing.T) {
	path := golden(t)
	report, err := verify(t, path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records, head, err := audit.Head(path)
	if err != nil || records != report.Records || head != report.Head {
		t.Errorf("Head = %d, %x, %v, want %d, %x", records, head, err, report.Records, report.Head)
	}
	damage(t, path, uint16(report.Records))
	if _, _, err := audit.Head(path); err == nil {
		t.Error("a damaged record has a head")
	}
	if records, head, err := audit.Head(newStory(t).path()); records != 0 || head != (record.Chain{}) || err != nil {
		t.Errorf("the head of nothing is %d, %x, %v", records, head, err)
	}
}

// What lines take of memory does not grow with the log.
func TestLinesTakeConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 110,000 records")
	}
	few, many := liveHeap(t, 10_000), liveHeap(t, 100_000)
	t.Logf("live heap: %d KiB of 10,000 records, %d KiB of 100,000", few>>10, many>>10)
	if many > few+few/2 {
		t.Errorf("it grows: %d bytes of 10,000 records, %d of 100,000", few, many)
	}
}

// liveHeap is the most that is live while the lines of a log are read.
func liveHeap(t *testing.T, records int) (most int64) {
	s := newStory(t)
	var at uint64
	for i := range records {
		a := id('a', uint64(i/2))
		if i%2 == 0 {
			at = s.add(id('s', 1), a, approval.CommandID{}, &record.ApprovalOpened{Subject: json.RawMessage(subjects[0]), Menu: json.RawMessage(`[]`), Policy: json.RawMessage(`{}`)})
		} else {
			s.add(id('s', 1), a, approval.CommandID{}, &record.ApprovalSettled{Opened: at, Outcome: "rejected"})
		}
	}
	path := filepath.Join(t.TempDir(), "sessions.db")
	writeGroups(t, path, s.values, 5000)
	s.values = nil
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	before := live()
	if err := audit.Lines(r, audit.Filter{}, nil, func(l *audit.Line) error {
		if l.Seq%uint64(records/10) == 0 {
			most = max(most, live()-before)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return most
}

// live is the size of the heap without what can go: what had a finalizer or was
// in a pool goes the second time.
func live() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Whatever a line has has a name.
func TestEveryMemberOfALineHasAName(t *testing.T) {
	for _, form := range []any{audit.Line{}, audit.Shown{}, audit.Call{}, audit.Stage{}, audit.Amendment{}, audit.Party{}} {
		for f := range reflect.TypeOf(form).Fields() {
			if f.IsExported() && f.Tag.Get("json") == "" {
				t.Errorf("%T.%s has no name", form, f.Name)
			}
		}
	}
}
