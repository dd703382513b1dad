package inbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

// answers answers each decision that is wanted at once, and returns how many there were.
func (d *desk) answers() (decisions int) {
	for _, e := range d.done() {
		if e, ok := e.(inbox.Decide); ok {
			decisions++
			d.tell(inbox.Decided{Params: e.Params, Ack: wire.ApprovalDecideResult{Terminal: true}})
		}
	}
	return decisions
}

// A terminal does not tell a key that is held down from one that is pressed again and
// again: whatever its repeat, it makes one choice, and none of what has to be read first.
func TestAKeyThatIsHeldDownMakesOneChoice(t *testing.T) {
	for _, first := range []int{200, 250, 400, 500, 660} { // until it is repeated
		for _, rate := range []int{11, 33, 100, 399} {
			for key, want := range map[string]int{"1": 1, "4": 0, "x": 0} {
				var all []wire.ApprovalRequest
				for n := range 5 {
					r := staged(n + 1)
					all = append(all, r)
				}
				d := sit(t, approvals(all...)...)
				d.wait(time.Second)
				d.press(key)
				got := d.answers()
				d.wait(time.Duration(first) * time.Millisecond)
				for range 50 {
					d.press(key)
					got += d.answers()
					d.wait(time.Duration(rate) * time.Millisecond)
				}
				if got != want {
					t.Errorf("%s held down, repeated after %d ms every %d ms, decides %d times, want %d", key, first, rate, got, want)
				}
			}
		}
	}
}

// A digit means what the menu says, so another menu of the same stage has to be seen.
func TestAnotherMenuHasToBeSeen(t *testing.T) {
	other := shell(1, time.Minute, "make")
	other.AvailableChoices = append([]wire.Choice{other.AvailableChoices[1]}, other.AvailableChoices...)
	other.SourceRange.Last.Sequence++
	for name, msg := range map[string]inbox.Msg{
		"an event": inbox.Event{Params: &other}, "another connection": inbox.Snapshot{Waiting: approvals(other)},
	} {
		t.Run(name, func(t *testing.T) {
			read := shell(1, time.Minute, "make")
			d := sit(t, approvals(read)...)
			d.wait(time.Second)
			d.tell(msg)
			d.press("1")
			d.idle()
			d.tell(inbox.Chosen{Requirement: read.CurrentRequirementID, Menu: read.AvailableChoices, At: 0})
			d.idle()
			d.sees("Its choices have changed, so nothing was decided")
			d.tell(inbox.Chosen{Requirement: read.CurrentRequirementID, Menu: other.AvailableChoices, At: 1})
			if got := d.decided(); got.ChoiceID != wire.ChoiceAllowOnce {
				t.Errorf("it decided %+v", got)
			}
		})
	}
}

// Whichever is heard of first, a stage that was decided here was not decided elsewhere;
// and the card of the next one is in sight.
func TestAnOwnStageIsOwnAndTheNextOneIsShown(t *testing.T) {
	for _, eventFirst := range []bool{true, false} {
		first := staged(1)
		second := first
		second.CurrentRequirementID.SourceIndex = 2
		second.SourceRange.Last.Sequence++
		d := sit(t, approvals(first)...)
		d.press("v")
		d.wait(time.Second)
		d.press("1")
		news := []inbox.Msg{inbox.Decided{Params: d.decided()}, inbox.Event{Params: &second}}
		if eventFirst {
			news[0], news[1] = news[1], news[0]
		}
		d.tell(news...)
		d.sees("by you. The next stage waits", "part 3 of 3 is to be decided")
		d.seesNo("elsewhere")
	}
}

// What is read of another card does not turn the one that is looked at.
func TestNewsOfAnotherCardLeavesThisOneWhereItIs(t *testing.T) {
	long, other := shell(1, time.Minute, strings.Repeat("echo on and on; ", 200)), staged(2)
	d := sit(t, approvals(long, other)...)
	d.press("space")
	before := d.screen()
	moved := other
	moved.CurrentRequirementID.SourceIndex = 2
	d.tell(inbox.Known{ApprovalID: id(2), Result: wire.ApprovalReadResult{Request: moved}})
	if after := d.screen(); after != before {
		t.Errorf("the screen was\n%s\nand is\n%s", before, after)
	}
}

// What is selected in a list stays so, whatever a later list has before it.
func TestALaterListMovesNoSelection(t *testing.T) {
	session := func(id, name string) wire.Session {
		return wire.Session{SessionID: id, Name: name, CreatedAt: ago(time.Hour)}
	}
	grant := func(n int) wire.Grant {
		return wire.Grant{GrantID: id(n), RulePreview: fmt.Sprintf("grant %d", n), SessionID: aSession, CreatedAt: ago(time.Hour), InForce: true}
	}
	d := sit(t)
	d.press("s")
	d.tell(inbox.Sessions{Sessions: []wire.Session{session(aSession, "mine"), session(another, "other")}})
	d.press("down")
	d.tell(inbox.Sessions{Sessions: []wire.Session{session(id(9), "new"), session(aSession, "mine"), session(another, "other")}})
	d.press("m")
	d.sees("The mode of session " + another)
	d.press("n", "g")
	d.tell(inbox.Granted{Grants: []wire.Grant{grant(1), grant(2)}})
	d.press("down")
	d.tell(inbox.Granted{Grants: []wire.Grant{grant(3), grant(1), grant(2)}})
	d.press("x")
	d.sees("any other key does not: grant 2")
	d.press("n", "h")
	entry := func(n int) inbox.Entry {
		r := shell(n, time.Minute, fmt.Sprintf("make %d", n))
		return inbox.Ended(&r, resolved(n, wire.OutcomeAllowedOnce))
	}
	d.tell(inbox.Past{Entries: []inbox.Entry{entry(1), entry(2)}})
	d.press("down")
	d.tell(inbox.Past{Entries: []inbox.Entry{entry(3), entry(1), entry(2)}})
	d.press("enter")
	d.sees("command      make 2")
}

// However small the screen, a choice that is made was on it, with its digit, and so was
// the card or, where a key has opened it, the menu.
func TestNoChoiceIsMadeThatWasNotOnTheScreen(t *testing.T) {
	long := staged(1)
	long.AvailableChoices = append([]wire.Choice(nil), long.AvailableChoices...)
	long.AvailableChoices[1].RulePreview = strings.TrimSuffix(strings.Repeat("one more part\n", 60), "\n")
	for _, r := range []wire.ApprovalRequest{staged(1), long, shell(1, time.Minute, "make")} {
		for height := 12; height <= 40; height++ {
			for _, width := range []int{40, 80, 110} {
				for at, c := range r.AvailableChoices {
					d := sit(t, approvals(r, shell(2, 0, "ls"), shell(3, 0, "ls"), shell(4, 0, "ls"))...)
					d.tell(inbox.Resized{Width: width, Height: height})
					d.wait(time.Second)
					key := fmt.Sprint(at + 1)
					seen, decided := "", false
					for range 100 {
						seen += d.screen()
						d.press(key)
						d.wait(time.Second)
						if decided = len(d.done()) > 0 || d.m.View().Cursor != nil; decided {
							break
						}
						seen += d.screen()
						d.press("space")
					}
					label := fmt.Sprintf(" %d  %s", at+1, c.Label)
					if !decided || !strings.Contains(seen, label[:min(len(label), 24)]) || !strings.Contains(seen, "Run a command") {
						t.Errorf("%dx%d: choice %d is made: %t, of\n%s", width, height, at+1, decided, seen)
					}
				}
			}
		}
	}
}

// Of a menu that is longer than the screen, no choice is made before all of it was seen.
func TestALongRuleIsTurnedToItsEndBeforeItIsChosen(t *testing.T) {
	r := staged(1)
	r.AvailableChoices = append([]wire.Choice(nil), r.AvailableChoices...)
	r.AvailableChoices[1].RulePreview = strings.Repeat("harmless\n", 60) + "the last part"
	d := sit(t, approvals(r)...)
	d.wait(time.Second)
	for d.press("2"); !strings.Contains(d.screen(), "the last part"); d.press("2") {
		d.idle()
		d.wait(time.Second)
		d.press("2")
		d.idle()
		d.sees("the rest of that choice is below")
		d.press("space")
		d.wait(time.Second)
	}
	if got := d.decided(); got.ChoiceID != wire.ChoiceAllowAllOnce {
		t.Errorf("it decided %+v", got)
	}
}

// A sequence of a terminal that comes in pieces over a slow line is keys, and so are words
// that were meant for another window: no digit in them is a choice.
func TestADigitBehindWhatIsNoKeyOfTheInboxIsNoChoice(t *testing.T) {
	for _, keys := range []string{"esc [ 1 ~", "esc [ 1 ; 5 A", "[ < 0 ; 1 ; 1 M", "esc O 1 ; 2 P", "alt+[ 1 ; 3 A", "l 1"} {
		d := sit(t, approvals(shell(1, time.Minute, "make"))...)
		d.wait(time.Second)
		d.press(strings.Fields(keys)...)
		d.idle()
		d.wait(inbox.HeldFor)
		d.press("1")
		d.decided()
	}
}
