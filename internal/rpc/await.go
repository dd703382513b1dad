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
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxAwaited is how many approvals or prompts one await may name.
const maxAwaited = 1000

// awaited are the params of an await, of approvals or of prompts.
type awaited struct {
	session      string
	member, noun string   // what the ids are called, and what they are of
	ids          []string // as given
	waitMs       *int64   // nil: it has no end
	one          bool     // the first that is settled ends it
	// missing is the error of an id that the session does not know; nil for one that
	// it knows.
	missing func(*fold.Session, approval.ID) *wire.Error
	// known is what is known of what is awaited, in the order asked, of the loaded
	// session.
	known func(*fold.Session, []approval.ID) any
}

// await answers at waitMs 0 what is known, and else parks the await until it is
// over. While it is parked it is not in work.
func (r *request) await(of awaited) {
	p, e := r.parked(of)
	if e != nil {
		r.fail(e)
		return
	}
	if p.waitMs != nil && *p.waitMs == 0 {
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
	p.start()
}

// parked checks the params of an await.
func (r *request) parked(of awaited) (*parked, *wire.Error) {
	p := &parked{awaited: of, request: r}
	if n := len(of.ids); n < 1 || n > maxAwaited {
		return nil, invalid("%s must name 1 to %d %s, not %d", of.member, maxAwaited, of.noun, n)
	}
	if ms := of.waitMs; ms != nil && (*ms < 0 || *ms > math.MaxInt32) {
		return nil, invalid("waitMs must be 0 to %d", math.MaxInt32)
	}
	for _, text := range of.ids {
		id, e := identity(of.member, text)
		if e != nil {
			return nil, e
		}
		p.about = append(p.about, id)
	}
	e := r.inSession(of.session, func(_ *fold.State, session *fold.Session) *wire.Error {
		p.in = session.ID
		for _, id := range p.about {
			if e := of.missing(session, id); e != nil {
				return e
			}
		}
		return nil
	})
	return p, e
}

// parked is an await of what is not settled yet. It ends once: by the
// writer of the log, by its time-out, with its connection or with the daemon.
type parked struct {
	awaited
	request *request
	in      approval.ID // the session
	about   []approval.ID
	turn    uint64 // its place among those of the connection; guarded by conn.mu

	mu       sync.Mutex
	over     bool
	withdraw func() bool // from the sequencer; nil until it is registered
	stop     func()      // the time-out; nil for none
}

// start registers the await. It may end before start returns.
func (p *parked) start() {
	srv := p.request.conn.srv
	withdraw, unknown := srv.seq.Await(p.in, p.about, p.one, func() { p.end(nil) })
	if unknown != nil { // what was opened stays known: it could not be looked up
		_, why := p.result()
		if why == nil {
			why = wire.NewError(wire.CodeInternal, "internal error")
		}
		p.end(why)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		withdraw()
		return
	}
	p.withdraw = withdraw
	if p.waitMs != nil {
		p.stop = srv.cfg.Clock.AfterFunc(time.Duration(*p.waitMs)*time.Millisecond, func() { p.end(nil) })
	}
}

// end answers the await, with e where it is not nil. Only the first call does.
func (p *parked) end(e *wire.Error) {
	if !p.release() {
		return
	}
	r := p.request
	var result any
	if e == nil {
		result, e = p.result()
	}
	if e != nil {
		r.conn.out.send(errorFrame(r.id, e))
		return
	}
	body, err := wire.Marshal(result)
	if err != nil {
		r.conn.srv.log.Error("encode the result of an await", slog.String("method", r.method), slog.Any("cause", err))
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

// result is what is known of what is awaited. The writer may ask for it when
// something was settled, and finds the session loaded.
func (p *parked) result() (result any, notThere *wire.Error) {
	notThere = p.request.conn.srv.inSession(p.in, func(_ *fold.State, session *fold.Session) {
		result = p.known(session, p.about)
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
