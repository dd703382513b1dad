package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// AgentExited says that the program of --agent-cmd which carried out the turns of a
// session has ended, or could not be started (protocol §4): what it had pending, there
// and in the sessions below, is cancelled, and its open turn has failed.
type AgentExited struct {
	Session approval.ID
	PID     int    // of the process; 0: there was none
	Until   uint64 // a turn that a later record started is not its own
	Reason  string // a sentence
}

func (c AgentExited) concerns(*fold.State) approval.ID { return c.Session }

func (c AgentExited) decide(s *fold.State, env Env) Result {
	session, ok := s.Session(c.Session)
	if !ok || session.Closed {
		return Result{}
	}
	its := func(pid int) bool { return pid == c.PID }
	d := newDraft(s, env, session.ID, approval.CommandID{})
	for below := range s.Family(session) {
		if below.ID != session.ID && !below.Closed {
			d.in(below.ID, func() { d.cancelHosted(its, "", c.Reason) })
		}
	}
	d.loseHosted(its, c.Until, wire.TurnHasFailed, c.Reason, c.Reason)
	return Result{Records: d.records}
}

// loseHosted settles what a program of --agent-cmd that is gone has left in the draft's
// session: first what it opened outside its turn, then the turn, where that was started
// until a record.
func (d *draft) loseHosted(its func(pid int) bool, until uint64, terminal wire.TurnTerminal, reason, why string) {
	var turn string
	if open, ok := d.now().OpenTurn(); ok && open.Hosted && open.Started <= until {
		turn = open.ID.String()
	}
	d.cancelHosted(its, turn, why)
	if turn != "" {
		d.endTurn(&record.TurnEnded{TurnID: turn, Terminal: string(terminal), Reason: reason}, why)
	}
}

// cancelHosted cancels what the program has pending in the draft's session, but for
// what is in a turn that ends next. its tells the program's process.
func (d *draft) cancelHosted(its func(pid int) bool, turn, why string) {
	session := d.now()
	later := session.InTurn(turn)
	for _, a := range session.PendingApprovals() {
		if a.Hosted && its(a.PID) && !later.Approval(a) {
			d.settle(a, approval.ByAgentCancel, &record.ApprovalSettled{Reason: why})
		}
	}
	var prompts []*fold.Prompt
	for _, p := range session.PendingPrompts() {
		if by := p.Request.By; by.Hosted() && its(by.PID) && !later.Prompt(p) {
			prompts = append(prompts, p)
		}
	}
	d.cancelPrompts(prompts, wire.SourceAgent, why)
}

// hosting reports whether a program of --agent-cmd has anything open in a session: such
// programs end with their daemon.
func hosting(session *fold.Session) bool {
	if open, ok := session.OpenTurn(); ok && open.Hosted {
		return true
	}
	for _, a := range session.PendingApprovals() {
		if a.Hosted {
			return true
		}
	}
	for _, p := range session.PendingPrompts() {
		if p.Request.By.Hosted() {
			return true
		}
	}
	return false
}
