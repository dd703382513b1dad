package gate

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// asks asks about an event with 590 seconds of time, and returns how much of it was used.
func asks(ctx context.Context, t *testing.T, e *hook.Event, dial func(context.Context) (io.ReadWriteCloser, error)) (hook.Answer, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, DefaultTimeout)
	defer cancel()
	began := time.Now()
	gate := Gate{Dial: dial, Version: "test", Place: "/run/agent.sock"}
	answer := gate.Ask(ctx, e, DefaultTimeout.String())
	return answer, time.Since(began)
}

func refusal(code int, message string, reason wire.Reason) reply {
	return reply{err: wire.NewError(code, message, func(d *wire.ErrorData) { d.Reason = reason })}
}

func TestACallThatIsAllowedGoesAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		answer, _ := asks(t.Context(), t, call(t), p.dial)
		if answer.Code != hook.ExitAnswered || !strings.Contains(string(answer.Stdout), `"permissionDecision":"allow"`) {
			t.Errorf("%d %s", answer.Code, answer.Stdout)
		}
	})
}

// Each way in which a gate can fail is a denial with a sentence that is true of it.
func TestABrokenGateDeniesAndSaysHow(t *testing.T) {
	set := func(method string, replies ...reply) func(*peer) {
		return func(p *peer) { p.answers[method] = replies }
	}
	for name, c := range map[string]struct {
		change func(*peer)
		says   string
	}{
		"it is refused":  {set(wire.MethodApprovalPrepare, refusal(wire.CodeInvalidParams, "rawArgs is too large", "")), "did not take the question: rawArgs is too large (invalidParams)"},
		"too much waits": {set(wire.MethodApprovalPrepare, refusal(wire.CodeBackpressured, "10000 wait", "")), "10000 wait (backpressured)"},
		"no session can be started": {func(p *peer) {
			set(wire.MethodSessionResume, refusal(wire.CodeSessionNotFound, "none", ""))(p)
			set(wire.MethodSessionStart, refusal(wire.CodeInvalidParams, "workspaceRoot is none", ""))(p)
		}, "workspaceRoot is none"},
		"it belongs to another": {func(p *peer) {
			set(wire.MethodSessionResume, refusal(wire.CodeSessionNotFound, "no such session", ""))(p)
			set(wire.MethodSessionStart, refusal(wire.CodeCommandRejected, "the id is taken", wire.ReasonSessionIDConflict))(p)
		}, "the id is taken"},
		"the handshake is refused":      {set(wire.MethodInitialize, refusal(wire.CodeInvalidParams, "role is wider", "")), "role is wider"},
		"it is no daemon":               {set(wire.MethodInitialize, reply{raw: `"hello"`}), "could not be understood"},
		"its frames are of another age": {set(wire.MethodSessionResume, reply{raw: `{"jsonrpc":"1.0","id":2,"result":{}}`}), "not JSON-RPC 2.0"},
		"its frames say both":           {set(wire.MethodApprovalPrepare, reply{raw: `{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":"","data":{"kind":"","retryable":false}}}`}), "neither a result nor an error"},
		"it could not read the hook":    {set(wire.MethodApprovalPrepare, reply{raw: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot be read","data":{"kind":"parseError","retryable":false}}}`}), "cannot be read"},
		"it answers what comes next":    {set(wire.MethodApprovalPrepare, reply{raw: `{"jsonrpc":"2.0","id":5,"result":{"policyResult":"allow","consumed":true}}`}), "answered what was not asked"},
		"it answers a name":             {set(wire.MethodApprovalPrepare, reply{raw: `{"jsonrpc":"2.0","id":"3","result":{}}`}), "answered what was not asked"},
		"a name twice":                  {set(wire.MethodApprovalConsume, reply{raw: `{"jsonrpc":"2.0","id":5,"result":{"policyResult":"deny","policyResult":"allow"}}`}), "duplicate"},
		"it opens something else":       {set(wire.MethodApprovalPrepare, reply{result: wire.ApprovalPrepareResult{}}), "no approval, or with several"},
		"it opens it for other arguments": {func(p *peer) {
			other := opened(t, first, nil)
			other.Approvals[0].ArgsDigest = "sha256:01"
			set(wire.MethodApprovalPrepare, reply{result: other})(p)
		}, "the approval of another call"},
		"what it says of a call never fits": {set(wire.MethodApprovalConsume, refusal(wire.CodeApprovalMismatch, "it has changed", wire.ReasonTargetChanged)), "it has changed (approvalMismatch)"},
		"it has another call waiting":       {set(wire.MethodApprovalPrepare, refusal(wire.CodeApprovalMismatch, "it has other arguments", wire.ReasonArgsMismatch)), "it has other arguments"},
		"it answers about another":          {set(wire.MethodApprovalAwait, reply{result: resolved(successor, wire.Resolution{})}), "about another approval"},
		"it gives neither":                  {set(wire.MethodApprovalConsume, reply{result: wire.ApprovalConsumeResult{}}), "neither a permit nor a reason"},
		"a permit for something else":       {set(wire.MethodApprovalConsume, reply{result: wire.ApprovalConsumeResult{PolicyResult: wire.PolicyAllow, Consumed: true, Permit: &wire.Permit{ArgsDigest: "sha256:01"}}}), "neither a permit nor a reason"},
		"it hangs before the handshake":     {set(wire.MethodInitialize, reply{}), "at /run/agent.sock did not answer within 9m50s"},
		"it hangs before there is one":      {set(wire.MethodApprovalPrepare, reply{}), "no approval had been opened"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := allowing(t)
				c.change(p)
				answer, _ := asks(t.Context(), t, call(t), p.dial)
				if answer.Code != hook.ExitBroken || !strings.Contains(string(answer.Stdout), `"permissionDecision":"deny"`) ||
					!strings.Contains(string(answer.Stdout), c.says) || !strings.Contains(answer.Stderr, c.says) {
					t.Errorf("%d\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
				}
			})
		})
	}
}

func TestWithoutADaemonNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer, took := asks(t.Context(), t, call(t), func(context.Context) (io.ReadWriteCloser, error) { return nil, errRefused })
		if took != 0 || answer.Code != hook.ExitBroken || !strings.Contains(answer.Stderr, "no approvald daemon answers at /run/agent.sock (connection refused). Start one with `approvald serve`") {
			t.Errorf("after %s: %d %s", took, answer.Code, answer.Stderr)
		}
	})
}

// A daemon that goes away and does not come back is no one who has not decided yet.
func TestADaemonThatDoesNotComeBackIsSaidToBeGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		p.answers[wire.MethodApprovalAwait] = []reply{{hangUp: true}}
		dials := 0
		answer, took := asks(t.Context(), t, call(t), func(ctx context.Context) (io.ReadWriteCloser, error) {
			if dials++; dials > 1 {
				return nil, errRefused
			}
			return p.dial(ctx)
		})
		if took != DefaultTimeout || answer.Code != hook.ExitBroken || !strings.Contains(answer.Stderr, "was gone, or did not answer") ||
			!strings.Contains(answer.Stderr, "approval "+first+" waits on") {
			t.Errorf("after %s: %d %s", took, answer.Code, answer.Stderr)
		}
	})
}

// A wait that runs out denies for now, says what waits, and withdraws nothing.
func TestAWaitThatRunsOutLeavesTheApprovalWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		p.answers[wire.MethodApprovalAwait] = []reply{{}}
		answer, took := asks(t.Context(), t, call(t), p.dial)
		said := string(answer.Stdout)
		if took != DefaultTimeout || answer.Code != hook.ExitAnswered || !strings.Contains(said, `"permissionDecision":"deny"`) ||
			!strings.Contains(said, "Nobody has decided about this call within 9m50s") || !strings.Contains(said, "`approvald decide "+first+"`") {
			t.Errorf("after %s: %d %s", took, answer.Code, said)
		}
		if len(p.of(wire.MethodApprovalCancel)) > 0 {
			t.Error("it was withdrawn")
		}
	})
}

func TestASignalEndsTheWaitWithADenial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		p.answers[wire.MethodApprovalAwait] = []reply{{}}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // until it waits
			cancel()
		}()
		answer, took := asks(ctx, t, call(t), p.dial)
		if took != 0 || answer.Code != hook.ExitBroken || !strings.Contains(answer.Stderr, "ended by a signal") || !strings.Contains(answer.Stderr, first) {
			t.Errorf("after %s: %d %s", took, answer.Code, answer.Stderr)
		}
	})
}

// A daemon that is started anew while a hook waits is asked the same, and what it replaced is
// followed to its successor.
func TestARestartOfTheDaemonIsWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		p.answers[wire.MethodApprovalAwait] = []reply{
			{hangUp: true},
			{result: resolved(first, wire.Resolution{Outcome: wire.OutcomeSuperseded, SuccessorApprovalID: successor})},
			refusal(wire.CodeShuttingDown, "going down", ""),
			{result: resolved(first, wire.Resolution{Outcome: wire.OutcomeSuperseded, SuccessorApprovalID: successor})},
			{result: resolved(successor, wire.Resolution{PolicyResult: wire.PolicyAllow})},
		}
		dials := 0
		answer, took := asks(t.Context(), t, call(t), func(ctx context.Context) (io.ReadWriteCloser, error) {
			if dials++; dials == 2 || dials == 3 {
				return nil, errRefused // it is not up yet
			}
			return p.dial(ctx)
		})
		if answer.Code != hook.ExitAnswered || !strings.Contains(string(answer.Stdout), `"allow"`) || took == 0 || dials != 5 {
			t.Fatalf("after %s and %d attempts: %d %s", took, dials, answer.Code, answer.Stdout)
		}
		prepared := p.of(wire.MethodApprovalPrepare)
		if len(prepared) != 3 || prepared[0] != prepared[1] || prepared[0] != prepared[2] {
			t.Errorf("it was prepared as %v", prepared)
		}
		if consumed := p.of(wire.MethodApprovalConsume); len(consumed) != 1 || consumed[0].approvalID != successor {
			t.Errorf("it took %v", consumed)
		}
	})
}

// What another call has taken, or what fits no more, is asked about again, and never allowed.
func TestWhatCannotBeTakenIsAskedAboutAgain(t *testing.T) {
	for name, c := range map[string]struct {
		refusal reply
		voided  int
	}{
		"another call took it":   {refusal(wire.CodeApprovalAlreadyConsumed, "taken", ""), 0},
		"its target has changed": {refusal(wire.CodeApprovalMismatch, "changed", wire.ReasonTargetChanged), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := allowing(t)
				p.answers[wire.MethodApprovalConsume] = []reply{c.refusal, {result: permitted}}
				answer, _ := asks(t.Context(), t, call(t), p.dial)
				prepared := p.of(wire.MethodApprovalPrepare)
				if len(prepared) != 2 || prepared[0].commandID == prepared[1].commandID || len(p.of(wire.MethodApprovalCancel)) != c.voided {
					t.Errorf("prepared %v, withdrawn %v", prepared, p.of(wire.MethodApprovalCancel))
				}
				if !strings.Contains(string(answer.Stdout), `"allow"`) {
					t.Errorf("%s", answer.Stdout)
				}
			})
		})
	}
}

// What was allowed in a session that has ended is not.
func TestAnEndOfTheSessionMeanwhileDenies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := allowing(t)
		p.answers[wire.MethodApprovalConsume] = []reply{refusal(wire.CodeApprovalMismatch, "closed", wire.ReasonSessionEnded)}
		answer, _ := asks(t.Context(), t, call(t), p.dial)
		if answer.Code != hook.ExitAnswered || !strings.Contains(string(answer.Stdout), `"deny"`) || !strings.Contains(string(answer.Stdout), "has ended") {
			t.Errorf("%d %s", answer.Code, answer.Stdout)
		}
	})
}

// A session that the agent has taken up again after its end is another one here.
func TestSessionsBeginAndEndWithTheAgents(t *testing.T) {
	closed := reply{result: wire.SessionResumeResult{Session: wire.Session{Status: wire.SessionNotLoaded}}}
	missing := refusal(wire.CodeSessionNotFound, "none", "")
	idle := reply{result: wire.SessionResumeResult{Session: wire.Session{Status: wire.SessionIdle}}}
	for name, c := range map[string]struct {
		kind            hook.Kind
		resume, start   []reply
		started, closed int
	}{
		"a beginning":                {hook.SessionStart, []reply{missing}, nil, 1, 0},
		"one that was begun":         {hook.SessionStart, []reply{idle}, nil, 0, 0},
		"one that was ended":         {hook.SessionStart, []reply{closed, missing}, nil, 1, 0},
		"another hook is first":      {hook.SessionStart, []reply{missing, idle}, []reply{refusal(wire.CodeCommandRejected, "taken", wire.ReasonSessionIDConflict)}, 1, 0},
		"a directory that can't be":  {hook.SessionStart, []reply{missing}, []reply{refusal(wire.CodeInvalidParams, "a home", ""), {result: wire.SessionStartResult{}}}, 2, 0},
		"an end":                     {hook.SessionEnd, []reply{idle}, nil, 0, 1},
		"an end after an end":        {hook.SessionEnd, []reply{closed, missing}, nil, 0, 0},
		"an end without a beginning": {hook.SessionEnd, []reply{missing}, nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := allowing(t)
				p.answers[wire.MethodSessionResume] = c.resume
				if c.start != nil {
					p.answers[wire.MethodSessionStart] = c.start
				}
				answer, _ := asks(t.Context(), t, event(t, c.kind), p.dial)
				if answer.Code != hook.ExitAnswered || len(answer.Stdout) > 0 {
					t.Errorf("%d %s %s", answer.Code, answer.Stdout, answer.Stderr)
				}
				if started, ended := len(p.of(wire.MethodSessionStart)), len(p.of(wire.MethodSessionClose)); started != c.started || ended != c.closed {
					t.Errorf("%d started, %d closed", started, ended)
				}
			})
		})
	}
}
