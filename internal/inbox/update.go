package inbox

import (
	"fmt"
	"slices"
	"time"

	"github.com/approvald/approvald/wire"
)

// Update is what becomes of a model when something happens at a time, and what is to be
// done outside.
func (m Model) Update(msg Msg, now time.Time) (Model, []Effect) {
	m.now = now
	var out []Effect
	switch msg := msg.(type) {
	case Resized:
		m.width, m.height, m.shown.read = msg.Width, msg.Height, 0
	case Key:
		out = m.key(msg)
	case Pasted:
		m.paste(msg.Text)
	case Selected:
		m.choose(msg.ID)
	case Chosen:
		out = m.chosen(msg)
	case Answered:
		out = m.answered(msg)
	case SendAnswers:
		if r := m.standing(msg.Requirement); r != nil && r.prompt != nil {
			out = m.answers(r)
		}
	case Spoken:
		out = m.spoken(msg)
	case Linked:
		m.linked = true
	case Lost:
		m.linked = false
		m.link++ // what comes from here on comes from another connection
		m.warn("The daemon is gone. What you see is from before; waiting for it to come back.")
	case Snapshot:
		out = m.snapshot(msg.Waiting)
	case Event:
		out = m.event(msg.Params)
	case Decided:
		out = m.decided(msg)
	case Replied:
		m.replied(msg)
	case Known:
		m.known(msg)
	case Past:
		m.past.take(msg.Entries, msg.Err, (*Entry).id)
	case Granted:
		m.grants.take(msg.Grants, msg.Err, func(g *wire.Grant) string { return g.GrantID })
	case Revoked:
		out = m.revoked(msg)
	case Sessions:
		m.sessions.take(msg.Sessions, msg.Err, func(s *wire.Session) string { return s.SessionID })
		for _, s := range msg.Sessions {
			m.learn(s)
		}
	case ModeSet:
		m.modeSet(msg)
	}
	switch msg.(type) {
	case Key, Pasted, Tick, Resized: // settle nothing
	default:
		m.count()
	}
	return m, append(out, m.look()...)
}

// look notes since when the person has had in front of them what is there now.
func (m *Model) look() []Effect {
	key := fmt.Sprint(m.place, m.input != nil, m.asking != nil, m.help, m.menuOpen)
	if r := m.current(); r != nil && m.place == pending {
		key += fmt.Sprint(r.id, r.requirement(), r.over)
	}
	menu := m.Menu()
	if key == m.shown.key && slices.Equal(menu, m.shown.menu) {
		m.shown.read = max(m.shown.read, m.readTo())
		return nil
	}
	m.shown = shown{key: key, menu: menu, at: m.now, read: m.readTo()}
	return []Effect{Wake{}}
}

// snapshot takes all that waits. What was known on an earlier connection and is not
// there any more was settled meanwhile.
func (m *Model) snapshot(all []Waiting) (out []Effect) {
	if m.ready {
		m.say("Connected again.")
	}
	m.ready = true
	known := make(map[string]bool, len(m.rows))
	for i := range m.rows {
		known[m.rows[i].id] = true
	}
	there := make(map[string]bool, len(all))
	for _, w := range all {
		r := rowOf(w)
		there[r.id] = true
		if known[r.id] {
			out = append(out, m.take(r)...)
		} else {
			out = append(out, m.enter(r)...)
		}
	}
	for i := range m.rows {
		r := &m.rows[i]
		if there[r.id] || r.over || r.link == m.link {
			continue
		}
		r.over, r.ending = true, ending{words: "settled while the daemon could not be reached"}
		m.over[r.id] = r.ending
		if r.asked != nil && r.id == m.selected {
			out = append(out, Read{SessionID: r.asked.SessionID, ApprovalID: r.id})
		}
	}
	m.sweep()
	return out
}

func rowOf(w Waiting) row {
	if w.Prompt != nil {
		return row{id: w.Prompt.UserInputID, prompt: w.Prompt, draft: draftOf(w.Prompt)}
	}
	return row{id: w.Approval.ApprovalID, asked: w.Approval}
}

// take takes what is newer of a row, or enters one that is not known.
func (m *Model) take(r row) []Effect {
	known := m.find(r.id)
	if known == nil {
		return m.enter(r)
	}
	known.link = m.link
	if known.over || r.sequence() < known.sequence() {
		return nil
	}
	before := known.requirement()
	if known.asked != nil {
		known.asked = r.asked
	} else {
		known.prompt = r.prompt
	}
	if before != known.requirement() {
		m.movedOn(known, before)
	}
	return nil
}

// enter enters a row at the end.
func (m *Model) enter(r row) []Effect {
	if _, over := m.over[r.id]; over {
		return nil // heard of its end before its beginning was read
	}
	r.link = m.link
	m.rows = append(m.rows, r)
	if m.selected == "" {
		m.choose(r.id)
	}
	return m.meet(r)
}

// meet asks for what is not known of the session of a row.
func (m *Model) meet(r row) []Effect {
	id := r.session()
	if _, ok := m.names[id]; ok {
		return nil
	}
	m.names[id] = wire.Session{SessionID: id} // asked for once
	return []Effect{LoadSessions{}}
}

// movedOn tells that the card that is shown is about its next stage now.
func (m *Model) movedOn(r *row, before wire.RequirementID) {
	if r.id != m.selected {
		return
	}
	m.top, m.menuOpen = 0, false
	if r.sending || before == r.decided { // its answer tells, or did
		return
	}
	if m.closeInput() {
		m.warn("A stage of it was decided elsewhere; your words were not sent. This is the next stage.")
		return
	}
	m.say("A stage of it was decided elsewhere. This is the next stage.")
}

// settle notes how a row ended.
func (m *Model) settle(id string, end ending, allowed bool) {
	m.over[id] = end
	r := m.find(id)
	if r == nil || r.over {
		return
	}
	r.over, r.ending, r.allowed = true, end, allowed
	if id == m.selected && !r.sending && m.closeInput() {
		m.warn("It was settled meanwhile; your words were not sent.")
	}
	if r.sending {
		return
	}
	if id != m.selected {
		m.notice = notice{text: "Settled elsewhere, " + end.text() + ": " + clipped(headline(r), 48), elsewhere: true}
	}
	m.drop(id)
}

// sweep drops what is over and not looked at, and selects something where nothing is.
func (m *Model) sweep() {
	m.rows = slices.DeleteFunc(m.rows, func(r row) bool { return r.over && r.id != m.selected })
	if m.current() == nil {
		m.selected = ""
		m.next("")
	}
}

// take enters what was read. What is selected stays so, wherever it is by now.
func (l *list[T]) take(items []T, err error, id func(*T) string) {
	l.loaded, l.err = true, err
	if err != nil {
		return
	}
	if l.at < len(l.items) {
		selected := id(&l.items[l.at])
		if at := slices.IndexFunc(items, func(item T) bool { return id(&item) == selected }); at >= 0 {
			l.at = at
		}
	}
	l.items = items
	l.at = max(0, min(l.at, len(items)-1))
}

func (m *Model) learn(s wire.Session) { m.names[s.SessionID] = s }
