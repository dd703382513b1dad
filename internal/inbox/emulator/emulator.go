// Package emulator is a terminal for tests: it takes what a program writes and says what is
// on the screen then.
package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Terminal is a terminal as far as Bubble Tea uses one. What it does not know is a fault,
// so that nothing is shown otherwise than it would be.
type Terminal struct {
	cells         [][]cell
	width, height int
	x, y          int
	wrap          bool // the last column was written
	first, final  int  // the lines that scroll
	last          rune
	look          Look
	faults        []string
	rest          string // of a sequence that is not whole yet
}

// New is a terminal of a size.
func New(width, height int) *Terminal {
	e := &Terminal{}
	e.Resize(width, height)
	return e
}

// Resize changes the size, and keeps what there is room for.
func (e *Terminal) Resize(width, height int) {
	old := e.cells
	e.width, e.height, e.cells = width, height, make([][]cell, height)
	for y := range e.cells {
		e.cells[y] = empty(width)
		if y < len(old) {
			copy(e.cells[y], old[y])
		}
	}
	e.first, e.final = 0, height-1
	e.x, e.y = min(e.x, width-1), min(e.y, height-1)
}

// String is what is on the screen, without blanks at the ends of lines.
func (e *Terminal) String() string {
	var b strings.Builder
	for _, row := range e.cells {
		b.WriteString(strings.TrimRight(text(row), " ") + "\n")
	}
	return b.String()
}

// Feed takes output of the program.
func (e *Terminal) Feed(s string) {
	s = e.rest + s
	for s != "" {
		n := e.step(s)
		if n == 0 {
			break
		}
		s = s[n:]
	}
	e.rest = s
}

// step takes one character or sequence and returns its length, 0 where it is not whole.
func (e *Terminal) step(s string) int {
	switch c := s[0]; {
	case c == 0x1b:
		return e.escape(s)
	case c == '\r':
		e.x, e.wrap = 0, false
	case c == '\n':
		e.down()
	case c == '\b':
		e.x, e.wrap = max(0, e.x-1), false
	case c == '\t':
		e.x = min(e.width-1, (e.x/8+1)*8)
	case c < ' ', c == 0x7f:
		e.fault("control character %#x", c)
	default:
		if !utf8.FullRuneInString(s) {
			return 0
		}
		r, size := utf8.DecodeRuneInString(s)
		e.put(r)
		return size
	}
	return 1
}

func (e *Terminal) put(r rune) {
	if e.wrap {
		e.x = 0
		e.down()
	}
	e.cells[e.y][e.x], e.last = cell{r, e.look}, r
	if e.x == e.width-1 {
		e.wrap = true
	} else {
		e.x++
	}
}

// down goes to the next line; behind the last one that scrolls, those do.
func (e *Terminal) down() {
	e.wrap = false
	if e.y == e.final {
		e.scroll(e.first, -1)
		return
	}
	e.y = min(e.y+1, e.height-1)
}

func (e *Terminal) escape(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '[':
		end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return 0
		}
		e.csi(s[2:2+end], s[2+end])
		return end + 3
	case ']', 'P', '_':
		bell, st := strings.IndexByte(s, 7), strings.Index(s, "\x1b\\")
		switch {
		case bell < 0 && st < 0:
			return 0
		case st < 0 || bell >= 0 && bell < st:
			return bell + 1
		}
		return st + 2
	case '=', '>', '7', '8':
		return 2
	case 'M':
		if e.y == e.first {
			e.scroll(e.first, 1)
		} else {
			e.y = max(0, e.y-1)
		}
		return 2
	case '(', ')':
		return 3
	}
	e.fault("escape %q", s[:2])
	return 2
}

func (e *Terminal) csi(params string, final byte) {
	if strings.ContainsAny(params, "?>=<$ ") || strings.ContainsRune("hlnctqup", rune(final)) {
		return // modes and questions
	}
	if final == 'm' {
		e.style(params)
		return
	}
	arg := func(i, def int) int {
		parts := strings.Split(params, ";")
		if i >= len(parts) || parts[i] == "" {
			return def
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			e.fault("csi %s%c", params, final)
		}
		return n
	}
	row := e.cells[e.y]
	wrap := e.wrap
	e.wrap = false
	switch final {
	case 'H', 'f':
		e.y, e.x = min(arg(0, 1), e.height)-1, min(arg(1, 1), e.width)-1
	case 'A':
		e.y = max(0, e.y-arg(0, 1))
	case 'B':
		e.y = min(e.height-1, e.y+arg(0, 1))
	case 'C', 'a':
		e.x = min(e.width-1, e.x+arg(0, 1))
	case 'D':
		e.x = max(0, e.x-arg(0, 1))
	case 'G', '`':
		e.x = min(e.width, arg(0, 1)) - 1
	case 'd':
		e.y = min(e.height, arg(0, 1)) - 1
	case 'K':
		from, to := e.x, e.width
		switch arg(0, 0) {
		case 1:
			from, to = 0, e.x+1
		case 2:
			from = 0
		}
		blank(row[from:to])
	case 'J':
		if arg(0, 0) == 0 {
			blank(row[e.x:])
			for _, below := range e.cells[e.y+1:] {
				blank(below)
			}
			return
		}
		for _, all := range e.cells {
			blank(all)
		}
	case 'X':
		blank(row[e.x:min(e.width, e.x+arg(0, 1))])
	case 'P':
		n := min(arg(0, 1), e.width-e.x)
		copy(row[e.x:], row[e.x+n:])
		blank(row[e.width-n:])
	case '@':
		n := min(arg(0, 1), e.width-e.x)
		copy(row[e.x+n:], row[e.x:])
		blank(row[e.x : e.x+n])
	case 'b':
		e.wrap = wrap
		for range arg(0, 1) {
			e.put(e.last)
		}
	case 'L':
		e.scroll(e.y, arg(0, 1))
	case 'M':
		e.scroll(e.y, -arg(0, 1))
	case 'S':
		e.scroll(e.first, -arg(0, 1))
	case 'T':
		e.scroll(e.first, arg(0, 1))
	case 'r':
		e.first, e.final = arg(0, 1)-1, min(arg(1, e.height), e.height)-1
		e.x, e.y = 0, 0
	default:
		e.fault("csi %s%c", params, final)
	}
}

// scroll moves the lines from top on down by n, or up where n is negative.
func (e *Terminal) scroll(top, n int) {
	for ; n > 0; n-- {
		copy(e.cells[top+1:e.final+1], e.cells[top:e.final])
		e.cells[top] = empty(e.width)
	}
	for ; n < 0; n++ {
		copy(e.cells[top:e.final], e.cells[top+1:e.final+1])
		e.cells[e.final] = empty(e.width)
	}
}

func blank(cells []cell) {
	for i := range cells {
		cells[i] = cell{rune: ' '}
	}
}

// Faults are what it was told and does not know.
func (e *Terminal) Faults() []string { return e.faults }

func (e *Terminal) fault(format string, args ...any) {
	e.faults = append(e.faults, fmt.Sprintf(format, args...))
}
