package decide_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Random operations are carried out by the daemon's core and by the twin: the
// answers, and what is true afterwards, must be the same. See check for what
// else must hold.
func TestTheCoreDoesWhatTheProtocolSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		m.step(op{
			what: "start", command: m.next(), session: sessionIDs[0], mode: "promptUnmatched",
			cancelOnDisconnect: rapid.Bool().Draw(t, "cancelOnDisconnect"),
		})
		m.step(op{
			what: "start", command: m.next(), session: sessionIDs[1], below: sessionIDs[0],
			mode: evenly(t, "mode", []string{"", "promptUnmatched"}), without: rapid.Bool().Draw(t, "inherit none"),
		})
		for range 2 {
			t.Repeat(map[string]func(*rapid.T){
				"step": func(t *rapid.T) { evenly(t, "what", m.steps())(t) },
				"":     func(*rapid.T) { m.check() },
			})
		}
		m.commit()
		m.check()
	})
}

// steps are what can happen next; what is listed twice happens twice as often.
func (m *model) steps() []func(*rapid.T) {
	operation := func(draw func(*rapid.T) op) func(*rapid.T) { return func(t *rapid.T) { m.step(draw(t)) } }
	session := func(what string) func(*rapid.T) op {
		return func(t *rapid.T) op { return op{what: what, session: m.drawSession(t)} }
	}
	rarely := func(f func(*rapid.T)) func(*rapid.T) {
		return func(t *rapid.T) {
			if evenly(t, "one in four", []int{0, 1, 2, 3}) == 0 {
				f(t)
			}
		}
	}
	open, well, badly := operation(m.drawOpen), operation(m.drawGoodDecide), operation(m.drawBadDecide)
	return []func(*rapid.T){
		open, open, open, open, well, well, well, badly, badly,
		operation(m.drawStart), operation(m.drawDecide), operation(m.drawCancel), operation(m.drawSetMode), operation(m.drawExpire),
		operation(m.drawReviewersGone), rarely(operation(session("agentGone"))), rarely(operation(m.drawClose)),
		operation(m.drawAsk), operation(m.drawAsk), operation(m.drawSettle), operation(m.drawSettle),
		operation(m.drawOwn("engage")), operation(m.drawOwn("expirePrompt")),
		operation(m.drawConsume), operation(m.drawConsume), operation(m.drawConsume), operation(m.drawRevoke), m.store,
		operation(m.drawPrepare), operation(m.drawPrepare), operation(m.drawConsumeAll), operation(m.drawConsumeAll),
		operation(m.drawCatalog), operation(m.drawUnder), operation(m.drawUnder), operation(m.drawUpdate),
		rarely(operation(m.drawCloseCatalog)), rarely(operation(m.drawComplete)),
		operation(m.drawTurn), operation(m.drawTurn), operation(m.drawTurn), rarely(operation(m.drawStop)), rarely(operation(session("exited"))), m.agent,
		m.again, m.reuse, rarely(m.restart), rarely(m.letGo), m.time, m.reviewers, func(*rapid.T) { m.commit() },
	}
}

// evenly draws one of a list; rapid.SampledFrom prefers the first ones.
func evenly[T any](t *rapid.T, label string, list []T) T {
	index := rapid.Custom(func(t *rapid.T) int {
		n := 0
		for range 8 {
			n *= 2
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return n * len(list) / 256
	})
	return list[index.Draw(t, label)]
}

// op is an operation in plain words: a command of a client, or something that
// the daemon does by itself (command 0).
type op struct {
	what    string
	command int
	session approval.ID

	mode               string // start, setMode
	fromAgent          bool
	cancelOnDisconnect bool
	refuse             string // start, open: "", park or refuse
	below              approval.ID
	without            bool // start: inherits no grants

	subject            int // open: an index of the pool
	requested          bool
	timeout            time.Duration
	call, parent, turn string // open, cancel

	approval    approval.ID // decide, consume, cancel, expire, reviewersGone; a prompt
	requirement int
	choice      string
	feedback    bool
	all         bool        // cancel
	differs     string      // consume: the part that is not as it was approved; answer, interrupt: what does not fit; "" for none
	grant       approval.ID // revoke, stored
	fails       bool        // stored

	run               string            // open, prepare, consumeAll
	batch             []batchCall       // prepare
	items             []batchItem       // consumeAll
	catalog           approval.ID       // open, update, closeCatalog
	server, transport string            // catalog
	tools             map[string]string // catalog, update: digests by name
	hosted            bool              // open, ask: by the program of --agent-cmd
}

// payload is the signature of an operation: all of it but the command id.
func (o op) payload() string {
	o.command = 0
	return fmt.Sprintf("%+v", o)
}

// real is the operation as the core takes it.
func (m *model) real(o op) decide.Command {
	i := decide.Intent{Payload: sha256.Sum256([]byte(o.payload())), By: record.Party{Client: "tester"}}
	if o.command != 0 {
		i.Command = m.ids[o.command]
	}
	if o.hosted {
		i.By = *agents["hosted"]
	}
	if c := realPrompt(i, o); c != nil {
		return c
	}
	if c := realTurn(i, o); c != nil {
		return c
	}
	switch o.what {
	case "start":
		return decide.StartSession{
			Intent: i, Session: o.session, Mode: approval.Mode(o.mode), FromAgent: o.fromAgent,
			Parent: o.below, Inherit: map[bool]string{true: fold.InheritNone}[o.without],
			Unattended: approval.Unattended(o.refuse), CancelOnDisconnect: o.cancelOnDisconnect, WorkspaceRoot: "/srv/app",
		}
	case "open":
		return decide.Open{
			Intent: i, Session: o.session, Timeout: o.timeout, Unattended: approval.Unattended(o.refuse),
			Action: approval.Action{
				ToolCallID: o.call, ParentToolCallID: o.parent, TurnID: o.turn, ToolName: "tool", RawArgs: `{ "a": 1 }`,
				ArgsDigest: "sha256:aa", Reason: "why", Requested: o.requested, Subject: pool[o.subject].subject,
				Found: m.found(o.subject), RunID: o.run, Catalog: o.catalog, Justification: given(o.subject),
			},
		}
	case "decide":
		d := decide.Decide{Intent: i, Session: o.session, Approval: o.approval, Requirement: o.requirement, Choice: wire.ChoiceID(o.choice)}
		if o.feedback {
			d.Feedback = new("a && <b>")
		}
		return d
	case "consume":
		return m.realConsume(i, o)
	case "prepare":
		return m.realPrepare(i, o)
	case "consumeAll":
		return m.realConsumeAll(i, o)
	case "revoke":
		return decide.RevokeGrant{Intent: i, Session: o.session, Grant: o.grant}
	case "stored":
		c := decide.RuleStored{Grant: o.grant}
		if o.fails {
			c.Err = errors.New("the disk is full")
		}
		return c
	case "reload":
		return decide.PolicyChanged{Session: o.session}
	case "cancel":
		return decide.Cancel{Intent: i, Session: o.session, Approval: o.approval, ToolCall: o.call, Turn: o.turn, All: o.all}
	case "close":
		return decide.CloseSession{Intent: i, Session: o.session}
	case "setMode":
		return decide.SetMode{Intent: i, Session: o.session, Mode: approval.Mode(o.mode)}
	case "expire":
		return decide.Expire{Session: o.session, Approval: o.approval}
	case "agentGone":
		return decide.AgentGone{Session: o.session}
	case "reviewersGone":
		return decide.ReviewersGone{Session: o.session, Approval: o.approval}
	case "recover":
		return decide.Recover{Session: o.session}
	}
	c := realCatalog(i, o)
	if c == nil {
		m.t.Fatalf("no operation %q", o.what)
	}
	return c
}

// sessionIDs are those that clients choose; a start without one is minted one.
var sessionIDs = []approval.ID{{15: 0xa1}, {15: 0xa2}, {15: 0xa3}}

func (m *model) drawSession(t *rapid.T) approval.ID {
	known := []approval.ID{sessionIDs[0], sessionIDs[0], sessionIDs[0], sessionIDs[1]} // mostly the first
	for _, s := range m.twin.sessions {
		known = append(known, s.id)
	}
	return evenly(t, "session", known)
}

// drawApproval is one that was ever opened, in whatever session, or none.
func (m *model) drawApproval(t *rapid.T) approval.ID {
	known := []approval.ID{{15: 0xff}}
	for _, s := range m.twin.sessions {
		for _, a := range s.approvals {
			known = append(known, a.id)
		}
	}
	return evenly(t, "approval", known)
}

func (m *model) drawSetMode(t *rapid.T) op {
	mode := evenly(t, "mode", []string{"promptUnmatched", "promptUnmatched", "promptUnmatched", "promptUnmatched", "allowAll", "onRequest", "denyUnmatched"})
	return op{what: "setMode", command: m.next(), session: m.drawSession(t), mode: mode}
}

func (m *model) drawClose(t *rapid.T) op {
	return op{what: "close", command: m.next(), session: m.drawSession(t)}
}

func (m *model) drawExpire(t *rapid.T) op {
	return op{what: "expire", session: m.drawSession(t), approval: m.drawApproval(t)}
}

func (m *model) drawStart(t *rapid.T) op {
	o := op{
		what: "start", command: m.next(), session: evenly(t, "session", append(slices.Clone(sessionIDs), approval.ID{}, approval.ID{})),
		below: evenly(t, "below", []approval.ID{{}, {}, m.drawSession(t)}), without: rapid.Bool().Draw(t, "inherit none"),
		mode:      evenly(t, "mode", []string{"", "promptUnmatched", "allowAll", "onRequest", "denyUnmatched"}),
		fromAgent: rapid.Bool().Draw(t, "agent"), cancelOnDisconnect: rapid.Bool().Draw(t, "cancelOnDisconnect"),
		refuse: evenly(t, "unattended", []string{"park", "refuse"}),
	}
	if !o.below.IsZero() && rapid.Bool().Draw(t, "as its parent") {
		o.mode = ""
	}
	return o
}

// drawOpen opens something of the pool from one of a few calls, some of them
// nested and two in a ring.
func (m *model) drawOpen(t *rapid.T) op {
	o := op{
		what: "open", command: m.next(), session: m.drawSession(t),
		subject: evenly(t, "subject", subjects), requested: rapid.Bool().Draw(t, "requested"),
		refuse: evenly(t, "unattended", []string{"", "", "park", "refuse"}),
	}
	if waits := m.places((*twinApproval).pending); len(waits) > 0 && rapid.Bool().Draw(t, "as another") {
		o.subject = evenly(t, "which waits", waits).what // a grant may settle both
	}
	if rapid.Bool().Draw(t, "deadline") {
		o.timeout = time.Second
	}
	call := evenly(t, "call", []op{
		{call: "c0", turn: "t0"}, {call: "c1", parent: "c0", turn: "t1"}, {call: "c2", parent: "c1", turn: "t2"},
		{call: "x", parent: "y", turn: "t3"}, {call: "y", parent: "x", turn: "t4"}, {parent: "c0", turn: "t5"}, {parent: "c1", turn: "t5"},
	})
	o.call, o.parent, o.turn = call.call, call.parent, call.turn
	if rapid.Bool().Draw(t, "in the open turn") {
		o.turn = ""
	}
	o.hosted = evenly(t, "hosted", []bool{false, false, false, true})
	o.run = evenly(t, "run", []string{"", "", "", "r0"})
	return o
}

func (m *model) drawDecide(t *rapid.T) op {
	return op{
		what: "decide", command: m.next(), session: m.drawSession(t), approval: m.drawApproval(t),
		requirement: rapid.IntRange(0, 3).Draw(t, "requirement"), feedback: rapid.Bool().Draw(t, "feedback"),
		choice: evenly(t, "choice", []string{"allow_once", "allow_all_once", "allow_session", "abort", "allow_local_prefix", "deny"}),
	}
}

// drawGoodDecide decides something that is pending, mostly as its menu says.
func (m *model) drawGoodDecide(t *rapid.T) op {
	o := m.drawDecide(t)
	pending := m.places((*twinApproval).pending)
	if len(pending) == 0 {
		return o
	}
	p := evenly(t, "pending", pending)
	o.session, o.approval, o.requirement = p.session, p.id, p.current()
	o.choice = evenly(t, "choice", append(p.menu(), "allow_once", "allow_once"))
	o.feedback = o.choice == "abort" && o.feedback
	return o
}

// place is an approval and the session that it is in.
type place struct {
	session approval.ID
	*twinApproval
}

func (m *model) places(keep func(*twinApproval) bool) (out []place) {
	for _, s := range m.twin.sessions {
		for _, a := range s.approvals {
			if keep(a) {
				out = append(out, place{s.id, a})
			}
		}
	}
	return out
}

// drawBadDecide names the wrong requirement of something that is pending, or
// what is on no menu.
func (m *model) drawBadDecide(t *rapid.T) op {
	o := m.drawGoodDecide(t)
	if rapid.Bool().Draw(t, "requirement") {
		o.requirement++
	} else {
		o.choice = "allow_local_path"
	}
	return o
}

func (m *model) drawCancel(t *rapid.T) op {
	o := op{what: "cancel", command: m.next(), session: m.drawSession(t)}
	switch rapid.IntRange(0, 6).Draw(t, "selector") {
	case 0, 1:
		o.approval = m.drawApproval(t)
	case 2, 3:
		o.call = evenly(t, "call", []string{"c0", "c1", "c2", "x", "y", "c0/1", "nobody"})
	case 4, 5:
		o.turn = evenly(t, "turn", []string{"t0", "t1", "t2", "t3", "t5", "nobody"})
	default:
		o.all = true
	}
	return o
}

func (m *model) drawReviewersGone(t *rapid.T) op {
	o := op{what: "reviewersGone", session: m.drawSession(t)}
	if rapid.Bool().Draw(t, "one approval") {
		o.approval = m.drawApproval(t)
	}
	return o
}

// again repeats an operation that was carried out, in a new place and time.
func (m *model) again(t *rapid.T) {
	if len(m.done) == 0 {
		return
	}
	m.step(evenly(t, "operation", m.done))
}

// reuse gives the command id of one operation to another.
func (m *model) reuse(t *rapid.T) {
	if len(m.done) == 0 {
		return
	}
	o := evenly(t, "operation", m.done)
	o.command = evenly(t, "command of", m.done).command
	if rapid.Bool().Draw(t, "elsewhere") {
		o.session = m.drawSession(t)
	}
	m.step(o)
}
