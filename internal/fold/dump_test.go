package fold_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// dump writes down everything that can be seen of a state: two states with
// one dump are the same to everyone. Records and RecordsBefore are left out,
// since an overlay has none.
func dump(t testing.TB, s *fold.State) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "head %d, %d refused starts\n", s.Head(), s.StartRefusals())
	for _, c := range []approval.CommandID{opened, decided} {
		entry, ok := s.Start(c)
		fmt.Fprintf(&b, "start %s: %v %s\n", c, ok, text(t, entry))
	}
	for _, g := range s.Grants(func(approval.Grant) bool { return true }) {
		fmt.Fprintf(&b, "given %+v, revoked %v\n", g, s.Revoked(g.ID))
	}
	sessions := slices.SortedFunc(s.Sessions(), func(a, b *fold.Session) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	for _, session := range sessions {
		fmt.Fprintf(&b, "session %s\nrecords %d to %d, head %s, closed %v %q, %d refusals, %d pending\n", text(t, session.Object(fold.Profile{})),
			session.First, session.Last, session.Head().Text(session.ID), session.Closed, session.CloseReason, session.Refusals(), session.Pending)
		for _, a := range session.PendingApprovals() {
			fmt.Fprintf(&b, "pending %s by %d %v\n", text(t, full(t, a).Params(session.Lineage)), a.PID, a.Hosted)
		}
		fmt.Fprintf(&b, "%d prompts, %d below\n", session.Prompts, session.PromptsBelow)
		for _, p := range session.PendingPrompts() {
			at, counts := p.Deadline()
			fmt.Fprintf(&b, "prompt %s until %s %v, of call_5 %v, of turn %v\n", text(t, p.Params(session.Lineage)), at, counts,
				session.InCall("call_5").Prompt(p), session.InTurn("turn").Prompt(p))
		}
		for _, id := range prompts {
			if p, ok := session.Prompt(id); ok && !p.Pending() {
				fmt.Fprintf(&b, "settlement %s, notice %s by %s\n", text(t, p.Settlement()), text(t, p.Notice(session.ID)), p.SettledBy)
			}
		}
		fmt.Fprintf(&b, "preset %q, lineage %v, inherits %v, children %v, %d pending below\n",
			session.Preset, session.Lineage, session.Inherits, session.ChildSessions, session.Below)
		for _, a := range session.Claims(func(*fold.Approval) bool { return true }) {
			fmt.Fprintf(&b, "claimable %s\n", a.ID)
		}
		for _, g := range s.Unstored(session) {
			fmt.Fprintf(&b, "rule %s\n", g.ID)
		}
		for _, id := range approvals {
			a, ok := session.Approval(id)
			fmt.Fprintf(&b, "approval %s: %v\n", id, ok)
			if ok && !a.Pending() {
				fmt.Fprintf(&b, "resolution %s\nnotice %s by %s\n", text(t, a.Resolution()), text(t, a.Notice(session.ID)), a.SettledBy)
				fmt.Fprintf(&b, "claim %s, consumed by %q, void %q\n", text(t, a.Claim), a.ConsumedBy, a.Voided)
			}
		}
		for _, c := range []approval.CommandID{opened, decided} {
			entry, ok := session.Command(c)
			fmt.Fprintf(&b, "command %s: %v %s\n", c, ok, text(t, entry))
		}
		for _, call := range []string{"call_1", "call_2", "call_3"} {
			fmt.Fprintf(&b, "%d children of %s\n", session.Children(call), call)
			if a, ok := session.Prepared("run", call); ok {
				fmt.Fprintf(&b, "prepared %s: %s\n", a.ID, text(t, a.Claim))
			}
		}
		dumpCatalogs(&b, s, session)
		dumpTurns(&b, session)
		for _, tool := range []string{"t", "u"} {
			grant, ok := session.Grant(approval.Reach{Kind: "tool", Tool: tool})
			seen, also := s.Granted(session, approval.Reach{Kind: "tool", Tool: tool})
			fmt.Fprintf(&b, "grant %v %+v, seen %v %s\n", ok, grant, also, seen.ID)
		}
	}
	return b.String()
}

// full is a pending approval of the log with what its records say.
func full(t testing.TB, a *fold.Approval) fold.Full {
	t.Helper()
	f, err := a.Full(read)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read is the fold.Reader of the log.
func read(seq uint64) (record.Record, error) { return log[seq-1], nil }

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := wire.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
