package rpc

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/approvald/approvald/internal/approval"
)

// renderChunk is about how much is rendered ahead of a peer's reading. One
// frame that is larger goes alone (protocol §5).
const renderChunk = 64 << 10

// chunkRoom is how much a chunk of live records holds: what is rendered ahead, with
// room for the frame that ends it.
const chunkRoom = renderChunk + 16<<10

// chunks holds buffers for live records. A crowd of subscribers renders the same
// bytes again and again, and each waits with them for its peer only.
var chunks = sync.Pool{New: func() any { return new([chunkRoom]byte) }}

func newChunk() []byte {
	chunk, _ := chunks.Get().(*[chunkRoom]byte) // there is nothing else in it
	return chunk[:0]
}

// freeChunk gives back what newChunk gave, unless it has grown out of it.
func freeChunk(frames []byte) {
	if cap(frames) == chunkRoom {
		chunks.Put((*[chunkRoom]byte)(frames[:chunkRoom]))
	}
}

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
	seat    *handshake // nil until initialized
	live    coverage
	next    uint64 // first record that may matter; 0: none
	done    uint64 // every published record up to here has been considered
	tasks   []task
	notices notices
	asked   asked
}

func newPump(c *conn) *pump {
	return &pump{c: c, asked: newAsked()}
}

// begin opens the pump with what the handshake settled.
func (p *pump) begin(seat *handshake) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seat = seat
}

// joining is what a subscription to a session met when it was made.
type joining struct {
	join  uint64 // the sequence at which the caller read the session
	until uint64 // the last record that is the tasks' matter; those above are live
	done  uint64 // every record up to here had been considered
	// before is what the connection was subscribed to already, as far as it
	// covers the session or one below it.
	before coverage
}

// seen is the last record of a session under the subscription that needs no
// replay. Where the session was covered already, what was sent of it meanwhile
// does not, and what is still owed becomes the tasks' matter, so that all of it
// comes once.
func (j *joining) seen(lineage []approval.ID) uint64 {
	if from, covered := j.before.of(lineage); covered {
		return max(from, j.done)
	}
	return j.join
}

// subscribe adds a session, with those below it, whose state was read at the
// sequence join. tasks makes what comes before live records. Called with
// Server.mu held.
func (p *pump) subscribe(lineage []approval.ID, join uint64, tasks func(joining) []task) {
	p.mu.Lock()
	met := joining{join: join, until: max(join, p.done), done: p.done, before: p.live.around(lineage)}
	p.live.add(lineage, met.until)
	p.look(met.until + 1)
	p.tasks = append(p.tasks, tasks(met)...)
	p.mu.Unlock()
	p.c.out.poke()
}

// everything subscribes to all sessions from a sequence on.
func (p *pump) everything(join uint64, tasks func(until uint64) []task) {
	p.mu.Lock()
	until := max(join, p.done)
	p.live.all, p.live.allFrom = true, until
	p.tasks = append(p.tasks, tasks(until)...)
	p.look(until + 1)
	p.mu.Unlock()
	p.c.out.poke()
}

// late has the peer, which is subscribed to all sessions, asked about what waits in a
// tree since before it was.
func (p *pump) late(root approval.ID) {
	p.mu.Lock()
	p.tasks = append(p.tasks, &reissue{root: root, until: p.live.allFrom})
	p.mu.Unlock()
	p.c.out.poke()
}

// unsubscribe ends a subscription by name. What was promised before, a
// response that waits for a replay, still comes; so does everything that
// another subscription covers. Where every session is subscribed to, nothing
// ends.
func (p *pump) unsubscribe(session approval.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live.all {
		return
	}
	p.live.drop(session, p.done)
	p.asked.leave(func(lineage []approval.ID) bool {
		_, covered := p.live.of(lineage)
		return !covered
	})
}

// sessions are the sessions subscribed to by name.
func (p *pump) sessions() []approval.ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.live.named))
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
