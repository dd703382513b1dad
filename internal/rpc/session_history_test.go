package rpc

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// What is pending may be more than an answer can point at. Then there is no
// snapshot, and the answer says why; the rest of it stays.
func TestASnapshotThatIsTooLargeIsLeftOut(t *testing.T) {
	with := wire.SessionResumeResult{ViewCursor: "v:s:8", History: wire.History{
		Mode: wire.HistorySnapshot, Snapshot: &wire.Snapshot{SchemaVersion: wire.SnapshotVersion, ViewCursor: "v:s:8"},
	}}
	whole, err := wire.Marshal(with)
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]wire.History{
		len(whole):     with.History,
		len(whole) - 1: {Mode: wire.HistoryNone, NoneReason: wire.NoneBudget},
	} {
		body, err := resumedBody(with, most)
		if err != nil {
			t.Fatal(err)
		}
		var got wire.SessionResumeResult
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if got.History.Mode != want.Mode || got.History.NoneReason != want.NoneReason || (got.History.Snapshot == nil) != (want.Snapshot == nil) {
			t.Errorf("within %d bytes the history is %+v, want %+v", most, got.History, want)
		}
		if got.ViewCursor != with.ViewCursor {
			t.Errorf("within %d bytes the cursor is %s", most, got.ViewCursor)
		}
	}
}

// The pointers of the answer end at a thousand; those of its snapshot do not, for
// it is a state and not a page.
func TestASnapshotHasAllThatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		var want []string
		for range maxPointers + 1 {
			want = append(want, agent.open(session))
		}
		var got wire.SessionResumeResult
		h.as(wire.RoleReviewer).must(wire.MethodSessionResume, inSession(session, `"history":"snapshot"`, `"commandId":"`+command()+`"`), &got)
		h.settle() // the requests come behind the answer, and nobody is cut off in one
		if len(got.PendingRequests) != maxPointers || !got.PendingTruncated {
			t.Errorf("it points at %d, truncated %t", len(got.PendingRequests), got.PendingTruncated)
		}
		var pending []string
		for _, p := range got.History.Snapshot.State.PendingApprovals {
			pending = append(pending, p.ApprovalID)
		}
		if diff := cmp.Diff(want, pending); diff != "" {
			t.Errorf("pending in the snapshot (-want +got):\n%s", diff)
		}
	})
}

// The snapshot names the open turn and the command that started it.
func TestASnapshotNamesTheOpenTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleBoth, `"turns":true`)
		session := agent.start()
		active := func() *wire.TurnRef {
			var got wire.SessionResumeResult
			agent.must(wire.MethodSessionResume, inSession(session, `"history":"snapshot"`, `"commandId":"`+command()+`"`), &got)
			return got.History.Snapshot.State.ActiveTurn
		}
		if turn := active(); turn != nil {
			t.Errorf("before the turn it names %+v", turn)
		}
		var turn wire.TurnStartResult
		agent.must(wire.MethodTurnStart, turnParams(session), &turn)
		if diff := cmp.Diff(&wire.TurnRef{TurnID: turn.TurnID, CommandID: turn.CommandID}, active()); diff != "" {
			t.Errorf("the open turn (-want +got):\n%s", diff)
		}
	})
}
