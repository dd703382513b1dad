package crash

import (
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

const (
	asked    = "0198f0ac-7777-7000-8000-0000000000f1"
	answered = "018f6a2a-3333-7abc-8def-0000000000c8"
)

// ask appends a prompt with a deadline, 0 for none.
func (h *history) ask(expires int64) *entry {
	b := body{Command: h.say(later, wire.MethodUserInputOpen, `{}`, `{"userInputId":"`+asked+`"}`)}
	if expires != 0 {
		b.ExpiresAt = &expires
	}
	return h.put(inputOpened, asked, later, b)
}

// settlePrompt appends its terminal record, of a command or, "", of the daemon.
func (h *history) settlePrompt(command, outcome string) *entry {
	b := body{Opened: 8, Outcome: outcome, Source: "deadline"}
	if command != "" {
		b.Source = "reviewer"
		b.Command = h.say(command, wire.MethodUserInputAnswer, `{}`, `{"userInputId":"`+asked+`"}`)
	}
	return h.put(inputSettled, asked, command, b)
}

func TestTheCheckerKnowsPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		does  func(h *history)
		finds string // "" for nothing
	}{
		"asked and answered": {func(h *history) { h.ask(0); h.settlePrompt(answered, "answered") }, ""},
		"asked twice":        {func(h *history) { h.ask(0); h.ask(0) }, "was opened twice"},
		"answered twice": {func(h *history) {
			h.ask(0)
			h.settlePrompt(answered, "answered")
			h.settlePrompt("", "timedOut")
		}, "was settled twice"},
		"answered and never asked": {func(h *history) { h.settlePrompt(answered, "answered") }, "which was not opened so"},
		"left in a closed session": {func(h *history) { h.ask(0); h.put(sessionClosed, "", "", body{}) }, "and prompt " + asked + " waits in it"},
		"an ack of another prompt": {func(h *history) {
			h.ask(0).body.Command = h.say(later, wire.MethodUserInputOpen, `{}`, `{"userInputId":"`+first+`"}`)
		}, "there is no prompt " + first},
		"an answer that settled nothing": {func(h *history) {
			h.ask(0)
			h.put(commandSettled, "", answered, body{Command: h.say(answered, wire.MethodUserInputAnswer, `{}`, `{"userInputId":"`+asked+`"}`)})
		}, "prompt " + asked + " was not settled by it"},
		"answered by nobody": {func(h *history) { h.ask(0); h.settlePrompt("", "answered").body.Source = "reviewer" }, "the daemon makes none such by itself"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			c.does(h)
			h.seal()
			faults := faultsOf(twinOf(h.log), h.commands)
			if c.finds != "" {
				finds(t, faults, c.finds)
			} else if len(faults) > 0 {
				t.Errorf("it finds %q", faults)
			}
		})
	}
}

func TestTheCheckerKnowsWhatARestartDoesToPrompts(t *testing.T) {
	passed, away := time.Now().Add(-time.Hour).UnixMilli(), time.Now().Add(time.Hour).UnixMilli()
	for name, c := range map[string]struct {
		expires int64
		outcome string // "" where it is left pending
		finds   string // "" for nothing
	}{
		"without a deadline":           {0, "", ""},
		"with one that is away":        {away, "", ""},
		"with one that has passed":     {passed, "timedOut", ""},
		"a deadline made up":           {0, "timedOut", "timed out, and its deadline had not passed"},
		"a deadline that is early":     {away, "timedOut", "timed out, and its deadline had not passed"},
		"a deadline forgotten":         {passed, "", "and it is pending still"},
		"a deadline and another cause": {passed, "cancelled", "and it was settled as cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			h.ask(c.expires)
			h.seal()
			before := twinOf(append([]entry(nil), h.log...))
			if c.outcome != "" {
				h.settlePrompt("", c.outcome)
				h.seal()
			}
			faults := faultsOfPrompts(before, after{twinOf(h.log), time.Now(), true})
			if c.finds != "" {
				finds(t, faults, c.finds)
			} else if len(faults) > 0 {
				t.Errorf("it finds %q", faults)
			}
		})
	}
}
