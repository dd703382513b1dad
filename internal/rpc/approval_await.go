package rpc

import (
	"cmp"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

const maxAwaited = 1000

// approvalAwait serves approval/await (protocol §7): it is answered when all
// (any: one) are resolved, or at waitMs with what is known. While it is parked
// it is not in work.
func (r *request) approvalAwait() {
	var params wire.ApprovalAwaitParams
	if e := r.decode(&params); e != nil {
		r.fail(e)
		return
	}
	p, e := r.awaited(params)
	if e != nil {
		r.fail(e)
		return
	}
	if params.WaitMs != nil && *params.WaitMs == 0 {
		result, e := p.result()
		if e != nil {
			r.fail(e)
			return
		}
		r.reply(result)
		return
	}
	if !r.conn.park(p) {
		r.fail(wire.NewError(wire.CodeOverloaded, "This connection has as many awaits parked as it may; name several approvals in one."))
		return
	}
	r.conn.finished()
	p.start(params)
}

// awaited checks the params of an await.
func (r *request) awaited(params wire.ApprovalAwaitParams) (*parked, *wire.Error) {
	p := &parked{request: r}
	if n := len(params.ApprovalIDs); n < 1 || n > maxAwaited {
		return nil, invalid("approvalIds must name 1 to %d approvals, not %d", maxAwaited, n)
	}
	if ms := params.WaitMs; ms != nil && (*ms < 0 || *ms > math.MaxInt32) {
		return nil, invalid("waitMs must be 0 to %d", math.MaxInt32)
	}
	for _, text := range params.ApprovalIDs {
		id, e := identity("approvalIds", text)
		if e != nil {
			return nil, e
		}
		p.ids = append(p.ids, id)
	}
	return p, r.inSession(params.SessionID, func(_ *fold.State, session *fold.Session) *wire.Error {
		p.session = session.ID
		for _, id := range p.ids {
			if _, ok := session.Approval(id); !ok {
				return decide.ApprovalNotFound(id)
			}
		}
		return nil
	})
}

// parked is an await whose approvals are not settled yet. It ends once: by the
// writer of the log, by its time-out, with its connection or with the daemon.
type parked struct {
	request *request
	session approval.ID
	ids     []approval.ID
	turn    uint64 // its place among those of the connection; guarded by conn.mu

	mu       sync.Mutex
	over     bool
	withdraw func() bool // from the sequencer; nil until it is registered
	stop     func()      // the time-out; nil for none
}

// start registers the await. It may end before start returns.
func (p *parked) start(params wire.ApprovalAwaitParams) {
	srv := p.request.conn.srv
	withdraw, unknown := srv.seq.Await(p.session, p.ids, params.Any, func() { p.end(nil) })
	if unknown != nil {
		p.end(wire.NewError(wire.CodeInternal, "internal error")) // what was opened stays known
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		withdraw()
		return
	}
	p.withdraw = withdraw
	if params.WaitMs != nil {
		p.stop = srv.cfg.Clock.AfterFunc(time.Duration(*params.WaitMs)*time.Millisecond, func() { p.end(nil) })
	}
}

// end answers the await, with e where it is not nil. Only the first call does.
func (p *parked) end(e *wire.Error) {
	if !p.release() {
		return
	}
	r := p.request
	var result wire.ApprovalAwaitResult
	if e == nil {
		result, e = p.result()
	}
	if e != nil {
		r.conn.out.send(errorFrame(r.id, e))
		return
	}
	body, err := wire.Marshal(result)
	if err != nil {
		r.conn.srv.log.Error("encode the result of approval/await", slog.Any("cause", err))
		r.conn.out.send(errorFrame(r.id, wire.NewError(wire.CodeInternal, "internal error")))
		return
	}
	r.conn.out.send(r.frameOf(body))
}

// release takes the await out of everything that could end it; false where
// something has.
func (p *parked) release() bool {
	p.mu.Lock()
	already := p.over
	p.over = true
	stop, withdraw := p.stop, p.withdraw
	p.mu.Unlock()
	if already {
		return false
	}
	if stop != nil {
		stop()
	}
	if withdraw != nil {
		withdraw()
	}
	p.request.conn.unpark(p)
	return true
}

// result is what is known of the approvals, in the order asked. The writer may ask
// for it when one was settled, and finds the session loaded.
func (p *parked) result() (wire.ApprovalAwaitResult, *wire.Error) {
	var result wire.ApprovalAwaitResult
	notThere := p.request.conn.srv.inSession(p.session, func(_ *fold.State, session *fold.Session) {
		for _, id := range p.ids {
			one := wire.AwaitResult{ApprovalID: id.String(), State: wire.StatePending}
			if a, ok := session.Approval(id); ok && !a.Pending() {
				one.State, one.Resolution = wire.StateResolved, a.Resolution()
			}
			result.Results = append(result.Results, one)
		}
	})
	return result, notThere
}

// park counts an await in; false where the connection has too many.
func (c *conn) park(p *parked) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.awaits) >= maxAwaits {
		return false
	}
	c.lastAwait++
	p.turn = c.lastAwait
	c.awaits[p] = struct{}{}
	return true
}

func (c *conn) unpark(p *parked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.awaits, p)
}

// parkedAwaits are the awaits that are parked, in the order in which they came.
func (c *conn) parkedAwaits() []*parked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.awaits), func(a, b *parked) int { return cmp.Compare(a.turn, b.turn) })
}

// endAwaits answers what is parked: the daemon, or the connection, ends. What
// is pending stays pending.
func (c *conn) endAwaits() {
	for _, p := range c.parkedAwaits() {
		p.end(shuttingDown())
	}
}

// drain tells the peer that the daemon ends, and lets the connection go when
// it has taken what it is owed.
func (c *conn) drain() {
	c.endAwaits()
	c.tellShutdown()
	c.queue.close() // the dispatcher answers what is queued and ends the connection
}

// tellShutdown tells the peer, behind every event that it is still owed, that
// its sessions close because the daemon ends.
func (c *conn) tellShutdown() {
	if c.seat.Load() == nil {
		return
	}
	now, head := c.srv.cfg.Clock.Now().UnixMilli(), c.srv.durable()
	for _, lineage := range c.srv.stillOpen(c) {
		session := last(lineage)
		c.pump.tell(notice{noticeKey: noticeKey{session, wire.MethodSessionClosed}, after: head,
			frame: mustNotification(wire.MethodSessionClosed, wire.SessionClosed{
				SessionID: session.String(), Reason: wire.CloseHostShutdown, SubagentOrigin: fold.Origin(lineage),
			}, now)})
	}
}
