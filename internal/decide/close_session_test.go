package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

func TestClosingSettlesWhatIsPendingAndThenEndsTheSession(t *testing.T) {
	w := newWorld(t)
	session, other := w.start(""), w.start("")
	first, second := w.open(session, file), w.open(session, shell("a; b"))
	elsewhere := w.open(other, file)
	w.choose(session, second, 0, wire.ChoiceAllowOnce)
	closing := decide.CloseSession{Intent: w.intent(), Session: session, Reason: "done"}
	r := w.do(closing)
	isAcked(t, r, `{"commandId":"`+closing.Command.String()+`","status":"accepted"}`)
	want := []string{"resolved abort by policy (session)", "resolved abort by policy (session)", "closed done"}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.endedAs(session, first, approval.BySessionClose)
	w.endedAs(session, second, approval.BySessionClose)
	w.isPending(other, elsewhere, 0)
	object := w.session(session).Object(w.env().Profile)
	if object.Status != wire.SessionNotLoaded || object.Attention != nil {
		t.Errorf("the session is %s with attention %v", object.Status, object.Attention)
	}
}

func TestClosingWithoutAReasonSaysClosed(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	r := w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	if diff := cmp.Diff([]string{"closed closed"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAClosedSessionTakesNoMoreCommands(t *testing.T) {
	closedError := func(session approval.ID, c approval.CommandID) string {
		return `{"code":-32030,"message":"Session ` + session.String() + ` is closed; start another.","data":{"kind":"commandRejected","retryable":false,` +
			`"reason":"session_closed","commandId":"` + c.String() + `","sessionId":"` + session.String() + `"}}`
	}
	for name, command := range map[string]func(w *world, session approval.ID) (decide.Command, approval.CommandID){
		"close": func(w *world, s approval.ID) (decide.Command, approval.CommandID) {
			c := decide.CloseSession{Intent: w.intent(), Session: s}
			return c, c.Command
		},
		"open": func(w *world, s approval.ID) (decide.Command, approval.CommandID) {
			c := w.opening(s, file)
			return c, c.Command
		},
		"cancel": func(w *world, s approval.ID) (decide.Command, approval.CommandID) {
			c := decide.Cancel{Intent: w.intent(), Session: s, All: true}
			return c, c.Command
		},
		"setMode": func(w *world, s approval.ID) (decide.Command, approval.CommandID) {
			c := decide.SetMode{Intent: w.intent(), Session: s, Mode: approval.PromptUnmatched}
			return c, c.Command
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.do(decide.CloseSession{Intent: w.intent(), Session: session})
			c, id := command(w, session)
			isRefused(t, w.do(c), false, closedError(session, id))
		})
	}
}

func TestClosingIsRepeatedFromTheLedger(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	closing := decide.CloseSession{Intent: w.intent(), Session: session}
	first := w.do(closing)
	again := w.do(closing)
	isAcked(t, again, string(first.Ack))
	if len(again.Records) != 0 {
		t.Errorf("%d records", len(again.Records))
	}
}

// The daemon's own commands find nothing to do in a session that is closed or
// never was.
func TestTheDaemonsCommandsLeaveAClosedSessionAlone(t *testing.T) {
	w := newWorld(t)
	closed := w.start("", func(c *decide.StartSession) { c.CancelOnDisconnect = true })
	id := w.open(closed, file)
	w.do(decide.CloseSession{Intent: w.intent(), Session: closed})
	w.attended = false
	for _, session := range []approval.ID{closed, seedSession} {
		for name, c := range map[string]decide.Command{
			"expire":         decide.Expire{Session: session, Approval: id},
			"agent gone":     decide.AgentGone{Session: session},
			"reviewers gone": decide.ReviewersGone{Session: session},
			"recover":        decide.Recover{Session: session},
		} {
			if r := w.do(c); len(r.Records) != 0 || r.Ack != nil || r.Refusal != nil {
				t.Errorf("%s of %s: %+v", name, session, r)
			}
		}
	}
}

func setMode(w *world, session approval.ID, mode approval.Mode) decide.SetMode {
	return decide.SetMode{Intent: w.intent(), Session: session, Mode: mode}
}
