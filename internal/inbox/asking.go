package inbox

import (
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// asking is a question of the inbox itself: to revoke a grant, or which mode.
type asking struct {
	grant   *wire.Grant
	session string // whose mode is asked for
}

// modes are those that there are. The daemon says which of them its ceiling allows.
var modes = []wire.Mode{wire.ModeDenyUnmatched, wire.ModePromptUnmatched, wire.ModeOnRequest, wire.ModeAllowAll}

// ModeText says what a mode does.
func ModeText(mode wire.Mode) string {
	switch mode {
	case wire.ModeDenyUnmatched:
		return "deny what no rule covers"
	case wire.ModePromptUnmatched:
		return "ask about what no rule covers"
	case wire.ModeOnRequest:
		return "ask only where the agent asks for it"
	case wire.ModeAllowAll:
		return "allow what no rule denies"
	}
	return card.Visible(string(mode))
}

func (m *Model) askMode(session string) { m.asking = &asking{session: session} }

// reply takes a key to the question that is open. Whatever is no answer closes it.
func (m *Model) reply(k Key) []Effect {
	a := *m.asking
	answer := k.Name == "y"
	if a.grant == nil {
		answer = isDigit(k.Name) && int(k.Name[0]-'1') < len(modes)
	}
	if answer && !m.armed() {
		return nil // it had only just come up
	}
	m.asking = nil
	switch {
	case !answer:
		m.say("Nothing was changed.")
	case a.grant != nil:
		return []Effect{Revoke{*a.grant}}
	default:
		return []Effect{SetMode{SessionID: a.session, Mode: modes[k.Name[0]-'1']}}
	}
	return nil
}

func (m *Model) revoked(r Revoked) []Effect {
	if r.Err != nil {
		m.warn("Not taken back: " + card.Visible(r.Err.Error()))
		return nil
	}
	m.say("Taken back. It binds from the next action on; what was allowed stays allowed.")
	return []Effect{LoadGrants{}}
}

func (m *Model) modeSet(s ModeSet) {
	if s.Err != nil {
		m.warn("The mode stays as it is: " + card.Visible(s.Err.Error()))
		return
	}
	m.modeChanged(s.SessionID, s.Mode)
	m.say("The mode is " + card.Visible(string(s.Mode)) + " from the next action on. What waits goes on waiting.")
}
