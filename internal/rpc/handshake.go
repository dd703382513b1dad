package rpc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/approvald/approvald/wire"
)

// handshake is what a connection has said about itself (protocol §2).
type handshake struct {
	begun       bool // initialize was answered
	done        bool // initialized was seen
	client      wire.ClientInfo
	role        wire.Role
	interactive bool
	allSessions bool
	turns       bool // it carries out the turns of the sessions that it owns
	noDialogs   bool // userInput/request is not for it
	optOut      []string
	decidedBy   bool // it is told who decided (wire.CapabilityDecidedBy)
}

// nameLetters are what the name of a client is made of.
const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// protected are the notifications that nobody can opt out of (protocol §5).
var protected = []string{wire.MethodApprovalResolved, wire.MethodUserInputSettled}

func (r *request) initialize() {
	c := r.conn
	if c.handshake.begun {
		r.fail(alreadyInitialized())
		return
	}
	var p wire.InitializeParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	h, e := c.greet(p)
	if e != nil {
		r.fail(e)
		return
	}
	c.handshake = h
	r.reply(c.srv.hello(h))
}

// greet reads what the client says about itself.
func (c *conn) greet(p wire.InitializeParams) (handshake, *wire.Error) {
	h := handshake{begun: true, client: p.ClientInfo, role: c.transport.Widest, interactive: true, turns: c.transport.Hosted != nil}
	switch {
	case p.ClientInfo.Name == "" || strings.Trim(p.ClientInfo.Name, nameLetters) != "" || len(p.ClientInfo.Name) > maxName:
		return h, invalid("clientInfo.name must be 1 to %d characters of a to z, 0 to 9 and _", maxName)
	case p.ClientInfo.Version == "" || len(p.ClientInfo.Version) > maxName:
		return h, invalid("clientInfo.version must be 1 to %d bytes long", maxName)
	case p.Capabilities == nil:
		return h, nil
	}
	for _, method := range p.Capabilities.OptOutNotificationMethods {
		if optional(method) && !h.optedOut(method) { // the list may be as long as a frame
			h.optOut = append(h.optOut, method)
		}
	}
	if dialogs := p.Capabilities.UserInputDialogs; dialogs != nil {
		h.noDialogs = !*dialogs
	}
	if own := p.Capabilities.Approvald; own != nil {
		if e := c.greetOwn(&h, own); e != nil {
			return h, e
		}
	}
	h.decidedBy = h.role != wire.RoleAgent && slices.Contains(p.Capabilities.RequestedCapabilities, wire.CapabilityDecidedBy)
	return h, nil
}

// greetOwn reads what the client says about itself in approvald's own part.
func (c *conn) greetOwn(h *handshake, own *wire.ApprovaldRequested) *wire.Error {
	h.allSessions, h.turns = own.AllSessions, own.Turns || h.turns
	if own.Interactive != nil {
		h.interactive = *own.Interactive
	}
	if own.Role != "" {
		if !roleWithin(own.Role, c.transport.Widest) {
			return tooWide("capabilities.approvald.role", c.transport.Widest)
		}
		h.role = own.Role
	}
	if h.allSessions && h.role == wire.RoleAgent {
		return invalid("capabilities.approvald.allSessions: an agent sees the sessions it owns")
	}
	if h.turns && h.role == wire.RoleReviewer {
		return invalid("capabilities.approvald.turns: a reviewer owns no sessions, and carries out no turns")
	}
	return nil
}

// roleWithin reports whether a role is no wider than the widest of a transport.
func roleWithin(role, widest wire.Role) bool {
	switch role {
	case wire.RoleAgent, wire.RoleReviewer, wire.RoleBoth:
		return role == widest || widest == wire.RoleBoth
	}
	return false
}

func (s *Server) hello(h handshake) wire.InitializeResult {
	id := s.cfg.Identity
	durability := wire.DurabilityDurable
	if s.cfg.Ephemeral {
		durability = wire.DurabilityEphemeral
	}
	var granted []string
	if h.decidedBy {
		granted = append(granted, wire.CapabilityDecidedBy)
	}
	return wire.InitializeResult{
		ServerInfo:          wire.ServerInfo{Name: "approvald", Version: id.Version},
		UserAgent:           fmt.Sprintf("approvald/%s (%s; %s)", id.Version, id.OS, id.Arch),
		MuseHome:            id.Home,
		PlatformFamily:      "unix",
		PlatformOS:          id.OS,
		Schema:              wire.Schema{Version: 1, Fingerprint: id.Fingerprint},
		GrantedCapabilities: granted,
		SessionDurability:   durability,
		Approvald:           wire.ApprovaldGranted{Protocol: wire.ProtocolVersion, Role: h.role},
	}
}

// initialized ends the handshake; nothing is pushed before it.
func (c *conn) initialized() {
	h := &c.handshake
	if !h.begun || h.done {
		return
	}
	h.done = true
	seat := *h
	c.pump.begin(&seat)
	c.seat.Store(&seat)
	c.srv.tellBadPolicy(c)
	if hosted := c.transport.Hosted; hosted != nil {
		c.srv.takeSeat(c, *hosted)
	}
	if h.allSessions {
		c.srv.watchAll(c)
	}
}

// optional reports whether there is such a notification and it may be opted
// out of: neither a request nor a protected notification may (protocol §5).
func optional(method string) bool {
	spec, known := wire.LookupMethod(method)
	return known && spec.Kind == wire.NotificationMethod && !slices.Contains(protected, method)
}

// shows reports whether a request may be sent: a client may say that it shows no
// prompts.
func (h *handshake) shows(request string) bool {
	return request != wire.MethodUserInputRequest || !h.noDialogs
}

// optedOut reports whether a notification is not wanted.
func (h *handshake) optedOut(method string) bool { return slices.Contains(h.optOut, method) }
