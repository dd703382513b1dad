package client

import "slices"

// Position says where in a session's view a subscription begins.
type Position struct {
	cursor string
	head   bool
}

// Start is the position before the first event of a session.
func Start() Position { return Position{} }

// Head is the position behind what has happened so far.
func Head() Position { return Position{head: true} }

// After is the position behind the event with this cursor.
func After(cursor string) Position { return Position{cursor: cursor} }

// place is how far a subscription has been read. Cursors only compare for
// equality (protocol §5), so the order is that of the records, and the few
// events of one record are told apart by their cursors.
type place struct {
	cursor   string   // of the last event seen; "" before the first
	sequence uint64   // of its last record; 0 when unknown
	seen     []string // cursors seen with this sequence
}

// unplaced reports whether the order of an event and p cannot be told: of p only
// its cursor is known.
func (p *place) unplaced() bool { return p.cursor != "" && p.sequence == 0 }

// advance moves past e, or reports false because e is not behind p.
func (p *place) advance(e Event) bool {
	if e.sequence < p.sequence || e.Cursor == p.cursor || slices.Contains(p.seen, e.Cursor) {
		return false
	}
	if e.sequence > p.sequence {
		p.sequence, p.seen = e.sequence, p.seen[:0]
	}
	p.cursor = e.Cursor
	p.seen = append(p.seen, e.Cursor)
	return true
}
