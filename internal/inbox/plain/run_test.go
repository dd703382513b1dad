package plain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

func request(id, command string, stage int) *wire.ApprovalRequest {
	r := &wire.ApprovalRequest{
		SessionID: "s", ApprovalID: id, ToolName: "bash\x1b[2J", RawArgs: "{}",
		Subject:              []byte(`{"kind":"shell","command":"` + command + `","cwd":"/w","shell":"bash","stages":[]}`),
		CurrentRequirementID: wire.RequirementID{ApprovalID: id, SourceIndex: stage},
		AvailableChoices:     []wire.Choice{{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once"}, {ChoiceID: wire.ChoiceAbort, Label: "Reject", AcceptsFeedback: true}},
	}
	r.SourceRange.Last.Sequence = uint64(stage)
	return r
}

// What happens while nobody types is told in a line each, and what was read is what is
// decided, whatever has come meanwhile.
func TestWhatHappensIsToldInLines(t *testing.T) {
	var out strings.Builder
	var decided []wire.ApprovalDecideParams
	l := &loop{
		ctx: t.Context(), out: &out, model: inbox.New(),
		numbers: make(map[string]int), told: make(map[string]wire.RequirementID), over: make(map[string]bool),
		do: func(_ context.Context, e inbox.Effect) inbox.Msg {
			if d, ok := e.(inbox.Decide); ok {
				decided = append(decided, d.Params)
			}
			return nil
		},
	}
	says := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(strings.Join(want, "\n"), strings.TrimSuffix(out.String(), "\n")); d != "" {
			t.Errorf("it says (-want +got):\n%s", d)
		}
		out.Reset()
	}
	l.take(inbox.Linked{})
	l.take(inbox.Snapshot{Waiting: []inbox.Waiting{{Approval: request("a", "make", 0)}}})
	says("1: ? ago: bash<U+001B>[2J: make", "Type help for the commands.")
	l.take(inbox.Event{Params: request("b", "ls", 0)})
	says("New: 2: bash<U+001B>[2J: ls")
	l.take(inbox.Event{Params: &wire.ApprovalResolved{ApprovalID: "b", Outcome: wire.OutcomeRejected, ResolvedBy: wire.ResolvedByUser}})
	says("Settled: 2: rejected by a reviewer.")
	if err := l.command("show 1"); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	l.take(inbox.Event{Params: request("a", "make", 1)})
	says("A stage of it was decided elsewhere. This is the next stage.", "Next stage: 1: make: read it again.")
	if err := l.command("choose 1"); err != nil {
		t.Fatal(err)
	}
	says("It has moved on, so nothing was sent.")
	for _, line := range []string{"show 1", "choose 1"} {
		if err := l.command(line); err != nil {
			t.Fatal(err)
		}
	}
	want := []wire.ApprovalDecideParams{{SessionID: "s", ApprovalID: "a", RequirementID: wire.RequirementID{ApprovalID: "a", SourceIndex: 1}, ChoiceID: wire.ChoiceAllowOnce}}
	if d := cmp.Diff(want, decided); d != "" {
		t.Errorf("it decided (-want +got):\n%s", d)
	}
	out.Reset()
	l.take(inbox.Event{Params: request("c", "third", 0)})
	says("New: 3: bash<U+001B>[2J: third") // a number is never given twice
}

// Whoever listens is not read a thousand lines out unasked; each has its number all the
// same.
func TestALongListIsReadOutWhereItIsAskedFor(t *testing.T) {
	var out strings.Builder
	l := &loop{
		ctx: t.Context(), out: &out, model: inbox.New(), do: func(context.Context, inbox.Effect) inbox.Msg { return nil },
		numbers: make(map[string]int), told: make(map[string]wire.RequirementID), over: make(map[string]bool),
	}
	waiting := make([]inbox.Waiting, 1000)
	for i := range waiting {
		waiting[i].Approval = request(fmt.Sprint("a", i), "make "+strings.Repeat("x", 10_000), 0)
	}
	l.take(inbox.Linked{})
	l.take(inbox.Snapshot{Waiting: waiting})
	if n := strings.Count(out.String(), "\n"); n != fewRows+2 || !strings.Contains(out.String(), "And 980 more:") || out.Len() > 10_000 {
		t.Errorf("it reads out %d lines, %d bytes", n, out.Len())
	}
	out.Reset()
	for _, line := range []string{"list all", "show 1000"} {
		if err := l.command(line); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), " ago: bash"); n != 1000 || !strings.Contains(out.String(), "Run a command") {
		t.Errorf("all are %d lines", n)
	}
}
