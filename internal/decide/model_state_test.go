package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// model runs operations the way the sequencer does: decided against an overlay
// of the view, to which they are applied at once, and committed to the view in
// groups. Beside it a third state is made of nothing but the bytes.
type model struct {
	t         *rapid.T
	view      *fold.State // what is committed
	ahead     *fold.State // with the group that is not
	replayed  *fold.State // of the encoded records
	group     []record.Record
	log       []record.Record
	committed string // dump of the view at the last commit
	checked   int    // length of the log at the last check
	twin      *twin

	now      time.Time
	minted   int
	attended bool
	attached string // to every session: of agents
	hosts    bool   // there is a program of --agent-cmd
	policy   *policy.Policy
	limits   decide.Limits
	commands int
	ids      []approval.CommandID
	done     []op              // operations that were commands of clients
	answers  map[string]string // first answer that entered the ledger, by session and command

	events map[approval.ID][]string // of each approval, by method
	opened map[approval.ID]uint64   // sequence of its opening record
	latest map[approval.ID]string   // params of its latest approval/requested
	ends   map[approval.ID]string   // its resolution when it was first seen settled
}

func newModel(t *rapid.T) *model {
	m := &model{
		t: t, view: new(fold.State), replayed: new(fold.State), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), attended: true, policy: new(policy.Policy),
		limits: decide.Limits{
			Mode:       approval.Mode(rapid.SampledFrom([]string{"promptUnmatched", "denyUnmatched", "allowAll", "onRequest"}).Draw(t, "configured")),
			Ceiling:    approval.Mode(rapid.SampledFrom([]string{"allowAll", "allowAll", "promptUnmatched"}).Draw(t, "ceiling")),
			MaxPending: 5, MaxRefusals: 3,
		},
		answers: map[string]string{}, events: map[approval.ID][]string{}, opened: map[approval.ID]uint64{},
		latest: map[approval.ID]string{}, ends: map[approval.ID]string{}, ids: make([]approval.CommandID, 1),
	}
	if !m.limits.Mode.Within(m.limits.Ceiling) {
		m.limits.Mode = m.limits.Ceiling // else the daemon does not start
	}
	m.ahead = m.view.Over()
	m.committed = "head 0, 0 refused starts\n0 sessions\n"
	m.twin = &twin{
		now: m.now, attended: true, configured: string(m.limits.Mode), ceiling: string(m.limits.Ceiling),
		maxPending: m.limits.MaxPending, maxRefusals: m.limits.MaxRefusals, starts: map[int]twinEntry{},
		openedAt: func(id approval.ID) uint64 { return m.opened[id] },
	}
	return m
}

// next is the number of a command that is new; its id is in ids.
func (m *model) next() int {
	m.commands++
	m.ids = append(m.ids, commandID(m.t, m.commands))
	return m.commands
}

func (m *model) time(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 1500).Draw(t, "ms")) * time.Millisecond)
	m.twin.now = m.now
}

func (m *model) reviewers(t *rapid.T) {
	m.attended = rapid.Bool().Draw(t, "attended")
	m.twin.attended = m.attended
}

// restart commits, throws the state away for the one that the bytes make, and
// recovers the sessions, or some of them, since that is done as they are loaded.
func (m *model) restart(t *rapid.T) {
	m.commit()
	m.view = new(fold.State)
	for _, r := range m.log {
		m.view.Apply(m.reread(r))
	}
	m.ahead = m.view.Over()
	for _, s := range slices.Clone(m.twin.sessions) {
		if rapid.Bool().Draw(t, "loaded") {
			m.step(op{what: "recover", session: s.id})
		}
	}
}

// step carries an operation out in both worlds and compares the answers.
func (m *model) step(o op) {
	want := m.twin.do(o)
	before := m.minted
	decided := m.ahead.Over()
	result := decide.Next(decided, m.real(o), decide.Env{
		Policy:   m.policy,
		Now:      m.now,
		NewID:    func() approval.ID { m.minted++; return mintedID(m.minted) },
		Attended: func(approval.ID) bool { return m.attended },
		Owned:    func(approval.ID) bool { return false },
		Agent:    func(approval.ID) *record.Party { return agents[m.attached] }, AgentCommand: m.hosts,
		Read:   m.read,
		Limits: m.limits,
	})
	if diff := cmp.Diff(want, m.heard(o, result), cmp.AllowUnexported(said{}, ending{}, prepared{}, taken{})); diff != "" {
		m.t.Fatalf("%+v: answer (-protocol +core):\n%s", o, diff)
	}
	if m.minted != m.twin.minted || m.minted != before && len(result.Records) == 0 {
		m.t.Fatalf("%+v: %d ids were minted, want %d", o, m.minted-before, m.twin.minted-before)
	}
	for _, r := range result.Records {
		m.append(o, r)
	}
	if diff := cmp.Diff(m.dump(m.ahead), m.dump(decided)); len(result.Records) > 0 && diff != "" {
		m.t.Fatalf("%+v left in the overlay (-what its records make +what it holds):\n%s", o, diff)
	}
	m.remember(o, result)
}

// append takes a record in: the place and the link must fit.
func (m *model) append(o op, r record.Record) {
	if r.Seq != uint64(len(m.log)+1) || r.Seq != m.ahead.Head()+1 {
		m.t.Fatalf("record %d follows %d", r.Seq, len(m.log))
	}
	var prev uint64
	if s, ok := m.ahead.Session(r.Session); ok {
		prev = s.Last
	}
	if r.Prev != prev {
		m.t.Fatalf("record %d names %d as the session's previous, want %d", r.Seq, r.Prev, prev)
	}
	if o.command == 0 != r.Command.IsZero() || r.Intake() != nil && r.Command.IsZero() {
		m.t.Fatalf("%+v left record %d of command %q", o, r.Seq, r.Command)
	}
	m.ahead.Apply(r)
	m.group, m.log = append(m.group, r), append(m.log, r)
	m.replayed.Apply(m.reread(r))
	m.see(r)
}

// reread is the record as it comes from disk.
func (m *model) reread(r record.Record) record.Record {
	value, err := record.Encode(r.Header, r.Body, record.Chain{})
	if err != nil {
		m.t.Fatal(err)
	}
	back, err := record.Decode(r.Seq, value)
	if err != nil {
		m.t.Fatal(err)
	}
	return back
}

// see keeps what subscribers hear of each approval.
func (m *model) see(r record.Record) {
	var opening record.Record
	if seq := fold.OpeningOf(r); seq != 0 {
		opening = m.log[seq-1]
	}
	var lineage []approval.ID
	if s, ok := m.ahead.Session(r.Session); ok {
		lineage = s.Lineage
	}
	events := fold.Events(r, opening, lineage)
	if len(events) != fold.EventCount(r) {
		m.t.Fatalf("record %d has %d events, EventCount %d", r.Seq, len(events), fold.EventCount(r))
	}
	for _, e := range events {
		if r.Approval.IsZero() {
			continue
		}
		m.events[r.Approval] = append(m.events[r.Approval], e.Method)
		if p, ok := e.Params.(*wire.UserInputRequest); ok {
			m.latest[r.Approval] = encoded(m.t, p)
		}
		if p, ok := e.Params.(*wire.ApprovalRequest); ok {
			m.latest[r.Approval] = encoded(m.t, p)
			if p.Justification != p.Policy.Explanation && p.Justification != saysTheModel {
				m.t.Fatalf("approval %s is put with the justification %q, which is of neither the model nor the policy of now", r.Approval, p.Justification)
			}
			if _, again := m.opened[r.Approval]; !again {
				m.opened[r.Approval] = p.SourceRange.First.Sequence
			}
		}
	}
}

// remember holds the first answer of a command against all later ones.
func (m *model) remember(o op, r decide.Result) {
	if o.command == 0 {
		return
	}
	m.done = append(m.done, o)
	entries := 0
	for _, rec := range r.Records {
		if rec.Intake() != nil {
			entries++
		}
	}
	if len(r.Records) > 0 && entries != 1 {
		m.t.Fatalf("%+v: %d entries in the ledger", o, entries)
	}
	scope := o.session.String()
	if o.what == "start" {
		scope = "daemon"
	}
	key := fmt.Sprintf("%s %d %s", scope, o.command, o.payload())
	answer := string(r.Ack)
	if r.Refusal != nil {
		answer = encoded(m.t, r.Refusal)
	}
	if first, ok := m.answers[key]; ok && answer != first {
		m.t.Fatalf("%+v: answered %s, then %s", o, first, answer)
	}
	if entries == 1 {
		m.answers[key] = answer
	}
}

// heard is the answer of the core in the words of the twin.
func (m *model) heard(o op, r decide.Result) said {
	got := said{wrote: len(r.Records) > 0}
	switch {
	case r.Refusal != nil && r.Ack != nil:
		m.t.Fatalf("%+v is both refused and acked", o)
	case r.Refusal != nil:
		got.code, got.reason = r.Refusal.Code, string(r.Refusal.Data.Reason)
		return got
	case o.command == 0 && r.Ack != nil:
		m.t.Fatalf("%+v is acked", o)
	case o.command == 0:
		return got
	}
	if ack := decoded[wire.Ack](m.t, r.Ack); ack != wire.Accepted(m.ids[o.command].String()) {
		m.t.Fatalf("%+v: ack %+v", o, ack)
	}
	switch o.what {
	case "start":
		got.id = m.id(decoded[wire.SessionStartResult](m.t, r.Ack).Session.SessionID)
	case "turn":
		ack := decoded[wire.TurnStartResult](m.t, r.Ack)
		if got.id = m.id(ack.TurnID); !ack.StartedNewTurn || ack.Disposition != wire.TurnBegan {
			m.t.Fatalf("%+v: ack %s", o, r.Ack)
		}
	case "stop":
		got.turn = decoded[wire.TurnInterruptResult](m.t, r.Ack).TurnID
	case "catalog":
		got.id = m.id(decoded[wire.CatalogOpenResult](m.t, r.Ack).CatalogID)
	case "open":
		ack := decoded[wire.ApprovalOpenResult](m.t, r.Ack)
		got.id, got.call = m.id(ack.ApprovalID), ack.ToolCallID
		if ack.State == wire.StateResolved {
			got.end = m.ending(ack.Resolution)
		}
	case "ask":
		got.id = m.id(decoded[wire.UserInputOpenResult](m.t, r.Ack).UserInputID)
	case "answer", "decline", "clarify", "interrupt":
		if ack := decoded[wire.UserInputResult](m.t, r.Ack); ack.UserInputID != o.approval.String() {
			m.t.Fatalf("%+v: ack %s", o, r.Ack)
		}
	case "decide":
		got.terminal = decoded[wire.ApprovalDecideResult](m.t, r.Ack).Terminal
	case "consume":
		ack := decoded[wire.ApprovalConsumeResult](m.t, r.Ack)
		got.end, got.permit = ended(string(ack.Outcome), string(ack.Decision), string(ack.PolicyResult), "", ""), ack.Permit != nil
		if !ack.Consumed || got.permit == (ack.Denial != nil) {
			m.t.Fatalf("%+v: ack %s", o, r.Ack)
		}
	case "prepare":
		got.prepared = m.heardPrepared(o, r.Ack)
	case "consumeAll":
		got.taken = m.heardTaken(o, r.Ack)
	case "cancel":
		for _, id := range decoded[wire.ApprovalCancelResult](m.t, r.Ack).Cancelled {
			got.cancelled = append(got.cancelled, m.id(id))
		}
	case "setMode":
		got.effect = string(decoded[wire.SessionSetApprovalModeResult](m.t, r.Ack).ApplyOutcome)
	}
	return got
}

func (m *model) id(text string) approval.ID {
	id, err := approval.ParseID(text)
	if err != nil {
		m.t.Fatal(err)
	}
	return id
}

func (m *model) ending(r *wire.Resolution) *ending {
	e := ended(string(r.Outcome), string(r.Decision), string(r.PolicyResult), string(r.ResolvedBy), string(r.Source))
	if r.SuccessorApprovalID != "" {
		e.successor = m.id(r.SuccessorApprovalID)
	}
	return e
}

// commit applies the group to the view, which must not have moved before, and
// must then be what the overlay was.
func (m *model) commit() {
	if diff := cmp.Diff(m.committed, m.dump(m.view)); diff != "" {
		m.t.Fatalf("view (-at the last commit +before this one):\n%s", diff)
	}
	before := m.dump(m.ahead)
	for _, r := range m.group {
		m.view.Apply(r)
	}
	if diff := cmp.Diff(before, m.dump(m.view)); diff != "" {
		m.t.Fatalf("state (-overlay +view):\n%s", diff)
	}
	m.group, m.ahead, m.committed = nil, m.view.Over(), before
}

// check holds after every step:
//
//   - the state is that of the twin
//   - the state is that of the encoded records
//   - what ended stays as it ended
//   - an approval is requested first and resolved once, when it ends
//   - what reviewers are asked is what was published last
//   - policy allows no unknown kind, and denies one only under denyUnmatched
//   - policy allows by a grant only what was granted in this session or above
//   - the grants and rules that are in force are those that were given
//   - prompts are as checkPrompts says
func (m *model) check() {
	if m.checked == len(m.log) {
		return // nothing was written
	}
	m.checked = len(m.log)
	if diff := cmp.Diff(m.dump(m.replayed), m.dump(m.ahead)); diff != "" {
		m.t.Fatalf("state (-replayed +live):\n%s", diff)
	}
	for _, s := range m.twin.sessions {
		live, ok := m.ahead.Session(s.id)
		if !ok {
			m.t.Fatalf("there is no session %s", s.id)
		}
		if string(live.Mode.Mode) != s.mode || live.Closed != s.closed || live.Refusals() != s.refusals || live.Pending != len(s.pending()) {
			m.t.Fatalf("session %s: mode %s, closed %v, %d refusals, %d pending; want %s, %v, %d, %d",
				s.id, live.Mode.Mode, live.Closed, live.Refusals(), live.Pending, s.mode, s.closed, s.refusals, len(s.pending()))
		}
		var pending []approval.ID
		for _, a := range live.PendingApprovals() {
			pending = append(pending, a.ID)
		}
		var want []approval.ID
		for _, a := range s.approvals {
			if a.end == nil {
				want = append(want, a.id)
			}
			m.checkApproval(live, s, a)
		}
		if !slices.Equal(pending, want) {
			m.t.Fatalf("session %s: pending %v, want %v", s.id, pending, want)
		}
		m.checkGrants(live, s)
		m.checkPrompts(live, s)
		m.checkPrepared(live, s)
		m.checkCatalogs(live, s)
		m.checkTurns(live, s)
	}
}

func (m *model) checkApproval(live *fold.Session, s *twinSession, want *twinApproval) {
	a, ok := live.Approval(want.id)
	if !ok {
		m.t.Fatalf("there is no approval %s", want.id)
	}
	if a.Pending() != (want.end == nil) {
		m.t.Fatalf("approval %s is pending: %v", want.id, a.Pending())
	}
	seen := strings.Join(m.events[want.id], " ")
	resolved := strings.Count(seen, wire.MethodApprovalResolved)
	if !strings.HasPrefix(seen, wire.MethodApprovalRequested) || resolved > 1 || (resolved == 1) != (want.end != nil) {
		m.t.Fatalf("approval %s, pending %v: events %s", want.id, a.Pending(), seen)
	}
	if a.Pending() {
		p := m.params(a, live.Lineage)
		var menu []string
		for _, c := range p.AvailableChoices {
			menu = append(menu, string(c.ChoiceID))
		}
		if a.Requirement != want.current() || p.CurrentRequirementID.SourceIndex != want.current() || !slices.Equal(menu, want.menu()) {
			m.t.Fatalf("approval %s asks about %d with %v; want %d, %v", want.id, a.Requirement, menu, want.current(), want.menu())
		}
		if words := given(want.what); words != "" && p.Justification != words || words == "" && p.Justification != p.Policy.Explanation {
			m.t.Fatalf("approval %s is justified with %q, its agent said %q and its policy %q", want.id, p.Justification, words, p.Policy.Explanation)
		}
		if got := encoded(m.t, p); got != m.latest[want.id] {
			m.t.Fatalf("approval %s is asked as\n%s, published\n%s", want.id, got, m.latest[want.id])
		}
		return
	}
	r := a.Resolution()
	if diff := cmp.Diff(want.end, m.ending(r), cmp.AllowUnexported(ending{})); diff != "" {
		m.t.Fatalf("approval %s ended (-protocol +core):\n%s", want.id, diff)
	}
	end := encoded(m.t, r)
	if first, ok := m.ends[want.id]; ok && first != end {
		m.t.Fatalf("approval %s ended as %s, then as %s", want.id, first, end)
	}
	m.ends[want.id] = end
	if a.ConsumedBy.IsZero() == want.taken || a.Voided != want.void {
		m.t.Fatalf("approval %s is consumed by %q, void for %q; want %v, %q", want.id, a.ConsumedBy, a.Voided, want.taken, want.void)
	}
	if byPolicy := r.ResolvedBy == wire.ResolvedByPolicy; byPolicy && pool[want.what].unknown {
		if r.PolicyResult == wire.PolicyAllow {
			m.t.Fatalf("policy allowed %s, which is of an unknown kind", want.id)
		}
	}
	if r.Source == wire.SourceSessionGrant && !slices.ContainsFunc(m.twin.grants, func(g *twinGrant) bool {
		return g.covers(want) && slices.Contains(s.sees(), g.session)
	}) {
		m.t.Fatalf("a grant settled %s in a session that sees none", want.id)
	}
}

// dump writes down everything of a state that can be seen from outside.
func (m *model) dump(s *fold.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "head %d, %d refused starts\n", s.Head(), s.StartRefusals())
	for n := 1; n <= m.commands; n++ {
		if entry, ok := s.Start(m.ids[n]); ok {
			fmt.Fprintf(&b, "start %d: %v\n", n, entry)
		}
	}
	count := 0
	for range s.Sessions() {
		count++
	}
	fmt.Fprintf(&b, "%d sessions\n", count)
	for _, at := range m.twin.sessions {
		session, ok := s.Session(at.id)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "session %s\nrecords %d to %d, head %d, closed %v %q, %d refusals\n", encoded(m.t, session.Object(fold.Profile{})),
			session.First, session.Last, session.Head(), session.Closed, session.CloseReason, session.Refusals())
		b.WriteString(m.dumpPrompts(session))
		for _, a := range session.PendingApprovals() {
			fmt.Fprintf(&b, "pending %s\n", encoded(m.t, m.params(a, session.Lineage)))
		}
		for _, other := range m.twin.sessions { // an approval is nowhere but in its own session
			for _, known := range other.approvals {
				if a, ok := session.Approval(known.id); ok && !a.Pending() {
					fmt.Fprintf(&b, "settled %s, %s by %s\n", encoded(m.t, a.Resolution()), encoded(m.t, a.Notice(at.id)), a.SettledBy)
					fmt.Fprintf(&b, "consumed by %q, void %q, claim %+v\n", a.ConsumedBy, a.Voided, a.Claim)
				}
			}
		}
		for n := 1; n <= m.commands; n++ {
			if entry, ok := session.Command(m.ids[n]); ok {
				fmt.Fprintf(&b, "command %d: %v\n", n, entry)
			}
		}
		for what := range pool {
			reach, _ := pool[what].subject.Reach()
			if grant, ok := session.Grant(reach); ok {
				fmt.Fprintf(&b, "grant %+v\n", grant)
			}
		}
		m.dumpCatalogs(&b, session)
		m.dumpTurns(&b, session)
		for _, call := range []string{"c0", "c1", "x", "y"} {
			fmt.Fprintf(&b, "%d children of %s\n", session.Children(call), call)
			if a, ok := session.Prepared("r0", call); ok {
				fmt.Fprintf(&b, "prepared %s\n", a.ID)
			}
		}
	}
	return b.String()
}
