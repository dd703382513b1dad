package fold

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Session is the unit of order, mode and grants. Its exported fields are its
// outline, which is always there. What else its records say are its Details,
// without which only the outline and the grants can be asked for: see Loaded.
type Session struct {
	ID          approval.ID
	Started     *record.SessionStarted
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the last record
	Mode        Mode
	Closed      bool
	CloseReason string
	First, Last uint64 // sequences of the first and the last record
	Pending     int    // approvals without a terminal record
	Below       int    // such approvals of its descendants

	Prompts      int // prompts without a terminal record
	PromptsBelow int // such prompts of its descendants

	ActiveTurn   approval.ID // the open turn; zero for none
	TurnCount    int64       // of the turns that were started
	RunningBelow int         // open turns of its descendants

	Preset approval.Preset // in force with the mode; "" for none
	// Lineage are the ids from the root session to this one, which is the last.
	Lineage []approval.ID
	// Inherits says that it sees the grants of its parent.
	Inherits bool
	// ChildSessions are its child sessions, in the order they were started.
	ChildSessions []approval.ID

	grants  layer[approval.Reach, *approval.Grant] // session grants in force
	rules   layer[approval.ID, *approval.Grant]    // rules of its own that are in no store yet
	details *Details                               // nil: not loaded
}

// Mode is the approval mode in force and how it came about.
type Mode struct {
	Mode    approval.Mode
	Source  approval.ModeSource
	Command approval.CommandID // that set it last; zero at the start
	Seq     uint64             // of the record that set it
	At      time.Time
	By      record.Party
}

func (s *Session) over() *Session {
	above := *s
	above.grants = s.grants.over()
	above.rules = s.rules.over()
	if s.details != nil {
		above.details = s.details.over()
	}
	return &above
}

// Waits reports whether the session, or one below it, has anything pending or a turn
// open.
func (s *Session) Waits() bool {
	return s.Pending+s.Below+s.Prompts+s.PromptsBelow+s.RunningBelow > 0 || s.Running()
}

// Running reports whether a turn of the session is open.
func (s *Session) Running() bool { return !s.ActiveTurn.IsZero() }

// Loaded reports whether the session's Details are there. The methods that ask
// for an approval, a command, a call, a record or the head must not be called
// where they are not, and panic: to answer that there is no such approval would
// be a lie.
func (s *Session) Loaded() bool { return s.details != nil }

func (s *Session) full() *Details {
	if s.details == nil {
		panic("fold: session " + s.ID.String() + " is asked for what is not loaded")
	}
	return s.details
}

// Head is the cursor of the last event, or place for one, of the last record.
func (s *Session) Head() Cursor { return s.full().head }

// Refusals is how many refusals were recorded since the last accepted command.
func (s *Session) Refusals() int { return s.full().refusals }

// Approval returns an approval that was ever opened in the session. It is
// immutable.
func (s *Session) Approval(id approval.ID) (*Approval, bool) { return s.full().approvals.get(id) }

// Grant returns the session's own grant that covers exactly reach.
func (s *Session) Grant(reach approval.Reach) (approval.Grant, bool) {
	g, ok := s.grants.get(reach)
	if !ok {
		return approval.Grant{}, false
	}
	return *g, true
}

// Parent is the session that this one is a child of; false for a root.
func (s *Session) Parent() (approval.ID, bool) {
	if len(s.Lineage) < 2 {
		return approval.ID{}, false
	}
	return s.Lineage[len(s.Lineage)-2], true
}

// EachPending yields the approvals without a terminal record, in no particular
// order.
func (s *Session) EachPending() iter.Seq[*Approval] {
	return func(yield func(*Approval) bool) {
		for _, a := range s.full().pending.all() {
			if !yield(a) {
				return
			}
		}
	}
}

// PendingApprovals are the approvals without a terminal record, in opening
// order.
func (s *Session) PendingApprovals() []*Approval {
	return inOpeningOrder(&s.full().pending, func(*Approval) bool { return true })
}

// Claims are the settled approvals that can still be consumed and for which keep
// holds, in opening order.
func (s *Session) Claims(keep func(*Approval) bool) []*Approval {
	return inOpeningOrder(&s.full().claims, keep)
}

func inOpeningOrder(from *layer[approval.ID, *Approval], keep func(*Approval) bool) []*Approval {
	var out []*Approval
	for _, a := range from.all() {
		if keep(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *Approval) int { return cmp.Compare(a.Opened, b.Opened) })
	return out
}

// Records yields the sequences of the session's records from the first whose
// sequence is at least from. Only the view knows them; an overlay has none.
func (s *Session) Records(from uint64) iter.Seq[uint64] {
	records := s.full().records
	i, _ := slices.BinarySearch(records, from)
	return slices.Values(records[i:])
}

// RecordsBefore yields, descending, the sequences of the session's records
// that are below before.
func (s *Session) RecordsBefore(before uint64) iter.Seq[uint64] {
	records := s.full().records
	i, _ := slices.BinarySearch(records, before)
	return func(yield func(uint64) bool) {
		for _, seq := range slices.Backward(records[:i]) {
			if !yield(seq) {
				return
			}
		}
	}
}
