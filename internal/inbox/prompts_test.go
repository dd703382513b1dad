package inbox_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

func asksMe(t *testing.T) *desk {
	t.Helper()
	p := prompt(4)
	d := sit(t, inbox.Waiting{Prompt: &p})
	d.press("1")
	d.idle()
	d.sees("Nothing was answered")
	d.wait(time.Second)
	return d
}

func TestAPromptIsAnsweredWithItsOptionsAndInOwnWords(t *testing.T) {
	d := asksMe(t)
	d.press("enter")
	d.sees("question 1 of 2 wants an answer")
	if _, ok := d.done()[0].(inbox.Engage); !ok {
		t.Error("nobody hears that somebody has begun to answer")
	}
	d.press("w")
	d.write("port 7")
	d.wait(time.Second)
	d.press("enter")
	d.sees("port 7")
	d.wait(time.Second)
	d.press("1", "3", "1", "2", "9", "enter")
	words := "port 7"
	want := []inbox.Effect{inbox.Answer{Params: wire.UserInputAnswerParams{SessionID: aSession, UserInputID: id(4), Answers: []wire.Answer{
		{QuestionID: "port", FreeText: &words}, {QuestionID: "with", SelectedLabels: []string{"worker", "docs"}},
	}}}}
	if diff := cmp.Diff(want, d.done()); diff != "" {
		t.Errorf("it wanted (-want +got):\n%s", diff)
	}
	d.tell(inbox.Replied{PromptID: id(4), Words: "answered"})
	d.sees("Done: answered, by you", "Nothing waits")
}

func TestAPromptIsDeclinedOrRepliedTo(t *testing.T) {
	for key, want := range map[string]inbox.Effect{
		"x": inbox.Decline{Params: wire.UserInputCancelParams{SessionID: aSession, UserInputID: id(4), Reason: "ask me later"}},
		"c": inbox.Clarify{Params: wire.UserInputClarifyParams{SessionID: aSession, UserInputID: id(4), Clarification: wire.Clarification{Format: wire.ClarificationText, Content: "ask me later"}}},
	} {
		d := asksMe(t)
		d.press(key)
		d.done()
		d.write("ask me later")
		d.wait(time.Second)
		d.press("enter")
		if diff := cmp.Diff([]inbox.Effect{want}, d.done()); diff != "" {
			t.Errorf("%s wanted (-want +got):\n%s", key, diff)
		}
	}
}

func TestAPromptThatAnotherAnswersSaysSo(t *testing.T) {
	d := asksMe(t)
	d.press("w")
	d.write("my words")
	d.tell(inbox.Event{Params: &wire.UserInputSettledEvent{UserInputID: id(4), Outcome: wire.UserInputAnswered}})
	d.sees("Settled: answered. It is final", "your words were not sent")
	d.done()
	d.press("enter")
	d.idle()
}
