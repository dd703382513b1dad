package decide_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var runs = []string{"r0", "r0", "r0", "r1"}

// drawPrepare prepares some of a few calls; mostly as they were prepared before.
func (m *model) drawPrepare(t *rapid.T) op {
	o := op{what: "prepare", command: m.next(), session: m.drawSession(t), run: evenly(t, "run", runs)}
	calls := []batchCall{
		{call: "c0", turn: "t0"}, {call: "c1", parent: "c0", turn: "t1"}, {call: "b0", turn: "t0"}, {call: "b1", turn: "t2"},
	}
	for _, c := range calls {
		if rapid.Bool().Draw(t, c.call) {
			c.subject = evenly(t, "subject", subjects)
			c.odd = evenly(t, "odd", []string{"", "", "", "", "", "", "", "", "", "", "", "args", "tool", "unfit", "stale"})
			if rapid.Bool().Draw(t, "under a catalog") && rapid.Bool().Draw(t, "indeed") {
				c.subject = evenly(t, "tool", []int{4, 5})
				_, c.catalog = m.drawListed(t)
				if listed := m.twin.catalog(c.catalog); listed != nil {
					c.subject = map[string]int{"a": 4, "a__b": 5}[listed.server]
				}
			}
			o.batch = append(o.batch, c)
		}
	}
	if len(o.batch) == 0 {
		o.batch = calls[:1]
	}
	return o
}

// drawConsumeAll takes approvals of a session, mostly those of one run that are
// decided, as they were prepared.
func (m *model) drawConsumeAll(t *rapid.T) op {
	o := op{what: "consumeAll", command: m.next(), session: m.drawSession(t), run: evenly(t, "run", runs)}
	of := evenly(t, "of", []string{"decided", "decided", "decided", "run", "anything"})
	if places := m.places(func(a *twinApproval) bool { return a.run != "" && a.end != nil }); of == "decided" && len(places) > 0 {
		p := evenly(t, "one", places)
		o.session, o.run = p.session, p.run
	}
	for _, p := range m.places(func(a *twinApproval) bool {
		switch of {
		case "decided":
			return a.run == o.run && a.end != nil && a.end.outcome != "superseded"
		case "run":
			return a.run == o.run
		}
		return true
	}) {
		if (of == "anything" || p.session == o.session) && rapid.Bool().Draw(t, "this one") {
			o.items = append(o.items, batchItem{
				approval: p.id,
				differs:  evenly(t, "differs", []string{"", "", "", "", "", "", "", "", "", "", "call", "args", "target"}),
				expect:   evenly(t, "expect", []string{"", "", "allow", "deny"}),
			})
		}
	}
	if len(o.items) == 0 {
		o.items = []batchItem{{approval: m.drawApproval(t)}}
	}
	return o
}

// realPrepare is the command as the daemon makes it.
func (m *model) realPrepare(i decide.Intent, o op) decide.Prepare {
	c := decide.Prepare{Intent: i, Session: o.session, Run: o.run}
	for _, r := range o.batch {
		one := decide.Open{Session: o.session, Action: approval.Action{
			ToolCallID: r.call, ParentToolCallID: r.parent, TurnID: r.turn, RunID: o.run, ToolName: "tool", RawArgs: `{ "a": 1 }`,
			ArgsDigest: "sha256:aa", Reason: "why", Subject: pool[r.subject].subject, Found: m.found(r.subject),
			Catalog: r.catalog, Justification: given(r.subject),
		}}
		switch r.odd {
		case "args":
			one.Action.ArgsDigest = "sha256:ee"
		case "tool":
			one.Action.ToolName = "another"
		case "unfit":
			one.Unfit = wire.NewError(wire.CodeInvalidParams, "subject: there is no such directory.")
		case "stale":
			one.Stale = wire.NewError(wire.CodeApprovalMismatch, "The file is another.", func(d *wire.ErrorData) { d.Reason = wire.ReasonTargetChanged })
		}
		c.Requests = append(c.Requests, one)
	}
	return c
}

// realConsumeAll is the command as the daemon makes it, with what the log says
// that was approved.
func (m *model) realConsumeAll(i decide.Intent, o op) decide.ConsumeAll {
	c := decide.ConsumeAll{Intent: i, Session: o.session, Run: o.run}
	for _, item := range o.items {
		one := decide.Taking{Approval: item.approval, Expect: wire.PolicyResult(item.expect)}
		if seq := m.opened[item.approval]; seq != 0 {
			opened, ok := m.log[seq-1].Body.(*record.ApprovalOpened)
			if !ok {
				m.t.Fatalf("record %d does not open %s", seq, item.approval)
			}
			one.Action, one.ToolCall, one.ArgsDigest = fold.ActionOf(opened), opened.ToolCallID, opened.ArgsDigest
		}
		switch item.differs {
		case "call":
			one.ToolCall = "nobody"
		case "args":
			one.ArgsDigest = "sha256:bb"
		case "target":
			one.Changed = "the file was edited"
		}
		c.Items = append(c.Items, one)
	}
	return c
}

// heardPrepared is the answer of approval/prepare in the words of the twin.
func (m *model) heardPrepared(o op, ack []byte) (out []prepared) {
	for _, a := range decoded[wire.ApprovalPrepareResult](m.t, ack).Approvals {
		one := prepared{id: m.id(a.ApprovalID), call: a.ToolCallID, created: a.Created}
		if a.Resolution != nil {
			one.end = m.ending(a.Resolution)
		}
		out = append(out, one)
	}
	if len(out) != len(o.batch) {
		m.t.Fatalf("%+v: ack %s", o, ack)
	}
	return out
}

// heardTaken is the answer of approval/consumeAll in the words of the twin.
func (m *model) heardTaken(o op, ack []byte) (out []taken) {
	for _, d := range decoded[wire.ApprovalConsumeAllResult](m.t, ack).Decisions {
		conflict := d.Denial != nil && d.Denial.Kind == wire.DenialConflict
		if d.Consumed == conflict || (d.Permit != nil) == (d.Denial != nil) || (d.Permit != nil) != (d.PolicyResult == wire.PolicyAllow) ||
			conflict && d.Decision != wire.DecisionDenied {
			m.t.Fatalf("%+v: ack %s", o, ack)
		}
		out = append(out, taken{
			id: m.id(d.ApprovalID), result: string(d.PolicyResult), outcome: string(d.Outcome), consumed: d.Consumed, permitted: d.Permit != nil,
		})
	}
	if len(out) != len(o.items) {
		m.t.Fatalf("%+v: ack %s", o, ack)
	}
	return out
}

// checkPrepared holds what a run would find against the twin, and that no call of
// it has two approvals unless it was opened so.
func (m *model) checkPrepared(live *fold.Session, s *twinSession) {
	for _, run := range slices.Compact(slices.Clone(runs)) {
		for _, call := range []string{"c0", "c1", "c2", "b0", "b1", "c0/1"} {
			a, ok := live.Prepared(run, call)
			want := s.unconsumed(run, call)
			if s.closed {
				want = nil
			}
			if ok != (want != nil) || ok && a.ID != want.id {
				m.t.Fatalf("session %s, run %s, call %s: found %v, want %+v", s.id, run, call, a, want)
			}
		}
	}
}
