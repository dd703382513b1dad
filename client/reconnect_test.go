package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/wire"
)

// again reconnects, after a second of fake time.
var again = Options{Reconnect: true, Backoff: func(int) time.Duration { return time.Second }}

func TestAnUnansweredCommandIsSentAgainWithItsCommandID(t *testing.T) {
	bubble(t, []string{
		hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"approval/decide","params":{"commandId":"$c","sessionId":"s1","approvalId":"a1","requirementId":{"approvalId":"a1","sourceIndex":0},"choiceId":"allow_once"}}
			close`,
		hello + `
			> {"jsonrpc":"2.0","id":"$2","method":"approval/decide","params":{"commandId":"$c","sessionId":"s1","approvalId":"a1","requirementId":{"approvalId":"a1","sourceIndex":0},"choiceId":"allow_once"}}
			< {"jsonrpc":"2.0","id":"$2","result":{"commandId":"$c","status":"accepted","approvalId":"a1","terminal":true}}`,
	}, func(t *testing.T, dial Dialer) {
		r, err := connect(t, dial, again).Decide(t.Context(), wire.ApprovalDecideParams{
			SessionID: "s1", ApprovalID: "a1", RequirementID: wire.RequirementID{ApprovalID: "a1"}, ChoiceID: wire.ChoiceAllowOnce,
		})
		if err != nil || !r.Terminal {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestWithoutReconnectALostConnectionIsSaid(t *testing.T) {
	bubble(t, []string{hello + `
		> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
		close`,
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		for _, when := range []string{"the call that was lost", "a later call"} {
			if _, err := c.ReadSession(t.Context(), "s1"); !errors.Is(err, ErrConnectionLost) {
				t.Errorf("%s: %v", when, err)
			}
			synctest.Wait()
		}
	})
}

func TestWhatTheDaemonAsksToRepeatIsRepeated(t *testing.T) {
	for _, refusal := range []string{
		`{"code":-32095,"message":"m","data":{"kind":"shuttingDown","retryable":true}}`,
		`{"code":-32603,"message":"m","data":{"kind":"internal","retryable":true}}`,
	} {
		bubble(t, []string{hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"session/close","params":{"commandId":"$c","sessionId":"s1"}}
			< {"jsonrpc":"2.0","id":"$1","error":` + refusal + `}
			> {"jsonrpc":"2.0","id":"$2","method":"session/close","params":{"commandId":"$c","sessionId":"s1"}}
			< {"jsonrpc":"2.0","id":"$2","result":{"commandId":"$c","status":"accepted"}}`,
		}, func(t *testing.T, dial Dialer) {
			began := time.Now()
			if _, err := connect(t, dial, again).CloseSession(t.Context(), wire.SessionCloseParams{SessionID: "s1"}); err != nil {
				t.Error(err)
			}
			if waited := time.Since(began); waited != time.Second {
				t.Errorf("repeated after %v, want the backoff", waited)
			}
		})
	}
}

func TestOtherRefusalsAreTheCallersMatter(t *testing.T) {
	for _, refusal := range []string{
		`{"code":-32001,"message":"m","data":{"kind":"overloaded","retryable":true}}`,
		`{"code":-32603,"message":"m","data":{"kind":"internal","retryable":false}}`,
	} {
		bubble(t, []string{hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}
			< {"jsonrpc":"2.0","id":"$1","error":` + refusal + `}`,
		}, func(t *testing.T, dial Dialer) {
			if _, err := connect(t, dial, again).ReadSession(t.Context(), "s1"); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestSessionsAreResumedBeforeCallsGoOn(t *testing.T) {
	bubble(t, []string{
		hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"session/start","params":{"commandId":"c1"}}
			< {"jsonrpc":"2.0","id":"$1","result":{"commandId":"c1","status":"accepted","session":{"sessionId":"s1"},"viewCursor":"v"}}
			> {"jsonrpc":"2.0","id":"$2","method":"session/resume","params":{"commandId":"c2","sessionId":"s2"}}
			< {"jsonrpc":"2.0","id":"$2","result":{"commandId":"c2","status":"accepted"}}
			> {"jsonrpc":"2.0","id":"$3","method":"session/resume","params":{"commandId":"c3","sessionId":"s3"}}
			< {"jsonrpc":"2.0","id":"$3","error":{"code":-32020,"message":"m","data":{"kind":"sessionNotFound","retryable":false}}}
			> {"jsonrpc":"2.0","id":"$4","method":"session/close","params":{"commandId":"c4","sessionId":"s2"}}
			< {"jsonrpc":"2.0","id":"$4","result":{"commandId":"c4","status":"accepted"}}
			> {"jsonrpc":"2.0","id":"$5","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a1"],"waitMs":300000}}
			close`,
		hello + `
			> {"jsonrpc":"2.0","id":"$6","method":"session/resume","params":{"commandId":"$c6","sessionId":"s1","excludeItems":true}}
			< {"jsonrpc":"2.0","id":"$6","result":{"commandId":"$c6","status":"accepted"}}
			> {"jsonrpc":"2.0","id":"$7","method":"approval/await","params":{"sessionId":"s1","approvalIds":["a1"],"waitMs":300000}}
			< {"jsonrpc":"2.0","id":"$7","result":{"results":[{"approvalId":"a1","state":"resolved","resolution":{"outcome":"allowedOnce"}}]}}`,
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, again)
		ctx := t.Context()
		if _, err := c.StartSession(ctx, wire.SessionStartParams{CommandID: "c1"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ResumeSession(ctx, wire.SessionResumeParams{CommandID: "c2", SessionID: "s2"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ResumeSession(ctx, wire.SessionResumeParams{CommandID: "c3", SessionID: "s3"}); !wire.IsKind(err, wire.KindSessionNotFound) {
			t.Fatal(err)
		}
		if _, err := c.CloseSession(ctx, wire.SessionCloseParams{CommandID: "c4", SessionID: "s2"}); err != nil {
			t.Fatal(err)
		}
		r, err := c.Await(ctx, wire.ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: []string{"a1"}})
		if err != nil || r.Results[0].Resolution.Outcome != wire.OutcomeAllowedOnce {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestAStartThatWasReplayedElsewhereIsResumedThere(t *testing.T) {
	bubble(t, []string{
		hello + `
			> {"jsonrpc":"2.0","id":"$1","method":"session/start","params":{"commandId":"$c"}}
			close`,
		hello + `
			> {"jsonrpc":"2.0","id":"$2","method":"session/start","params":{"commandId":"$c"}}
			< {"jsonrpc":"2.0","id":"$2","result":{"commandId":"$c","status":"accepted","session":{"sessionId":"s1"},"viewCursor":"v"}}
			> {"jsonrpc":"2.0","id":"$3","method":"session/resume","params":{"commandId":"$c3","sessionId":"s1","excludeItems":true}}
			< {"jsonrpc":"2.0","id":"$3","result":{"commandId":"$c3","status":"accepted"}}`,
	}, func(t *testing.T, dial Dialer) {
		r, err := connect(t, dial, again).StartSession(t.Context(), wire.SessionStartParams{})
		if err != nil || r.Session.SessionID != "s1" || r.ViewCursor != "v" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestASessionThatCannotBeResumedIsLetGo(t *testing.T) {
	const resume = hello + `
		> {"jsonrpc":"2.0","id":"$r","method":"session/resume","params":{"commandId":"$r1","sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$r","result":{"commandId":"$r1","status":"accepted"}}
		close`
	const gone = hello + `
		> {"jsonrpc":"2.0","id":"$g","method":"session/resume","params":{"commandId":"$r2","sessionId":"s1","excludeItems":true}}
		< {"jsonrpc":"2.0","id":"$g","error":{"code":-32020,"message":"m","data":{"kind":"sessionNotFound","retryable":false}}}
		close`
	bubble(t, []string{resume, gone, hello}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, again)
		if _, err := c.ResumeSession(t.Context(), wire.SessionResumeParams{SessionID: "s1"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // of fake time: both reconnects are over
	})
}

func TestReconnectingBacksOffUntilTheDaemonIsThere(t *testing.T) {
	var attempts []int
	o := Options{Reconnect: true, Backoff: func(n int) time.Duration {
		attempts = append(attempts, n)
		return time.Second
	}}
	hangsUp := `
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
		close`
	busy := `
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
		< {"jsonrpc":"2.0","id":"$h","error":{"code":-32095,"message":"m","data":{"kind":"shuttingDown","retryable":true}}}`
	bubble(t, []string{hello + "close", "refuse", "refuse", hangsUp, busy, hello}, func(t *testing.T, dial Dialer) {
		connect(t, dial, o)
		time.Sleep(time.Minute) // of fake time
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(attempts, want) {
			t.Errorf("attempts %v, want %v", attempts, want)
		}
	})
}

func TestAHandshakeThatIsRefusedForGoodEndsTheClient(t *testing.T) {
	bubble(t, []string{hello + "close", `
		> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
		< {"jsonrpc":"2.0","id":"$h","error":{"code":-32602,"message":"role","data":{"kind":"invalidParams","retryable":false}}}`,
	}, func(t *testing.T, dial Dialer) {
		_, err := connect(t, dial, again).ReadSession(t.Context(), "s1")
		if !wire.IsKind(err, wire.KindInvalidParams) {
			t.Errorf("got %v", err)
		}
	})
}

// Another connection would ask the same and be sent the same.
func TestAFrameOverTheCapEndsTheClient(t *testing.T) {
	over := func(head string) string { return head + strings.Repeat("x", wire.MaxFrame+1-len(head)) }
	const read = `
		> {"jsonrpc":"2.0","id":"$1","method":"session/read","params":{"sessionId":"s1"}}`
	cases := []struct {
		name    string
		options Options
		scripts []string
	}{
		{"as an answer", again, []string{hello + read + `
			< ` + over(`{"jsonrpc":"2.0","id":"3","result":{"a":"`)}},
		{"as an answer, without Reconnect", Options{}, []string{hello + read + `
			< ` + over(`{"jsonrpc":"2.0","id":"3","result":{"a":"`)}},
		{"while the connection is made again", again, []string{hello + "close", `
			> {"jsonrpc":"2.0","id":"$h","method":"initialize","params":"$hello"}
			< ` + over(`{"jsonrpc":"2.0","id":"3","result":{"a":"`)}},
		{"before anything was asked", again, []string{hello + `
			< ` + over(`{"jsonrpc":"2.0","id":"3","result":{"a":"`)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.scripts, func(t *testing.T, dial Dialer) {
				client := connect(t, dial, c.options)
				synctest.Wait() // for the frame that comes unasked
				for _, when := range []string{"the call that was answered so", "a later call"} {
					_, err := client.ReadSession(t.Context(), "s1")
					if !errors.Is(err, ErrFrameTooLarge) || errors.Is(err, ErrConnectionLost) {
						t.Errorf("%s: %.200v, want ErrFrameTooLarge alone", when, err)
					} else if shown := `{\"jsonrpc\":\"2.0\",\"id\":\"3\"`; !strings.Contains(err.Error(), shown) {
						t.Errorf("%s: %.400v, want it to show %s", when, err, shown)
					}
					time.Sleep(time.Minute) // of fake time, in which a further connection would be made
				}
			})
		})
	}
}

func TestACallGivesUpWaitingForAConnectionWithItsContext(t *testing.T) {
	bubble(t, []string{hello + "close"}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{Reconnect: true, Backoff: func(int) time.Duration { return time.Hour }})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.ReadSession(ctx, "s1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestLostAndMadeConnectionsAreToldInOrder(t *testing.T) {
	bubble(t, []string{
		hello + `
			< {"jsonrpc":"2.0","method":"m1"}
			close`,
		"refuse",
		hello + `< {"jsonrpc":"2.0","method":"m2"}`,
	}, func(t *testing.T, dial Dialer) {
		var told []string
		o := again
		o.OnNotification = func(e Event) { told = append(told, e.Method) }
		o.OnConnection = func(lost error) {
			switch {
			case lost == nil:
				told = append(told, "made")
			case errors.Is(lost, ErrConnectionLost):
				told = append(told, "lost")
			}
		}
		connect(t, dial, o)
		time.Sleep(time.Minute) // of fake time
		synctest.Wait()
		// The new connection may speak before all is restored.
		if !slices.Equal(told, []string{"m1", "lost", "made", "m2"}) && !slices.Equal(told, []string{"m1", "lost", "m2", "made"}) {
			t.Errorf("told %v", told)
		}
	})
}

func TestBackoffDoublesUpToTwoSeconds(t *testing.T) {
	for attempt, want := range map[int]time.Duration{
		0: 50 * time.Millisecond, 1: 100 * time.Millisecond, 5: 1600 * time.Millisecond, 6: 2 * time.Second, 1 << 40: 2 * time.Second,
	} {
		if got := defaultBackoff(attempt); got != want {
			t.Errorf("attempt %d: %v, want %v", attempt, got, want)
		}
	}
}
