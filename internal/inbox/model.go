package inbox

import (
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// ArmAfter is how long a card is on the screen before it takes a choice.
const ArmAfter = 400 * time.Millisecond

// HeldFor is how long a key that comes again may be one that is held down: terminals
// do not tell, and wait up to 660 ms before they repeat it. So soon the same key makes
// no second choice.
const HeldFor = 750 * time.Millisecond

// Model is all that the inbox knows. Use [New]; a Model is a value that its owner
// passes through [Model.Update].
type Model struct {
	width, height int
	now           time.Time

	linked bool // a connection is there
	ready  bool // what waits has been read once
	link   int  // counts connections: what was known on an earlier one may be over

	place place
	rows  []row
	// selected is the id of the row whose card is shown, "" for none.
	selected string
	at       int // where it was last found: rows are many, and each key asks for it
	open     int // how many are not settled
	shown    shown
	pressed  pressed // the key that came last
	again    bool    // and it may be one that is held down
	top      int     // the first line of the card that is seen
	unfolded bool    // long values are shown whole
	menuOpen bool    // the menu takes the room of the card
	help     bool
	typed    bool // what is done is typed out, so that no keys are told

	notice notice
	input  *editor // open for text, nil otherwise
	asking *asking // a question of the inbox itself, nil for none

	over     map[string]ending                // what was settled since the start, by id
	opening  map[string]*wire.ApprovalRequest // opened, and settled by policy in the same commit
	names    map[string]wire.Session          // what is known of sessions, by id
	past     list[Entry]
	filter   filter
	search   string
	grants   list[wire.Grant]
	sessions list[wire.Session]
	detail   *card.Card // of an entry of the past that was opened
	saying   *card.Prompt
}

// place is one of the pages.
type place int

const (
	pending place = iota
	history
	granted
	running
)

// row is something that waits, or that was settled while it was looked at.
type row struct {
	id      string
	asked   *wire.ApprovalRequest
	prompt  *wire.UserInputRequest
	link    int
	sending bool               // a decision is on its way
	decided wire.RequirementID // the stage that was decided here last
	over    bool
	ending  // how, where it is over
	allowed bool
	built   built // its card, once it was shown
	draft   draft // answers to a prompt, not sent yet
}

// pressed is a key, and when it was last pressed.
type pressed struct {
	name string
	at   time.Time
}

// shown is what the person has in front of them, and since when.
type shown struct {
	key  string
	menu []wire.Choice // what the digits mean
	at   time.Time
	read int // how many lines of the open menu came into sight
}

// ending is how something ended.
type ending struct {
	words string // how, and by whom
	at    string // what the clock said then; "" where it is not known
	mine  bool   // it was settled here
}

// text says how and when; "" where nothing is known but that it was settled here.
func (e ending) text() string {
	if e.at == "" {
		return e.words
	}
	return e.words + ", " + e.at
}

// clock is the time of the day, for what has just happened.
func clock(t wire.Time) string {
	at, err := t.Parse()
	if err != nil {
		return ""
	}
	return at.UTC().Format("15:04Z")
}

// notice is a line about what just happened. elsewhere says that it is about a row that
// is not looked at.
type notice struct {
	text           string
	bad, elsewhere bool
}

// list is a page of things with one selected.
type list[T any] struct {
	items  []T
	at     int
	loaded bool
	err    error
}

// New is an inbox that has heard of nothing.
func New() Model {
	return Model{
		width: 80, height: 24,
		over: make(map[string]ending), opening: make(map[string]*wire.ApprovalRequest), names: make(map[string]wire.Session),
	}
}

// current is the row whose card is shown.
func (m *Model) current() *row {
	at := m.index()
	if at < 0 {
		return nil
	}
	return &m.rows[at]
}

// index is the place of the row whose card is shown, -1 for none.
func (m *Model) index() int {
	if m.at >= len(m.rows) || m.rows[m.at].id != m.selected {
		m.at = 0
		for m.at < len(m.rows) && m.rows[m.at].id != m.selected {
			m.at++
		}
		if m.at == len(m.rows) {
			return -1
		}
	}
	return m.at
}

func (m *Model) find(id string) *row {
	if id == m.selected {
		return m.current()
	}
	for i := range m.rows {
		if m.rows[i].id == id {
			return &m.rows[i]
		}
	}
	return nil
}

// count counts what is not settled.
func (m *Model) count() {
	m.open = 0
	for i := range m.rows {
		if !m.rows[i].over {
			m.open++
		}
	}
}

// requirement is what a decision on the row would be about.
func (r *row) requirement() wire.RequirementID {
	if r.asked == nil {
		return wire.RequirementID{ApprovalID: r.id}
	}
	return r.asked.CurrentRequirementID
}

// sequence orders what is heard of one row.
func (r *row) sequence() uint64 {
	if r.prompt != nil {
		return r.prompt.SourceRange.Last.Sequence
	}
	return r.asked.SourceRange.Last.Sequence
}

// select shows the card of a row.
func (m *Model) choose(id string) {
	if m.selected == id {
		return
	}
	before := m.current()
	m.selected = id
	m.top, m.menuOpen, m.unfolded = 0, false, false
	if before != nil && before.over {
		m.drop(before.id)
	}
}

// drop forgets a row that is over and not looked at.
func (m *Model) drop(id string) {
	for i := range m.rows {
		if m.rows[i].id == id && m.rows[i].over && id != m.selected {
			m.rows = append(m.rows[:i:i], m.rows[i+1:]...)
			return
		}
	}
}

// next shows the card that comes after the one of id, or the first; none where nothing
// waits.
func (m *Model) next(id string) {
	var first, after string
	seen := false
	for i := range m.rows {
		r := &m.rows[i]
		switch {
		case r.id == id:
			seen = true
		case r.over:
		case seen && after == "":
			after = r.id
		case first == "":
			first = r.id
		}
	}
	if after == "" {
		after = first
	}
	m.choose(after)
}

// armed reports whether what is shown takes a choice.
func (m *Model) armed() bool { return m.now.Sub(m.shown.at) >= ArmAfter }

// say puts a notice.
func (m *Model) say(text string) { m.notice = notice{text: text} }

// warn puts a notice of something that did not happen.
func (m *Model) warn(text string) { m.notice = notice{text: text, bad: true} }
