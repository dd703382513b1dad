package inbox

import (
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// event takes a notification. Those that say nothing to an inbox are let pass.
func (m *Model) event(params any) []Effect {
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		if len(p.AvailableChoices) == 0 { // policy settled it, which follows
			m.opening[p.ApprovalID] = p
			return nil
		}
		return m.take(row{id: p.ApprovalID, asked: p})
	case *wire.ApprovalResolved:
		m.resolved(p)
	case *wire.UserInputRequest:
		return m.take(row{id: p.UserInputID, prompt: p, draft: draftOf(p)})
	case *wire.UserInputSettledEvent:
		m.promptSettled(p)
	case *wire.SessionStarted:
		m.learn(p.Session)
	case *wire.SessionApprovalModeChanged:
		m.modeChanged(p.SessionID, p.Mode)
	}
	return nil
}

func (m *Model) resolved(p *wire.ApprovalResolved) {
	asked := m.opening[p.ApprovalID]
	delete(m.opening, p.ApprovalID)
	if r := m.find(p.ApprovalID); r != nil {
		asked = r.asked
	}
	words := card.OutcomeByText(p.Outcome, p.ResolvedBy, card.Person(p.DecidedBy))
	if p.ResolvedBy == wire.ResolvedByPolicy && p.Source != "" {
		words += " (" + card.Visible(string(p.Source)) + ")"
	}
	m.settle(p.ApprovalID, ending{words: words, at: clock(p.DecidedAt)}, p.PolicyResult == wire.PolicyAllow)
	if asked != nil {
		m.record(Ended(asked, p))
	}
}

func (m *Model) promptSettled(p *wire.UserInputSettledEvent) {
	r := m.find(p.UserInputID)
	var asked *wire.UserInputRequest
	if r != nil {
		asked = r.prompt
	}
	at := ""
	if p.DecidedAt != nil {
		at = clock(*p.DecidedAt)
	}
	m.settle(p.UserInputID, ending{words: card.PromptOutcomeByText(p.Outcome, card.Person(p.DecidedBy)), at: at}, p.Outcome == wire.UserInputAnswered)
	if asked != nil {
		m.record(Entry{Prompt: asked, Settlement: p})
	}
}

// record enters what was decided just now into the past, where that was read already.
func (m *Model) record(e Entry) {
	if !m.past.loaded || m.past.err != nil {
		return
	}
	if m.past.at > 0 || m.detail != nil || m.saying != nil {
		m.past.at++ // what is selected stays so
	}
	m.past.items = append([]Entry{e}, m.past.items...)
}

func (m *Model) modeChanged(session string, mode wire.Mode) {
	if s, ok := m.names[session]; ok {
		s.ApprovalMode.Mode = mode
		m.names[session] = s
	}
	for i := range m.sessions.items {
		if m.sessions.items[i].SessionID == session {
			m.sessions.items[i].ApprovalMode.Mode = mode
		}
	}
}

// decided takes the answer to a decision.
func (m *Model) decided(d Decided) []Effect {
	r := m.find(d.Params.ApprovalID)
	if r == nil {
		return nil
	}
	r.sending = false
	defer m.drop(r.id) // where it ended meanwhile and is not looked at
	what := clipped(headline(r), 48)
	switch {
	case d.Err == nil && d.Ack.Terminal:
		r.mine, r.over = true, true
		m.over[r.id] = ending{mine: true}
		m.say("Done: " + m.label(r, d.Params.ChoiceID) + ", by you: " + what)
		if r.id == m.selected {
			m.next(r.id)
		}
	case d.Err == nil:
		r.decided = d.Params.RequirementID
		m.say("Done: " + m.label(r, d.Params.ChoiceID) + ", by you. The next stage waits.")
	case wire.IsKind(d.Err, wire.KindApprovalAlreadyResolved):
		m.warn("Somebody else was first; your choice changed nothing.")
		return []Effect{Read{SessionID: d.Params.SessionID, ApprovalID: d.Params.ApprovalID}}
	case wire.IsKind(d.Err, wire.KindApprovalRequirementStale):
		m.warn("It had changed before your choice arrived, so nothing was decided. This is how it stands.")
		return []Effect{Read{SessionID: d.Params.SessionID, ApprovalID: d.Params.ApprovalID}}
	default:
		m.warn("Not decided: " + card.Visible(d.Err.Error()))
	}
	return nil
}

// label is how the menu calls a choice.
func (m *Model) label(r *row, id wire.ChoiceID) string {
	for _, c := range r.asked.AvailableChoices {
		if c.ChoiceID == id {
			return card.Visible(c.Label)
		}
	}
	return card.Visible(string(id))
}

func (m *Model) replied(p Replied) {
	r := m.find(p.PromptID)
	if r == nil {
		return
	}
	r.sending = false
	defer m.drop(r.id)
	switch {
	case p.Err == nil:
		r.over, r.mine = true, true
		m.over[r.id] = ending{mine: true}
		m.say("Done: " + p.Words + ", by you: " + clipped(headline(r), 48))
		if r.id == m.selected {
			m.next(r.id)
		}
	case wire.IsKind(p.Err, wire.KindUserInputAlreadySettled):
		m.warn("Somebody else was first; what you said was not used.")
		if !r.over {
			m.settle(r.id, ending{words: "settled"}, false)
		}
	default:
		m.warn("Not sent: " + card.Visible(p.Err.Error()))
	}
}

// known takes an approval that was read: one that waits, or one of the past.
func (m *Model) known(k Known) {
	if k.Err != nil {
		m.warn("It could not be read: " + card.Visible(k.Err.Error()))
		return
	}
	if r := m.find(k.ApprovalID); r != nil {
		if res := k.Result.Resolution; res != nil {
			r.over = false // it says more than what is known of its end
			m.settle(r.id, ending{words: card.SettledBy(res, &k.Result.Request, k.Result.DecidedBy).Words, at: clock(res.DecidedAt)}, res.PolicyResult == wire.PolicyAllow)
		} else if k.Result.Request.CurrentRequirementID != r.requirement() {
			r.asked = &k.Result.Request
			if r.id == m.selected {
				m.top, m.menuOpen = 0, false
			}
		}
		return
	}
	if e := m.entry(); m.place == history && m.detail != nil && e != nil && e.id() == k.ApprovalID { // still open
		m.detail = card.Read(&k.Result)
	}
}
