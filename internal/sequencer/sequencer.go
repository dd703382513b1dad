package sequencer

import (
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Log is where records become durable: internal/log's Log and Memory.
type Log interface {
	Append(values [][]byte) (first uint64, err error)
	Get(seq uint64) ([]byte, error)
	Scan(from uint64, fn func(seq uint64, value []byte) error) error
}

// Config is what a Sequencer works with. Log, Clock, State, Read, NewID, Attended,
// Owned and Publish are required.
type Config struct {
	Log   Log
	Clock Clock
	// State and Chain are what the log holds: the fold of its records and the
	// link that the next one carries. A tree of sessions that is not loaded in it
	// is loaded when it is needed, and what the restart owes it is done then.
	State *fold.State
	Chain record.Chain
	// Read reads what the records of a session say beyond its outline, the last of
	// which is given: recovery.Details. It is called on goroutines of its own.
	Read func(last uint64) (*fold.Details, error)

	NewID func() approval.ID // called on Run's goroutine only
	// Attended reports whether an interactive reviewer of the session is
	// there. It is asked when a command is decided, on Run's goroutine.
	Attended func(session approval.ID) bool
	// Owned reports whether somebody's connection owns the session; asked as
	// Attended is.
	Owned func(session approval.ID) bool
	// Agent is who is attached to the session to carry out its turns, and AgentCommand
	// says whether a program is started where nobody is; nil: nobody ever is. Asked as
	// Attended is.
	Agent        func(session approval.ID) *record.Party
	AgentCommand bool
	// Watched reports whether somebody is subscribed to the session by name; nil:
	// nobody ever is. Asked as Attended is.
	Watched func(session approval.ID) bool
	// TakenUp says that a tree is loaded in which a restart left prompts waiting,
	// of which no record tells; nil: nobody needs to know. It must not block.
	TakenUp func(root approval.ID)
	// Publish hands over the records of a group, in order, after their
	// commands were answered. It must not block.
	Publish func([]record.Record)

	// Policy is what is in force now; nil: a policy without rules. It is asked
	// once a group, on Run's goroutine.
	Policy func() *policy.Policy

	Limits  decide.Limits
	Profile fold.Profile
	Logger  *slog.Logger // nil: nothing is logged
	// Queue is how many commands may wait; 0 is DefaultQueue.
	Queue int
	// RequestMemory is how many bytes of the requests that wait are held in memory;
	// 0 is DefaultRequestMemory, less than 0 none.
	RequestMemory int
	// IdleWindow is how long a tree that nobody needs stays loaded at least; 0 is
	// DefaultIdleWindow.
	IdleWindow time.Duration
}

// DefaultQueue is how many commands may wait for the writer (perf.md §8).
const DefaultQueue = 4096

// Reply answers one command. Of Ack and Refusal one is set for a client's
// command, neither for the daemon's own.
type Reply struct {
	Ack     json.RawMessage
	Refusal *wire.Error
	Records []record.Record // what it made durable; none for a repetition
}

// The errors of Submit. Neither leaves anything behind.
var (
	ErrOverloaded = errors.New("the writer's queue is full")
	ErrStopped    = errors.New("the writer takes no more commands")
)

// Sequencer is the one writer of a log. Its methods are safe for concurrent
// use; Run is called once.
type Sequencer struct {
	cfg   Config
	queue chan job
	// busy counts the commands that are queued or being committed, and the
	// alarm while the loop has not heard it.
	busy atomic.Int64

	gate    sync.RWMutex
	stopped bool          // guarded by gate; nothing is queued once it is set
	drain   chan struct{} // closed when stopped is set
	ended   chan struct{} // closed when Run takes nothing from the queue any more

	alarm chan struct{} // a deadline may have come; one token
	sweep chan struct{} // an idle window is over; one token
	found chan []found  // trees that were read together

	// The fields below are owned by Run.
	chain     record.Chain
	deadlines deadlines
	last      int                         // size of the last group
	now       time.Time                   // of the group in hand: what is due and what is decided see one instant
	waiting   map[approval.ID][]job       // by the root of the tree that they wait for, which is being read
	coming    map[approval.ID]approval.ID // the sessions that jobs in waiting are to start, with the root of their tree
	recovered map[approval.ID]struct{}    // the roots of trees that the restart owes nothing any more
	requests  requests
	stopSweep func() // of the sweep to come; nil: there is none

	mu   sync.RWMutex
	view *fold.State // moved by Run alone, under mu, after the append
	// trees are those that are loaded in the view, by root; guarded as it is.
	trees map[approval.ID]*loadedTree
	// waiters are those who await an approval or a prompt, by its id, and parked is
	// how many there ever were; guarded by mu.
	waiters map[approval.ID]map[*waiter]struct{}
	parked  uint64
}

// job is one queued command and what is owed for it.
type job struct {
	command decide.Command // nil: nothing but to have trees loaded
	trees   []approval.ID  // their roots, where command is nil
	done    func(Reply)    // nil where nobody waits
}

// New returns a Sequencer that stands at the end of its log. Nothing is
// decided before Run.
func New(cfg Config) *Sequencer {
	if cfg.Queue == 0 {
		cfg.Queue = DefaultQueue
	}
	if cfg.Policy == nil {
		cfg.Policy = func() *policy.Policy { return new(policy.Policy) }
	}
	if cfg.Agent == nil {
		cfg.Agent = func(approval.ID) *record.Party { return nil }
	}
	if cfg.TakenUp == nil {
		cfg.TakenUp = func(approval.ID) {}
	}
	if cfg.Watched == nil {
		cfg.Watched = func(approval.ID) bool { return false }
	}
	if cfg.RequestMemory == 0 {
		cfg.RequestMemory = DefaultRequestMemory
	}
	if cfg.IdleWindow == 0 {
		cfg.IdleWindow = DefaultIdleWindow
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Sequencer{
		cfg:       cfg,
		queue:     make(chan job, cfg.Queue),
		drain:     make(chan struct{}),
		ended:     make(chan struct{}),
		alarm:     make(chan struct{}, 1),
		sweep:     make(chan struct{}, 1),
		found:     make(chan []found),
		chain:     cfg.Chain,
		deadlines: newDeadlines(),
		view:      cfg.State,
		requests:  requests{most: cfg.RequestMemory},
		waiters:   make(map[approval.ID]map[*waiter]struct{}),
		waiting:   make(map[approval.ID][]job),
		coming:    make(map[approval.ID]approval.ID),
		recovered: make(map[approval.ID]struct{}),
		trees:     make(map[approval.ID]*loadedTree),
	}
	for session := range cfg.State.Sessions() {
		if len(session.Lineage) == 1 && session.Loaded() {
			s.trees[session.ID] = new(loadedTree)
			s.recovered[session.ID] = struct{}{}
		}
	}
	return s
}

// Submit queues a command. It never blocks: a full queue is ErrOverloaded.
// done is called exactly once if the error is nil, on Run's goroutine, when
// the command's records are durable or it was refused; it must not block.
// Commands about one tree of sessions that are submitted one after another are
// decided in that order.
func (s *Sequencer) Submit(c decide.Command, done func(Reply)) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.stopped {
		return ErrStopped
	}
	s.busy.Add(1)
	select {
	case s.queue <- job{command: c, done: done}:
		return nil
	default:
		s.busy.Add(-1)
		return ErrOverloaded
	}
}

// Enqueue queues a command of the daemon's own, which must not be lost: it
// waits for room instead of giving up. It must not be called on Run's
// goroutine. ErrStopped is its only error.
func (s *Sequencer) Enqueue(c decide.Command) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.stopped {
		return ErrStopped
	}
	s.busy.Add(1)
	select {
	case s.queue <- job{command: c}: // Run makes room until it has seen Drain, which waits for gate
		return nil
	case <-s.ended:
		s.busy.Add(-1)
		return ErrStopped
	}
}

// Carry queues a command of the daemon's own as Enqueue does, and waits until it
// was carried out: what was decided before it is in the view by then.
func (s *Sequencer) Carry(c decide.Command) error { return s.carry(c, func(Reply) {}) }

// carry is Carry with the reply, which done gets before carry returns nil.
func (s *Sequencer) carry(c decide.Command, done func(Reply)) error {
	return s.carryJob(job{command: c, done: done})
}

func (s *Sequencer) carryJob(j job) error {
	s.gate.RLock()
	if s.stopped {
		s.gate.RUnlock()
		return ErrStopped
	}
	s.busy.Add(1)
	carried := make(chan struct{})
	select {
	case s.queue <- job{j.command, j.trees, func(r Reply) { j.reply(r); close(carried) }}:
		s.gate.RUnlock()
	case <-s.ended:
		s.gate.RUnlock()
		s.busy.Add(-1)
		return ErrStopped
	}
	select {
	case <-carried:
		return nil
	case <-s.ended:
		return ErrStopped
	}
}

// View calls fn with the durable state, in which sessions may not be loaded: of
// them fn may ask the outline only. fn must neither keep the state nor block;
// approvals and record bodies are immutable and may be kept.
func (s *Sequencer) View(fn func(*fold.State)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fn(s.view)
}

// Drain stops the intake: Submit is refused from here on, and Run returns nil
// when what is queued has been carried out.
func (s *Sequencer) Drain() {
	s.gate.Lock()
	defer s.gate.Unlock()
	if !s.stopped {
		s.stopped = true
		close(s.drain)
	}
}

// Idle reports whether no command is queued or being carried out, and no
// deadline that has come is still to be acted on.
func (s *Sequencer) Idle() bool { return s.busy.Load() == 0 }
