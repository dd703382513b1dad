package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

func TestWatchShowsTurnsAsTheyWereGiven(t *testing.T) {
	started := turnStartedText(&wire.TurnStarted{TurnID: "t1", Input: []json.RawMessage{
		[]byte("{\"type\":\"text\",\"text\":\"clear \x1b[2J \u202e this\"}"), []byte(`{"n":1}`),
	}})
	if want := `turn t1 started: {"type":"text","text":"clear <U+001B>[2J <U+202E> this"} {"n":1}`; started != want {
		t.Errorf("a start is shown as\n%s, want\n%s", started, want)
	}
	ended := turnText(&wire.TurnCompleted{TurnID: "t1", Terminal: wire.TurnHasFailed, Reason: "It has \x07 ended."})
	if want := "turn t1 failed: It has <U+0007> ended."; ended != want {
		t.Errorf("an end is shown as %q, want %q", ended, want)
	}
	long := turnStartedText(&wire.TurnStarted{TurnID: "t1", Input: []json.RawMessage{[]byte(`"` + strings.Repeat("x", 1<<20) + `"`)}})
	if len(long) > 2*subjectWidth {
		t.Errorf("a long input takes %d bytes of a line", len(long))
	}
}
