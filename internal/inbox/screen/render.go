package screen

import (
	"strings"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/inbox"
)

// looks are the styles as a terminal is told them: the sixteen colours of the person's
// own theme, and weights, which remain where there are no colours.
var looks = map[inbox.Style]string{
	inbox.Dim:    "\x1b[2m",
	inbox.Strong: "\x1b[1m",
	inbox.Accent: "\x1b[36m",
	inbox.Good:   "\x1b[32m",
	inbox.Warn:   "\x1b[33m",
	inbox.Bad:    "\x1b[31m",
	inbox.Hidden: "\x1b[7m",
	inbox.Marked: "\x1b[1;36m",
}

const plain = "\x1b[m"

// render is a screen as text with the sequences that set its styles, and no others:
// every text is made visible once more, whoever made it so before.
func render(s inbox.Screen) string {
	var b strings.Builder
	for i, line := range s.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, span := range line {
			text := safe(span.Text)
			look := looks[span.Style]
			if look == "" {
				b.WriteString(text)
				continue
			}
			b.WriteString(look)
			b.WriteString(text)
			b.WriteString(plain)
		}
	}
	return b.String()
}

// safe is a text that is visible already, unless somebody forgot. What stands for hidden
// characters stays as it is.
func safe(text string) string {
	if !strings.ContainsFunc(text, card.IsHidden) {
		return text
	}
	return card.Visible(text)
}
