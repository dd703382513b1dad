package crash

import (
	crypto "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// world is what the clients know together: every command that was ever sent
// and what was said to it.
type world struct {
	t    *testing.T
	mint func() approval.ID

	mu        sync.Mutex
	commands  []*command
	byID      map[string]*command
	sessions  []string
	approvals [][2]string // session and approval
	left      int         // answers until the daemon is killed
	kill      func()
}

// command is one that was sent at least once.
type command struct {
	request
	id string
	// answer is the ack or the recorded refusal; "" while none was given and
	// none was found in the log.
	answer string
}

func newWorld(t *testing.T) *world {
	return &world{t: t, mint: daemon.Minter(crypto.Reader, sequencer.SystemClock{}), byID: map[string]*command{}}
}

// killAfter has the daemon killed when it has given n answers more.
func (w *world) killAfter(n int, kill func()) {
	w.mu.Lock()
	w.left, w.kill = n, kill
	w.mu.Unlock()
	if n == 0 {
		kill()
	}
}

// drive sends random commands, a few at a time, until the daemon is gone.
func (w *world) drive(c *client, r *rand.Rand) {
	for c != nil {
		var burst []*command
		var requests []request
		for range 1 + r.IntN(8) {
			one := w.next(r)
			burst, requests = append(burst, one), append(requests, one.request)
		}
		replies, err := c.call(requests...)
		for i, reply := range replies {
			w.answered(burst[i], reply)
		}
		if err != nil {
			return
		}
	}
}

// next is a new command, or one that was sent before.
func (w *world) next(r *rand.Rand) *command {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.commands) > 0 && r.IntN(6) == 0 {
		recent := w.commands[max(0, len(w.commands)-40):]
		return recent[r.IntN(len(recent))]
	}
	c := &command{id: w.mint().String()}
	c.request = w.invent(c.id, r)
	w.commands = append(w.commands, c)
	w.byID[c.id] = c
	return c
}

func (w *world) invent(id string, r *rand.Rand) request {
	n := r.IntN(20)
	if len(w.sessions) == 0 || n == 0 {
		return request{wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q}`, id)}
	}
	session := w.sessions[r.IntN(len(w.sessions))]
	switch {
	case n < 9 || len(w.approvals) == 0:
		subject := []string{`{"kind":"tool"}`, `{"kind":"shell","command":"make a && make b","cwd":"/"}`}[r.IntN(2)]
		return request{wire.MethodApprovalOpen, fmt.Sprintf(
			`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"run","rawArgs":"{}","reason":"because","subject":%s}`, id, session, subject)}
	case n < 16:
		recent := w.approvals[max(0, len(w.approvals)-20):]
		of := recent[r.IntN(len(recent))]
		choice := []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowAllOnce, wire.ChoiceAbort}[r.IntN(4)]
		return request{wire.MethodApprovalDecide, fmt.Sprintf(
			`{"commandId":%q,"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%[3]q,"sourceIndex":%[4]d},"choiceId":%[5]q}`,
			id, of[0], of[1], r.IntN(2), choice)}
	case n < 18:
		of := w.approvals[r.IntN(len(w.approvals))]
		return request{wire.MethodApprovalCancel, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"approvalId":%q}`, id, of[0], of[1])}
	default:
		mode := []wire.Mode{wire.ModeDenyUnmatched, wire.ModePromptUnmatched, wire.ModePromptUnmatched}[r.IntN(3)]
		return request{wire.MethodSessionSetApprovalMode, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"mode":%q}`, id, session, mode)}
	}
}

// recorded are the refusals that the ledger keeps.
func recorded(e *wire.Error) bool {
	spec, known := wire.LookupError(e.Code)
	return known && spec.Recorded
}

// answered notes what was said to a command, which must be what was said to it
// before.
func (w *world) answered(c *command, r reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case r.error == nil || recorded(r.error):
		if c.answer != "" && c.answer != r.text {
			w.t.Errorf("command %s (%s) was answered\n%s\nand later\n%s", c.id, c.method, c.answer, r.text)
		}
		if c.answer == "" {
			c.answer = r.text
			w.learn(c, r)
		}
	case c.answer != "":
		w.t.Errorf("command %s (%s) was answered\n%s\nand later refused: %s", c.id, c.method, c.answer, r.text)
	case r.error.Code != wire.CodeApprovalAlreadyResolved:
		w.t.Errorf("command %s (%s) was refused: %s", c.id, c.method, r.text)
	}
	if w.left--; w.left == 0 {
		go w.kill()
	}
}

// learn takes up what an ack tells of. Called with mu held.
func (w *world) learn(c *command, r reply) {
	switch {
	case r.error != nil:
	case c.method == wire.MethodSessionStart:
		var ack wire.SessionStartResult
		w.decode(r, &ack)
		w.sessions = append(w.sessions, ack.Session.SessionID)
	case c.method == wire.MethodApprovalOpen:
		var ack wire.ApprovalOpenResult
		w.decode(r, &ack)
		w.approvals = append(w.approvals, [2]string{w.sessionOf(c), ack.ApprovalID})
	}
}

func (w *world) sessionOf(c *command) string {
	var params struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal([]byte(c.params), &params); err != nil {
		w.t.Errorf("%v: %s", err, c.params)
	}
	return params.SessionID
}

func (w *world) decode(r reply, ack any) {
	if err := json.Unmarshal(r.result, ack); err != nil {
		w.t.Errorf("%v: %s", err, r.text)
	}
}

// repeat sends the commands of the last life of the daemon once more, and some
// of those before: what was answered, or is in the log, is answered as it was.
// What was pending at the crash has a successor.
func (w *world) repeat(d *process, before crashed) {
	w.t.Helper()
	c := dial(w.t, d.socket)
	if c == nil {
		w.t.Error("nobody answers")
		return
	}
	for _, one := range w.commands[max(0, len(w.commands)-2*longest):] {
		replies, err := c.call(one.request)
		if err != nil {
			w.t.Errorf("the daemon is gone: %v", err)
			return
		}
		w.answered(one, replies[0])
	}
	for _, p := range before.pending[max(0, len(before.pending)-20):] {
		replies, err := c.call(request{wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q],"waitMs":0}`, p.session, p.id)})
		if err != nil || replies[0].error != nil {
			w.t.Errorf("await %s: %v, %s", p.id, err, replies[0].text)
			return
		}
		var known wire.ApprovalAwaitResult
		w.decode(replies[0], &known)
		of := known.Results[0].Resolution
		if of == nil || of.Outcome != "superseded" || of.SuccessorApprovalID != p.successor().String() {
			w.t.Errorf("approval %s was pending at the crash and is %+v, want it superseded by %s", p.id, of, p.successor())
		}
	}
}
