package fold_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

var update = flag.Bool("update", false, "write testdata/events.ndjson instead of comparing it")

// The file holds a line for each event of the story: what subscribers see.
func TestTheStoryIsSeenByteForByte(t *testing.T) {
	path := filepath.Join("testdata", "events.ndjson")
	var got strings.Builder
	for _, r := range log {
		for _, e := range events(r) {
			got.WriteString(line(t, e) + "\n")
		}
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestTheStoryHasEveryEvent(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range log {
		for _, e := range events(r) {
			seen[e.Method] = true
		}
	}
	want := map[string]bool{
		wire.MethodApprovalRequested: true, wire.MethodApprovalUpdated: true, wire.MethodApprovalResolved: true,
		wire.MethodSessionApprovalModeChanged: true, wire.MethodSessionClosed: true, wire.MethodTurnStarted: true, wire.MethodTurnCompleted: true,
		wire.MethodUserInputRequested: true, wire.MethodUserInputSettled: true,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

func TestEventCountIsTheNumberOfEvents(t *testing.T) {
	for _, r := range log {
		t.Run(r.Body.Kind().String(), func(t *testing.T) {
			if got, want := fold.EventCount(r), len(events(r)); got != want {
				t.Errorf("EventCount = %d, there are %d", got, want)
			}
		})
	}
}

func TestEventsAreTheSameWhenTheLogIsReadAgain(t *testing.T) {
	for _, r := range log {
		live := events(r)
		var opening = openingOf(r)
		if opening.Body != nil {
			opening = reread(t, opening)
		}
		for i, e := range fold.Events(reread(t, r), opening, lineages[r.Session]) {
			if diff := cmp.Diff(line(t, live[i]), line(t, e)); diff != "" {
				t.Errorf("record %d, event %d (-live +read):\n%s", r.Seq, i, diff)
			}
		}
	}
}

func TestEventsCarryTheirPlaceTheTimeAndTheSession(t *testing.T) {
	for _, r := range log {
		for i, e := range events(r) {
			if e.Cursor != fold.CursorAt(r.Seq, i) || e.Session != r.Session || e.At != r.At {
				t.Errorf("event %d of record %d: %+v", i, r.Seq, e)
			}
			if want := `"viewCursor":"` + e.Cursor.Text(r.Session) + `"`; !strings.Contains(line(t, e), want) {
				t.Errorf("event %d of record %d does not say %s", i, r.Seq, want)
			}
		}
	}
}

func TestOnlyARequestedEventAsks(t *testing.T) {
	for _, r := range log {
		for _, e := range events(r) {
			var want approval.RequirementID
			if p, ok := e.Params.(*wire.ApprovalRequest); ok {
				want = approval.RequirementID{Approval: r.Approval, SourceIndex: p.CurrentRequirementID.SourceIndex}
			}
			if _, ok := e.Params.(*wire.UserInputRequest); ok {
				want = approval.RequirementID{Approval: r.Approval}
			}
			if e.Asks != want {
				t.Errorf("%s of record %d asks %v, want %v", e.Method, r.Seq, e.Asks, want)
			}
		}
	}
}

func TestFeedbackIsInNoEvent(t *testing.T) {
	for _, r := range log {
		for _, e := range events(r) {
			if strings.Contains(line(t, e), "in no event") {
				t.Errorf("%s of record %d carries it", e.Method, r.Seq)
			}
		}
	}
}

func TestRecordsWithoutTheirOpeningHaveNoEvents(t *testing.T) {
	for _, r := range log {
		if fold.OpeningOf(r) == 0 {
			continue
		}
		if got := fold.Events(r, story[0], nil); got != nil {
			t.Errorf("record %d: %v", r.Seq, got)
		}
	}
}

// line is an event on one line: its method and its params.
func line(t testing.TB, e fold.Event) string {
	t.Helper()
	params, err := wire.Marshal(e.Params)
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.Marshal(wire.ViewEvent{Method: e.Method, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
