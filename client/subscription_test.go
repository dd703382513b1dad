package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// event is a durable event of s1: number i of record seq.
func event(seq, i int) string {
	return fmt.Sprintf(`{"method":"approval/updated","params":{"sessionId":"s1","viewCursor":"v%d.%d","sourceRange":{"last":{"sequence":%d}}}}`, seq, i, seq)
}

// live is the same as a notification.
func live(seq, i int) string {
	return "\n< " + strings.Replace(event(seq, i), "{", `{"jsonrpc":"2.0",`, 1) + "\n"
}

// subscribes is view/subscribe and its answer; pages is view/page and its.
func subscribes(id string) string { return asksSubscribe(id) + answersSubscribe(id) }

func asksSubscribe(id string) string {
	return `
		> {"jsonrpc":"2.0","id":"` + id + `","method":"view/subscribe","params":{"sessionId":"s1"}}
	`
}

func answersSubscribe(id string) string {
	return `
		< {"jsonrpc":"2.0","id":"` + id + `","result":{"viewCursor":"head"}}
	`
}

func pages(id, after, next string, events ...string) string {
	return asksPage(id, after) + answersPage(id, next, events...)
}

func asksPage(id, after string) string {
	cursor := ""
	if after != "" {
		cursor = `,"cursor":"` + after + `"`
	}
	return `
		> {"jsonrpc":"2.0","id":"` + id + `","method":"view/page","params":{"sessionId":"s1","limit":1000` + cursor + `}}
	`
}

func answersPage(id, next string, events ...string) string {
	return `
		< {"jsonrpc":"2.0","id":"` + id + `","result":{"events":[` + strings.Join(events, ",") + `],"nextCursor":` + next + `}}
	`
}

// read takes n events and gives their cursors.
func read(t *testing.T, s *Subscription, n int) []string {
	t.Helper()
	var cursors []string
	for range n {
		e, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %v: %v", cursors, err)
		}
		cursors = append(cursors, e.Cursor)
	}
	return cursors
}

func TestSubscriptions(t *testing.T) {
	cases := []struct {
		name    string
		from    Position
		scripts []string
		want    []string
	}{
		{"from the head only what is new", Head(),
			[]string{hello + subscribes("$1") + live(3, 0) + live(3, 1) + pages("$2", "head", `null`, event(3, 0), event(3, 1)) + live(4, 0)},
			[]string{"v3.0", "v3.1", "v4.0"}},
		{"from the head not what the connection had still to deliver", Head(),
			[]string{hello + asksSubscribe("$1") + live(1, 0) + answersSubscribe("$1") + live(2, 0) + pages("$2", "head", `null`) +
				live(2, 1) + pages("$3", "head", `null`, event(3, 0)) + live(2, 2) + live(3, 0) + live(4, 0)},
			[]string{"v3.0", "v4.0"}},
		{"from a cursor not what the connection had still to deliver", After("v2.1"),
			[]string{hello + asksSubscribe("$1") + live(1, 0) + answersSubscribe("$1") + pages("$2", "v2.1", `null`) +
				live(2, 0) + pages("$3", "v2.1", `null`, event(3, 0)) + live(4, 0)},
			[]string{"v3.0", "v4.0"}},
		{"from the start pages come before what is new, and the overlap once", Start(),
			[]string{hello + subscribes("$1") + asksPage("$2", "") + live(2, 0) + live(2, 1) + live(3, 0) +
				answersPage("$2", `"v1.0"`, event(1, 0)) + pages("$3", "v1.0", `null`, event(2, 0), event(2, 1))},
			[]string{"v1.0", "v2.0", "v2.1", "v3.0"}},
		{"from a cursor what is behind it", After("v1.0"),
			[]string{hello + subscribes("$1") + pages("$2", "v1.0", `null`, event(2, 0)) + live(3, 0)},
			[]string{"v2.0", "v3.0"}},
		{"an empty page is the last one", Start(),
			[]string{hello + subscribes("$1") + pages("$2", "", `"v0.0"`) + live(3, 0)},
			[]string{"v3.0"}},
		{"after a reconnect it goes on behind the last event seen", Head(),
			[]string{
				hello + subscribes("$1") + live(1, 0) + pages("$2", "head", `null`, event(1, 0)) + "wait\nclose",
				hello + subscribes("$3") + asksPage("$4", "v1.0") + live(3, 0) + answersPage("$4", `null`, event(2, 0), event(3, 0)) + live(4, 0),
			},
			[]string{"v1.0", "v2.0", "v3.0", "v4.0"}},
		{"after a reconnect before the first event it goes on behind the head", Head(),
			[]string{
				hello + subscribes("$1") + "wait\nclose",
				hello + subscribes("$2") + pages("$3", "head", `null`, event(1, 0)),
			},
			[]string{"v1.0"}},
		{"events of other sessions and events that are not durable are not in it", Head(),
			[]string{hello + subscribes("$1") +
				"\n" + `< {"jsonrpc":"2.0","method":"session/statusChanged","params":{"sessionId":"s1","status":"idle","viewCursor":"v1.0"}}` +
				"\n" + `< {"jsonrpc":"2.0","method":"session/closed","params":{"sessionId":"s1","viewCursor":null,"reason":"hostShutdown"}}` +
				strings.Replace(live(2, 0), "s1", "s2", 1) + live(3, 0) + pages("$2", "head", `null`, event(3, 0))},
			[]string{"v3.0"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.scripts, func(t *testing.T, dial Dialer) {
				s, err := connect(t, dial, again).Subscribe(t.Context(), "s1", c.from)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, read(t, s, len(c.want))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if got, want := s.Cursor(), c.want[len(c.want)-1]; got != want {
					t.Errorf("the cursor is %s, want %s", got, want)
				}
			})
		})
	}
}

func TestClosingASubscriptionUnsubscribesWhereNothingElseWantsIt(t *testing.T) {
	const unsubscribes = `
		> {"jsonrpc":"2.0","id":"$9","method":"view/unsubscribe","params":{"sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$9","result":{}}`
	const resumes = `
		> {"jsonrpc":"2.0","id":"$8","method":"session/resume","params":{"commandId":"$c","sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$8","result":{"commandId":"$c","status":"accepted"}}`
	cases := []struct {
		name   string
		o      Options
		resume bool
		script string
	}{
		{"alone", Options{}, false, subscribes("$1") + unsubscribes},
		{"of all sessions", Options{AllSessions: true}, false, subscribes("$1")},
		{"of a session that was resumed", Options{}, true, resumes + subscribes("$1")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []string{hello + c.script}, func(t *testing.T, dial Dialer) {
				client := connect(t, dial, c.o)
				if c.resume {
					if _, err := client.ResumeSession(t.Context(), wire.SessionResumeParams{SessionID: "s1"}); err != nil {
						t.Fatal(err)
					}
				}
				s, err := client.Subscribe(t.Context(), "s1", Head())
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := s.Next(t.Context()); !errors.Is(err, ErrClosed) {
					t.Errorf("Next of a closed subscription: %v", err)
				}
			})
		})
	}
}

func TestASecondSubscriptionToASessionIsRefusedUntilTheFirstIsClosed(t *testing.T) {
	bubble(t, []string{hello + subscribes("$1") + `
		> {"jsonrpc":"2.0","id":"$2","method":"view/unsubscribe","params":{"sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$2","result":{}}` + subscribes("$3"),
	}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		first, err := c.Subscribe(t.Context(), "s1", Head())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Subscribe(t.Context(), "s1", Head()); err == nil {
			t.Error("no error")
		}
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Subscribe(t.Context(), "s1", Head()); err != nil {
			t.Error(err)
		}
	})
}

func TestARefusedSubscriptionLeavesNothingBehind(t *testing.T) {
	refused := `
		> {"jsonrpc":"2.0","id":"$1","method":"view/subscribe","params":{"sessionId":"s1"}}
		< {"jsonrpc":"2.0","id":"$1","error":{"code":-32020,"message":"m","data":{"kind":"sessionNotFound","retryable":false}}}`
	bubble(t, []string{hello + refused + subscribes("$2")}, func(t *testing.T, dial Dialer) {
		c := connect(t, dial, Options{})
		if _, err := c.Subscribe(t.Context(), "s1", Head()); !wire.IsKind(err, wire.KindSessionNotFound) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Subscribe(t.Context(), "s1", Head()); err != nil {
			t.Error(err)
		}
	})
}

// What ends a subscription is its answer from then on.
func TestRefusalsEndASubscription(t *testing.T) {
	cases := []struct {
		name    string
		scripts []string
		kind    wire.ErrorKind
	}{
		{"a cursor that never was", []string{hello + subscribes("$1") + `
			> {"jsonrpc":"2.0","id":"$2","method":"view/page","params":{"sessionId":"s1","limit":1000,"cursor":"v9"}}
			< {"jsonrpc":"2.0","id":"$2","error":{"code":-32011,"message":"m","data":{"kind":"notFound","retryable":false,"reason":"missingAnchor"}}}`,
		}, wire.KindNotFound},
		{"a session that is gone after a reconnect", []string{hello + subscribes("$1") + "close", hello + `
			> {"jsonrpc":"2.0","id":"$2","method":"view/subscribe","params":{"sessionId":"s1"}}
			< {"jsonrpc":"2.0","id":"$2","error":{"code":-32020,"message":"m","data":{"kind":"sessionNotFound","retryable":false}}}`,
		}, wire.KindSessionNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.scripts, func(t *testing.T, dial Dialer) {
				s, err := connect(t, dial, again).Subscribe(t.Context(), "s1", After("v9"))
				if err != nil {
					t.Fatal(err)
				}
				if len(c.scripts) > 1 {
					time.Sleep(time.Minute) // of fake time
					synctest.Wait()         // it has reconnected
				}
				for range 2 {
					if _, err := s.Next(t.Context()); !wire.IsKind(err, c.kind) {
						t.Errorf("got %v", err)
					}
				}
			})
		})
	}
}

func TestNextEndsWithItsContextAndTheSubscriptionLives(t *testing.T) {
	bubble(t, []string{hello + subscribes("$1") + "wait" + live(1, 0) + pages("$2", "head", `null`, event(1, 0))}, func(t *testing.T, dial Dialer) {
		s, err := connect(t, dial, Options{}).Subscribe(t.Context(), "s1", Head())
		if err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Next(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		read(t, s, 1)
	})
}

func TestEventsIsNextUntilTheFirstError(t *testing.T) {
	bubble(t, []string{hello + subscribes("$1") + live(1, 0) + pages("$2", "head", `null`, event(1, 0)) + live(2, 0) + "wait\nclose"}, func(t *testing.T, dial Dialer) {
		s, err := connect(t, dial, Options{}).Subscribe(t.Context(), "s1", Head())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for e, err := range s.Events(t.Context()) {
			if err != nil {
				if !errors.Is(err, ErrConnectionLost) {
					t.Errorf("ended with %v", err)
				}
				continue
			}
			got = append(got, e.Cursor)
		}
		if diff := cmp.Diff([]string{"v1.0", "v2.0"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
