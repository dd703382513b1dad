package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

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
