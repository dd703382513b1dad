package decide_test

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
)

// found is what inspection would have learned of an entry of the pool; of a
// command, that it writes what is protected.
func (m *model) found(what int) approval.Found {
	f := found(pool[what].subject)
	f.Protected = pool[what].guarded && pool[what].stages != ""
	return f
}

// drawConsume takes what was decided, mostly where something was, and mostly as
// it was approved.
func (m *model) drawConsume(t *rapid.T) op {
	o := op{
		what: "consume", command: m.next(), session: m.drawSession(t), approval: m.drawApproval(t),
		differs: evenly(t, "differs", []string{"", "", "", "", "call", "args", "subject", "target"}),
	}
	permits := m.places((*twinApproval).permits)
	known := m.places(func(*twinApproval) bool { return true })
	switch evenly(t, "of", []string{"permits", "permits", "known", "anything"}) {
	case "permits":
		if len(permits) > 0 {
			p := evenly(t, "permit", permits)
			o.session, o.approval = p.session, p.id
		}
	case "known":
		if len(known) > 0 {
			p := evenly(t, "approval", known)
			o.session, o.approval = p.session, p.id
		}
	}
	return o
}

// realConsume is the command as the daemon makes it, with what the log says that
// was approved.
func (m *model) realConsume(i decide.Intent, o op) decide.Consume {
	c := decide.Consume{Intent: i, Session: o.session, Approval: o.approval}
	if seq := m.opened[o.approval]; seq != 0 {
		opened, ok := m.log[seq-1].Body.(*record.ApprovalOpened)
		if !ok {
			m.t.Fatalf("record %d does not open %s", seq, o.approval)
		}
		c.Action = fold.ActionOf(opened)
		c.ToolCall, c.ArgsDigest, c.SubjectDigest = opened.ToolCallID, opened.ArgsDigest, opened.SubjectDigest
	}
	switch o.differs {
	case "":
		if o.command%2 == 0 {
			c.SubjectDigest = "" // it need not be said
		}
	case "call":
		c.ToolCall = "nobody"
	case "args":
		c.ArgsDigest = "sha256:bb"
	case "subject":
		c.SubjectDigest = "sha256:bb"
	case "target":
		c.Changed = "the file was edited"
	}
	return c
}

// drawGrant is one that was ever given, or none.
func (m *model) drawGrant(t *rapid.T) *twinGrant {
	return evenly(t, "grant", append([]*twinGrant{{id: approval.ID{15: 0xfe}}}, m.twin.grants...))
}

func (m *model) drawRevoke(t *rapid.T) op {
	g := m.drawGrant(t)
	o := op{what: "revoke", command: m.next(), session: m.drawSession(t), grant: g.id}
	if g.session != nil && rapid.Bool().Draw(t, "its own session") {
		o.session = g.session.id
	}
	return o
}

// store writes a rule into the workspace's store, or fails to. Where it is
// written, the daemon puts a policy in force that has it, and asks again about
// all that waits.
func (m *model) store(t *rapid.T) {
	g := m.drawGrant(t)
	if g.session != nil && !g.rule {
		return // nobody stores a session grant
	}
	o := op{what: "stored", grant: g.id, fails: rapid.Bool().Draw(t, "fails")}
	m.step(o)
	if o.fails {
		return
	}
	var layer policy.Layer
	for i, stored := range m.ahead.Grants(func(g approval.Grant) bool { return g.Persisted }) {
		rule, err := policy.DecodeRule([]byte(stored.Rule))
		if err != nil {
			m.t.Fatal(err)
		}
		rule.Grant, rule.Ref = stored.ID, policy.Ref{Layer: "workspace", Index: i + 1}
		layer.Rules = append(layer.Rules, rule)
	}
	compiled, err := policy.Compile(policy.Setup{Stores: map[string]policy.Layer{"/srv/app": layer}})
	if err != nil {
		m.t.Fatal(err)
	}
	m.policy = compiled
	for _, s := range m.twin.sessions {
		m.step(op{what: "reload", session: s.id})
	}
}

func (m *model) checkGrants(live *fold.Session, s *twinSession) {
	below := 0
	for _, in := range m.twin.family(s)[1:] {
		below += len(in.pending())
	}
	if live.Below != below {
		m.t.Fatalf("session %s: %d pending below, want %d", s.id, live.Below, below)
	}
	var want, got []string
	for _, in := range s.sees() {
		for _, g := range m.twin.grants {
			if g.session == in && !g.revoked && !g.stored && g.catalog == nil {
				want = append(want, fmt.Sprint(g.rule, g.what))
			}
		}
	}
	for what := range pool {
		reach, _ := pool[what].subject.Reach()
		if _, ok := m.ahead.Granted(live, reach); ok {
			got = append(got, fmt.Sprint(false, what))
		}
	}
	for _, g := range m.ahead.Unstored(live) {
		got = append(got, fmt.Sprint(true, m.twin.grant(g.ID).what))
	}
	slices.Sort(want)
	slices.Sort(got)
	want, got = slices.Compact(want), slices.Compact(got) // two in one lineage may have been given the same
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Fatalf("session %s: grants (-given +in force):\n%s", s.id, diff)
	}
}
