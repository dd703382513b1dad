package decide_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Each command of a client that is accepted in a session with one pending
// approval, and what would come of it a second time without the ledger.
var accepted = map[string]func(w *world, session, id approval.ID) (decide.Command, *decide.Intent){
	"open": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.opening(s, file)
		return &c, &c.Intent
	},
	"open, settled by policy": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.opening(s, shell("true"))
		return &c, &c.Intent
	},
	"prepare": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.preparing(s, file, shell("true"), network)
		return &c, &c.Intent
	},
	"prepare of what is there": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.preparing(s, file, shell("true"), network)
		w.do(c)
		c.Intent = w.intent()
		return &c, &c.Intent
	},
	"consumeAll": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.taking(s, w.prepared(w.do(w.preparing(s, shell("true"), shell("true && true"))))...)
		return &c, &c.Intent
	},
	"consumeAll of what was taken": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.taking(s, w.prepared(w.do(w.preparing(s, shell("true"), shell("true && true"))))...)
		w.do(c)
		c.Intent = w.intent()
		return &c, &c.Intent
	},
	"decide": func(w *world, s, id approval.ID) (decide.Command, *decide.Intent) {
		c := w.choice(s, id, 0, wire.ChoiceAllowOnce)
		return &c, &c.Intent
	},
	"decide with a grant": func(w *world, s, id approval.ID) (decide.Command, *decide.Intent) {
		c := w.choice(s, id, 0, wire.ChoiceAllowSession)
		return &c, &c.Intent
	},
	"cancel": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := decide.Cancel{Intent: w.intent(), Session: s, All: true}
		return &c, &c.Intent
	},
	"cancel of nothing": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := decide.Cancel{Intent: w.intent(), Session: s, ToolCall: "nobody"}
		return &c, &c.Intent
	},
	"setMode": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := decide.SetMode{Intent: w.intent(), Session: s, Mode: approval.DenyUnmatched}
		return &c, &c.Intent
	},
	"setMode to the same": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := decide.SetMode{Intent: w.intent(), Session: s, Mode: approval.PromptUnmatched}
		return &c, &c.Intent
	},
	"close": func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := decide.CloseSession{Intent: w.intent(), Session: s}
		return &c, &c.Intent
	},
}

func TestTheSameCommandTwiceIsOneSetOfRecordsAndOneAck(t *testing.T) {
	for name, command := range accepted {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			c, _ := command(w, session, w.open(session, file))
			first := w.do(c)
			if first.Refusal != nil || len(first.Records) == 0 {
				t.Fatalf("refused: %v, %d records", first.Refusal, len(first.Records))
			}
			minted := w.minted
			second := w.do(c)
			isAcked(t, second, string(first.Ack))
			if len(second.Records) != 0 || w.minted != minted {
				t.Errorf("%d records and %d ids more", len(second.Records), w.minted-minted)
			}
		})
	}
}

func TestACommandIDWithAnotherPayloadIsAConflict(t *testing.T) {
	for name, command := range accepted {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			c, intent := command(w, session, w.open(session, file))
			w.do(c)
			intent.Payload[31] ^= 1
			want := `{"code":-32030,"message":"Command ` + intent.Command.String() + ` was used before for something else; mint a new commandId.",` +
				`"data":{"kind":"commandRejected","retryable":false,"reason":"command_id_conflict","commandId":"` + intent.Command.String() + `"}}`
			isRefused(t, w.do(c), false, want)
			intent.Payload[31] ^= 1
			if r := w.do(c); r.Refusal != nil { // the conflict left no trace
				t.Errorf("the original is refused: %v", r.Refusal)
			}
		})
	}
}

// A ledger is scoped to its session, and that of session/start to the daemon.
func TestACommandIDIsKnownInItsSessionOnly(t *testing.T) {
	w := newWorld(t)
	one, two := w.start(""), w.start("")
	c := w.opening(one, file)
	if r := w.do(c); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	c.Session = two
	if r := w.do(c); r.Refusal != nil || len(r.Records) == 0 {
		t.Errorf("refused in another session: %v", r.Refusal)
	}
	start := decide.StartSession{Intent: c.Intent}
	if r := w.do(start); r.Refusal != nil {
		t.Errorf("session/start refused: %v", r.Refusal)
	}
}

func TestARefusalStreakEndsInOverloadUntilACommandIsAccepted(t *testing.T) {
	w := newWorld(t)
	w.limits.MaxRefusals = 3
	w.limits.Ceiling = approval.PromptUnmatched
	session := w.start("")
	id := w.open(session, file)
	refusals := []func() decide.Command{
		func() decide.Command { return w.choice(session, id, 9, wire.ChoiceAbort) },
		func() decide.Command { return w.choice(session, id, 0, wire.ChoiceAllowAllOnce) },
		func() decide.Command { return setMode(w, session, approval.AllowAll) },
	}
	const overloaded = `{"code":-32001,"message":"The last 3 commands were refused; correct the client before it goes on.",` +
		`"data":{"kind":"overloaded","retryable":true}}`
	for range 2 {
		for i, c := range refusals {
			if r := w.do(c()); len(r.Records) != 1 {
				t.Fatalf("refusal %d left %d records: %v", i, len(r.Records), r.Refusal)
			}
		}
		for _, c := range refusals {
			isRefused(t, w.do(c()), false, overloaded)
		}
		// What is not recorded is answered as ever, and does not count.
		if r := w.do(w.choice(session, seedSession, 0, wire.ChoiceAbort)); r.Refusal.Code != wire.CodeApprovalNotFound {
			t.Errorf("refusal %v", r.Refusal)
		}
		w.open(session, file) // passes, and resets the count
	}
}

func TestARefusedCommandThatWasNotRecordedMaySucceedLater(t *testing.T) {
	w := newWorld(t)
	w.limits.MaxRefusals = 0
	session := w.start("")
	id := w.open(session, shell("a; b"))
	d := w.choice(session, id, 1, wire.ChoiceAllowOnce)
	if r := w.do(d); r.Refusal == nil || r.Refusal.Code != wire.CodeOverloaded {
		t.Fatalf("refusal %v", r.Refusal)
	}
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	if r := w.do(d); r.Refusal != nil {
		t.Errorf("refused: %v", r.Refusal)
	}
}

// Nothing is answered in the place of an answer that cannot be read.
func TestAnAnswerThatCannotBeReadIsNone(t *testing.T) {
	errGone := errors.New("gone")
	for name, c := range map[string]struct {
		read fold.Reader
		want string
	}{
		"the record": {func(uint64) (record.Record, error) { return record.Record{}, errGone }, "gone"},
		"the answer": {func(uint64) (record.Record, error) { return record.Record{Body: new(record.Recovered)}, nil }, "record 2 has no answer"},
		"the refusal": {func(uint64) (record.Record, error) {
			return record.Record{Body: &record.CommandSettled{Command: &record.Intake{Refusal: []byte(`{"code":"x"}`)}}}, nil
		}, "the refusal in record 2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			again := setMode(w, session, approval.AllowAll)
			w.limits.Ceiling = approval.DenyUnmatched
			w.do(again)
			defer func() {
				if p, ok := recover().(decide.UnreadableError); !ok || !strings.Contains(p.Error(), c.want) {
					t.Errorf("panic %v, want %q", p, c.want)
				}
			}()
			env := w.env()
			env.Read = c.read
			t.Errorf("answered: %+v", decide.Next(w.state.Over(), again, env))
		})
	}
}
