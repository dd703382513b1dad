package web

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

func goesTo(t *testing.T, got answered, want string) {
	t.Helper()
	if place := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || !strings.HasPrefix(place, want) {
		t.Errorf("is answered %s to %q, want on to %q: %.300s", got.Status, place, want, got.body)
	}
}

func contains(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}

func TestACardShowsWhatIsAskedAndTheMenuOfTheServer(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	path := in.ask(session, "c1", shell("make && make install"), func(p *wire.ApprovalOpenParams) {
		p.Justification, p.RawArgs = "It is fine.", `{"command":"make && make install"}`
	})
	contains(t, in.page("/"), "Run a command", "part 1 of 2", `href="`+path+`"`, "a session")
	contains(t, in.page(path), "make &amp;&amp; make install", "to be decided", "It is fine.", "Nobody has checked it.", "to go on",
		"<kbd aria-hidden=\"true\">1</kbd>", "Allow once", "Allow all 2 parts once", "<bdi>1. make</bdi>", "<bdi>2. make install</bdi>", "Reject", "Decisions are final")
}

func TestADecisionIsTaken(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make"), nil)
	goesTo(t, in.decide(path, 0, "allow_once"), "/?about=")
	if r := in.became(path); r == nil || r.Outcome != wire.OutcomeAllowedOnce {
		t.Fatalf("it became %+v", r)
	}
	contains(t, in.page("/?note=settled&about="+strings.Split(path, "/")[3]), "Allowed once by the web inbox: <bdi>make</bdi>. Decisions are final.")
	contains(t, in.page(path), "allowed once by the web inbox", "there is no undo")
	if strings.Contains(in.page(path), "/decide") {
		t.Error("what is settled can be decided")
	}
}

func TestARejectionTellsTheAgentWhy(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make"), nil)
	goesTo(t, in.decide(path, 0, "abort", "feedback", " use\r\nninja "), "/?about=")
	if r := in.became(path); r == nil || r.Outcome != wire.OutcomeRejected || r.Feedback != "use\nninja" {
		t.Errorf("it became %+v", r)
	}
}

// Feedback that is too long decides nothing, and is not lost: its bytes are counted, which
// are more than its characters. The address at which that is said leads to the card.
func TestFeedbackThatIsTooLongStays(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make"), nil)
	long := strings.Repeat("é", mostFeedback/2)
	got := in.decide(path, 0, "abort", "feedback", long+"<b>é")
	if got.StatusCode != http.StatusUnprocessableEntity || in.became(path) != nil {
		t.Fatalf("is answered %s, and it became %+v", got.Status, in.became(path))
	}
	contains(t, got.body, "too long by 5 bytes. Nothing was decided.", long+"&lt;b&gt;é</textarea>")
	goesTo(t, in.get(path+"/decide"), path)
	goesTo(t, in.decide(path, 0, "abort", "feedback", long), "/")
}

func TestACommandIsDecidedPartByPart(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make && make install"), nil)
	goesTo(t, in.decide(path, 0, "allow_once"), path+"?note=stage")
	contains(t, in.page(path+"?note=stage"), "allowed once", "to be decided", "The next one is below", `name="requirement" value="1"`)
	goesTo(t, in.decide(path, 0, "allow_once"), path+"?note=stale")
	contains(t, in.page(path+"?note=stale"), "Your choice was not used")
	goesTo(t, in.decide(path, 1, "allow_once"), "/?about=")
	if r := in.became(path); r == nil || r.Outcome != wire.OutcomeAllowedOnce {
		t.Errorf("it became %+v", r)
	}
}

func TestWhoIsTooLateIsToldWhoWon(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	path := in.ask(session, "c1", shell("make"), nil)
	id := strings.Split(path, "/")[3]
	if _, err := in.agent.Decide(t.Context(), wire.ApprovalDecideParams{
		SessionID: session, ApprovalID: id, RequirementID: wire.RequirementID{ApprovalID: id}, ChoiceID: wire.ChoiceAbort,
	}); err != nil {
		t.Fatal(err)
	}
	goesTo(t, in.decide(path, 0, "allow_once"), path+"?note=lost")
	contains(t, in.page(path+"?note=lost"), "It had been settled before", "rejected by tester (host)")
}

// A button that is pressed twice decides once: the form carries the id of its command.
func TestAFormThatIsSentTwiceIsOneDecision(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make && make install"), nil)
	again := []string{"command", "0198f0aa-0000-7000-8000-000000000042"}
	send := func() answered {
		form := append([]string{"requirement", "0", "shown", "0", "choice", "allow_once"}, again...)
		return in.send(http.MethodPost, path+"/decide", in.form(form...), nil)
	}
	goesTo(t, send(), path+"?note=stage")
	goesTo(t, send(), path+"?note=stage")
	if r := in.became(path); r != nil {
		t.Errorf("the second part was decided with the first: %+v", r)
	}
}

// What is pressed before its card can have been read decides nothing.
func TestAChoiceCountsOnceItsCardWasInSight(t *testing.T) {
	shown := time.UnixMilli(1_767_000_000_000)
	var since atomic.Int64 // nanoseconds
	in := open(t, func(c *Config) {
		c.Now = func() time.Time { return shown.Add(time.Duration(since.Load())) }
	})
	path := in.ask(in.session(nil), "c1", shell("make"), nil)
	contains(t, in.page(path), `name="shown" value="1767000000000"`)
	form := []string{"requirement", "0", "shown", "1767000000000", "choice", "allow_once"}
	since.Store(int64(arming - 1))
	goesTo(t, in.post(path+"/decide", form...), path+"?note=early")
	if r := in.became(path); r != nil {
		t.Fatalf("it was decided: %+v", r)
	}
	contains(t, in.page(path+"?note=early"), "Nothing was decided")
	since.Store(int64(arming))
	goesTo(t, in.post(path+"/decide", form...), "/?about=")
}

func TestOnlyTheMenuIsTaken(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", `{"kind":"teleport"}`, nil)
	goesTo(t, in.decide(path, 0, "allow_session"), path+"?note=menu")
	for name, fields := range map[string][]string{
		"no stage":    {"shown", "0", "choice", "allow_once"},
		"no instant":  {"requirement", "0", "choice", "allow_once"},
		"other stage": {"requirement", "x", "shown", "0", "choice", "allow_once"},
	} {
		if got := in.post(path+"/decide", fields...); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: is answered %s", name, got.Status)
		}
	}
	if got := in.decide(path, 0, "allow_once", "feedback", "no"); got.StatusCode == http.StatusSeeOther {
		t.Error("feedback was taken where there is none")
	}
	if r := in.became(path); r != nil {
		t.Errorf("it became %+v", r)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	for _, path := range []string{
		approvalPath(session, "0198f0aa-0000-7000-8000-000000000001"), approvalPath("0198f0aa-0000-7000-8000-000000000001", "x"),
		"/prompt/" + session + "/0198f0aa-0000-7000-8000-000000000001", in.ask(session, "c1", shell("make"), nil) + "/secrets",
	} {
		if got := in.get(path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered %s", path, got.Status)
		}
	}
}

// A protected write is decided only where somebody is there: whoever presses the button
// is, also without the script that says so.
func TestAProtectedWriteIsDecidedByWhoIsThere(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", `{"kind":"fileAccess","path":".git/hooks/pre-commit","access":"write","content":"x"}`, nil)
	contains(t, in.page(path), "Protected: ")
	goesTo(t, in.decide(path, 0, "allow_once"), "/?about=")
	if r := in.became(path); r == nil || r.Outcome != wire.OutcomeAllowedOnce {
		t.Errorf("it became %+v", r)
	}
}
