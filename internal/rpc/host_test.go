package rpc

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// host is the edge with a writer behind it, over a log in memory. It can be
// stopped at the two places that matter: before records are appended, and
// between their being durable and their being published.
type host struct {
	*Server
	t       testing.TB
	log     *gatedLog
	publish *gate
	ids     atomic.Uint64
	limits  decide.Limits
	reads   func(last uint64) error // called before a session is read; nil: nothing is
	idle    time.Duration           // the idle window; 0: the usual one
	serving func() context.Context
	stop    context.CancelFunc
	ended   chan error // what Run returned
	clients sync.WaitGroup
	sockets *Sockets // nil without
}

// newHost starts one over an empty log; options change it before it starts.
func newHost(t testing.TB, options ...func(*host, *Config)) *host {
	t.Helper()
	return newHostOver(t, new(log.Memory), options...)
}

// newHostOver starts one over a log that has been written to before.
func newHostOver(t testing.TB, l *log.Memory, options ...func(*host, *Config)) *host {
	t.Helper()
	outlined, err := recovery.Outline(l)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{
		t: t, log: &gatedLog{Memory: l, gate: newGate()}, publish: newGate(), ended: make(chan error, 1),
		limits: decide.Limits{
			Mode: approval.PromptUnmatched, Ceiling: approval.AllowAll,
			MaxPending: decide.DefaultMaxPending, MaxRefusals: decide.DefaultMaxRefusals,
		},
	}
	h.ids.Store(l.Head() << 16)
	serving, stop := context.WithCancel(context.Background())
	h.serving, h.stop = func() context.Context { return serving }, stop
	cfg := Config{
		Clock: sequencer.SystemClock{}, Inspector: inspect.Host(), Head: l.Head(),
		Identity: Identity{Version: "test", Home: "/state", OS: "linux", Arch: "amd64", Fingerprint: wire.Fingerprint},
	}
	for _, option := range options {
		option(h, &cfg)
	}
	h.Server = NewServer(cfg)
	h.Attach(sequencer.New(sequencer.Config{
		Log: h.log, Clock: cfg.Clock, State: outlined.State, Chain: outlined.Chain,
		Read: func(last uint64) (*fold.Details, error) {
			if h.reads != nil {
				if err := h.reads(last); err != nil {
					return nil, err
				}
			}
			return recovery.Details(l, last)
		},
		IdleWindow: h.idle, NewID: h.mint, Attended: h.Attended, Owned: h.Owned, Watched: h.Watched, TakenUp: h.TakenUp, Agent: h.Agent, Limits: h.limits,
		Publish: func(records []record.Record) {
			h.publish.pass()
			h.Publish(records)
		},
	}))
	go func() { h.ended <- h.seq.Run(serving) }()
	t.Cleanup(h.close)
	return h
}

// close ends the host and everybody who is connected to it.
func (h *host) close() {
	if h.sockets != nil {
		if err := h.sockets.Close(); err != nil {
			h.t.Error(err)
		}
	}
	h.log.gate.open()
	h.publish.open()
	h.stop()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	h.Drain(gone)
	h.clients.Wait()
	h.ended <- <-h.ended
}

// recover does what a restart owes.
func (h *host) recover() {
	h.t.Helper()
	if err := h.seq.LoadPending(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) mint() approval.ID { return numbered(h.ids.Add(1)) }

// numbered is an identity of version 7.
func numbered(n uint64) (id approval.ID) {
	binary.BigEndian.PutUint64(id[8:], n)
	id[6], id[8] = 0x70, 0x80
	return id
}

// gate lets pass, unless it is shut.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	shut    bool
	waiting int
}

func newGate() *gate {
	g := &gate{}
	g.changed = sync.NewCond(&g.mu)
	return g
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting++
	g.changed.Broadcast()
	for g.shut {
		g.changed.Wait()
	}
	g.waiting--
}

// close makes whoever comes wait.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// open lets everybody pass.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
	g.changed.Broadcast()
}

// arrived waits until somebody waits.
func (g *gate) arrived() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.waiting == 0 {
		g.changed.Wait()
	}
}

// gatedLog appends when its gate lets it.
type gatedLog struct {
	*log.Memory
	gate   *gate
	groups []int            // sizes of the appends so far; the writer's goroutine owns it
	reads  func(seq uint64) // called before a scan gives a record; nil: nothing is
	fails  error            // of every scan; set while nothing reads
}

func (l *gatedLog) Append(values [][]byte) (uint64, error) {
	l.groups = append(l.groups, len(values))
	l.gate.pass()
	return l.Memory.Append(values)
}

func (l *gatedLog) Scan(from uint64, fn func(seq uint64, value []byte) error) error {
	if l.fails != nil {
		return l.fails
	}
	return l.Memory.Scan(from, func(seq uint64, value []byte) error {
		if l.reads != nil {
			l.reads(seq)
		}
		return fn(seq, value)
	})
}

// serve serves one end of a connection in memory and gives the other.
func (h *host) serve(t Transport) *pipe {
	p := newPipe()
	t.Conn = serverEnd{p}
	h.clients.Go(func() { h.Serve(h.serving(), t) })
	return p
}

// connect connects a client over memory, before its handshake.
func (h *host) connect(name string, widest wire.Role) *client {
	h.t.Helper()
	p := h.serve(Transport{Name: name, Widest: widest})
	c := newClient(h.t, clientEnd{p})
	c.pipe = p
	h.clients.Go(c.read)
	return c
}

// as connects a client and makes its handshake; capabilities are those of
// approvald.
func (h *host) as(role wire.Role, capabilities ...string) *client {
	h.t.Helper()
	name := map[wire.Role]string{wire.RoleAgent: "agent", wire.RoleReviewer: "reviewer", wire.RoleBoth: "host"}[role]
	c := h.connect(name, role)
	c.hello(capabilities...)
	return c
}

// settle waits, in a bubble, until nothing moves any more.
func (h *host) settle() { synctest.Wait() }

var _ io.ReadWriteCloser = serverEnd{}
