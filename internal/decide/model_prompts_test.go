package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// modelQuestion is what every prompt of the model asks.
var modelQuestion = wire.Question{
	ID: "q", Question: "a && b?", Options: []wire.QuestionOption{{Label: "yes"}, {Label: "no"}}, Selection: wire.Selection{Mode: wire.SelectSingle},
}

func (m *model) drawAsk(t *rapid.T) op {
	o := op{what: "ask", command: m.next(), session: m.drawSession(t)}
	call := evenly(t, "call", []op{{call: "c0", turn: "t0"}, {call: "c1", turn: "t1"}, {call: "c2", turn: "t2"}, {call: "x", turn: "t3"}, {call: "p", turn: "t0"}})
	o.call, o.turn = call.call, call.turn
	if rapid.Bool().Draw(t, "in the open turn") {
		o.turn = ""
	}
	o.hosted = evenly(t, "hosted", []bool{false, false, false, true})
	if rapid.Bool().Draw(t, "deadline") {
		o.timeout = time.Second
	}
	return o
}

// drawPrompt is one that was ever opened, mostly one that waits, with its session;
// or one that was not.
func (m *model) drawPrompt(t *rapid.T) (session, prompt approval.ID) {
	all, waits := []op{{session: m.drawSession(t), approval: approval.ID{15: 0xff}}}, []op(nil)
	for _, s := range m.twin.sessions {
		for _, p := range s.prompts {
			o := op{session: s.id, approval: p.id}
			all = append(all, o)
			if p.outcome == "" {
				waits = append(waits, o)
			}
		}
	}
	if len(waits) > 0 && evenly(t, "waits", []int{0, 1, 2, 3}) > 0 {
		all = waits
	}
	o := evenly(t, "prompt", all)
	return o.session, o.approval
}

func (m *model) drawSettle(t *rapid.T) op {
	o := op{what: evenly(t, "how", []string{"answer", "answer", "decline", "clarify", "interrupt"}), command: m.next()}
	o.session, o.approval = m.drawPrompt(t)
	o.differs = evenly(t, "misfit", []string{"", "", "", "label"})
	return o
}

func (m *model) drawOwn(what string) func(*rapid.T) op {
	return func(t *rapid.T) op {
		o := op{what: what}
		o.session, o.approval = m.drawPrompt(t)
		return o
	}
}

// realPrompt is an operation about prompts as the core takes it; nil for others.
func realPrompt(i decide.Intent, o op) decide.Command {
	answer := []wire.Answer{{QuestionID: "q", SelectedLabel: new("yes")}}
	if o.differs != "" {
		answer[0].SelectedLabel = new("maybe")
	}
	switch o.what {
	case "ask":
		return decide.OpenInput{
			Intent: i, Session: o.session, ToolCall: o.call, ToolName: "ask", Turn: o.turn,
			Questions: []wire.Question{modelQuestion}, AutoResolution: o.timeout,
		}
	case "answer":
		return decide.AnswerInput{Intent: i, Session: o.session, Input: o.approval, Answers: answer}
	case "decline":
		return decide.CancelInput{Intent: i, Session: o.session, Input: o.approval, Reason: "no"}
	case "clarify":
		return decide.ClarifyInput{Intent: i, Session: o.session, Input: o.approval, Clarification: wire.Clarification{Format: "text", Content: "a && b"}}
	case "interrupt":
		return decide.InterruptInput{Intent: i, Session: o.session, Input: o.approval, Answers: answer}
	case "engage":
		return decide.EngageInput{Session: o.session, Input: o.approval, By: i.By}
	case "expirePrompt":
		return decide.ExpireInput{Session: o.session, Input: o.approval}
	}
	return nil
}

// checkPrompts holds after every step: what waits is what waits in the twin, a prompt
// is requested first and settled once, what ended stays as it ended, and what
// reviewers are asked is what was published, but for a deadline that is gone.
func (m *model) checkPrompts(live *fold.Session, s *twinSession) {
	below := 0
	for _, in := range m.twin.family(s)[1:] {
		below += len(in.waiting())
	}
	var pending, want []approval.ID
	for _, p := range live.PendingPrompts() {
		pending = append(pending, p.ID)
	}
	for _, p := range s.waiting() {
		want = append(want, p.id)
	}
	if !slices.Equal(pending, want) || live.Prompts != len(want) || live.PromptsBelow != below {
		m.t.Fatalf("session %s: %d prompts wait, %v, and %d below; want %v, and %d", s.id, live.Prompts, pending, live.PromptsBelow, want, below)
	}
	for _, p := range s.prompts {
		m.checkPrompt(live, p)
	}
}

func (m *model) checkPrompt(live *fold.Session, want *twinPrompt) {
	p, ok := live.Prompt(want.id)
	if !ok || p.Pending() != (want.outcome == "") {
		m.t.Fatalf("prompt %s is there: %v, and is to be %q", want.id, ok, want.outcome)
	}
	seen := strings.Join(m.events[want.id], " ")
	expected := wire.MethodUserInputRequested
	if want.outcome != "" {
		expected += " " + wire.MethodUserInputSettled
	}
	if seen != expected {
		m.t.Fatalf("prompt %s, %q: events %s", want.id, want.outcome, seen)
	}
	if p.Pending() {
		at, counts := p.Deadline()
		if counts == want.deadline.IsZero() || counts && !at.Equal(want.deadline) || p.Engaged != want.engaged {
			m.t.Fatalf("prompt %s: deadline %s %v, engaged %v; want %s, %v", want.id, at, counts, p.Engaged, want.deadline, want.engaged)
		}
		asked := p.Params(live.Lineage)
		if want.engaged {
			if asked.ExpiresAt != nil || asked.AutoResolutionMs != nil {
				m.t.Fatalf("prompt %s is asked with the deadline that is gone", want.id)
			}
			return
		}
		if got := encoded(m.t, asked); got != m.latest[want.id] {
			m.t.Fatalf("prompt %s is asked as\n%s, published\n%s", want.id, got, m.latest[want.id])
		}
		return
	}
	end := encoded(m.t, p.Settlement()) + encoded(m.t, p.Notice(live.ID))
	if first, ok := m.ends[want.id]; ok && first != end || string(p.Settlement().Outcome) != want.outcome {
		m.t.Fatalf("prompt %s ended as %s, then as %s; want %s", want.id, first, end, want.outcome)
	}
	m.ends[want.id] = end
}

// dumpPrompts writes down everything of a session's prompts that can be seen.
func (m *model) dumpPrompts(session *fold.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d prompts, %d below\n", session.Prompts, session.PromptsBelow)
	for _, p := range session.PendingPrompts() {
		fmt.Fprintf(&b, "prompt %s, engaged %v\n", encoded(m.t, p.Params(session.Lineage)), p.Engaged)
	}
	for _, other := range m.twin.sessions { // a prompt is nowhere but in its own session
		for _, known := range other.prompts {
			if p, ok := session.Prompt(known.id); ok && !p.Pending() {
				fmt.Fprintf(&b, "settled %s, %s by %s\n", encoded(m.t, p.Settlement()), encoded(m.t, p.Notice(session.ID)), p.SettledBy)
			}
		}
	}
	return b.String()
}
