package linear

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// The batches are all of one run, and of few calls, so that clients meet in them.
const (
	run        = "run"
	batchCalls = 4
)

// batchCall is the name of a call, which says its subject.
func batchCall(n int) string { return fmt.Sprintf("batch%d", n) }

func subjectOf(call string) (n int) {
	if _, err := fmt.Sscanf(call, "batch%d", &n); err != nil {
		panic(err)
	}
	return n
}

// prepare finds or opens what can still be consumed of each call.
func (m model) prepare(s *state, in input) string {
	var said []string
	for _, call := range in.calls {
		if a, ok := s.unconsumed(call); ok {
			said = append(said, "found "+a.id)
			continue
		}
		a := appr{id: m.opened(s, call), call: call, run: true, subject: subjectOf(call)}
		a.stages, a.opened = subjects[a.subject].stages, m.story.openedAt[a.id]
		m.happens(s, opens, a)
		one := "opened " + a.id + ": pending"
		if s.grants[a.subject] {
			a.end = byGrant
			one = "opened " + a.id + ": " + a.end.String()
			m.happens(s, settles, a)
		}
		s.set(a)
		said = append(said, one)
	}
	return "prepared [" + strings.Join(said, "; ") + "]"
}

// opened is the approval that is opened for a call now: the one whose opening is
// next in the view.
func (m model) opened(s *state, call string) string {
	if m.story.writing {
		return m.story.mint(call)
	}
	if s.at < len(m.story.events) {
		if id, ok := strings.CutPrefix(m.story.events[s.at], opens); ok && m.story.callOf[id] == call {
			return id
		}
	}
	return "" // which astrays
}

// unconsumed is the oldest approval of a call that can be consumed, now or when
// it is decided.
func (s *state) unconsumed(call string) (oldest appr, ok bool) {
	for _, a := range s.approvals {
		if a.run && a.call == call && !a.consumed && !a.void && a.end.successor == "" && (!ok || a.opened < oldest.opened) {
			oldest, ok = a, true
		}
	}
	return oldest, ok
}

// consumeAll checks in the order of protocol §7.
func (m model) consumeAll(s *state, in input) (string, bool) {
	for _, id := range in.targets {
		if _, ok := s.approvals[id]; !ok {
			return refused(wire.CodeApprovalNotFound), false
		}
	}
	for i, id := range in.targets {
		switch a := s.approvals[id]; {
		case a.end.successor != "":
			return refused(wire.CodeApprovalMismatch, wire.ReasonSuperseded, a.end.successor), true
		case !a.run, a.call != in.calls[i]:
			return refused(wire.CodeApprovalMismatch, wire.ReasonCallMismatch), true
		case in.digest != argsDigest:
			return refused(wire.CodeApprovalMismatch, wire.ReasonArgsMismatch), true
		}
	}
	for _, id := range in.targets {
		if s.approvals[id].pending() {
			return refused(wire.CodeApprovalPending), false
		}
	}
	var said []string
	for _, id := range in.targets {
		a := s.approvals[id]
		if a.consumed || a.void || in.expect != "" && in.expect != a.end.result {
			said = append(said, id+" conflict")
			continue
		}
		a.consumed = true
		s.set(a)
		said = append(said, fmt.Sprintf("%s %s %s %s", id, a.end.result, a.end.outcome, a.end.decision))
	}
	return "took [" + strings.Join(said, "; ") + "]", true
}

// batch makes up what a worker on the run does. Called with mu held.
func (w *world) batch(r *rand.Rand) input {
	var of []known
	for _, k := range w.met {
		if strings.HasPrefix(k.call, "batch") {
			of = append(of, k)
		}
	}
	of = of[max(0, len(of)-2*batchCalls):]
	if len(of) == 0 || r.IntN(2) == 0 {
		first := r.IntN(batchCalls)
		in := input{what: wire.MethodApprovalPrepare, command: client.NewCommandID(), calls: []string{batchCall(first)}}
		if r.IntN(2) == 0 {
			in.calls = append(in.calls, batchCall((first+1)%batchCalls))
		}
		return in
	}
	in := input{what: wire.MethodApprovalConsumeAll, command: client.NewCommandID(), digest: argsDigest}
	if r.IntN(4) == 0 {
		in.expect = wire.PolicyAllow
	}
	if r.IntN(20) == 0 {
		in.digest = "sha256:00"
	}
	for _, k := range []known{of[r.IntN(len(of))], of[r.IntN(len(of))]} {
		if len(in.targets) == 0 || in.targets[0] != k.id {
			in.targets, in.calls = append(in.targets, k.id), append(in.calls, k.call)
		}
	}
	if r.IntN(12) == 0 {
		in.calls[0] = "call_x"
	}
	return in
}

// batchParams are those of a batch's command.
func batchParams(session string, in input) any {
	if in.what == wire.MethodApprovalPrepare {
		p := wire.ApprovalPrepareParams{CommandID: in.command, SessionID: session, RunID: run}
		for _, call := range in.calls {
			p.Requests = append(p.Requests, wire.ApprovalPrepareRequest{
				ToolCallID: call, ToolName: "run", RawArgs: rawArgs, Reason: "because", Subject: json.RawMessage(subjects[subjectOf(call)].json),
			})
		}
		return p
	}
	p := wire.ApprovalConsumeAllParams{CommandID: in.command, SessionID: session, RunID: run}
	for i, id := range in.targets {
		p.Items = append(p.Items, wire.ApprovalConsumeItem{ApprovalID: id, ToolCallID: in.calls[i], ArgsDigest: in.digest, Expect: in.expect})
	}
	return p
}

// preparedInWords is the answer of approval/prepare in the words of the model.
func preparedInWords(got wire.ApprovalPrepareResult) (r reply) {
	var said []string
	for _, a := range got.Approvals {
		one := "found " + a.ApprovalID
		if a.Created {
			state := wire.StatePending
			if a.Resolution != nil {
				state = wire.StateResolved
			}
			one = "opened " + a.ApprovalID + ": " + resolution(state, a.Resolution)
		}
		if a.ArgsDigest != argsDigest {
			one += " with " + a.ArgsDigest
		}
		said = append(said, one)
		r.met = append(r.met, known{id: a.ApprovalID, call: a.ToolCallID})
	}
	r.answer = "prepared [" + strings.Join(said, "; ") + "]"
	return r
}

// takenInWords is the answer of approval/consumeAll in the words of the model.
func takenInWords(got wire.ApprovalConsumeAllResult) string {
	var said []string
	for _, d := range got.Decisions {
		allows := d.PolicyResult == wire.PolicyAllow
		one := fmt.Sprintf("%s %s %s %s", d.ApprovalID, d.PolicyResult, d.Outcome, d.Decision)
		if !d.Consumed && d.Denial != nil && d.Denial.Kind == wire.DenialConflict && d.PolicyResult == wire.PolicyDeny {
			one = d.ApprovalID + " conflict"
		} else if !d.Consumed || allows != (d.Denial == nil) {
			one += fmt.Sprintf(" (%t, %v)", d.Consumed, d.Denial)
		}
		if allows != (d.Permit != nil && d.Permit.ArgsDigest == argsDigest) {
			one += fmt.Sprintf(" with permit %v", d.Permit)
		}
		said = append(said, one)
	}
	return "took [" + strings.Join(said, "; ") + "]"
}

// batchFaults are those of a server that does batches wrong.
var batchFaults = []fault{
	{name: "a batch permits what another took", does: func(_ *server, _ input, after *state, said string) (*state, string) {
		return after, strings.Replace(said, " conflict", " allow allowedOnce approved", 1)
	}},
	{name: "a batch leaves what it permits", does: func(s *server, _ input, after *state, said string) (*state, string) {
		if strings.HasPrefix(said, "took") {
			return s.state, said
		}
		return after, said
	}},
	{name: "a batch takes what is decided while another call waits", does: func(s *server, in input, after *state, said string) (*state, string) {
		if in.what != wire.MethodApprovalConsumeAll || !strings.HasPrefix(said, "refused -32092") {
			return after, said
		}
		after = after.edit()
		for _, id := range in.targets {
			if a := after.approvals[id]; !a.pending() {
				a.consumed = true
				after.set(a)
			}
		}
		return after, said
	}},
	{name: "a pass forgets what the one before it prepared", does: func(s *server, in input, after *state, said string) (*state, string) {
		if in.what != wire.MethodApprovalPrepare || !strings.Contains(said, "found") {
			return after, said
		}
		lost := s.state.edit()
		for _, call := range in.calls {
			if a, ok := lost.unconsumed(call); ok {
				a.run = false
				lost.set(a)
			}
		}
		return model{story: s.story}.do(lost, in)
	}},
}

// batchMutants are lies about batches.
var batchMutants = []mutant{
	{"a batch permits what was taken", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalConsumeAll || !strings.Contains(o.answer, " conflict") || o.input.expect != "" {
			return ""
		}
		return strings.Replace(o.answer, " conflict", " allow allowedOnce approved", 1)
	}},
	{"a batch is refused as undecided when all was read back as settled", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalConsumeAll || !strings.HasPrefix(o.answer, "took") || r.sentAgain(i) {
			return ""
		}
		for _, id := range o.input.targets {
			if r.find(func(d operation) bool { return settled(d) && d.ret < o.call && d.input.target == id }) < 0 {
				return ""
			}
		}
		return refused(wire.CodeApprovalPending)
	}},
	{"a prepare that is sent again finds what it opened", func(r recorded, i int) string {
		o := r.operations[i]
		if o.input.what != wire.MethodApprovalPrepare || !strings.Contains(o.answer, "opened") || !r.saidBefore(i) {
			return ""
		}
		var said []string
		for one := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(o.answer, "prepared ["), "]"), "; ") {
			id, _, _ := strings.Cut(strings.TrimPrefix(one, "opened "), ":")
			said = append(said, "found "+strings.TrimPrefix(id, "found "))
		}
		return "prepared [" + strings.Join(said, "; ") + "]"
	}},
}
