package rpc

import (
	"log/slog"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// userInputEngaged serves the notification userInput/engaged (protocol §6). It is not
// answered, whatever becomes of it. What the peer sends next finds it carried out:
// that holds the dispatcher, and so a peer that sends many of them, for a commit.
func (c *conn) userInputEngaged(m message) {
	spec, _ := wire.LookupMethod(m.method)
	if c.transport.Refused != "" || !c.handshake.done || !spec.Allows(c.handshake.role) {
		return
	}
	var p wire.UserInputEngaged
	if canon.Unmarshal(m.params, &p) != nil {
		return
	}
	session, e := identity("sessionId", p.SessionID)
	if e != nil {
		return
	}
	input, e := identity("userInputId", p.UserInputID)
	if e != nil {
		return
	}
	err := c.srv.seq.Carry(decide.EngageInput{Session: session, Input: input, By: c.party()})
	if err != nil {
		c.srv.log.Debug("userInput/engaged came too late", slog.Uint64("conn", c.id), slog.Any("cause", err))
	}
}
