package rpc

import (
	"strconv"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// asked remembers which approvals and prompts a reviewer's connection has been sent,
// and under which request ids. It is safe for concurrent use.
type asked struct {
	mu     sync.Mutex
	lastID int64                            // request ids count from 1 (protocol §1)
	sent   map[approval.ID]sent             // by approval or prompt, until it is settled
	open   map[int64]approval.RequirementID // requests of approvals without a receipt
	in     map[approval.ID][]approval.ID    // lineage of the session of what was sent
}

type sent struct {
	requirement int
	request     int64
}

func newAsked() asked {
	return asked{
		sent: make(map[approval.ID]sent),
		open: make(map[int64]approval.RequirementID),
		in:   make(map[approval.ID][]approval.ID),
	}
}

// number gives a requirement, or a prompt, a request id; false where it has been sent.
func (a *asked) number(lineage []approval.ID, method string, r approval.RequirementID) (int64, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.sent[r.Approval]; ok {
		if old.requirement == r.SourceIndex {
			return 0, false
		}
		delete(a.open, old.request)
	}
	a.lastID++
	a.sent[r.Approval] = sent{r.SourceIndex, a.lastID}
	if method == wire.MethodApprovalRequest {
		a.open[a.lastID] = r
	}
	a.in[r.Approval] = lineage
	return a.lastID, true
}

// forget drops what the peer has been told is settled.
func (a *asked) forget(id approval.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old, ok := a.sent[id]; ok {
		delete(a.open, old.request)
		delete(a.sent, id)
		delete(a.in, id)
	}
}

// leave forgets the approvals and prompts of the sessions that are not watched any more;
// their next subscription is sent them again.
func (a *asked) leave(left func(lineage []approval.ID) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, in := range a.in {
		if left(in) {
			delete(a.open, a.sent[id].request)
			delete(a.sent, id)
			delete(a.in, id)
		}
	}
}

// take looks up which approval a receipt is for. The receipt of a prompt says
// nothing: no prompt is refused for want of somebody to show it.
func (a *asked) take(id int64) (lineage []approval.ID, about approval.ID, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.open[id]
	if !ok {
		return nil, about, false
	}
	delete(a.open, id)
	return a.in[r.Approval], r.Approval, true
}

// requestOf is the request that follows an event that asks; "" for the others.
var requestOf = map[string]string{
	wire.MethodApprovalRequested:  wire.MethodApprovalRequest,
	wire.MethodUserInputRequested: wire.MethodUserInputRequest,
}

// ask appends the request for what an event puts to reviewers, unless it was settled
// before it could be sent.
func (p *pump) ask(frames []byte, e shown) []byte {
	method := requestOf[e.method]
	if !p.seat.shows(method) {
		return frames
	}
	if !p.c.srv.anyPending(last(e.lineage)) {
		return frames // and it is not loaded to say so
	}
	current := false
	notThere := p.c.srv.inSession(last(e.lineage), func(_ *fold.State, session *fold.Session) {
		if a, ok := session.Approval(e.asks.Approval); ok {
			current = a.Pending() && a.Asked == e.cursor
		}
		if prompt, ok := session.Prompt(e.asks.Approval); ok {
			current = prompt.Pending()
		}
	})
	if notThere != nil || !current {
		return frames
	}
	id, fresh := p.asked.number(e.lineage, method, e.asks)
	if !fresh {
		return frames
	}
	return append(frames, requestFrame(id, method, e.params)...)
}

// anyPending reports whether a session has anything pending.
func (s *Server) anyPending(session approval.ID) (waits bool) {
	s.seq.View(func(state *fold.State) {
		in, ok := state.Session(session)
		waits = ok && in.Pending+in.Prompts > 0
	})
	return waits
}

// settle lets go of what is kept about what an event settles.
func (p *pump) settle(e shown) {
	if e.method != wire.MethodApprovalResolved && e.method != wire.MethodUserInputSettled || !p.c.interactive() {
		return
	}
	p.asked.forget(e.about)
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	delete(p.c.refused, e.about)
}

// receipt takes the answer to a request of ours. A result changes nothing; an
// error takes this connection out of the reviewers of that approval
// (protocol §6). An answer to nothing we asked is ignored.
func (p *pump) receipt(m message) {
	id, err := strconv.ParseInt(string(m.id), 10, 64)
	if err != nil {
		return
	}
	lineage, about, ok := p.asked.take(id)
	if !ok || m.rpcError == nil {
		return
	}
	c := p.c
	c.mu.Lock()
	c.refused[about] = struct{}{}
	c.mu.Unlock()
	c.srv.mu.Lock()
	empty := !c.srv.attended(lineage, about)
	c.srv.mu.Unlock()
	if empty {
		c.srv.insist(decide.ReviewersGone{Session: last(lineage), Approval: about})
	}
}

// declined reports whether the peer answered the approval's request with an
// error.
func (c *conn) declined(id approval.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.refused[id]
	return ok
}
