package rpc

import (
	"log/slog"
	"sync"

	"github.com/approvald/approvald/internal/approval"
)

// renderChunk is about how much is rendered ahead of a peer's reading. One
// frame that is larger goes alone (protocol §5).
const renderChunk = 64 << 10

// pump renders what a connection is subscribed to. Its position is a sequence
// of the log: it holds no queue of events, so a slow peer costs a number.
//
// A new subscription begins with tasks (a replay, the response that waits for
// it, the pending requests), carried out in order before live records go on.
// Records at or below the sequence at which it joined are the tasks' matter,
// those above are live.
type pump struct {
	c *conn

	mu      sync.Mutex
	seat    *handshake             // nil until initialized
	live    map[approval.ID]uint64 // by subscribed session: records above are live
	all     bool                   // subscribed to every session …
	allFrom uint64                 // … from here on
	next    uint64                 // first record that may matter; 0: none
	done    uint64                 // every published record up to here has been considered
	tasks   []task
	notices notices
	asked   asked
}

func newPump(c *conn) *pump {
	return &pump{c: c, live: make(map[approval.ID]uint64), asked: newAsked()}
}

// begin opens the pump with what the handshake settled.
func (p *pump) begin(seat *handshake) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seat = seat
}

// subscribe adds a session whose state was read at the sequence join. tasks
// makes what comes before live records, given the last record that is theirs
// (until) and the last that needs no replay (seen): where the session is
// subscribed to already, what was sent of it meanwhile does, and what is still
// owed becomes the tasks' matter, so that all of it comes once. Called with
// Server.mu held.
func (p *pump) subscribe(session approval.ID, join uint64, tasks func(seen, until uint64) []task) {
	p.mu.Lock()
	seen, until := join, max(join, p.done)
	if from, ok := p.covered(session); ok {
		seen = max(from, p.done)
	}
	p.live[session] = until
	p.look(until + 1)
	p.tasks = append(p.tasks, tasks(seen, until)...)
	p.mu.Unlock()
	p.c.out.poke()
}

// everything subscribes to all sessions from a sequence on.
func (p *pump) everything(join uint64, tasks func(until uint64) []task) {
	p.mu.Lock()
	until := max(join, p.done)
	p.all, p.allFrom = true, until
	p.tasks = append(p.tasks, tasks(until)...)
	p.look(until + 1)
	p.mu.Unlock()
	p.c.out.poke()
}

// covered is where the live records of a session begin, for one that is
// subscribed to. Called with mu held.
func (p *pump) covered(session approval.ID) (from uint64, ok bool) {
	if from, ok = p.live[session]; ok {
		return from, true
	}
	return p.allFrom, p.all
}

// unsubscribe ends a subscription by name. What was promised before, a
// response that waits for a replay, still comes; so does everything where
// every session is subscribed to.
func (p *pump) unsubscribe(session approval.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.all {
		delete(p.live, session)
		p.asked.leave(session)
	}
}

// sessions are the sessions subscribed to by name.
func (p *pump) sessions() []approval.ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]approval.ID, 0, len(p.live))
	for id := range p.live {
		ids = append(ids, id)
	}
	return ids
}

// notify says that a published record has events for this connection.
func (p *pump) notify(seq uint64) {
	p.mu.Lock()
	if seq > p.done {
		p.look(seq)
	}
	p.mu.Unlock()
	p.c.out.poke()
}

// look makes the pump consider records from seq on. Called with mu held.
func (p *pump) look(seq uint64) {
	if p.next == 0 || seq < p.next {
		p.next = seq
	}
}

// tell adds a notice, or replaces the one it makes stale.
func (p *pump) tell(n notice) {
	p.mu.Lock()
	p.notices.put(n)
	p.mu.Unlock()
	p.c.out.poke()
}

// pull renders the next frames, or none. It runs on the writer's goroutine.
func (p *pump) pull() []byte {
	for {
		frames, more, err := p.step()
		if err != nil {
			p.c.srv.log.Error("events cannot be read from the log", slog.Uint64("conn", p.c.id), slog.Any("cause", err))
			p.c.abandon()
			return nil
		}
		if len(frames) > 0 || !more {
			return frames
		}
	}
}

// step does the next piece of work: tasks first, then notices that are due,
// then live records. more says that there may be another.
func (p *pump) step() (frames []byte, more bool, err error) {
	if t := p.task(); t != nil {
		frames, done, err := t.step(p)
		if done {
			p.mu.Lock()
			p.tasks[0] = nil
			p.tasks = p.tasks[1:]
			p.mu.Unlock()
		}
		return frames, true, err
	}
	if frames := p.dueNotices(); len(frames) > 0 {
		return frames, true, nil
	}
	frames, more, err = p.records()
	if len(frames) == 0 && !more && err == nil {
		frames = p.dueNotices() // those that waited for records with nothing to show
	}
	return frames, more, err
}

func (p *pump) task() task {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tasks) == 0 {
		return nil
	}
	return p.tasks[0]
}

// dueNotices are the notices whose records have gone out, up to a chunk.
func (p *pump) dueNotices() (frames []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(frames) < renderChunk {
		n, ok := p.notices.first()
		if !ok || p.next != 0 && p.next <= n.after {
			break // live records come next, and then this one is due
		}
		p.notices.drop()
		if !p.seat.optedOut(n.method) {
			frames = append(frames, n.frame...)
		}
	}
	return frames
}
