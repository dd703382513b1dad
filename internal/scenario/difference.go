package scenario

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DifferenceError is the first server line of a scenario that is not as recorded.
type DifferenceError struct {
	Path string // of the scenario
	// Line is where the recorded line stands; of a line too many, where it would have to.
	Line int
	Conn string
	// Want is the recorded line with its bound placeholders replaced, "" for a line too many. Got
	// is what the daemon said, "" where it said nothing.
	Want, Got string
}

// Error says where and what differs, in several lines: both sides whole, and the place where they
// part, marked.
func (d *DifferenceError) Error() string {
	where := fmt.Sprintf("%s:%d: connection %q: ", d.Path, d.Line, d.Conn)
	switch {
	case d.Want == "":
		return where + "the daemon says more than is recorded\n got: " + d.Got
	case d.Got == "":
		return where + "the daemon does not say what is recorded\nwant: " + d.Want
	}
	at := partAt(d.Want, d.Got)
	want, mark := excerpt(d.Want, at)
	got, _ := excerpt(d.Got, at)
	return where + fmt.Sprintf("the daemon says something else from byte %d on\nwant: %s\n got: %s\n\nwant: %s\n got: %s\n      %s^",
		at+1, d.Want, d.Got, want, got, strings.Repeat(" ", mark))
}

// partAt is the index of the first rune in which two texts differ.
func partAt(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	for at > 0 && at < len(a) && !utf8.RuneStart(a[at]) {
		at--
	}
	return at
}

// excerpt cuts a line around a place, which is mark columns into what it returns.
func excerpt(line string, at int) (cut string, mark int) {
	const around = 40
	before, after := []rune(line[:at]), []rune(line[at:])
	if len(before) > around {
		before = append([]rune("…"), before[len(before)-around:]...)
	}
	if len(after) > around {
		after = append(after[:around:around], '…')
	}
	return string(before) + string(after), len(before)
}

// compare finds the first line of a step that is not as recorded, nil where all are.
func (s *Scenario) compare(st *step, heard []heard, vars *bindings) *DifferenceError {
	left := make(map[string][]string, len(heard))
	for _, h := range heard {
		left[h.conn] = h.lines
	}
	for _, want := range st.want {
		d := &DifferenceError{Path: s.path, Line: want.line, Conn: want.conn, Want: want.raw}
		lines := left[want.conn]
		if len(lines) == 0 {
			d.Want = vars.known(want.raw)
			return d
		}
		var same bool
		d.Want, same = vars.match(want.raw, lines[0])
		if !same {
			d.Got = lines[0]
			return d
		}
		left[want.conn] = lines[1:]
	}
	for _, h := range heard {
		if more := left[h.conn]; len(more) > 0 {
			return &DifferenceError{Path: s.path, Line: st.after, Conn: h.conn, Got: more[0]}
		}
	}
	return nil
}
