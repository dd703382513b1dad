package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
)

func TestSettingAModeChangesItAndSaysSo(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	r := w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.AllowAll})
	isAcked(t, r, `{"commandId":"018f6a2a-0000-7000-8000-000000000002","status":"accepted","applyOutcome":"completed",`+
		`"effectiveMode":{"mode":"allowAll","source":"approvalReconfigure","lastCommandId":"018f6a2a-0000-7000-8000-000000000002"}}`)
	if diff := cmp.Diff([]string{"mode allowAll"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestSettingTheModeInForceIsANoOpThatIsRemembered(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	same := decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.PromptUnmatched}
	r := w.do(same)
	const want = `{"commandId":"018f6a2a-0000-7000-8000-000000000002","status":"accepted","applyOutcome":"noop",` +
		`"effectiveMode":{"mode":"promptUnmatched","source":"startup","lastCommandId":null}}`
	isAcked(t, r, want)
	if got := w.tell(r); got != nil {
		t.Errorf("subscribers see %q", got)
	}
	w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.AllowAll})
	again := w.do(same) // would change something now
	isAcked(t, again, want)
	if got := w.session(session).Mode.Mode; got != approval.AllowAll || len(again.Records) != 0 {
		t.Errorf("mode %s, %d records", got, len(again.Records))
	}
}

func TestAModeIsBoundedByTheCeilingWhateverIsInForce(t *testing.T) {
	for _, c := range []struct {
		name          string
		ceiling, mode approval.Mode
		refused       bool
	}{
		{"up to the ceiling", approval.PromptUnmatched, approval.PromptUnmatched, false},
		{"down from it", approval.PromptUnmatched, approval.DenyUnmatched, false},
		{"above it", approval.PromptUnmatched, approval.AllowAll, true},
		{"incomparable to it", approval.PromptUnmatched, approval.OnRequest, true},
		{"everything under allowAll", approval.AllowAll, approval.OnRequest, false},
		{"the mode in force, above a ceiling that was lowered", approval.DenyUnmatched, approval.PromptUnmatched, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.limits.Ceiling = c.ceiling
			r := w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: c.mode})
			if !c.refused {
				if r.Refusal != nil || w.session(session).Mode.Mode != c.mode {
					t.Errorf("refused: %v, mode %s", r.Refusal, w.session(session).Mode.Mode)
				}
				return
			}
			isRefused(t, r, true, `{"code":-32030,"message":"`+overreach(c.mode, c.ceiling)+`","data":{"kind":"commandRejected","retryable":false,"reason":"approval_mode_ceiling",`+
				`"commandId":"018f6a2a-0000-7000-8000-000000000002"}}`)
			if got := w.session(session).Mode.Mode; got != approval.PromptUnmatched {
				t.Errorf("mode %s", got)
			}
		})
	}
}

// The comparand is the ceiling, never the current mode.
func TestAModeMayBeNarrowedAndWidenedAgain(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	for _, mode := range []approval.Mode{approval.DenyUnmatched, approval.AllowAll, approval.OnRequest, approval.PromptUnmatched} {
		if r := w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: mode}); r.Refusal != nil {
			t.Errorf("%s: %v", mode, r.Refusal)
		}
	}
}

func TestAModeBindsTheNextActionAndNothingThatIsPending(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	pending := w.open(session, file)
	w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.AllowAll})
	w.isPending(session, pending, 0)
	w.endedAs(session, w.open(session, file), approval.ByModeAllow)
	w.do(decide.SetMode{Intent: w.intent(), Session: session, Mode: approval.DenyUnmatched})
	w.isPending(session, pending, 0)
	w.endedAs(session, w.open(session, file), approval.ByModeDeny)
}
