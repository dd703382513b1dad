package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// presence is the interactive reviewer that the inbox is while somebody looks at it:
// a connection of its own, so that to go is to disconnect (protocol §2).
type presence struct {
	connect func(context.Context) (*client.Client, error)
	// linger is how long a reviewer stays when the last page went out of sight: going
	// from one page to the next is not leaving.
	linger time.Duration
	log    *slog.Logger

	mu      sync.Mutex
	looking int
	turn    int            // counts comings, so that an old leaving is known for one
	seat    *client.Client // nil while nobody is there
	closed  bool
}

// come says that somebody looks at a page; the function that it returns, that they do
// not any more. When come returns they count.
func (p *presence) come() (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looking++
	p.turn++
	if p.seat == nil && !p.closed {
		seat, err := p.connect(context.Background())
		if err != nil {
			p.log.Warn("nobody is counted as looking at the web inbox", slog.Any("cause", err))
		} else {
			p.seat = seat
		}
	}
	return sync.OnceFunc(p.leave)
}

func (p *presence) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.looking--; p.looking > 0 || p.seat == nil {
		return
	}
	turn := p.turn
	time.AfterFunc(p.linger, func() { p.left(turn) })
}

// left is the end of lingering, unless somebody came meanwhile.
func (p *presence) left(turn int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn == turn && p.looking == 0 {
		p.vacate()
	}
}

// vacate gives the seat up. Called with mu held.
func (p *presence) vacate() {
	if p.seat != nil {
		if err := p.seat.Close(); err != nil {
			p.log.Debug("leaving the web inbox", slog.Any("cause", err))
		}
		p.seat = nil
	}
}

func (p *presence) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.vacate()
}

// seatOptions are those of the connection that counts as somebody who can be asked.
// What it is asked is shown from the feed; here it only has to be taken.
func seatOptions(o client.Options) client.Options {
	o.Interactive, o.AllSessions, o.Reconnect = true, true, true
	o.OnRequest = func(wire.ApprovalRequest) {}
	o.OnUserInput = func(wire.UserInputRequest) {}
	o.OptOut = []string{
		wire.MethodApprovalRequested, wire.MethodApprovalUpdated, wire.MethodUserInputRequested,
		wire.MethodSessionStarted, wire.MethodSessionStatusChanged, wire.MethodSessionApprovalModeChanged,
		wire.MethodSessionClosed, wire.MethodTurnCompleted, wire.MethodPolicyChanged,
	}
	return o
}
