package fold_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// A state whose sessions are loaded late, in any order, let go of and loaded
// again, while the log goes on, is in the end the one that read everything.
func TestALazilyLoadedStateIsTheReplayedOne(t *testing.T) {
	want, everyone := dump(t, told(len(log))), sessionsOf(told(len(log)))
	written := make([]record.Record, len(log))
	for i, r := range log {
		written[i] = reread(t, r)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, len(log)).Draw(rt, "records before the start")
		s := outlineOf(written[:n])
		for _, r := range written[n:] {
			for _, id := range everyone {
				switch rapid.IntRange(0, 7).Draw(rt, "what becomes of a session") {
				case 0:
					load(rt, s, id)
				case 1:
					s.Unload(id)
				}
			}
			s.Apply(r)
		}
		for _, id := range everyone {
			load(rt, s, id)
		}
		if diff := cmp.Diff(want, dump(t, s)); diff != "" {
			rt.Fatalf("a start after %d records (-replayed +loaded):\n%s", n, diff)
		}
	})
}

// What can be asked of a session that is not loaded is what a replay says.
func TestAnOutlineSaysWhatTheReplayedStateSays(t *testing.T) {
	for n := range len(log) + 1 {
		s := outlineOf(log[:n])
		for session := range s.Sessions() {
			if session.Loaded() {
				t.Errorf("after %d records session %s is loaded", n, session.ID)
			}
		}
		if diff := cmp.Diff(outlined(t, told(n)), outlined(t, s)); diff != "" {
			t.Fatalf("after %d records (-replayed +outlined):\n%s", n, diff)
		}
	}
}

func TestDetailsThatAreNotUpToDateAreNotTaken(t *testing.T) {
	s := outlineOf(log)
	d := new(fold.Details)
	d.Apply(log[0])
	if s.Load(session, d) {
		t.Error("details of the first record were taken for those of a session that went on")
	}
	if in, _ := s.Session(session); in.Loaded() {
		t.Error("the session is loaded")
	}
	if s.Load(approval.ID{15: 0x99}, new(fold.Details)) {
		t.Error("details of a session that is not there were taken")
	}
}

// "It was never opened" must not be the answer of who has not looked.
func TestASessionThatIsNotLoadedAnswersNothing(t *testing.T) {
	in, _ := outlineOf(log).Session(session)
	for name, ask := range map[string]func(){
		"approval": func() { in.Approval(shellApproval) },
		"command":  func() { in.Command(opened) },
		"pending":  func() { in.PendingApprovals() },
		"prompt":   func() { in.Prompt(answeredPrompt) },
		"prompts":  func() { in.PendingPrompts() },
		"claims":   func() { in.Claims(func(*fold.Approval) bool { return true }) },
		"children": func() { in.Children("call_1") },
		"called":   func() { in.Called("call_1") },
		"records":  func() { in.Records(0) },
		"backward": func() { in.RecordsBefore(9) },
		"head":     func() { in.Head() },
		"refusals": func() { in.Refusals() },
		"catalogs": func() { in.OpenCatalogs() },
		"turn":     func() { in.Turn("turn") },
		"open":     func() { in.OpenTurn() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, "not loaded") {
					t.Errorf("it answered, or said %s", p)
				}
			}()
			ask()
		})
	}
}

// A settled approval cannot be settled again by a record that should not be there
// (invariant 3): the outline counts as the replay does.
func TestAnOutlineCountsNoTerminalTwice(t *testing.T) {
	records := numbered(slices.Concat(slices.Clone(beginning[:5]), []record.Record{beginning[4]})...)
	var o fold.Outline
	for _, r := range records {
		o.Apply(reread(t, r))
	}
	if in, _ := o.State().Session(session); in.Pending != 1 {
		t.Errorf("%d are pending, want 1", in.Pending)
	}
}

func TestAnOutlineCountsNoTerminalOfAPromptTwice(t *testing.T) {
	records := numbered(in(session, approval.ID{}, opened, &record.SessionStarted{By: by, Command: accepted()}),
		in(session, openPrompt, opened, asks(at)), in(session, latePrompt, opened, asks(at)),
		in(session, latePrompt, approval.CommandID{}, &record.InputSettled{Opened: 3, Outcome: "timedOut"}),
		in(session, latePrompt, approval.CommandID{}, &record.InputSettled{Opened: 3, Outcome: "cancelled"}))
	if in, _ := outlineOf(records).Session(session); in.Prompts != 1 || in.Pending != 0 {
		t.Errorf("%d prompts and %d approvals are pending, want 1 and 0", in.Prompts, in.Pending)
	}
	s := new(fold.State)
	for _, r := range records {
		s.Apply(r)
	}
	in, _ := s.Session(session)
	if p, _ := in.Prompt(latePrompt); in.Prompts != 1 || p.Settlement().Outcome != "timedOut" {
		t.Errorf("%d prompts are pending, and one ended as %+v", in.Prompts, p.Settled)
	}
}

// outlineOf is the outline of records.
func outlineOf(records []record.Record) *fold.State {
	var o fold.Outline
	for _, r := range records {
		r.Kind = r.Body.Kind() // as a record that is read has it
		if o.NeedsBody(r.Header) {
			o.Apply(r)
		} else {
			o.Skim(r.Seq, r.Header)
		}
	}
	return o.State()
}

func sessionsOf(s *fold.State) (ids []approval.ID) {
	for in := range s.Sessions() {
		ids = append(ids, in.ID)
	}
	slices.SortFunc(ids, func(a, b approval.ID) int { return strings.Compare(a.String(), b.String()) })
	return ids
}

// load gives a session the details that the log has of it by now.
func load(t rapid.TB, s *fold.State, id approval.ID) {
	t.Helper()
	in, ok := s.Session(id)
	if !ok {
		return
	}
	d := new(fold.Details)
	for _, r := range log[:in.Last] {
		if r.Session == id {
			d.Apply(r)
		}
	}
	if !s.Load(id, d) {
		t.Fatalf("the details of session %s up to record %d were not taken", id, d.Last())
	}
}

// outlined is what a state says of sessions that may not be loaded.
func outlined(t testing.TB, s *fold.State) string {
	t.Helper()
	var lines []string
	for in := range s.Sessions() {
		object, err := wire.Marshal(in.Object(fold.Profile{}))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %d to %d, %s, %d and %d pending, %d and %d prompts, closed %v %q, mode %+v, %q, %v %v %v, rules %v, running %v and %d", object,
			in.First, in.Last, in.UpdatedAt, in.Pending, in.Below, in.Prompts, in.PromptsBelow, in.Closed, in.CloseReason, in.Mode, in.Preset, in.Lineage, in.Inherits,
			in.ChildSessions, s.Unstored(in), in.Running(), in.RunningBelow))
	}
	slices.Sort(lines)
	start, known := s.Start(opened)
	return fmt.Sprintf("head %d, start %v %s, %d refused, grants %v\n%s", s.Head(), known, text(t, start), s.StartRefusals(),
		s.Grants(func(approval.Grant) bool { return true }), strings.Join(lines, "\n"))
}
