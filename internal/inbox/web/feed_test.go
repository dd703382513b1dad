package web

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/approvald/approvald/wire"
)

// An inbox whose connection to the daemon breaks makes it again, lists what waits by
// then, and has tabs load their pages again.
func TestABrokenConnectionIsMadeAgain(t *testing.T) {
	var mu sync.Mutex
	var conns []io.Closer
	gate := make(chan struct{}, 1)
	gate <- struct{}{} // for the first connection
	in := open(t, func(c *Config) {
		dial := c.Dial
		c.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
			<-gate
			conn, err := dial(ctx)
			mu.Lock()
			defer mu.Unlock()
			conns = append(conns, conn)
			return conn, err
		}
	})
	session := in.session(nil)
	before, unheard := in.ask(session, "c1", shell("make"), nil), in.ask(session, "c0", shell("make"), nil)
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	tb.next("hello")
	mu.Lock()
	feed := conns[0]
	mu.Unlock()
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.agent.Cancel(t.Context(), wire.ApprovalCancelParams{SessionID: session, ToolCallID: "c0"}); err != nil {
		t.Fatal(err)
	}
	close(gate)
	tb.next("reset")
	after := in.ask(session, "c2", shell("make"), nil)
	if page := in.page("/"); strings.Count(page, `class="row"`) != 2 || !strings.Contains(page, before) || !strings.Contains(page, after) || strings.Contains(page, unheard) {
		t.Errorf("the list is %s", page)
	}
	goesTo(t, in.decide(before, 0, "allow_once"), "/")
	if a := about(t, tb.next("settled")); !strings.HasSuffix(before, a.ID) || a.Waiting != 1 {
		t.Errorf("of its end: %+v", a)
	}
}
