package inbox_test

import (
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

func TestACardTakesAChoiceOnlyOnceItHasBeenSeen(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"), shell(2, time.Minute, "rm -rf build"))...)
	d.press("1")
	d.idle()
	d.sees("Nothing was decided")
	d.wait(inbox.ArmAfter - time.Millisecond)
	d.press("2")
	d.idle()
	d.wait(time.Millisecond)
	d.press("1")
	if got := d.decided(); got.ApprovalID != id(1) || got.ChoiceID != wire.ChoiceAllowOnce || got.RequirementID != (wire.RequirementID{ApprovalID: id(1)}) {
		t.Errorf("it decided %+v", got)
	}
	d.press("down", "1") // another card: it has to be seen as well
	d.idle()
	d.wait(inbox.HeldFor)
	d.press("1")
	if got := d.decided(); got.ApprovalID != id(2) {
		t.Errorf("it decided %+v", got)
	}
}

// Whatever hid the card, it has to be seen anew.
func TestACardThatComesBackHasToBeSeenAgain(t *testing.T) {
	for name, away := range map[string][]string{
		"another page":   {"h", "p"},
		"the help":       {"?", "x"},
		"the editor":     {"x", "esc"},
		"another card":   {"down", "up"},
		"the whole menu": {"v", "v"},
	} {
		t.Run(name, func(t *testing.T) {
			d := sit(t, approvals(shell(1, time.Minute, "make"), shell(2, time.Minute, "ls"))...)
			d.wait(time.Second)
			d.press(away...)
			d.done()
			d.press("1")
			d.idle()
			d.wait(inbox.HeldFor)
			d.press("1")
			d.decided()
		})
	}
}

func TestNothingThatArrivesMovesTheSelectionOrTakesAKey(t *testing.T) {
	d := sit(t, approvals(shell(5, time.Minute, "make five"))...)
	d.wait(time.Second)
	d.asked(shell(6, 0, "make six"))
	d.tell(inbox.Snapshot{Waiting: approvals(shell(4, time.Hour, "make four"), shell(5, time.Minute, "make five"), shell(6, 0, "make six"))})
	d.sees("▸   1m  bash       make five", "3 waiting")
	d.press("1") // armed still: nothing has come up
	if got := d.decided(); got.ApprovalID != id(5) {
		t.Errorf("it decided %+v", got)
	}
}

func TestWhatArrivesIntoAnEmptyInboxHasToBeSeen(t *testing.T) {
	d := sit(t)
	d.wait(time.Second)
	d.asked(shell(1, 0, "make"))
	d.done()
	d.press("1")
	d.idle()
}

func TestADecisionIsFollowedByTheNextCardUnarmed(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"), shell(2, time.Minute, "make two"), shell(3, time.Minute, "make three"))...)
	d.press("down")
	d.wait(time.Second)
	d.press("1", "1", "1") // once is once
	p := d.decided()
	d.tell(inbox.Decided{Params: p, Ack: wire.ApprovalDecideResult{Terminal: true}}, inbox.Event{Params: resolved(2, wire.OutcomeAllowedOnce)})
	d.sees("Done: Allow once, by you: make two", "▸   1m  bash       make three", "2 waiting")
	d.press("1")
	d.idle()
}

// The answer and the event come over different ways, so either may be first.
func TestAnOwnDecisionIsOwnWhicheverWayItIsHeardOfFirst(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"), shell(2, time.Minute, "make two"))...)
	d.wait(time.Second)
	d.press("1")
	p := d.decided()
	heard := resolved(1, wire.OutcomeAllowedOnce)
	heard.DecidedBy = &wire.Decider{ClientName: "approvald_inbox", Transport: "host"}
	d.tell(inbox.Event{Params: heard})
	d.seesNo("other than you")
	d.seesNo("another one")
	d.tell(inbox.Decided{Params: p, Ack: wire.ApprovalDecideResult{Terminal: true}})
	d.sees("by you: make one", "1 waiting")
}

func TestWhatAnotherSettlesStaysInSightAndSaysSo(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"), shell(2, time.Minute, "make two"))...)
	d.wait(time.Second)
	d.tell(inbox.Event{Params: resolved(1, wire.OutcomeAllowedOnce)})
	d.sees("Settled: allowed once by the web inbox, 10:00Z. It is final", "1 waiting")
	d.press("1")
	d.idle()
	d.sees("decisions are final")
	d.press("enter")
	d.sees("▸   1m  bash       make two")
	d.seesNo("make one")
}

func TestALostRaceChangesNothingAndShowsHowItEnded(t *testing.T) {
	one := shell(1, time.Minute, "make one")
	d := sit(t, approvals(one)...)
	d.wait(time.Second)
	d.press("1")
	d.tell(inbox.Decided{Params: d.decided(), Err: &wire.Error{Data: wire.ErrorData{Kind: wire.KindApprovalAlreadyResolved}}})
	d.sees("Somebody else was first")
	read, ok := d.done()[0].(inbox.Read)
	if !ok || read.ApprovalID != id(1) {
		t.Fatalf("it wanted %+v", read)
	}
	d.tell(inbox.Known{ApprovalID: id(1), Result: wire.ApprovalReadResult{Request: one, Resolution: &wire.Resolution{Outcome: wire.OutcomeRejected, ResolvedBy: wire.ResolvedByUser}}})
	d.sees("Settled: rejected by a reviewer other than you")
}

func TestAStaleDecisionDecidesNothingAndShowsWhatChanged(t *testing.T) {
	first := staged(1)
	d := sit(t, approvals(first)...)
	d.wait(time.Second)
	d.press("1")
	d.tell(inbox.Decided{Params: d.decided(), Err: &wire.Error{Data: wire.ErrorData{Kind: wire.KindApprovalRequirementStale}}})
	d.sees("nothing was decided")
	d.done()
	second := first
	second.CurrentRequirementID.SourceIndex = 2
	second.SourceRange.Last.Sequence++
	d.tell(inbox.Known{ApprovalID: id(1), Result: wire.ApprovalReadResult{Request: second}})
	d.sees("part 3 of 3 is to be decided")
	d.press("1") // it came up just now
	d.idle()
	d.wait(inbox.HeldFor)
	d.press("1")
	if got := d.decided(); got.RequirementID.SourceIndex != 2 {
		t.Errorf("it decided stage %d", got.RequirementID.SourceIndex)
	}
}

func TestTheNextStageHasToBeSeen(t *testing.T) {
	first := staged(1)
	d := sit(t, approvals(first)...)
	d.wait(time.Second)
	second := first
	second.CurrentRequirementID.SourceIndex = 2
	second.SourceRange.Last.Sequence++
	d.asked(second)
	d.sees("A stage of it was decided elsewhere", "part 3 of 3 is to be decided")
	d.press("1")
	d.idle()
	d.asked(first) // it is told again, late
	d.sees("part 3 of 3 is to be decided")
}

// Of a choice whose rule has no room on the screen, the rule comes up first.
func TestAChoiceIsMadeOnlyWhereAllThatItLeavesBehindWasShown(t *testing.T) {
	d := sit(t, approvals(staged(1))...)
	d.wait(time.Second)
	d.press("4")
	d.idle()
	d.sees("Nothing was decided yet", "│ allow commands that begin with the words: git commit")
	d.wait(time.Second)
	d.press("4")
	if got := d.decided(); got.ChoiceID != wire.ChoiceAllowLocalPrefix {
		t.Errorf("it decided %+v", got)
	}
	d = sit(t, approvals(staged(1))...)
	d.tell(inbox.Resized{Width: 120, Height: 40})
	d.wait(time.Second)
	d.press("4") // all of it has room
	d.decided()
}

func TestARejectionTakesWords(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"))...)
	d.wait(time.Second)
	d.press("3")
	d.idle()
	d.write("use make clean")
	d.tell(inbox.Pasted{Text: ", please\x1b[2J"})
	d.press("enter") // it may have been meant for what was there before
	d.idle()
	d.wait(inbox.ArmAfter)
	d.press("enter")
	if p := d.decided(); p.ChoiceID != wire.ChoiceAbort || p.Feedback == nil || *p.Feedback != "use make clean, please[2J" {
		t.Errorf("it decided %+v", p)
	}
	d = sit(t, approvals(shell(1, time.Minute, "make"))...)
	d.wait(time.Second)
	d.press("x")
	d.wait(time.Second)
	d.press("enter") // it may be empty
	if p := d.decided(); p.ChoiceID != wire.ChoiceAbort || p.Feedback != nil {
		t.Errorf("it decided %+v", p)
	}
}

func TestWordsForWhatHasMovedOnAreNotSent(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"), shell(2, time.Minute, "ls"))...)
	d.wait(time.Second)
	d.press("x")
	d.write("no")
	d.tell(inbox.Event{Params: resolved(1, wire.OutcomeAllowedOnce)})
	d.sees("It was settled meanwhile; your words were not sent")
	d.wait(time.Second)
	d.press("enter")
	d.idle()
}

func TestNothingIsDecidedWithoutADaemon(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"))...)
	d.wait(time.Second)
	d.tell(inbox.Lost{})
	d.press("1", "x", "3")
	d.idle()
	d.sees("The daemon cannot be reached")
}

func TestPastedTextIsNoKey(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"))...)
	d.wait(time.Second)
	d.tell(inbox.Pasted{Text: "1"})
	d.idle()
	d.sees("not taken for keys")
}

func TestAReconnectionShowsWhatEndedMeanwhile(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"), shell(2, time.Minute, "make two"), shell(3, time.Minute, "make three"))...)
	d.tell(inbox.Lost{})
	d.asked(shell(4, 0, "make four")) // from the next connection, before what waits is read
	d.tell(inbox.Linked{}, inbox.Snapshot{Waiting: approvals(shell(3, time.Minute, "make three"), shell(4, 0, "make four"))})
	d.sees("Connected again", "Settled: settled while the daemon could not be reached", "make three", "make four", "2 waiting")
	d.seesNo("make two")
	if read, ok := d.done()[0].(inbox.Read); !ok || read.ApprovalID != id(1) {
		t.Errorf("it does not ask how the one in sight ended: %+v", read)
	}
}

// The list that was read may be older than what was heard since.
func TestAnOldListBringsNothingBack(t *testing.T) {
	d := sit(t)
	d.asked(shell(1, 0, "make"))
	d.tell(inbox.Event{Params: resolved(1, wire.OutcomeRejected)})
	d.press("enter")
	d.tell(inbox.Snapshot{Waiting: approvals(shell(1, 0, "make"))})
	d.sees("Nothing waits")
}

func TestWhatEndsOutOfSightIsTold(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"), shell(2, time.Minute, "make two"))...)
	d.tell(inbox.Event{Params: resolved(2, wire.OutcomeRejected)})
	d.sees("Settled elsewhere, rejected by the web inbox, 10:00Z: make two", "▸   1m  bash       make one")
}

func TestAnotherIsToldFromThePersonWhoLooks(t *testing.T) {
	for want, by := range map[string]*wire.Decider{
		"allowed once by a reviewer other than you, 10:00Z.":        nil, // of a daemon that does not tell
		"allowed once by the terminal inbox (another one), 10:00Z.": {ClientName: "approvald_inbox", Transport: "host"},
		"allowed once by ide (stdio), 10:00Z.":                      {ClientName: "ide", Role: wire.RoleBoth, Transport: "stdio"},
		"allowed once by the web inbox, 10:00Z.":                    {ClientName: "approvald_cli", Transport: "web"},
		"allowed once by <U+001B>[2J<U+202E> (reviewer), 10:00Z.":   {ClientName: "\x1b[2J\u202e", Transport: "reviewer"},
	} {
		d := sit(t, approvals(shell(1, time.Minute, "make one"))...)
		heard := resolved(1, wire.OutcomeAllowedOnce)
		heard.DecidedBy = by
		d.tell(inbox.Event{Params: heard})
		d.sees("Settled: " + want)
	}
}
