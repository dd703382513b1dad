package card

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/wire"
)

// A string longer than this, or of several lines, is folded behind its beginning.
const (
	foldAfter = 160
	foldHead  = 72
	foldBytes = 32 << 10
)

// jsonItem is a JSON text, pretty-printed. What its strings say is shown decoded, so
// that nothing can be spelt past the reader; the spelling is in Value. What is no JSON
// is shown as it is.
func jsonItem(name, text string) Item {
	item := Item{Name: name, Form: FormJSON, Value: text}
	p := printer{item: &item, in: json.NewDecoder(strings.NewReader(text))}
	p.in.UseNumber()
	if err := p.all(); err != nil {
		item = Item{Name: name, Form: FormCode, Value: text, Lines: plainLines(text)}
		if len(text) > mostBytes {
			cut := strings.ToValidUTF8(text[:mostBytes], "")
			item.Lines, item.Omitted = plainLines(cut), len(text)-len(cut)
		}
	}
	return item
}

// printer lays JSON out in lines.
type printer struct {
	item  *Item
	in    *json.Decoder
	line  Line // being made
	shown int  // bytes in the lines
}

// all prints the one value that there is to be.
func (p *printer) all() error {
	if err := p.value(0, ""); err != nil {
		return err
	}
	if _, err := p.in.Token(); err != io.EOF {
		return fmt.Errorf("there is something behind the value")
	}
	return nil
}

// value prints one value, which begins in the line that is being made, with what comes
// behind it in its last line.
func (p *printer) value(depth int, behind string) error {
	token, err := p.in.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return p.container(v, depth, behind)
	case string:
		p.text(v)
	case json.Number:
		p.add(v.String())
	case bool:
		p.add(strconv.FormatBool(v))
	default:
		p.add("null")
	}
	p.end(behind, depth)
	return nil
}

func (p *printer) container(open json.Delim, depth int, behind string) error {
	closing := "}"
	if open == '[' {
		closing = "]"
	}
	if !p.in.More() {
		p.add(open.String() + closing)
	} else {
		p.add(open.String())
		p.end("", depth+1)
		for p.in.More() {
			if open == '{' {
				name, err := p.in.Token()
				if err != nil {
					return err
				}
				p.add(quoted(fmt.Sprint(name))...)
				p.add(": ")
			}
			if err := p.member(depth + 1); err != nil {
				return err
			}
		}
		p.line.Indent = depth
		p.add(closing)
	}
	if _, err := p.in.Token(); err != nil { // the closing one
		return err
	}
	p.end(behind, depth)
	return nil
}

// member prints a value with a comma where another comes. The decoder only knows that
// behind the value, so the comma is added to the line that is printed by then.
func (p *printer) member(depth int) error {
	if err := p.value(depth, ""); err != nil {
		return err
	}
	if n := len(p.item.Lines); p.in.More() && n > 0 && p.item.Omitted == 0 {
		last := &p.item.Lines[n-1]
		last.Text = append(last.Text, Segment{Text: ","})
	}
	return nil
}

// text prints a string, folded where it is long.
func (p *printer) text(s string) {
	lines := strings.Count(s, "\n") + 1
	if len(s) <= foldAfter && lines == 1 {
		p.add(quoted(s)...)
		return
	}
	head, _, _ := strings.Cut(s, "\n")
	p.add(quoted(firstRunes(head, foldHead) + "…")...)
	p.line.Fold = foldOf(s, lines)
}

func foldOf(s string, lines int) *Fold {
	f := &Fold{Size: count(utf8.RuneCountInString(s), "character")}
	if lines > 1 {
		f.Size += ", " + count(lines, "line")
	}
	shown := s
	if len(shown) > foldBytes {
		shown = strings.ToValidUTF8(shown[:foldBytes], "")
		f.Omitted = len(s) - len(shown)
	}
	for line := range strings.SplitSeq(shown, "\n") {
		f.Lines = append(f.Lines, Of(line))
	}
	return f
}

// add adds to the line that is being made.
func (p *printer) add(parts ...any) {
	for _, part := range parts {
		switch s := part.(type) {
		case string:
			p.line.Text = append(p.line.Text, Segment{Text: s})
		case Segment:
			p.line.Text = append(p.line.Text, s)
		}
	}
}

// end ends the line; the next one is indented by depth. Lines are not kept any more
// once enough are shown.
func (p *printer) end(behind string, depth int) {
	if behind != "" {
		p.add(behind)
	}
	for _, s := range p.line.Text {
		p.shown += len(s.Text)
	}
	if f := p.line.Fold; f != nil {
		for _, line := range f.Lines {
			for _, s := range line {
				p.shown += len(s.Text)
			}
		}
	}
	switch {
	case p.item.Omitted > 0:
	case len(p.item.Lines) >= mostLines || p.shown > mostBytes:
		p.item.Omitted = max(1, len(p.item.Value)-int(p.in.InputOffset()))
	default:
		p.item.Lines = append(p.item.Lines, p.line)
	}
	p.line = Line{Indent: depth}
}

// quoted is a string as JSON, with what is hidden in JSON's own escapes.
func quoted(s string) []any {
	text, err := wire.Marshal(s)
	if err != nil { // of no string
		return []any{strconv.Quote(s)}
	}
	var parts []any
	plain := 0
	marks := mostMarks
	for i, r := range string(text) {
		if i == 1 {
			marks = mostMarks // the quote is no character of theirs
		}
		if pile := piled(r, &marks); !pile && !hidden(r) {
			continue
		}
		size := utf8.RuneLen(r)
		parts = append(parts, string(text[plain:i]), Segment{Text: escapedJSON(r), Escape: true})
		plain = i + size
	}
	return append(parts, string(text[plain:]))
}

// firstRunes is the beginning of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// count is a number and its noun.
func count(n int, noun string) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if n != 1 {
		noun += "s"
	}
	return digits + " " + noun
}
