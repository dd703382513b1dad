package card

import (
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/wire"
)

// Row is an approval in one line of a list: a part of its card, made without the rest.
type Row struct {
	Title    string
	Headline Text // clipped, and says so
	Tool     Text
	Opened   time.Time
	Expires  time.Time
	Parts    int    // of a command; 0 for what is none
	Part     string // which of them is to be decided: "part 2 of 3"
}

// RowOf is the row of a request, with a headline of at most width characters.
func RowOf(r *wire.ApprovalRequest, width int) Row {
	line, _ := SubjectLine(r.Subject)
	row := Row{
		Title: title(r.Subject), Headline: clipText(line, width), Tool: Of(r.ToolName),
		Opened: timeOf(&r.CreatedAt), Expires: timeOf(r.ExpiresAt),
	}
	if subject, err := wire.DecodeSubject(r.Subject); err == nil {
		if s, ok := subject.(*wire.ShellSubject); ok {
			row.Parts = len(s.Stages)
			row.Part = fmt.Sprintf("part %d of %d", r.CurrentRequirementID.SourceIndex+1, len(s.Stages))
		}
	}
	return row
}

// clipText makes the beginning of a text visible, and says how much is behind it.
func clipText(s string, width int) Text {
	head := firstRunes(s, width)
	if len(head) == len(s) {
		return Of(s)
	}
	behind := strings.ToValidUTF8(s[len(head):], "?")
	return append(Of(head), Segment{Text: fmt.Sprintf("… (%s)", count(len([]rune(behind)), "more character"))})
}
