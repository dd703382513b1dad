package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// subjectLine is a subject in one visible line.
func subjectLine(raw json.RawMessage) string {
	text, _ := card.SubjectLine(raw)
	return visible(text)
}

// marks are what a reviewer must not miss about a request, for its one line.
func marks(r *wire.ApprovalRequest) string {
	text := ""
	if r.ProtectedWrite {
		text += "  [protected write]"
	}
	if child := card.ChildText(r.SubagentOrigin); child != "" {
		text += "  [child " + visible(child) + "]"
	}
	return text
}

// choiceIDs lists a menu in one line.
func choiceIDs(menu []wire.Choice) string {
	ids := make([]string, len(menu))
	for i, c := range menu {
		ids[i] = visible(string(c.ChoiceID))
	}
	return strings.Join(ids, " ")
}

// age is how long ago t was, roughly; "?" for what is no time.
func age(t wire.Time, now time.Time) string {
	at, err := t.Parse()
	if err != nil {
		return "?"
	}
	const day = 24 * time.Hour
	switch d := max(0, now.Sub(at)); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}
