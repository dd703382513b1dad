package emulator

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A picture is a document whose text is what is on the screen, whatever that is.
func TestAPictureSaysWhatIsOnTheScreen(t *testing.T) {
	const hostile = `</text><script>alert("1")</script>&amp;]]>`
	e := New(60, 3)
	e.Feed("\x1b[1;36m" + hostile + "\x1b[m\r\n\x1b[7m <U+202E> \x1b[27m\x1b[2m dim\x1b[22m\r\n\x1b[31mred")
	if len(e.Faults()) > 0 {
		t.Fatal(e.Faults())
	}
	picture := e.Picture(hostile)
	var said []string
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !strings.Contains(" svg title rect g text ", " "+token.Name.Local+" ") {
				t.Errorf("it has an element %s", token.Name.Local)
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				said = append(said, text)
			}
		}
	}
	if got, want := strings.Join(said, "|"), strings.Join([]string{hostile, hostile, "<U+202E>", "dim", "red"}, "|"); got != want {
		t.Errorf("it says\n%s\nnot\n%s", got, want)
	}
	for _, part := range []string{`font-weight="700">&lt;/text`, `<rect x="14" y="32" width="80"`, `opacity=".66">dim`, `fill="#ff8a80">red`} {
		if !strings.Contains(picture, part) {
			t.Errorf("it has no %s:\n%s", part, picture)
		}
	}
}

func TestAStyleThatIsNotKnownIsAFault(t *testing.T) {
	e := New(4, 1)
	e.Feed("\x1b[38;5;4mx")
	if len(e.Faults()) == 0 {
		t.Error("it is taken for another")
	}
}
