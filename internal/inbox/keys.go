package inbox

import (
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// key takes a key, which goes to the topmost thing that is open.
func (m *Model) key(k Key) []Effect {
	if k.Name == "ctrl+c" {
		return []Effect{Quit{}}
	}
	m.again = k.Name == m.pressed.name && m.now.Sub(m.pressed.at) < HeldFor
	m.pressed = pressed{k.Name, m.now}
	if m.help {
		m.help = false
		return nil
	}
	switch {
	case m.input != nil:
		return m.edit(k)
	case m.asking != nil:
		return m.reply(k)
	}
	m.notice = notice{}
	if out, taken := m.goTo(k); taken {
		return out
	}
	switch m.place {
	case pending:
		return m.pendingKey(k)
	case history:
		return m.historyKey(k)
	case granted:
		return m.grantsKey(k)
	default:
		return m.sessionsKey(k)
	}
}

// goTo takes the keys that mean the same on every page.
func (m *Model) goTo(k Key) (out []Effect, taken bool) {
	var to place
	switch k.Name {
	case "q":
		return []Effect{Quit{}}, true
	case "?":
		m.help = true
		return nil, true
	case "esc":
		if m.detail != nil || m.saying != nil || m.menuOpen {
			m.closeDetail()
			return nil, true
		}
		to = pending
	case "p":
		to = pending
	case "h":
		to, out = history, []Effect{LoadPast{}}
	case "g":
		to, out = granted, []Effect{LoadGrants{}}
	case "s":
		to, out = running, []Effect{LoadSessions{}}
	case "pgdown", "space", "ctrl+d":
		m.top = min(m.top+m.page(), m.lowest())
		return nil, true
	case "pgup", "ctrl+u":
		m.top = max(0, m.top-m.page())
		return nil, true
	case "J", "shift+down":
		m.top = min(m.top+1, m.lowest())
		return nil, true
	case "K", "shift+up":
		m.top = max(0, m.top-1)
		return nil, true
	case "f":
		m.unfolded = !m.unfolded
		return nil, true
	default:
		return nil, false
	}
	if to != m.place {
		m.closeDetail()
		m.place, m.top, m.search = to, 0, ""
	}
	return out, true
}

func (m *Model) closeDetail() {
	m.detail, m.saying, m.menuOpen, m.top = nil, nil, false, 0
}

func (m *Model) pendingKey(k Key) []Effect {
	switch k.Name {
	case "up", "k":
		m.step(-1)
		return nil
	case "down", "j":
		m.step(1)
		return nil
	case "home":
		m.step(-len(m.rows))
		return nil
	case "end":
		m.step(len(m.rows))
		return nil
	}
	r := m.current()
	switch {
	case r == nil:
		return nil
	case k.Name == "m":
		m.askMode(r.session())
		return nil
	case r.over && k.Name == "enter":
		m.next(r.id)
		return nil
	case r.over:
		if isDigit(k.Name) {
			m.warn("It is settled, and decisions are final. Enter shows the next one.")
		}
		return nil
	case r.prompt != nil:
		return m.promptKey(r, k)
	case k.Name == "v":
		m.menuOpen, m.top = !m.menuOpen, 0
		return nil
	case k.Name == "x":
		for i, c := range r.asked.AvailableChoices {
			if c.AcceptsFeedback {
				return m.pick(r, i)
			}
		}
		return nil
	case isDigit(k.Name):
		return m.pick(r, int(k.Name[0]-'1'))
	}
	// It means nothing here: the rest of a sequence that came in pieces (home is ESC [ 1 ~),
	// or words for another window. What comes behind it is no choice either.
	m.shown.at = m.now
	return []Effect{Wake{}}
}

func isDigit(name string) bool { return len(name) == 1 && name[0] >= '1' && name[0] <= '9' }

// step moves the selection. Nothing else does, but a decision that was made here.
func (m *Model) step(by int) {
	if len(m.rows) == 0 {
		return
	}
	to := max(0, min(max(0, m.index())+by, len(m.rows)-1))
	m.choose(m.rows[to].id)
	if to < len(m.rows) && m.rows[to].id == m.selected { // it need not be looked for
		m.at = to
	}
}

// pick makes the choice at a place of the menu, if what was seen allows it.
func (m *Model) pick(r *row, at int) []Effect {
	menu := r.asked.AvailableChoices
	switch {
	case at >= len(menu):
		m.warn("The menu has no such choice.")
	case r.sending:
		m.warn("A decision on it is on its way.")
	case !m.ready || !m.linked:
		m.warn("The daemon cannot be reached, so nothing was decided.")
	case !m.armed():
		m.warn("Nothing was decided: the card had only just come up. Press again.")
	case m.again:
		m.warn("Nothing was decided: the key may be held down. Let go, and press again.")
	case !m.menuOpen && m.folded(at):
		m.menuOpen, m.top = true, 0
		m.say("Nothing was decided yet: this is all that the choice leaves behind. Press its key again.")
	case m.menuOpen && m.beyond(at):
		m.warn("Nothing was decided: the rest of that choice is below. Space turns to it.")
	case menu[at].AcceptsFeedback:
		m.input = &editor{
			kind: feedback, requirement: r.requirement(), choice: menu[at].ChoiceID, most: mostFeedback,
			title: card.Visible(menu[at].Label) + " — what is the agent to be told? (may be empty)",
		}
	default:
		return m.send(r, r.requirement(), menu[at].ChoiceID, nil)
	}
	return nil
}

// send decides what the card was about when it was seen.
func (m *Model) send(r *row, requirement wire.RequirementID, choice wire.ChoiceID, words *string) []Effect {
	r.sending = true
	return []Effect{Decide{wire.ApprovalDecideParams{
		SessionID: r.asked.SessionID, ApprovalID: r.id, RequirementID: requirement, ChoiceID: choice, Feedback: words,
	}}}
}

func (r *row) session() string {
	if r.prompt != nil {
		return r.prompt.SessionID
	}
	return r.asked.SessionID
}

func (m *Model) historyKey(k Key) []Effect {
	switch k.Name {
	case "up", "k":
		m.closeDetail()
		m.past.at = m.stepPast(-1)
	case "down", "j":
		m.closeDetail()
		m.past.at = m.stepPast(1)
	case "t":
		m.filter = (m.filter + 1) % filters
		m.past.at = 0
		m.past.at = m.firstPast()
	case "/":
		m.input = &editor{kind: searching, title: "Search what was decided", text: []rune(m.search), at: len([]rune(m.search)), most: 200}
	case "enter":
		if e := m.entry(); e != nil {
			if e.Prompt != nil {
				m.saying, m.top = card.NewPrompt(e.Prompt, e.Settlement), 0
				return nil
			}
			m.detail, m.top = card.Read(&wire.ApprovalReadResult{Request: *e.Approval, Resolution: e.Resolution, DecidedBy: e.By}), 0
			return []Effect{Read{SessionID: e.Approval.SessionID, ApprovalID: e.Approval.ApprovalID}}
		}
	}
	return nil
}

func (m *Model) grantsKey(k Key) []Effect {
	m.grants.key(k)
	if k.Name == "x" && m.grants.at < len(m.grants.items) {
		if g := m.grants.items[m.grants.at]; g.InForce {
			m.asking = &asking{grant: &g}
		} else {
			m.warn("It is in force no more.")
		}
	}
	return nil
}

func (m *Model) sessionsKey(k Key) []Effect {
	m.sessions.key(k)
	if (k.Name == "m" || k.Name == "enter") && m.sessions.at < len(m.sessions.items) {
		m.askMode(m.sessions.items[m.sessions.at].SessionID)
	}
	return nil
}

// key moves the selection of a list.
func (l *list[T]) key(k Key) {
	switch k.Name {
	case "up", "k":
		l.at--
	case "down", "j":
		l.at++
	case "home":
		l.at = 0
	case "end":
		l.at = len(l.items)
	}
	l.at = max(0, min(l.at, len(l.items)-1))
}
