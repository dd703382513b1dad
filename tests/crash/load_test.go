package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/approvald/approvald/wire"
)

// role is what a client of the load mostly does.
type role int

const (
	opens role = iota
	decides
	cancels
	consumes
	keeps // sessions: starts and closes them, sets modes, takes grants back, opens and ends catalogs
)

// clients are those that send commands at once. The one that decides and can
// show what it decides is the one that permits protected writes.
var clients = []struct {
	does        role
	interactive bool
}{{opens, false}, {opens, false}, {decides, true}, {decides, false}, {cancels, false}, {consumes, false}, {consumes, false}, {keeps, false}}

// invent makes up a command. Called with mu held.
func (w *world) invent(does role, id string, r *rand.Rand) request {
	if len(w.sessions) == 0 {
		return w.start(id, r)
	}
	session := w.sessions[max(0, len(w.sessions)-1-r.IntN(6))]
	if len(w.approvals) == 0 && does != keeps {
		does = opens
	}
	switch does {
	case decides:
		if answer, ok := w.answer(id, r); ok && r.IntN(6) == 0 {
			return answer
		}
		if last := len(w.under) - 1; last >= 0 && r.IntN(4) == 0 {
			return w.decide(id, w.under[max(0, last-r.IntN(3))], r)
		}
		return w.decide(id, w.one(20, r), r)
	case cancels:
		if len(w.turns) > 0 && r.IntN(4) == 0 {
			return w.endTurn(id, r)
		}
		return w.cancel(id, session, w.one(60, r), r)
	case consumes:
		if r.IntN(4) == 0 {
			if batch, ok := w.consumeAll(id, r); ok {
				return batch
			}
		}
		return w.consume(id, w.one(40, r), r)
	case keeps:
		return w.keep(id, session, r)
	case opens:
		switch of, ok := w.recentShelf(r); {
		case r.IntN(5) == 0:
			return w.prepare(id, session, r)
		case ok && r.IntN(4) == 0:
			return w.openUnder(id, of, r)
		case r.IntN(8) == 0:
			return w.askPerson(id, session, r)
		}
	}
	return w.open(id, session, r)
}

// one is one of the last approvals.
func (w *world) one(last int, r *rand.Rand) target {
	recent := w.approvals[max(0, len(w.approvals)-last):]
	return recent[r.IntN(len(recent))]
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (w *world) start(id string, r *rand.Rand) request {
	more := pick(r, "", "", `,"unattended":"refuse"`, `,"cancelOnDisconnect":true`)
	if len(w.sessions) > 0 && r.IntN(3) == 0 { // they do not come to nest 16 deep
		parent := w.sessions[max(0, len(w.sessions)-1-r.IntN(3))]
		more += fmt.Sprintf(`,"parentSessionId":%q,"inherit":%q`, parent, pick(r, "grants", "grants", "none"))
	}
	return request{wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q,"workspaceRoot":%q%s}`, id, w.workspace, more)}
}

func (w *world) open(id, session string, r *rand.Rand) request {
	subject := pick(r, `{"kind":"tool"}`, `{"kind":"tool"}`, `{"kind":"shell","command":"make a && make b"}`, `{"kind":"shell","command":"pwd"}`,
		fmt.Sprintf(`{"kind":"fileAccess","access":"write","path":"file%d"}`, r.IntN(24)),
		fmt.Sprintf(`{"kind":"fileAccess","access":"write","path":"file%d"}`, r.IntN(24)),
		`{"kind":"fileAccess","access":"write","path":".git/hooks/pre-commit"}`) // a protected write
	more := pick(r, "", "", "", "", `,"timeoutMs":1`, `,"timeoutMs":3600000`, `,"unattended":"refuse"`, `,"turnId":"turn"`,
		`,"parentToolCallId":"call1","taskId":"task","itemId":"item","runId":"run"`, `,"justification":"it must be","operation":{"kind":"other","n":1},"requested":true`)
	return request{wire.MethodApprovalOpen, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"toolCallId":"call%d","toolName":"run%d","rawArgs":"{\"n\":%d}","reason":"because","subject":%s%s}`,
		id, session, r.IntN(30), r.IntN(8), r.IntN(5), subject, more)}
}

func (w *world) decide(id string, of target, r *rand.Rand) request {
	choice := pick(r, wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowOnce,
		wire.ChoiceAllowAllOnce, wire.ChoiceAllowSession, wire.ChoiceAllowLocalPath, wire.ChoiceAllowLocalPath, wire.ChoiceAbort)
	return request{wire.MethodApprovalDecide, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%[3]q,"sourceIndex":%[4]d},"choiceId":%[5]q}`,
		id, of.session, of.id, pick(r, 0, 0, 0, 1), choice)}
}

func (w *world) cancel(id, session string, of target, r *rand.Rand) request {
	what := fmt.Sprintf(`"approvalId":%q`, of.id)
	switch r.IntN(12) {
	case 0:
		return request{wire.MethodApprovalCancel, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"all":true}`, id, session)}
	case 1, 2:
		what = fmt.Sprintf(`"toolCallId":%q`, of.call)
	case 3:
		what = `"turnId":"turn"`
	}
	return request{wire.MethodApprovalCancel, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,%s}`, id, of.session, what)}
}

func (w *world) consume(id string, of target, r *rand.Rand) request {
	if r.IntN(10) == 0 {
		of.digest = "sha256:" + strings.Repeat("0", 64)
	}
	return consumption(id, of)
}

func consumption(id string, of target) request {
	return request{wire.MethodApprovalConsume, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"approvalId":%q,"toolCallId":%q,"argsDigest":%q}`, id, of.session, of.id, of.call, of.digest)}
}

func (w *world) keep(id, session string, r *rand.Rand) request {
	switch n := r.IntN(21); {
	case n >= 18:
		return w.startTurn(id, r)
	case n >= 12:
		return w.catalogue(id, session, r)
	case n < 4:
		mode := pick(r, wire.ModeDenyUnmatched, wire.ModePromptUnmatched, wire.ModePromptUnmatched, wire.ModePromptUnmatched)
		return request{wire.MethodSessionSetApprovalMode, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"mode":%q}`, id, session, mode)}
	case n < 5 && len(w.sessions) > 4:
		return request{wire.MethodSessionClose, fmt.Sprintf(`{"commandId":%q,"sessionId":%q}`, id, session)}
	case n < 7 && len(w.grants) > 0:
		of := pick(r, w.grants...)
		return request{wire.MethodGrantRevoke, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"grantId":%q}`, id, of[0], of[1])}
	case n < 9 || len(w.sessions) < 4:
		return w.start(id, r)
	}
	return w.open(id, session, r)
}
