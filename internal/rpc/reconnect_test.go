package rpc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// reconnectsEnv is the variable that says how often the wanderer of
// TestWhoReconnectsSeesWhatWhoStaysSees comes back: a thousand times without it,
// ten thousand in `make reconnects`.
const reconnectsEnv = "APPROVALD_RECONNECTS"

// folded is what a client knows that folds the events of a view: for each
// approval, prompt and turn, and for the mode, the last that was said about it.
type folded map[string]string

// events are view events in the order in which a client took them, by session.
type events map[string][]string

// fold takes one event of a client that may be sent one again: what is not behind
// the last of its session was seen before.
func (f folded) fold(seen events, method string, params json.RawMessage, e viewEvent) {
	if list := seen[e.session]; len(list) > 0 && !later(e.cursor, list[len(list)-1]) {
		return
	}
	seen[e.session] = append(seen[e.session], e.cursor)
	var about struct {
		ApprovalID  string `json:"approvalId"`
		UserInputID string `json:"userInputId"`
		TurnID      string `json:"turnId"`
	}
	_ = json.Unmarshal(params, &about) // it was decoded before
	key := e.session + " " + method
	for _, id := range []string{about.ApprovalID, about.UserInputID, about.TurnID} {
		if id != "" {
			key = e.session + " " + id
			break
		}
	}
	f[key] = method + " " + string(params)
}

// later compares two cursors of a session.
func later(a, b string) bool {
	place := func(cursor string) int {
		n, err := strconv.Atoi(cursor[strings.LastIndexByte(cursor, ':')+1:])
		if err != nil {
			return -1
		}
		return n
	}
	return place(a) > place(b)
}

// wanderer is a subscriber of a session, and those below it, that hangs up in the
// middle of whatever it is being sent, and comes back with the last cursor that it
// took.
type wanderer struct {
	*host
	session string
	last    string // cursor
	seen    events
	state   folded
}

// visit connects, takes up to so many frames, and hangs up. Where there is no end
// to what it takes, it stays until it is up to date.
func (w *wanderer) visit(r *rand.Rand, frames int) {
	p := w.serve(Transport{Name: "host", Widest: wire.RoleBoth})
	defer func() { _ = clientEnd{p}.Close() }()
	back := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"view/subscribe","params":{"sessionId":%q,"after":%q}}`, w.session, w.last)
	answered := `{"jsonrpc":"2.0","id":2,"result"`
	if r.IntN(2) == 0 || frames < 0 {
		back = fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"commandId":%q,"sessionId":%q,"cursor":%q}}`, command(), w.session, w.last)
	}
	if _, err := io.WriteString(clientEnd{p}, fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"wanderer","version":"1"},"capabilities":{"approvald":{"interactive":%t}}}}`+
			"\n"+`{"jsonrpc":"2.0","method":"initialized"}`+"\n%s\n", r.IntN(16) == 0, back)); err != nil {
		w.t.Error(err)
	}
	lines := bufio.NewReaderSize(clientEnd{p}, 1<<12)
	upToDate := false
	for n := 0; (frames < 0 || n < frames) && (!upToDate || lines.Buffered() > 0); n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			w.t.Errorf("the connection ended: %v", err)
			return
		}
		var f received
		if err := json.Unmarshal(line, &f); err != nil {
			w.t.Errorf("%v: %s", err, line)
		}
		if e, ok := eventOf(f); ok {
			w.state.fold(w.seen, f.Method, f.Params, e)
			if e.session == w.session && later(e.cursor, w.last) {
				w.last = e.cursor
			}
			continue
		}
		if f.Error != nil {
			w.t.Errorf("refused: %s", line)
			return
		}
		if strings.HasPrefix(string(line), answered) {
			if frames < 0 {
				return // a resume is answered behind its replay
			}
			upToDate = true // there need not be any more
		}
	}
}

// A subscriber that hangs up at random moments and comes back, again and again,
// ends up with the state of one that stayed, and with every event once.
func TestWhoReconnectsSeesWhatWhoStaysSees(t *testing.T) {
	visits := 1000
	if text := os.Getenv(reconnectsEnv); text != "" {
		var err error
		if visits, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t)
	c := newCrowd(t, h, h.as)
	root := c.family[0]
	stays := c.watchers["of the family"]
	w := &wanderer{host: h, session: root, last: "v:" + root + ":" + fmt.Sprint(4*1), seen: events{}, state: folded{}}
	const visitsOfABurst = 20
	bursts := make(chan struct{})
	var all sync.WaitGroup
	for i, agent := range c.agents {
		all.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for range bursts {
				c.burst(agent, r)
			}
		})
	}
	r := rand.New(rand.NewPCG(7, 7))
	for n := range visits {
		if n%visitsOfABurst == 0 {
			bursts <- struct{}{}
		}
		frames := r.IntN(24)
		if r.IntN(8) == 0 {
			frames = -1
		}
		w.visit(r, frames)
	}
	close(bursts)
	all.Wait()
	w.visit(r, -1)
	whole, state := events{}, folded{}
	for _, session := range c.family {
		for _, e := range c.agents[0].page(session, 1000) {
			at, ok := eventOf(received{Method: e.Method, Params: e.Params})
			if !ok {
				t.Fatalf("a page has %s", e.Params)
			}
			state.fold(whole, e.Method, e.Params, at)
		}
		if n := len(whole[session]); n > 0 {
			stays.next("the last event", func(f received) bool {
				e, ok := eventOf(f)
				return ok && e.cursor == whole[session][n-1]
			})
		}
	}
	stayed, there := events{}, folded{}
	for _, f := range stays.all() {
		if e, ok := eventOf(f); ok && whole[e.session] != nil {
			there.fold(stayed, f.Method, f.Params, e)
		}
	}
	if diff := cmp.Diff(stayed, w.seen); diff != "" {
		t.Errorf("events (-stayed +reconnected):\n%s", diff)
	}
	if diff := cmp.Diff(there, w.state); diff != "" {
		t.Errorf("state (-stayed +reconnected):\n%s", diff)
	}
	if diff := cmp.Diff(whole, w.seen); diff != "" {
		t.Errorf("events (-paged +reconnected):\n%s", diff)
	}
	if diff := cmp.Diff(state, w.state); diff != "" {
		t.Errorf("state (-paged +reconnected):\n%s", diff)
	}
	if len(state) < visits/100 {
		t.Errorf("only %d things happened", len(state))
	}
}
