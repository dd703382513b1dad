package emulator

import (
	"strconv"
	"strings"
)

// cell is one place of the screen.
type cell struct {
	rune rune
	look Look
}

// Look is how a character is set.
type Look struct {
	// Colour is one of the sixteen of a theme, from 1; 0 is that of all text.
	Colour             int
	Bold, Dim, Reverse bool
}

func empty(width int) []cell {
	row := make([]cell, width)
	blank(row)
	return row
}

// text is what a row says.
func text(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteRune(c.rune)
	}
	return b.String()
}

// style takes a sequence that sets the look of what follows.
func (e *Terminal) style(params string) {
	for one := range strings.SplitSeq(params, ";") {
		n, err := strconv.Atoi(one)
		switch {
		case one == "", err == nil && n == 0:
			e.look = Look{}
		case err != nil:
			e.fault("style %s", params)
		case n == 1:
			e.look.Bold = true
		case n == 2:
			e.look.Dim = true
		case n == 7:
			e.look.Reverse = true
		case n == 22:
			e.look.Bold, e.look.Dim = false, false
		case n == 27:
			e.look.Reverse = false
		case n >= 30 && n <= 37:
			e.look.Colour = n - 30 + 1
		case n == 39:
			e.look.Colour = 0
		case n >= 90 && n <= 97:
			e.look.Colour = n - 90 + 9
		default:
			e.fault("style %s", params)
		}
	}
}
