package fold_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// The story of turns is a log of a session and its child: a turn with an approval
// in it that is interrupted, one that an agent named and ended, and one of the
// program of --agent-cmd, which a restart ends.
var (
	turnSession = approval.ID{15: 0xb7}
	turnChild   = approval.ID{15: 0xb8}

	turnApproval = approval.ID{15: 0xbe}

	firstTurn, hostedTurn, childsTurn = approval.ID{15: 0xe1}, approval.ID{15: 0xe2}, approval.ID{15: 0xe3}
)

var turnStory = []record.Record{
	in(turnSession, approval.ID{}, opened, &record.SessionStarted{Mode: "promptUnmatched", Unattended: "park", By: by, Command: accepted()}),
	in(turnChild, approval.ID{}, opened, &record.SessionStarted{
		Mode: "promptUnmatched", Parent: turnSession, Inherit: "grants", Unattended: "park", By: by, Command: accepted(),
	}),
	in(turnSession, firstTurn, decided, &record.TurnStarted{Input: json.RawMessage(`[{"text":"a && b"},{"n":1.50}]`), Agent: &by, By: by, Command: accepted()}),
	in(turnChild, childsTurn, decided, &record.TurnStarted{Input: json.RawMessage(`[{}]`), Agent: &by, By: by, Command: accepted()}),
	in(turnSession, turnApproval, opened, &record.ApprovalOpened{ // 87
		ToolCallID: "call_7", ToolName: "send", RawArgs: `{}`, ArgsDigest: "sha256:aa", SubjectDigest: "sha256:dd", Reason: "why",
		TurnID: firstTurn.String(), TaskID: "task", ItemID: "item",
		Subject: json.RawMessage(`{"kind":"tool","toolName":"send"}`),
		Menu:    json.RawMessage(sessionMenu), Policy: json.RawMessage(askedByMode), Unattended: "park", By: by, Command: accepted(),
	}),
	in(turnSession, approval.ID{}, opened, &record.TurnEnded{TurnID: "turn", Terminal: "completed", By: by, Command: accepted()}), // another one
	in(turnSession, turnApproval, decided, settled(87, approval.ByTurnEnd)),
	in(turnSession, firstTurn, decided, &record.TurnEnded{
		TurnID: firstTurn.String(), Terminal: "cancelled", Reason: "It was interrupted.", By: by, Command: accepted(),
	}),
	in(turnSession, hostedTurn, decided, &record.TurnStarted{Input: json.RawMessage(`[{}]`), Hosted: true, By: by, Command: accepted()}),
	in(turnSession, approval.ID{}, approval.CommandID{}, &record.Recovered{}),
	in(turnSession, hostedTurn, approval.CommandID{}, &record.TurnEnded{TurnID: hostedTurn.String(), Terminal: "cancelled", Reason: "hostRestart"}),
	in(turnChild, childsTurn, approval.CommandID{}, &record.TurnEnded{TurnID: childsTurn.String(), Terminal: "cancelled", Reason: "The session was closed."}),
	in(turnChild, approval.ID{}, decided, &record.SessionClosed{Reason: "done", By: by, Command: accepted()}),
}

// toldOfTurns is the state after the first n records of the story of turns.
func toldOfTurns(n int) *fold.State {
	return told(len(log) - len(turnStory) + n)
}

// dumpTurns writes down what a session says of the turns that were started.
func dumpTurns(b *strings.Builder, session *fold.Session) {
	open, ok := session.OpenTurn()
	fmt.Fprintf(b, "running %v, %d below, waits %v, open turn %v %+v\n", session.Running(), session.RunningBelow, session.Waits(), ok, open)
	for _, id := range []approval.ID{firstTurn, hostedTurn, childsTurn} {
		known, ended := session.Turn(id.String())
		fmt.Fprintf(b, "turn %s: %v, ended %v\n", id, known, ended)
	}
}

// The session is running exactly while its turn is open, and a turn that ends is its
// own alone: not another one of the session, nor that of its child.
func TestASessionIsRunningWhileItsTurnIsOpen(t *testing.T) {
	for n, want := range map[int]struct {
		turn   approval.ID
		count  int64
		status wire.SessionStatus
		child  wire.SessionStatus
	}{
		2:  {approval.ID{}, 0, wire.SessionIdle, wire.SessionIdle},
		3:  {firstTurn, 1, wire.SessionRunning, wire.SessionIdle},
		4:  {firstTurn, 1, wire.SessionRunning, wire.SessionRunning},
		6:  {firstTurn, 1, wire.SessionRunning, wire.SessionRunning},
		8:  {approval.ID{}, 1, wire.SessionIdle, wire.SessionRunning},
		9:  {hostedTurn, 2, wire.SessionRunning, wire.SessionRunning},
		11: {approval.ID{}, 2, wire.SessionIdle, wire.SessionRunning},
		13: {approval.ID{}, 2, wire.SessionIdle, wire.SessionNotLoaded},
	} {
		s := toldOfTurns(n)
		in, _ := s.Session(turnSession)
		child, _ := s.Session(turnChild)
		o := in.Object(fold.Profile{})
		if o.Status != want.status || o.TurnCount != want.count || child.Status() != want.child {
			t.Errorf("after %d records: %s, %d turns, child %s; want %+v", n, o.Status, o.TurnCount, child.Status(), want)
		}
		if (o.ActiveTurnID != nil) != in.Running() || in.Running() && *o.ActiveTurnID != want.turn.String() {
			t.Errorf("after %d records: activeTurnId %v", n, o.ActiveTurnID)
		}
		open, is := in.OpenTurn()
		if is != in.Running() || open.ID != want.turn || open.Hosted != (want.turn == hostedTurn) {
			t.Errorf("after %d records: open turn %+v, %v", n, open, is)
		}
		if below := child.Running(); in.RunningBelow != map[bool]int{true: 1}[below] || in.Waits() != (in.Running() || below || in.Pending > 0) {
			t.Errorf("after %d records: %d turns are open below, and it waits: %v", n, in.RunningBelow, in.Waits())
		}
		if is && open.Started == 0 {
			t.Errorf("after %d records: it is not known where the turn began", n)
		}
	}
}
