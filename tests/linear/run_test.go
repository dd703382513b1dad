package linear

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// host is what the clients talk to: a daemon, or what is taken for one.
type host interface {
	dial() (peer, error)
	restarts() (crash, open func() error)
	tell() (*story, error)
}

// peer is a connection.
type peer interface {
	do(in input) (reply, error)
	cut(in input, whole bool) error
}

// plan is how a history is made.
type plan struct {
	seed    uint64
	clients int // that are connected at once
	lives   int // of the daemon
	each    int // operations begun in a life
}

// observer is the client who reads everything back when the others have left.
const observer = 99

// record has clients work with a host through all its lives, and then reads
// back what became of everything.
func record(p plan, h host) (recorded, error) {
	r := rand.New(rand.NewPCG(p.seed, 0))
	w := newWorld()
	crash, open := h.restarts()
	for life := range p.lives {
		last := life == p.lives-1
		crashed := make(chan error, 1)
		w.stopAfter(p.each, func() {
			if last {
				crashed <- nil
				return
			}
			go func() { crashed <- crash() }()
		})
		err := w.live(p.clients, h, r)
		if err = errors.Join(err, <-crashed); err != nil {
			return recorded{}, err
		}
		w.history.endAll()
		if last {
			break
		}
		o := w.history.begins(observer, input{what: restart})
		if err := open(); err != nil {
			return recorded{}, err
		}
		w.history.ends(o, "restarted")
	}
	if err := w.readBack(h); err != nil {
		return recorded{}, err
	}
	o := w.history.begins(observer, input{what: told})
	s, err := h.tell()
	if err != nil {
		return recorded{}, err
	}
	w.history.ends(o, fmt.Sprintf("%d events", len(s.events)))
	return w.history.over(s), nil
}

// live is what the clients do in one life of a host.
func (w *world) live(clients int, h host, r *rand.Rand) error {
	failures := make([]error, clients)
	var wg sync.WaitGroup
	for n := range clients {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		wg.Go(func() {
			if err := w.drive(n, h, own); !errors.Is(err, errGone) {
				failures[n] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// drive is one client. It ends where enough was done, and where the host is gone.
func (w *world) drive(n int, h host, r *rand.Rand) error {
	p, err := h.dial()
	for err == nil {
		in, more := w.next(r)
		switch {
		case !more:
			return nil
		case in.command != "" && r.IntN(20) == 0:
			p, err = w.cut(n, p, h, in, r)
		default:
			err = w.do(n, p, in)
		}
	}
	return err
}

func (w *world) do(n int, p peer, in input) error {
	o := w.history.begins(n, in)
	got, err := p.do(in)
	if err == nil {
		w.history.ends(o, got.answer)
		w.learn(got.met)
	}
	return err
}

// cut sends a command, or a part of one, and hangs up. A torn one has no effect.
// A whole one may have one until a further command, sent when the daemon has
// let go of the connection, is answered: the writer takes them in turn.
func (w *world) cut(n int, p peer, h host, in input, r *rand.Rand) (peer, error) {
	whole := r.IntN(4) > 0
	var o *operation
	if whole {
		o = w.history.begins(n, in)
	}
	if err := p.cut(in, whole); err != nil {
		return nil, err
	}
	p, err := h.dial()
	if err == nil {
		err = w.do(n, p, input{what: wire.MethodApprovalDecide, command: client.NewCommandID(), target: wherever, choice: wire.ChoiceAbort})
	}
	if err != nil {
		return nil, err
	}
	if whole {
		w.history.ends(o, "")
	}
	if r.IntN(3) > 0 {
		return p, w.do(n, p, in)
	}
	return p, nil
}

// readBack asks after everything that was ever met, and takes what there is to take.
func (w *world) readBack(h host) error {
	p, err := h.dial()
	if err != nil {
		return err
	}
	if err := w.do(observer, p, listing); err != nil {
		return err
	}
	for _, k := range w.met {
		err := errors.Join(
			w.do(observer, p, input{what: wire.MethodApprovalAwait, targets: []string{k.id}}),
			w.do(observer, p, input{what: wire.MethodApprovalConsume, command: client.NewCommandID(), target: k.id, call: k.call, digest: argsDigest}),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// daemons are the lives of a daemon over one state directory.
type daemons struct {
	config daemon.Config
	now    *daemon.Daemon
	story  *story
	ended  int // daemons so far
}

// newDaemons opens the first one, with one session.
func newDaemons(state string, seed uint64) (*daemons, error) {
	clock := sequencer.SystemClock{}
	var entropy [32]byte
	entropy[0], entropy[1], entropy[2], entropy[3] = byte(seed), byte(seed>>8), byte(seed>>16), byte(seed>>24)
	h := &daemons{config: daemon.Config{
		StateDir: state, Clock: clock, NewID: daemon.Minter(rand.NewChaCha8(entropy), clock),
		Identity: rpc.Identity{Version: "linear", Home: state, OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	}}
	if err := h.open(); err != nil {
		return nil, err
	}
	c, err := attach(h.now, nil)
	if err != nil {
		return nil, err
	}
	raw, err := c.call(wire.MethodSessionStart, wire.SessionStartParams{CommandID: client.NewCommandID()})
	if err != nil {
		return nil, err
	}
	var started wire.SessionStartResult
	if err := json.Unmarshal(raw, &started); err != nil {
		return nil, err
	}
	session, err := approval.ParseID(started.Session.SessionID)
	h.story = newStory(session)
	return h, errors.Join(err, c.close())
}

func (h *daemons) dial() (peer, error) { return attach(h.now, h.story) }

func (h *daemons) restarts() (crash, open func() error) { return h.crash, h.open }

// crash ends a daemon, every other one in order.
func (h *daemons) crash() error {
	if h.ended++; h.ended%2 == 0 {
		return h.now.Close()
	}
	return h.now.Crash()
}

func (h *daemons) open() (err error) {
	h.now, err = daemon.Open(h.config)
	return err
}

// tell reads the story from the view.
func (h *daemons) tell() (*story, error) {
	c, err := attach(h.now, h.story)
	if err != nil {
		return nil, err
	}
	s := h.story
	params := wire.ViewPageParams{SessionID: s.session.String(), Limit: 1000}
	for {
		raw, err := c.call(wire.MethodViewPage, params)
		if err != nil {
			return nil, err
		}
		var page wire.ViewPageResult
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		for _, event := range page.Events {
			if err := s.add(event); err != nil {
				return nil, fmt.Errorf("%w: %s %s", err, event.Method, event.Params)
			}
		}
		if page.NextCursor == nil {
			return s, c.close()
		}
		params.Cursor = *page.NextCursor
	}
}
