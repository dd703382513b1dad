package emulator

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The size of a character in a picture, and the room around the screen.
const (
	wide   = 8
	high   = 18
	margin = 14
)

// theme has the colours of a picture: of all text, then the sixteen.
var theme = [...]string{
	"#d8dee4",
	"#6b7681", "#ff8a80", "#7ee0a1", "#f2c66d", "#82b4ff", "#d7a8ff", "#6fd7e0", "#d8dee4",
	"#8b96a1", "#ffaba4", "#a5ecbf", "#f8dca0", "#abcbff", "#e6caff", "#9de8ee", "#ffffff",
}

const paper = "#14181d"

// Picture is the screen as an SVG document with a title for those who do not see it.
// Its text is text, and nothing in it is loaded from elsewhere.
func (e *Terminal) Picture(title string) string {
	width, height := e.width*wide+2*margin, e.height*high+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", width, height, paper)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="%s">`+"\n", theme[0])
	for y, row := range e.cells {
		for x := 0; x < len(row); {
			to := x + 1
			for to < len(row) && row[to].look == row[x].look {
				to++
			}
			run(&b, x, y, row[x:to])
			x = to
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// run draws characters of one look that stand beside each other. Their place does not
// depend on the font that whoever looks has, nor on what is made of spaces.
func run(b *strings.Builder, x, y int, cells []cell) {
	look := cells[0].look
	top := margin + y*high
	ink := ""
	switch {
	case look.Reverse:
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", margin+x*wide, top, len(cells)*wide, high, theme[look.Colour])
		ink = fmt.Sprintf(` fill="%s"`, paper)
	case look.Colour != 0:
		ink = fmt.Sprintf(` fill="%s"`, theme[look.Colour])
	}
	if look.Bold {
		ink += ` font-weight="700"`
	}
	if look.Dim {
		ink += ` opacity=".66"`
	}
	for i := 0; i < len(cells); {
		if cells[i].rune == ' ' {
			i++
			continue
		}
		to := i + 1
		for to < len(cells) && (cells[to].rune != ' ' || to+1 < len(cells) && cells[to+1].rune != ' ') {
			to++
		}
		fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n", margin+(x+i)*wide, top+13, (to-i)*wide, ink, escaped(text(cells[i:to])))
		i = to
	}
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
