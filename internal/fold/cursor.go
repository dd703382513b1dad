package fold

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// Cursor is a place among the view events: 4 × the sequence of the record
// that an event comes from, plus the index of the event in it. It is a pure
// function of the log (protocol §5), unique across sessions, and ordered as
// the records are.
type Cursor uint64

// perRecord is how many events a record can have at most.
const perRecord = 4

// CursorAt is the cursor of event index of the record at seq.
func CursorAt(seq uint64, index int) Cursor {
	return Cursor(seq*perRecord + uint64(index)) //nolint:gosec // 0 <= index < perRecord
}

// Seq is the sequence of the record that the event comes from.
func (c Cursor) Seq() uint64 { return uint64(c) / perRecord }

// Index is the index of the event in its record.
func (c Cursor) Index() int { return int(c % perRecord) }

// Text is the cursor as clients hold it: "v:<session>:<n>".
func (c Cursor) Text(session approval.ID) string {
	return fmt.Sprintf("v:%s:%d", session, uint64(c))
}

// ParseCursor reads what Text wrote for the same session. A cursor of another
// session, or one that is not in the one canonical spelling, is not ok. That
// it is well formed does not mean that it was ever issued.
func ParseCursor(session approval.ID, text string) (c Cursor, ok bool) {
	digits, found := strings.CutPrefix(text, "v:"+session.String()+":")
	if !found {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, false
	}
	return Cursor(n), true
}
