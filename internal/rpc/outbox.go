package rpc

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// DefaultStall is how long a socket may take no byte before its connection is
// closed (protocol §5).
const DefaultStall = 30 * time.Second

// writeChunk is the most that one write system call is given, so that a slow
// peer shows progress.
const writeChunk = 64 << 10

// outbox is what a connection owes its peer: one buffer of whole frames and
// one writer goroutine. Sending never blocks.
type outbox struct {
	w io.Writer
	// direct writes what the kernel takes right now and never waits; nil where
	// the transport cannot. A frame for an idle connection goes out this way,
	// which saves the wake-up of the writer (perf.md §3).
	direct func([]byte) (int, error)

	mu      sync.Mutex
	wake    *sync.Cond // the writer waits on it; shares mu
	buf     []byte     // owed and not yet handed to the writer
	writing int        // bytes that the writer is sending right now
	busy    bool       // the writer is outside mu and may write
	poked   bool       // there may be something to pull
	turns   *turns     // who may pull; nil: everybody
	left    bool       // the writer has ended
	asked   bool       // a turn has been asked for
	turn    bool       // … and given, and not given on
	closed  bool       // no more frames are accepted; what is owed is still sent
	broken  bool       // the peer is gone
	eased   func()     // called without mu when a write made room
	stall   time.Duration
}

func newOutbox(w io.Writer, direct func([]byte) (int, error), stall time.Duration, eased func()) *outbox {
	o := &outbox{w: w, direct: direct, stall: stall, eased: eased}
	o.wake = sync.NewCond(&o.mu)
	return o
}

// send owes the peer frames, each ended by a newline. They leave in the order
// sent. After close they are dropped.
func (o *outbox) send(frames []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.broken {
		return
	}
	if o.direct != nil && !o.busy && len(o.buf) == 0 {
		n, err := o.direct(frames)
		if err != nil {
			o.broken = true
		}
		if frames = frames[n:]; len(frames) == 0 {
			return
		}
	}
	o.buf = append(o.buf, frames...)
	o.wake.Signal()
}

// poke tells the writer that pull may have something. One that has to wait for its
// turn is not woken before.
func (o *outbox) poke() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.poked || o.left {
		return // it knows, or there is nobody to be told
	}
	o.poked = true
	if o.busy || o.broken || o.mayPull() {
		o.wake.Signal()
	}
}

// owed is how many bytes the peer has not taken yet.
func (o *outbox) owed() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.buf) + o.writing
}

// idle reports whether nothing is owed and the writer waits.
func (o *outbox) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken || len(o.buf) == 0 && !o.busy && !o.poked
}

// close lets the writer end when what is owed has been sent.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.wake.Broadcast()
}

// breakOff ends the writer now: the peer is gone.
func (o *outbox) breakOff() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.broken, o.buf = true, true, nil
	o.wake.Broadcast()
}

// run is the writer goroutine. It returns when the outbox is closed and empty,
// or the peer is gone. pull renders the next frames of the subscriptions, or
// none; it is called only while nothing else is owed.
func (o *outbox) run(pull func() []byte) error {
	defer o.leave()
	for {
		pulled := false
		frames, more := o.next()
		if !more {
			return nil
		}
		if frames == nil {
			frames = pull()
			o.pulled()
			if frames == nil {
				continue
			}
			o.poke() // there may be more
			// What was sent while pull ran goes first. The events that pull has found
			// may be those that an ack among it announces.
			if err := o.write(o.meanwhile()); err != nil {
				o.breakOff()
				return err
			}
			pulled = true
		}
		if err := o.write(frames); err != nil {
			o.breakOff()
			return err
		}
		if pulled {
			freeChunk(frames)
		}
	}
}

// next waits for something to do: frames that are owed, or none and the
// permission to pull. more is false when the outbox is at its end.
func (o *outbox) next() (frames []byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy, o.writing = false, 0
	for {
		switch {
		case o.broken:
			return nil, false
		case len(o.buf) > 0:
			frames, o.buf = o.buf, nil
			o.busy, o.writing = true, len(frames)
			return frames, true
		case o.poked && o.mayPull():
			o.busy, o.poked = true, false
			return nil, true
		case o.closed && !o.poked:
			return nil, false
		}
		o.wake.Wait()
	}
}

// mayPull reports whether it is this one's turn, and asks for it. Meanwhile what is
// sent goes out. Called with mu held.
func (o *outbox) mayPull() bool {
	if o.turns == nil {
		return true
	}
	if !o.asked {
		o.asked = true
		o.turn = o.turns.ask(o)
	}
	return o.turn
}

// grant gives the turn that was asked for; false where nobody wants it any more.
func (o *outbox) grant() (wanted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.asked {
		o.turn = true
		o.wake.Signal()
	}
	return o.asked
}

// pulled gives the turn on.
func (o *outbox) pulled() {
	if o.turns == nil {
		return
	}
	o.mu.Lock()
	o.asked, o.turn = false, false
	o.mu.Unlock()
	o.turns.done()
}

// leave gives up a turn that was asked for and not used: the writer has ended.
func (o *outbox) leave() {
	o.mu.Lock()
	had := o.turn
	o.left, o.asked, o.turn = true, false, false
	o.mu.Unlock()
	if had {
		o.turns.done()
	}
}

// meanwhile takes what was sent since next gave permission to pull.
func (o *outbox) meanwhile() (frames []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	frames, o.buf = o.buf, nil
	o.writing = len(frames)
	return frames
}

// write sends frames at the peer's pace.
func (o *outbox) write(frames []byte) error {
	// Not every stream has deadlines; one that has none waits as long as its
	// peer does, and only its own connection with it.
	timed, _ := o.w.(interface{ SetWriteDeadline(time.Time) error })
	if timed != nil {
		// One that is left standing would fail a direct write much later.
		defer func() { _ = timed.SetWriteDeadline(time.Time{}) }()
	}
	for len(frames) > 0 {
		if timed != nil {
			_ = timed.SetWriteDeadline(time.Now().Add(o.stall))
		}
		n, err := o.w.Write(frames[:min(len(frames), writeChunk)])
		if n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil // slow, but it takes something
		}
		frames = frames[n:]
		if err != nil {
			return err
		}
		o.mu.Lock()
		o.writing = max(0, o.writing-n)
		o.mu.Unlock()
		o.eased()
	}
	return nil
}
