package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// question opens a prompt with one question to choose in, one to choose several in, and
// one for words, and returns its address.
func (in *inbox) question(session, call string) string {
	in.t.Helper()
	limit := int64(600_000)
	opened, err := in.agent.OpenInput(in.t.Context(), wire.UserInputOpenParams{
		SessionID: session, ToolCallID: call, ToolName: "AskUser", AutoResolutionMs: &limit,
		Questions: []wire.Question{
			{ID: "one", Question: "Which?", Options: []wire.QuestionOption{{Label: "a"}, {Label: "b"}}, Selection: wire.Selection{Mode: wire.SelectSingle}},
			{ID: "many", Question: "Which of them?", Options: []wire.QuestionOption{{Label: "x"}, {Label: "y"}, {Label: "z"}}, Selection: wire.Selection{Mode: wire.SelectMultiple}},
			{ID: "free", Question: "Why?", Selection: wire.Selection{Mode: wire.SelectSingle}},
		},
	})
	if err != nil {
		in.t.Fatal(err)
	}
	in.listed(opened.UserInputID)
	return "/prompt/" + session + "/" + opened.UserInputID
}

// settlement is what the agent is told of a prompt; nil while it waits.
func (in *inbox) settlement(path string) *wire.UserInputSettlement {
	in.t.Helper()
	parts, now := strings.Split(path, "/"), int64(0)
	r, err := in.agent.AwaitInput(in.t.Context(), wire.UserInputAwaitParams{SessionID: parts[2], UserInputIDs: []string{parts[3]}, WaitMs: &now})
	if err != nil {
		in.t.Fatal(err)
	}
	return r.Results[0].Settlement
}

func TestAPromptIsAnswered(t *testing.T) {
	in := open(t, nil)
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	path := in.question(in.session(nil), "q1")
	tb.next("pending")
	contains(t, in.page("/"), "Answer a question", `href="`+path+`"`)
	contains(t, in.page(path), "Which of them?", "choose one or more", "Send the answers", "Decline to answer")
	goesTo(t, in.post(path+"/answer", "select:0", "1", "note:0", "surely", "select:1", "0", "select:1", "2", "text:2", "because\r\nso"), "/?about=")
	s := in.settlement(path)
	if s == nil || s.Outcome != wire.UserInputAnswered {
		t.Fatalf("it became %+v", s)
	}
	b, surely, because := "b", "surely", "because\nso"
	want := []wire.Answer{
		{QuestionID: "one", SelectedLabel: &b, Note: &surely}, {QuestionID: "many", SelectedLabels: []string{"x", "z"}}, {QuestionID: "free", FreeText: &because},
	}
	if d := cmp.Diff(want, []wire.Answer(s.Answers)); d != "" {
		t.Errorf("the answers (-want +got):\n%s", d)
	}
	if a := about(t, tb.next("settled")); a.Words != "answered by the web inbox" || !a.Allowed {
		t.Errorf("of its end: %+v", a)
	}
	contains(t, in.page(path), "answered", "because", "b (surely)")
	contains(t, in.page("/history"), "Which? / Which of them? / Why?", "answered")
}

// Answers that do not fit change nothing, are said, and stay on the page.
func TestAnswersThatDoNotFitStay(t *testing.T) {
	in := open(t, nil)
	path := in.question(in.session(nil), "q1")
	for name, tt := range map[string]struct {
		fields []string
		want   string
	}{
		"nothing":        {nil, "This question has no answer yet: Which?"},
		"one is missing": {[]string{"select:0", "0", "select:1", "1"}, "This question has no answer yet: Why?"},
		"both":           {[]string{"select:0", "0", "text:0", "or so", "select:1", "1", "text:2", "x"}, "not both: Which?"},
		"no such option": {[]string{"select:0", "7", "select:1", "1", "text:2", "x"}, "The form is not whole"},
		"two of one":     {[]string{"select:0", "0", "select:1", "1", "select:1", "1", "text:2", "x"}, "note bad"},
		"too many words": {[]string{"select:0", "0", "select:1", "1", "text:2", strings.Repeat("y", 501)}, "note bad"},
	} {
		t.Run(name, func(t *testing.T) {
			got := in.post(path+"/answer", append(tt.fields, "note:1", "kept & safe")...)
			if got.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("is answered %s", got.Status)
			}
			contains(t, got.body, tt.want, "kept &amp; safe")
			if s := in.settlement(path); s != nil {
				t.Fatalf("it became %+v", s)
			}
		})
	}
}

func TestAPromptIsRepliedToOrDeclined(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	replied, declined := in.question(session, "q1"), in.question(session, "q2")
	if got := in.post(replied+"/clarify", "says", "  "); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an empty reply is answered %s", got.Status)
	}
	goesTo(t, in.post(replied+"/clarify", "says", "ask me later"), "/?about=")
	if s := in.settlement(replied); s == nil || s.Outcome != wire.UserInputClarified || s.Clarification.Content != "ask me later" {
		t.Errorf("the one became %+v", s)
	}
	goesTo(t, in.post(declined+"/cancel"), "/?about=")
	if s := in.settlement(declined); s == nil || s.Outcome != wire.UserInputCancelled {
		t.Errorf("the other became %+v", s)
	}
	goesTo(t, in.post(declined+"/clarify", "says", "too late"), declined+"?note=lost")
	if got := in.post(declined+"/answer", "text:0", "x"); got.StatusCode != http.StatusConflict || !strings.Contains(got.body, "settled already") {
		t.Errorf("an answer that is too late is answered %s", got.Status)
	}
}

// Who begins to answer is not cut short.
func TestWhoBeginsToAnswerHasTime(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	path := in.question(session, "q1")
	contains(t, in.page(path), "ends <time")
	if got := in.post(path + "/engaged"); got.StatusCode != http.StatusNoContent {
		t.Fatalf("is answered %s", got.Status)
	}
	for { // it is a notification: what is asked behind it on its connection is answered behind it
		list, err := in.server.feed.c.ListPending(t.Context(), wire.ApprovalListPendingParams{})
		if err != nil {
			t.Fatal(err)
		}
		if list.UserInputs[0].ExpiresAt == nil {
			return
		}
	}
}

// A notice has one address for whatever it is about.
func TestOneAddressLeadsToWhateverItIs(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	prompt, approval := in.question(session, "q1"), in.ask(session, "c1", shell("make"), nil)
	for range 2 { // while they wait, and when they are settled
		for _, path := range []string{prompt, approval} {
			parts := strings.Split(path, "/")
			goesTo(t, in.get(Path(parts[2], parts[3])), path)
		}
		in.post(prompt + "/cancel")
		in.decide(approval, 0, "abort")
	}
}
