package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
)

var seedSession = approval.ID{0x01, 0x98, 0xf0, 0xaa, 0x11, 0x11, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0xaa}

func TestStartAnswersWithTheSessionAsItStarted(t *testing.T) {
	w := newWorld(t)
	r := w.do(decide.StartSession{
		Intent: w.intent(), Session: seedSession, WorkspaceRoot: "/srv/app", Mode: approval.DenyUnmatched,
		Unattended: approval.Refuse, CancelOnDisconnect: true, ProviderID: "p", ModelID: "m", Name: "a && b",
	})
	isAcked(t, r, `{"commandId":"018f6a2a-0000-7000-8000-000000000001","status":"accepted","session":{`+
		`"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","status":"idle","turnCount":0,"path":"/state/log",`+
		`"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z","workspaceRoot":"/srv/app",`+
		`"providerId":"p","modelId":"m","forkedFrom":null,"activeTurnId":null,`+
		`"approvalMode":{"mode":"denyUnmatched","source":"startup","lastCommandId":null},"name":"a && b","kind":"root",`+
		`"createdByClient":{"name":"tester","version":"1.0"}},"viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:4"}`)
	if len(r.Records) != 1 {
		t.Fatalf("%d records", len(r.Records))
	}
	body, ok := r.Records[0].Body.(*record.SessionStarted)
	if !ok {
		t.Fatalf("a %s", r.Records[0].Body.Kind())
	}
	body.Command = nil // compared as the ack
	want := &record.SessionStarted{
		WorkspaceRoot: "/srv/app", Mode: "denyUnmatched", Unattended: "refuse", CancelOnDisconnect: true,
		ProviderID: "p", ModelID: "m", Name: "a && b", By: record.Party{Client: "tester", Version: "1.0", Role: "both"},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got := w.tell(r); got != nil {
		t.Errorf("subscribers see %q", got)
	}
}

func TestASessionWithoutAnIDGetsAMintedOne(t *testing.T) {
	w := newWorld(t)
	if got := w.start(""); got != mintedID(1) {
		t.Errorf("session %s", got)
	}
}

func TestASessionWithAnIDMintsNone(t *testing.T) {
	w := newWorld(t)
	w.start("", func(c *decide.StartSession) { c.Session = seedSession })
	if w.minted != 0 {
		t.Errorf("%d ids were minted", w.minted)
	}
}

func TestASessionStartsInTheDaemonsModeWhereNobodyNamesOne(t *testing.T) {
	for _, fromAgent := range []bool{false, true} {
		w := newWorld(t)
		w.limits.Mode = approval.DenyUnmatched
		id := w.start("", func(c *decide.StartSession) { c.FromAgent = fromAgent })
		if got := w.session(id).Mode.Mode; got != approval.DenyUnmatched {
			t.Errorf("from an agent %v: mode %s", fromAgent, got)
		}
	}
}

// The most that may be asked for: by anyone the ceiling, by an agent the
// configured mode (protocol §2, policy.md "Ceilings").
func TestAStartingModeIsBounded(t *testing.T) {
	const (
		agent  = true
		anyone = false
	)
	for _, c := range []struct {
		name                 string
		from                 bool
		configured, ceiling  approval.Mode
		mode                 approval.Mode
		refusedBecauseOfMost approval.Mode // "": accepted
	}{
		{"anyone, at the ceiling", anyone, approval.PromptUnmatched, approval.AllowAll, approval.AllowAll, ""},
		{"anyone, incomparable modes under allowAll", anyone, approval.PromptUnmatched, approval.AllowAll, approval.OnRequest, ""},
		{"anyone, above the configured mode", anyone, approval.DenyUnmatched, approval.PromptUnmatched, approval.PromptUnmatched, ""},
		{"anyone, below", anyone, approval.PromptUnmatched, approval.PromptUnmatched, approval.DenyUnmatched, ""},
		{"anyone, above the ceiling", anyone, approval.PromptUnmatched, approval.PromptUnmatched, approval.AllowAll, approval.PromptUnmatched},
		{"anyone, incomparable to the ceiling", anyone, approval.PromptUnmatched, approval.PromptUnmatched, approval.OnRequest, approval.PromptUnmatched},
		{"agent, at the configured mode", agent, approval.PromptUnmatched, approval.AllowAll, approval.PromptUnmatched, ""},
		{"agent, narrower", agent, approval.PromptUnmatched, approval.AllowAll, approval.DenyUnmatched, ""},
		{"agent, within the ceiling but above the configured mode", agent, approval.PromptUnmatched, approval.AllowAll, approval.AllowAll, approval.PromptUnmatched},
		{"agent, incomparable to the configured mode", agent, approval.PromptUnmatched, approval.AllowAll, approval.OnRequest, approval.PromptUnmatched},
		{"agent, never onRequest", agent, approval.AllowAll, approval.AllowAll, approval.OnRequest, approval.AllowAll},
		{"agent, onRequest where it is configured", agent, approval.OnRequest, approval.OnRequest, approval.OnRequest, ""},
		{"agent, where onRequest is configured nothing else", agent, approval.OnRequest, approval.AllowAll, approval.DenyUnmatched, approval.OnRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.limits.Mode, w.limits.Ceiling = c.configured, c.ceiling
			r := w.do(decide.StartSession{Intent: w.intent(), Session: seedSession, Mode: c.mode, FromAgent: c.from})
			if c.refusedBecauseOfMost == "" {
				if r.Refusal != nil {
					t.Fatalf("refused: %v", r.Refusal)
				}
				if got := w.session(seedSession).Mode.Mode; got != c.mode {
					t.Errorf("mode %s", got)
				}
				return
			}
			isRefused(t, r, true, `{"code":-32030,"message":"`+overreach(c.mode, c.refusedBecauseOfMost)+`","data":{"kind":"commandRejected","retryable":false,`+
				`"reason":"approval_mode_ceiling","commandId":"018f6a2a-0000-7000-8000-000000000001"}}`)
			if _, ok := w.state.Session(seedSession); ok || w.minted != 0 {
				t.Error("there is a session, or an id was minted")
			}
		})
	}
}

func TestASessionIDNamesOneSession(t *testing.T) {
	for name, closed := range map[string]bool{"an open one": false, "a closed one": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.limits.Ceiling = approval.PromptUnmatched
			w.start("", func(c *decide.StartSession) { c.Session = seedSession })
			if closed {
				w.do(decide.CloseSession{Intent: w.intent(), Session: seedSession})
			}
			again := decide.StartSession{Intent: w.intent(), Session: seedSession, Mode: approval.AllowAll} // the id is checked before the mode
			want := `{"code":-32030,"message":"Session 0198f0aa-1111-7000-8000-0000000000aa exists already; resume it, or start one with another id.",` +
				`"data":{"kind":"commandRejected","retryable":false,"reason":"session_id_conflict","commandId":"` + again.Command.String() +
				`","sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}}`
			isRefused(t, w.do(again), false, want)
			isRefused(t, w.do(again), false, want)
		})
	}
}

func TestRefusedStartsInARowEndInOverload(t *testing.T) {
	w := newWorld(t)
	w.limits.Ceiling, w.limits.MaxRefusals = approval.PromptUnmatched, 2
	refused := func() decide.Result { return w.do(decide.StartSession{Intent: w.intent(), Mode: approval.AllowAll}) }
	for range 2 {
		if r := refused(); len(r.Records) != 1 {
			t.Fatalf("%d records", len(r.Records))
		}
	}
	isRefused(t, refused(), false, `{"code":-32001,"message":"The last 2 commands were refused; correct the client before it goes on.",`+
		`"data":{"kind":"overloaded","retryable":true}}`)
	w.start("") // passes, and resets the count
	if r := refused(); len(r.Records) != 1 {
		t.Errorf("%d records after a start that was accepted", len(r.Records))
	}
}

func TestAStartIsAnsweredFromTheLedgerOfTheDaemon(t *testing.T) {
	w := newWorld(t)
	w.limits.Ceiling = approval.PromptUnmatched
	accepted := decide.StartSession{Intent: w.intent()}
	first := w.do(accepted)
	refused := decide.StartSession{Intent: w.intent(), Mode: approval.AllowAll}
	second := w.do(refused)
	w.limits.Ceiling = approval.AllowAll // what was refused is refused for ever

	r := w.do(accepted)
	isAcked(t, r, string(first.Ack))
	if len(r.Records) != 0 || w.minted != 1 {
		t.Errorf("%d records, %d ids minted", len(r.Records), w.minted)
	}
	isRefused(t, w.do(refused), false, encoded(t, second.Refusal))

	accepted.Payload[0] ^= 1
	isRefused(t, w.do(accepted), false, `{"code":-32030,"message":"Command 018f6a2a-0000-7000-8000-000000000001 was used before for something else; `+
		`mint a new commandId.","data":{"kind":"commandRejected","retryable":false,"reason":"command_id_conflict",`+
		`"commandId":"018f6a2a-0000-7000-8000-000000000001"}}`)
}

// overreach is the sentence that refuses a mode.
func overreach(mode, most approval.Mode) string {
	switch {
	case mode == approval.OnRequest && most == approval.AllowAll:
		return "An agent may not choose the mode onRequest: it lets the agent itself say whether anyone is asked."
	case mode == approval.OnRequest || most == approval.OnRequest:
		return "The mode " + string(mode) + " is not comparable with " + string(most) + ", the most that is permitted here."
	}
	return "The mode " + string(mode) + " is above " + string(most) + ", the most that is permitted here."
}
