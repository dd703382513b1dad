package rpc

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// The bounds on what a connection may keep in work (protocol §1).
const (
	maxInWork   = 64       // requests started and not answered
	maxAwaits   = 10_000   // parked awaits
	startBelow  = 4 << 20  // bytes of unread answers at which no request is started
	readBelow   = 16 << 20 // … and at which the connection is not read
	queueFrames = 1024     // requests that wait
	queueBytes  = 16 << 20 // … and what they hold together
)

// conn is one connection.
type conn struct {
	srv       *Server
	transport Transport
	id        uint64
	out       *outbox
	queue     *queue
	pump      *pump

	// handshake is owned by the dispatcher.
	handshake handshake
	// seat is what the handshake settled, for everyone; nil until initialized.
	seat atomic.Pointer[handshake]

	mu       sync.Mutex
	settled  *sync.Cond // commands fell to 0, inWork fell, or answers drained
	inWork   int
	commands int
	awaits   map[*parked]struct{}
	// lastAwait counts the awaits that were ever parked.
	lastAwait uint64
	owned     map[approval.ID]struct{}
	refused   map[approval.ID]struct{} // approvals whose request it answered with an error
	gone      bool
	reading   bool // the reader waits for the peer
}

func newConn(s *Server, t Transport) *conn {
	c := &conn{
		srv: s, transport: t, id: s.nextID.Add(1),
		queue:   newQueue(),
		awaits:  make(map[*parked]struct{}),
		owned:   make(map[approval.ID]struct{}),
		refused: make(map[approval.ID]struct{}),
	}
	c.settled = sync.NewCond(&c.mu)
	c.out = newOutbox(t.Conn, directWriter(t.Conn), s.cfg.Stall, c.ease)
	c.out.turns = &s.rendering
	c.pump = newPump(c)
	return c
}

// serve runs the connection to its end.
func (c *conn) serve() {
	var wg sync.WaitGroup
	wg.Go(c.dispatch)
	wg.Go(func() {
		if err := c.out.run(c.pump.pull); err != nil {
			c.srv.log.Debug("peer is not reading any more", slog.Uint64("conn", c.id), slog.Any("cause", err))
		}
		c.abandon()
	})
	c.read()
	c.queue.close()
	wg.Wait()
}

// read is the reader goroutine.
func (c *conn) read() {
	lines := newLineReader(c.transport.Conn)
	for {
		c.waitToRead()
		f, err := lines.next()
		c.setReading(false)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.srv.log.Debug("connection ended", slog.Uint64("conn", c.id), slog.Any("cause", err))
			}
			return
		}
		c.receive(f)
	}
}

// receive takes one frame: it answers what is no message, takes receipts and
// queues the rest.
func (c *conn) receive(f frame) {
	if f.oversized {
		c.answerFault(oversized(f.line))
		return
	}
	m, flaw := decode(f.line)
	switch {
	case flaw != nil:
		c.answerFault(flaw)
	case m.method == "":
		c.pump.receipt(m)
	case !c.queue.push(m, len(f.line)) && m.id != nil:
		refusal := wire.NewError(wire.CodeOverloaded,
			"Too many requests wait on this connection; read their answers before sending more.")
		if c.queue.over() {
			refusal = shuttingDown()
		}
		c.out.send(errorFrame(m.id, refusal))
	}
}

func (c *conn) answerFault(f *fault) {
	if !f.silent {
		c.out.send(errorFrame(f.id, f.err))
	}
}

// waitToRead holds the reader while the peer does not take its answers.
func (c *conn) waitToRead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.gone && c.out.owed() > readBelow {
		c.settled.Wait()
	}
	c.reading = true
}

func (c *conn) setReading(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = on
}

// dispatch is the dispatcher goroutine: requests in order, each when there is
// room for it. It ends when the peer has stopped sending, everything queued
// has been answered, and nothing is parked; or when the peer is gone.
func (c *conn) dispatch() {
	for {
		m, ok := c.queue.pop()
		if !ok {
			break
		}
		c.waitToStart(m)
		c.handle(m)
		c.queue.done()
	}
	c.finish()
}

// waitToStart holds a request until it may be in work.
func (c *conn) waitToStart(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.gone && (c.inWork >= maxInWork || c.out.owed() > startBelow) {
		c.settled.Wait()
	}
	if m.id != nil {
		c.inWork++
	}
}

// finish sends what is still owed to a peer that has closed its half, then
// lets the connection go. A peer that is gone cannot be told from one that
// only stopped sending, so what is parked is answered shuttingDown.
func (c *conn) finish() {
	c.mu.Lock()
	for !c.gone && c.inWork > 0 {
		c.settled.Wait()
	}
	c.mu.Unlock()
	c.endAwaits()
	if c.transport.Last != nil && c.transport.Last() {
		c.tellShutdown()
	}
	c.out.close()
	c.expectProgress(c.out.owed())
}

// expectProgress abandons a peer that closed its half and, for as long as a
// socket may stall, takes nothing of what it is owed: a pipe has no deadline of
// its own.
func (c *conn) expectProgress(owed int) {
	if owed == 0 {
		return
	}
	time.AfterFunc(c.srv.cfg.Stall, func() {
		if left := c.out.owed(); left != owed {
			c.expectProgress(left)
			return
		}
		c.abandon()
	})
}

// settle waits until every command of this connection has been answered, so
// that what follows sees their effect.
func (c *conn) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.gone && c.commands > 0 {
		c.settled.Wait()
	}
}

// ease lets the reader and the dispatcher look again at what is owed.
func (c *conn) ease() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled.Broadcast()
}

// abandon ends the connection now.
func (c *conn) abandon() {
	c.mu.Lock()
	already := c.gone
	c.gone = true
	c.settled.Broadcast()
	c.mu.Unlock()
	if already {
		return
	}
	c.queue.close()
	c.out.breakOff()
	if err := c.transport.Conn.Close(); err != nil {
		c.srv.log.Debug("closing a connection", slog.Uint64("conn", c.id), slog.Any("cause", err))
	}
}

// party is who acts on this connection, for the records.
func (c *conn) party() record.Party { return c.partyAs(&c.handshake) }

// partyAs is the peer by what its handshake says.
func (c *conn) partyAs(h *handshake) record.Party {
	return record.Party{
		Client: h.client.Name, Version: h.client.Version,
		Role: string(h.role), Transport: c.transport.Name,
		PID: c.transport.Peer.PID, UID: c.transport.Peer.UID, Executable: c.transport.Peer.Executable,
	}
}

// interactive reports whether the connection counts as an interactive reviewer
// of what it is subscribed to (protocol §2).
func (c *conn) interactive() bool {
	seat := c.seat.Load()
	return seat != nil && seat.interactive && seat.role != wire.RoleAgent
}

// idle reports whether nothing is on its way on this connection.
func (c *conn) idle() bool {
	c.mu.Lock()
	working := !c.gone && (c.inWork > 0 || !c.reading && !c.queue.closed())
	c.mu.Unlock()
	return !working && c.queue.idle() && c.out.idle()
}
