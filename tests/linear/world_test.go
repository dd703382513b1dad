package linear

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// world is what the clients know together, and what they have done.
type world struct {
	history history

	mu    sync.Mutex
	met   []known        // approvals, as they were met
	index map[string]int // into met
	sent  []input        // commands
	calls int            // named so far
	left  int            // operations until stop is called
	stop  func()
}

func newWorld() *world { return &world{index: map[string]int{}} }

// stopAfter has stop called, once, when n operations more have begun.
func (w *world) stopAfter(n int, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.stop = n, stop
}

var listing = input{what: wire.MethodApprovalListPending}

// next is an operation to do next; ok is false where enough was done.
func (w *world) next(r *rand.Rand) (in input, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.left--; {
	case w.left == 0:
		w.stop()
	case w.left < 0:
		return input{}, false
	}
	if len(w.sent) > 0 && r.IntN(7) == 0 {
		return again(w.sent[len(w.sent)-1-r.IntN(min(len(w.sent), 25))], r), true
	}
	in = w.invent(r)
	if in.command != "" {
		w.sent = append(w.sent, in)
	}
	return in, true
}

// again is a command that was sent, or, rarely, another one under its id.
func again(in input, r *rand.Rand) input {
	if r.IntN(10) == 0 {
		in = input{what: wire.MethodApprovalConsume, command: in.command, target: wherever, call: "call_x", digest: argsDigest}
	}
	return in
}

// wherever is an approval that nobody opened.
const wherever = "00000000-0000-7000-8000-00000000dead"

// invent makes an operation up. Called with mu held.
func (w *world) invent(r *rand.Rand) input {
	if r.IntN(6) == 0 {
		return w.batch(r)
	}
	n := r.IntN(40)
	if len(w.met) == 0 || n < 10 {
		w.calls++
		return input{what: wire.MethodApprovalOpen, command: client.NewCommandID(), call: fmt.Sprintf("call%d", w.calls), subject: r.IntN(len(subjects))}
	}
	if n < 14 {
		return listing
	}
	of := w.met[len(w.met)-1-r.IntN(min(len(w.met), 8))]
	if r.IntN(50) == 0 {
		of.id = wherever
	}
	switch {
	case n < 18:
		second := w.met[r.IntN(len(w.met))]
		return input{what: wire.MethodApprovalAwait, targets: []string{of.id, second.id}}
	case n < 29:
		return decision(of, r)
	case n < 37:
		in := input{what: wire.MethodApprovalConsume, command: client.NewCommandID(), target: of.id, call: of.call, digest: argsDigest}
		switch r.IntN(12) {
		case 0:
			in.call = "call_x"
		case 1:
			in.digest = "sha256:00"
		}
		return in
	case n < 39 || r.IntN(3) > 0:
		return input{what: wire.MethodApprovalCancel, command: client.NewCommandID(), target: of.id}
	}
	return input{what: wire.MethodApprovalCancel, command: client.NewCommandID()}
}

func decision(of known, r *rand.Rand) input {
	in := input{what: wire.MethodApprovalDecide, command: client.NewCommandID(), target: of.id, stage: of.stage}
	if r.IntN(5) == 0 {
		in.stage = 1 - in.stage
	}
	in.choice = []wire.ChoiceID{
		wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowAllOnce, wire.ChoiceAllowSession, wire.ChoiceAbort,
	}[r.IntN(6)]
	if in.choice == wire.ChoiceAbort || r.IntN(20) == 0 {
		in.feedback = "because of " + in.command
	}
	return in
}

// learn takes up what an answer tells of approvals.
func (w *world) learn(met []known) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range met {
		if at, ok := w.index[k.id]; ok {
			w.met[at].stage = k.stage
			continue
		}
		w.index[k.id] = len(w.met)
		w.met = append(w.met, k)
	}
}
