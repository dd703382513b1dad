package rpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// onlooker is a subscriber that notes the place of each event it is sent, and
// keeps nothing else.
type onlooker struct {
	pipe   *pipe
	joined chan struct{} // closed when its subscription is answered
	ended  chan struct{} // closed when the server has closed the connection
	places []int         // of the session's view; read when ended, or when nothing moves
}

// lookOn subscribes one to a session.
func (h *host) lookOn(session string) *onlooker {
	h.t.Helper()
	o := &onlooker{
		pipe:   h.serve(Transport{Name: "reviewer", Widest: wire.RoleReviewer}),
		joined: make(chan struct{}), ended: make(chan struct{}),
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"onlooker","version":"1"},"capabilities":{"approvald":{"interactive":false}}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"initialized"}` + "\n" +
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"view/subscribe","params":{"sessionId":%q}}`, session) + "\n"
	if _, err := io.WriteString(clientEnd{o.pipe}, hello); err != nil {
		h.t.Fatal(err)
	}
	h.clients.Go(func() {
		defer close(o.ended)
		o.watch(h.t)
	})
	return o
}

func (o *onlooker) watch(t testing.TB) {
	lines := bufio.NewReaderSize(clientEnd{o.pipe}, 1<<16)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		switch {
		case bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":2,"result"`)):
			close(o.joined)
		case bytes.Contains(line, []byte(`"sourceRange":`)):
			_, cursor, _ := bytes.Cut(line, []byte(`"viewCursor":"`))
			cursor, _, _ = bytes.Cut(cursor, []byte(`"`))
			place, err := strconv.Atoi(string(cursor[bytes.LastIndexByte(cursor, ':')+1:]))
			if err != nil {
				t.Errorf("an event without a cursor: %v: %.200s", err, line)
			}
			o.places = append(o.places, place)
		}
	}
}

// Sixty-four decide while a thousand look on, one of whom takes nothing. Each of
// the others is sent every event once, in order, and the one is let go.
func TestAThousandLookOnAndOneIsStuck(t *testing.T) {
	onlookers, deciders, each := 1000, 64, 4
	if testing.Short() {
		onlookers, deciders = 100, 16
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		agent.must(wire.MethodViewUnsubscribe, inSession(session), nil)
		crowd := make([]*onlooker, onlookers)
		for i := range crowd {
			crowd[i] = h.lookOn(session)
		}
		for _, o := range crowd {
			<-o.joined
		}
		stuck := crowd[0]
		stuck.pipe.deafen()
		var wg sync.WaitGroup
		for range deciders {
			asks, decides := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer, `"interactive":false`)
			wg.Go(func() {
				for range each {
					decides.choose(session, asks.open(session), wire.ChoiceAllowOnce)
				}
			})
		}
		wg.Wait()
		<-stuck.ended // time passes until it is closed
		h.settle()
		var want []int
		for _, cursor := range agent.pagedCursors(session) {
			want = append(want, placeOfCursor(t, cursor))
		}
		if n := 2 * deciders * each; len(want) != n {
			t.Fatalf("the view has %d events, want %d", len(want), n)
		}
		for i, o := range crowd[1:] {
			if !slices.Equal(want, o.places) {
				t.Fatalf("onlooker %d (-paged +sent):\n%s", i+1, cmp.Diff(want, o.places))
			}
		}
		if len(stuck.places) > 0 {
			t.Errorf("the one that is stuck has taken %d events", len(stuck.places))
		}
		if got, want := h.Connections(), onlookers-1+1+2*deciders; got != want {
			t.Errorf("%d connections are left, want %d", got, want)
		}
	})
}

// However many want to render what they are subscribed to, commands are carried
// out and answered without waiting for them.
func TestNobodyWaitsForThoseWhoRender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session := agent.start()
		reviewer.subscribe(session)
		h.settle()
		h.rendering.mu.Lock()
		others := h.rendering.free // have every turn that there is
		h.rendering.free = 0
		h.rendering.mu.Unlock()
		id := agent.open(session)
		h.settle()
		if n := reviewer.heard(wire.MethodApprovalRequested, id); n != 0 {
			t.Errorf("a subscriber was sent %d events while others have the turn", n)
		}
		reviewer.choose(session, id, wire.ChoiceAllowOnce)
		if got := agent.state(session, id); got != "allowedOnce" {
			t.Errorf("the approval is %s", got)
		}
		for range others {
			h.rendering.done()
		}
		reviewer.event(wire.MethodApprovalResolved, id)
	})
}

// Who leaves while it waits for its turn, or has it, does not keep it.
func TestATurnThatNobodyWantsIsGivenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		var leaving []*client
		for range 3 {
			c := h.as(wire.RoleReviewer)
			c.subscribe(session)
			leaving = append(leaving, c)
		}
		stays := h.as(wire.RoleReviewer)
		stays.subscribe(session)
		h.settle()
		h.rendering.mu.Lock()
		turns := h.rendering.free
		h.rendering.free = 0
		h.rendering.mu.Unlock()
		id := agent.open(session)
		h.settle() // all have asked for a turn
		for _, c := range leaving {
			c.hangUp()
		}
		h.settle()
		h.rendering.done()
		stays.event(wire.MethodApprovalRequested, id)
		h.settle()
		h.rendering.mu.Lock()
		defer h.rendering.mu.Unlock()
		if h.rendering.free != 1 || len(h.rendering.waiting) != 0 {
			t.Errorf("%d turns are free and %d wait, want the one that was given back", h.rendering.free, len(h.rendering.waiting))
		}
		h.rendering.free = turns
	})
}
