package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/approvald/approvald/wire"
)

// asks is a prompt as its agent knows it.
type asks struct{ session, id string }

// askPerson opens a prompt. Called with mu held.
func (w *world) askPerson(id, session string, r *rand.Rand) request {
	more := pick(r, "", "", `,"autoResolutionMs":1`, `,"autoResolutionMs":3600000`, `,"turnId":"turn"`)
	return request{wire.MethodUserInputOpen, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"toolCallId":"call%d","toolName":"ask","questions":[{"id":"q","header":"","question":"Which?","options":[{"label":"this"}],"selection":{"mode":"single"}}]%s}`,
		id, session, r.IntN(30), more)}
}

// answer settles one of the last prompts; false where there was none. Called with mu
// held.
func (w *world) answer(id string, r *rand.Rand) (request, bool) {
	recent := w.prompts[max(0, len(w.prompts)-6):]
	if len(recent) == 0 {
		return request{}, false
	}
	of := recent[r.IntN(len(recent))]
	head := fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"userInputId":%q`, id, of.session, of.id)
	return pick(r,
		request{wire.MethodUserInputAnswer, head + `,"answers":[{"questionId":"q","selectedLabel":"this"}]}`},
		request{wire.MethodUserInputAnswer, head + `,"answers":[{"questionId":"q","freeText":"neither"}]}`},
		request{wire.MethodUserInputCancel, head + `}`},
		request{wire.MethodUserInputClarify, head + `,"clarification":{"format":"text","content":"what for?"}}`},
	), true
}

// learnPrompt takes up a prompt that was opened. Called with mu held.
func (w *world) learnPrompt(c *command, r reply) {
	var ack wire.UserInputOpenResult
	w.decode(r, &ack)
	var params wire.UserInputOpenParams
	w.decode(reply{result: json.RawMessage(c.params)}, &params)
	w.prompts = append(w.prompts, asks{params.SessionID, ack.UserInputID})
}

// prompt is one as the log has it.
type prompt struct {
	id, session     string
	opened, settled *entry
}

// aboutPrompt takes a record about a prompt.
func (t *twin) aboutPrompt(e *entry) {
	p := t.prompts[e.approval]
	switch {
	case e.kind == inputOpened && p != nil:
		t.fault("prompt %s was opened twice, at %d and %d", e.approval, p.opened.seq, e.seq)
	case e.kind == inputOpened:
		t.prompts[e.approval] = &prompt{id: e.approval, session: e.session, opened: e}
	case p == nil || p.opened.seq != e.body.Opened || p.session != e.session:
		t.fault("record %d settles prompt %s, which was not opened so", e.seq, e.approval)
	case p.settled != nil:
		t.fault("prompt %s was settled twice, at %d and %d", e.approval, p.settled.seq, e.seq)
	default:
		p.settled = e
	}
}

// overdue reports whether the deadline of a prompt had passed.
func (p *prompt) overdue(now time.Time) bool {
	at := p.opened.body.ExpiresAt
	return at != nil && *at <= now.UnixMilli()
}

// carriedOutPrompt says what the ack of a prompt's command says and the log does not.
func (t *twin) carriedOutPrompt(c *said, id string) (fault string) {
	p := t.prompts[id]
	switch {
	case p == nil:
		return fmt.Sprintf("there is no prompt %s", id)
	case c.method == wire.MethodUserInputOpen && p.opened.command != c.id:
		return fmt.Sprintf("prompt %s was not opened by it", id)
	case c.method != wire.MethodUserInputOpen && (p.settled == nil || p.settled.command != c.id):
		return fmt.Sprintf("prompt %s was not settled by it", id)
	}
	return ""
}

// faultsOfPrompts holds what became of prompts over a restart against the log before
// it: they keep their id, and only those time out whose deadline has passed.
func faultsOfPrompts(before *twin, now after) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for id, p := range before.prompts {
		if p.settled != nil {
			continue
		}
		switch is := now.prompts[id].settled; {
		case is == nil && p.overdue(now.now) && now.complete:
			fault("the deadline of prompt %s had passed at the restart, and it is pending still", id)
		case is == nil:
		case p.overdue(now.now) && is.body.Outcome != "timedOut":
			fault("the deadline of prompt %s had passed at the restart, and it was settled as %s", id, is.body.Outcome)
		case !p.overdue(now.now) && is.body.Outcome == "timedOut": // those that are left are an hour away
			fault("prompt %s timed out, and its deadline had not passed", id)
		}
	}
	slices.Sort(faults)
	return faults
}

// comparePrompts compares the prompts that a restarted daemon says are pending with
// those that follow from the log that it found.
func (a asker) comparePrompts(before *twin, pending []wire.UserInputRequest, now time.Time) {
	a.t.Helper()
	var is, want []string
	for _, row := range pending {
		is = append(is, row.UserInputID)
	}
	for id, p := range before.prompts {
		if p.settled == nil && !p.overdue(now) {
			want = append(want, id)
		}
	}
	slices.Sort(is)
	slices.Sort(want)
	if !slices.Equal(is, want) {
		a.t.Errorf("the daemon says that the prompts\n%q\nare pending; by the log these should be:\n%q", is, want)
	}
}
