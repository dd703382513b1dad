package rpc

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// Config is what a Server works with.
type Config struct {
	Clock     sequencer.Clock
	Inspector *inspect.Inspector
	// Forbidden are the directories that no workspace may hold.
	Forbidden inspect.Forbidden
	Profile   fold.Profile
	Identity  Identity
	Ephemeral bool
	Head      uint64        // of the log when it was opened
	Stall     time.Duration // how long a peer may take no byte until it is let go; 0: DefaultStall
	// RuleInForce reports whether the policy that is loaded has the rule that a
	// grant wrote to a store; nil: it has. It must not block.
	RuleInForce func(approval.Grant) bool
	Logger      *slog.Logger // nil: nothing is logged
}

// Identity is what the server says about itself in the handshake.
type Identity struct {
	Version     string
	Home        string // absolute state directory
	OS          string // linux or macos
	Arch        string
	Fingerprint string // "sha256:…" of the schema bundle
}

// Server serves connections. Its methods are safe for concurrent use.
type Server struct {
	cfg  Config
	seq  *sequencer.Sequencer
	log  *slog.Logger
	ring ring

	agents  lineage
	recency recency

	rendering turns

	head   atomic.Uint64 // last published record
	nextID atomic.Uint64 // of connections, for the log

	mu       sync.Mutex
	draining bool
	conns    map[*conn]struct{}
	// watchers are the connections that are subscribed to a session; those in
	// everywhere are to all of them.
	watchers   map[approval.ID]map[*conn]struct{}
	everywhere map[*conn]struct{}
	owners     map[approval.ID]map[*conn]struct{}
	hosted     map[approval.ID]map[*conn]struct{} // programs that the daemon started, by the session that they are for
	status     map[approval.ID]statusShown        // last status that was told
	badPolicy  *notice                            // that the rule files are not good; nil: they are
	wg         sync.WaitGroup                     // connections
}

// NewServer returns a Server. Its Publish, Attended, Owned and Agent are to be given
// to the sequencer, which Attach then gives to it, before the first connection.
func NewServer(cfg Config) *Server {
	if cfg.Stall == 0 {
		cfg.Stall = DefaultStall
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.RuleInForce == nil {
		cfg.RuleInForce = func(approval.Grant) bool { return true }
	}
	s := &Server{
		cfg:        cfg,
		log:        cfg.Logger,
		conns:      make(map[*conn]struct{}),
		watchers:   make(map[approval.ID]map[*conn]struct{}),
		everywhere: make(map[*conn]struct{}),
		owners:     make(map[approval.ID]map[*conn]struct{}),
		hosted:     make(map[approval.ID]map[*conn]struct{}),
		status:     make(map[approval.ID]statusShown),
	}
	s.rendering.free = max(1, runtime.GOMAXPROCS(0)/2)
	s.ring.render, s.ring.mostRecords, s.ring.mostBytes = s.renderEvents, ringRecords, ringBytes
	s.head.Store(cfg.Head)
	return s
}

// Attach gives the server the writer it works with: the two know each other.
func (s *Server) Attach(seq *sequencer.Sequencer) {
	s.seq = seq
	s.takeUpStatus()
}

// Transport is the peer of one connection and the way to it.
type Transport struct {
	Name   string // stdio, agent, reviewer, host or record.AgentCommand
	Widest wire.Role
	Peer   Peer
	// Refused says why the peer may do nothing here; every request is
	// answered -32090 (protocol §2).
	Refused string
	// Last reports whether the server ends with this connection. It is asked
	// once, when the peer has stopped sending; where it does, the peer is told
	// as in a drain. Nil: it does not.
	Last func() bool
	// Own says that the daemon is itself the peer: it is nobody to stay for.
	Own bool
	// Hosted says which session the peer was started for; nil: the daemon did not
	// start it.
	Hosted *Hosted
	Conn   io.ReadWriteCloser
}

// Peer is what the kernel says about the process at the other end; zero PID
// where it was not asked.
type Peer struct {
	PID        int
	UID        *int
	Executable string
}

// Serve speaks with one peer until it is gone, ctx ends or the server drains,
// and closes the stream. It returns when nothing of the connection is left.
func (s *Server) Serve(ctx context.Context, t Transport) {
	c := newConn(s, t)
	if !s.admit(c) {
		_ = t.Conn.Close() // draining: the peer finds nobody
		return
	}
	defer s.wg.Done()
	if t.Hosted != nil {
		defer s.agents.enter(t.Peer.PID)()
		defer s.enterHosted(c)()
	}
	stop := context.AfterFunc(ctx, c.abandon)
	defer stop()
	c.serve()
	s.dismiss(c)
}

func (s *Server) admit(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	return true
}

// dismiss forgets a connection and settles what its going means.
func (s *Server) dismiss(c *conn) {
	left, orphaned := s.remove(c)
	for _, id := range orphaned {
		s.insist(decide.AgentGone{Session: id})
	}
	for _, gone := range left {
		s.insist(gone)
	}
}

// insist hands a command of the daemon's own to the writer. After a drain
// there is no writer and nothing to settle.
func (s *Server) insist(c decide.Command) {
	if err := s.seq.Enqueue(c); err != nil {
		s.log.Debug("command not queued", slog.String("command", fmt.Sprintf("%T", c)), slog.Any("cause", err))
	}
}

// Publish takes a group of durable records to the subscribers. It is the
// sequencer's Publish: it never blocks on a peer.
func (s *Server) Publish(records []record.Record) {
	lineages := s.lineages(records)
	s.ring.add(records, lineages)
	s.head.Store(records[len(records)-1].Seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	told := make(map[approval.ID]struct{})
	for i, r := range records {
		if _, known := told[r.Session]; known || fold.EventCount(r) == 0 {
			continue
		}
		told[r.Session] = struct{}{} // whoever looks at its first record comes to the others
		for c := range s.covering(lineages[i]) {
			c.pump.notify(r.Seq)
		}
	}
	s.tellStatus(records, lineages)
	s.endHosted(records)
	for _, gone := range s.openedToNobody(records, lineages) {
		go s.insist(gone) // the writer must not wait for itself
	}
}

// Drain ends serving in order: no new connection, awaits answered with
// shuttingDown, subscribers told that their sessions close, what is owed sent.
// It returns when every connection is gone or ctx ends, which abandons them.
func (s *Server) Drain(ctx context.Context) {
	conns := s.close()
	for _, c := range conns {
		c.drain()
	}
	gone := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		for _, c := range conns {
			c.abandon()
		}
		<-gone
	}
}

// Abandon ends serving at once and in silence, as the end of the process would:
// no connection is told anything. It returns when every connection is gone.
func (s *Server) Abandon() {
	for _, c := range s.close() {
		c.abandon()
	}
	s.wg.Wait()
}

// close admits no further connection and returns those that there are.
func (s *Server) close() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
	return slices.Collect(maps.Keys(s.conns))
}

// Idle reports whether nothing is on its way: no request in work, nothing owed
// to any peer, no subscription behind. Parked awaits do not count.
func (s *Server) Idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if !c.idle() {
			return false
		}
	}
	return true
}

// Connections is how many there are, without the daemon's own and those of programs
// that it has started.
func (s *Server) Connections() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if !c.transport.Own && c.transport.Hosted == nil {
			n++
		}
	}
	return n
}
