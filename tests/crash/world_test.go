package crash

import (
	crypto "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// world is what the clients know together: every command that was ever sent,
// and what was said to it.
type world struct {
	t         *testing.T
	mint      func() approval.ID
	workspace string

	mu        sync.Mutex
	all       []*command
	said      map[string]*said
	sessions  []string
	approvals []target
	shelves   []shelf
	prompts   []asks
	under     []target    // approvals under a catalog of the daemon of now
	grants    [][2]string // session and grant
	turns     []turn
	left      int    // commands, or answers, until the daemon is killed
	sends     bool   // left counts commands
	kill      func() // nil: it was killed
}

// target is an approval as its agent knows it.
type target struct{ session, id, call, digest string }

// command is one that was sent at least once.
type command struct {
	said
	waits int // how often it was sent to the daemon of now without being answered
}

func newWorld(t *testing.T, workspace string) *world {
	return &world{t: t, mint: daemon.Minter(crypto.Reader, sequencer.SystemClock{}), workspace: workspace, said: map[string]*said{}}
}

// killAfter has the daemon killed when n more commands were sent, or answered.
func (w *world) killAfter(n int, sends bool, kill func()) {
	w.mu.Lock()
	w.left, w.sends, w.kill = n, sends, kill
	w.mu.Unlock()
}

// passed counts one towards the kill. Called with mu held.
func (w *world) passed(send bool) {
	if w.kill == nil || send != w.sends {
		return
	}
	if w.left--; w.left <= 0 {
		go w.kill()
		w.kill = nil
	}
}

// drive sends random commands, a few at a time, until the daemon is gone.
func (w *world) drive(c *client, does role, r *rand.Rand) {
	for {
		var burst []*command
		for range 1 + r.IntN(6) {
			burst = append(burst, w.next(does, r))
		}
		if !w.send(c, burst...) {
			return
		}
	}
}

// send sends commands at once and notes their answers. It reports whether the
// daemon was there to the end.
func (w *world) send(c *client, burst ...*command) bool {
	requests, known := make([]request, len(burst)), make([]bool, len(burst))
	w.mu.Lock()
	for i, one := range burst {
		requests[i], known[i] = one.request, one.answer != ""
		one.waits++
		w.passed(true)
	}
	w.mu.Unlock()
	replies, err := c.call(requests...)
	for i, reply := range replies {
		w.answered(burst[i], reply, known[i])
	}
	return err == nil
}

// next is a new command, or one that was sent before.
func (w *world) next(does role, r *rand.Rand) *command {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.all) > 0 && r.IntN(8) == 0 {
		recent := w.all[max(0, len(w.all)-40):]
		return recent[r.IntN(len(recent))]
	}
	return w.mintCommand(func(id string) request { return w.invent(does, id, r) })
}

// mintCommand makes a new command. Called with mu held, or before there are clients.
func (w *world) mintCommand(of func(id string) request) *command {
	c := &command{said: said{id: w.mint().String()}}
	c.request = of(c.id)
	w.all = append(w.all, c)
	w.said[c.id] = &c.said
	return c
}

// take is a command that takes an approval, by whoever it is for.
func (w *world) take(a *action) *command {
	return w.mintCommand(func(id string) request {
		return consumption(id, target{a.session, a.id, a.opened.body.ToolCallID, a.opened.body.ArgsDigest})
	})
}

// came is what a command that takes an approval came to, as twin.claim has it.
func (c *command) came() string {
	var is struct {
		Consumed bool
		Code     int
		Data     struct{ Reason string }
	}
	if err := json.Unmarshal([]byte(c.answer), &is); err != nil {
		return err.Error()
	}
	if is.Consumed {
		return "consumed"
	}
	return fmt.Sprintf("%d %s", is.Code, is.Data.Reason)
}

// recorded reports whether a refusal is one that the log keeps.
func recorded(e *wire.Error) bool {
	spec, known := wire.LookupError(e.Code)
	if !known || !spec.Recorded {
		return false
	}
	return !slices.Contains([]wire.Reason{wire.ReasonSessionClosed, wire.ReasonCommandIDConflict, wire.ReasonSessionIDConflict}, e.Data.Reason)
}

// fleeting are the refusals, of those that the log does not keep, that the load
// may meet: settled meanwhile, not decided yet, a protected write that nobody
// watches, a session or a parent that was closed.
func fleeting(e *wire.Error) bool {
	switch e.Code {
	case wire.CodeApprovalAlreadyResolved, wire.CodeApprovalPending, wire.CodeApprovalReviewerUnavailable, wire.CodeUserInputAlreadySettled:
		return true
	case wire.CodeCommandRejected:
		return e.Data.Reason == wire.ReasonSessionClosed
	}
	return false
}

// answered notes what was said to a command, which must be what was said to it
// before. known says that it was sent again when its answer was known already:
// otherwise a refusal that is heard later may have been said earlier.
func (w *world) answered(c *command, r reply, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.waits--
	switch {
	case r.error == nil || recorded(r.error):
		if c.answer != "" && c.answer != r.text {
			w.t.Errorf("command %s (%s) was answered\n%s\nand later\n%s", c.id, c.method, c.answer, r.text)
		}
		if c.answer == "" {
			c.answer = r.text
			w.learn(c, r)
		}
	case known:
		w.t.Errorf("command %s (%s) was answered\n%s\nand later refused: %s", c.id, c.method, c.answer, r.text)
	case !fleeting(r.error):
		w.t.Errorf("command %s (%s) was refused: %s\n%s", c.id, c.method, r.text, c.params)
	}
	w.passed(false)
}

// learn takes up what an ack tells of. Called with mu held.
func (w *world) learn(c *command, r reply) {
	if r.error != nil {
		return
	}
	switch c.method {
	case wire.MethodSessionStart:
		var ack wire.SessionStartResult
		w.decode(r, &ack)
		w.sessions = append(w.sessions, ack.Session.SessionID)
	case wire.MethodApprovalOpen:
		var ack wire.ApprovalOpenResult
		w.decode(r, &ack)
		var params wire.ApprovalOpenParams
		w.decode(reply{result: json.RawMessage(c.params)}, &params)
		w.approvals = append(w.approvals, target{params.SessionID, ack.ApprovalID, ack.ToolCallID, ack.ArgsDigest})
		if params.CatalogID != "" {
			w.under = append(w.under, w.approvals[len(w.approvals)-1])
		}
	case wire.MethodApprovalPrepare:
		w.learnBatch(c, r)
	case wire.MethodTurnStart:
		w.learnTurn(c, r)
	case wire.MethodCatalogOpen:
		w.learnShelf(c, r)
	case wire.MethodUserInputOpen:
		w.learnPrompt(c, r)
	}
}

func (w *world) decode(r reply, into any) {
	if err := json.Unmarshal(r.result, into); err != nil {
		w.t.Errorf("%v: %s", err, r.result)
	}
}

// settle holds the log that a kill left against what was said, and goes on from
// it: what is in the log and was not heard is what the next repetition must be
// answered. It returns how many commands were in doubt, and how many of those
// were carried out.
func (w *world) settle(t *twin) (doubt, done int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.all {
		c.underWay = c.waits > 0
	}
	for _, fault := range faultsOf(t, w.said) {
		w.t.Error(fault)
	}
	for _, c := range w.all {
		e := t.commands[c.id]
		if c.answer == "" && c.waits > 0 {
			doubt++
			if e != nil {
				done++
				c.answer = e.body.Command.answer()
			}
		}
		c.waits = 0
	}
	return doubt, done
}

// goOn makes the clients know what a restart put in the place of what was
// pending, and what there are grants and sessions of.
func (w *world) goOn(t *twin, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range t.pending() {
		if at := a.opened.body.ExpiresAt; a.catalogued() || at != nil && *at <= now.UnixMilli() {
			continue
		}
		w.approvals = append(w.approvals, target{a.session, successor(a), a.opened.body.ToolCallID, a.opened.body.ArgsDigest})
	}
	w.under = nil
	w.shelves = w.shelves[max(0, len(w.shelves)-1):] // one that ended with the daemon is still asked for
	w.grants = nil
	for id, g := range t.grants {
		w.grants = append(w.grants, [2]string{g.session, id})
	}
	w.sessions = nil
	for _, s := range t.begun {
		if !s.closed {
			w.sessions = append(w.sessions, s.id)
		}
	}
}
