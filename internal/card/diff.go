package card

import "strings"

// What a card shows of one value at most. Value has the rest.
const (
	mostLines = 3000
	mostBytes = 256 << 10
)

// diffItem is a unified diff, line by line.
func diffItem(name, diff string) Item {
	item := Item{Name: name, Form: FormDiff, Value: diff}
	unified := strings.HasPrefix(diff, "@@") || strings.Contains(diff, "\n@@")
	inHeader, shown := unified, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if len(item.Lines) >= mostLines || shown+len(line) > mostBytes {
			item.Omitted = len(diff) - shown
			break
		}
		shown += len(line) + 1
		mark := Plain
		switch {
		case strings.HasPrefix(line, "@@"):
			mark, inHeader = Hunk, false
		case inHeader: // a removed line may begin with "--" as well, behind the header
			mark = Header
		case strings.HasPrefix(line, "+"):
			mark = Added
		case strings.HasPrefix(line, "-"):
			mark = Removed
		}
		item.Lines = append(item.Lines, Line{Mark: mark, Text: Of(line)})
	}
	return item
}
