package fold_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
)

const sessionText = "0198f0aa-1111-7000-8000-0000000000aa"

var session = approval.ID{0x01, 0x98, 0xf0, 0xaa, 0x11, 0x11, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xaa}

func TestACursorIsFourTimesTheSequencePlusTheIndex(t *testing.T) {
	for _, c := range []struct {
		seq   uint64
		index int
		want  string
	}{
		{1, 0, "v:" + sessionText + ":4"},
		{7, 1, "v:" + sessionText + ":29"},
		{7, 3, "v:" + sessionText + ":31"},
		{math.MaxUint64 / 4, 3, "v:" + sessionText + ":18446744073709551615"},
	} {
		t.Run(c.want, func(t *testing.T) {
			cursor := fold.CursorAt(c.seq, c.index)
			if got := cursor.Text(session); got != c.want {
				t.Errorf("Text = %s", got)
			}
			if cursor.Seq() != c.seq || cursor.Index() != c.index {
				t.Errorf("it comes from event %d of record %d", cursor.Index(), cursor.Seq())
			}
		})
	}
}

func TestEveryCursorSurvivesItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := fold.Cursor(rapid.Uint64().Draw(t, "cursor"))
		got, ok := fold.ParseCursor(session, want.Text(session))
		if !ok || got != want {
			t.Fatalf("%d came back as %d, %v", want, got, ok)
		}
	})
}

func TestCursorsAreOrderedAsTheEventsAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.Uint64Range(0, math.MaxUint64/4)
		place := rapid.IntRange(0, 3)
		a, b := seq.Draw(t, "a"), seq.Draw(t, "b")
		i, j := place.Draw(t, "i"), place.Draw(t, "j")
		before := a < b || a == b && i < j
		if got := fold.CursorAt(a, i) < fold.CursorAt(b, j); got != before {
			t.Fatalf("event %d of %d before event %d of %d: %v", i, a, j, b, got)
		}
	})
}

func TestParseCursorTakesTheOneSpellingOfThisSession(t *testing.T) {
	other := "0198f0aa-1111-7000-8000-0000000000ab"
	for name, text := range map[string]string{
		"empty":                   "",
		"another session":         "v:" + other + ":4",
		"no session":              "v:4",
		"an upper-case session":   "v:" + strings.ToUpper(sessionText) + ":4",
		"no prefix":               sessionText + ":4",
		"another prefix":          "w:" + sessionText + ":4",
		"an upper-case prefix":    "V:" + sessionText + ":4",
		"no number":               "v:" + sessionText + ":",
		"a leading zero":          "v:" + sessionText + ":04",
		"zeros":                   "v:" + sessionText + ":00",
		"a plus":                  "v:" + sessionText + ":+4",
		"a minus":                 "v:" + sessionText + ":-4",
		"a fraction":              "v:" + sessionText + ":4.0",
		"hex digits":              "v:" + sessionText + ":0x4",
		"an underscore":           "v:" + sessionText + ":1_0",
		"a blank behind":          "v:" + sessionText + ":4 ",
		"a blank in front":        " v:" + sessionText + ":4",
		"one more than 64 bits":   "v:" + sessionText + ":18446744073709551616",
		"far more than 64 bits":   "v:" + sessionText + ":" + strings.Repeat("9", 4096),
		"a second number":         "v:" + sessionText + ":4:4",
		"the wildcard":            "v:" + sessionText + ":*",
		"digits of other scripts": fmt.Sprintf("v:%s:%c", sessionText, '٤'),
	} {
		t.Run(name, func(t *testing.T) {
			if c, ok := fold.ParseCursor(session, text); ok || c != 0 {
				t.Errorf("ParseCursor(%q) = %d, %v", text, c, ok)
			}
		})
	}
}
