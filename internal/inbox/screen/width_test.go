package screen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/inbox"
)

// Whichever way a terminal counts columns, by characters or by what they join into, no
// line is wider than it: the end of one would be out of sight.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	var all strings.Builder // every character that is shown, also beside each of its like
	for r := rune(' '); r <= 0x3ffff; r++ {
		if !card.IsHidden(r) {
			all.WriteRune(r)
		}
	}
	m := inbox.New()
	now := start
	tell := func(msg inbox.Msg) { m, _ = m.Update(msg, now) }
	r := request(1, all.String())
	tell(inbox.Resized{Width: 80, Height: 1000})
	tell(inbox.Linked{})
	tell(inbox.Snapshot{Waiting: []inbox.Waiting{{Approval: &r}}})
	for range 1 << 10 {
		now = now.Add(time.Second)
		text := ""
		for _, line := range m.View().Lines {
			if l := line.String(); ansi.StringWidth(l) > 80 || ansi.StringWidthWc(l) > 80 {
				t.Errorf("%d and %d columns wide: %q", ansi.StringWidth(l), ansi.StringWidthWc(l), l)
			}
			text += line.String() + "\n"
		}
		_, turned, _ := strings.Cut(text, "1 of 1")
		if strings.Contains(turned, "the end,") {
			return
		}
		tell(inbox.Key{Name: "space"})
	}
	t.Fatal("the card has no end")
}
