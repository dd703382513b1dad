package sequencer_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// rig is a running writer over a log that a test can hold and fail.
type rig struct {
	*sequencer.Sequencer
	t     testing.TB
	log   *heldLog
	ended chan error // what Run returned
	stop  context.CancelFunc

	ids    atomic.Uint64
	misfit atomic.Bool // minting an identity panics

	mu        sync.Mutex
	published []record.Record
	attended  bool
}

// start runs a writer over what l holds; options change its Config first.
// A writer that still runs at the end of the test is stopped.
func start(t testing.TB, l *heldLog, options ...func(*sequencer.Config)) *rig {
	t.Helper()
	replayed, err := recovery.Replay(l)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, log: l, ended: make(chan error, 1), attended: true}
	r.ids.Store(l.Head() << 16) // ids that the log does not have yet
	cfg := sequencer.Config{
		Log: l, Clock: sequencer.SystemClock{}, State: replayed.State, Chain: replayed.Chain,
		Read:  func(last uint64) (*fold.Details, error) { return recovery.Details(l, last) },
		NewID: r.mint, Attended: r.isAttended, Owned: r.isAttended, Publish: r.publish,
		Agent: func(approval.ID) *record.Party { return &record.Party{Client: "agent"} },
		Limits: decide.Limits{
			Mode: approval.PromptUnmatched, Ceiling: approval.AllowAll,
			MaxPending: decide.DefaultMaxPending, MaxRefusals: decide.DefaultMaxRefusals,
		},
	}
	for _, option := range options {
		option(&cfg)
	}
	r.Sequencer = sequencer.New(cfg)
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.ended <- r.Run(ctx)
	}()
	t.Cleanup(func() {
		r.stop()
		l.free()
		<-finished
	})
	return r
}

func (r *rig) mint() approval.ID {
	if r.misfit.Load() {
		panic("no entropy")
	}
	return numbered(r.ids.Add(1))
}

// numbered is an identity of version 7.
func numbered(n uint64) (id approval.ID) {
	binary.BigEndian.PutUint64(id[8:], n)
	id[6], id[8] = 0x70, 0x80
	return id
}

func (r *rig) isAttended(approval.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attended
}

func (r *rig) publish(records []record.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.published = append(r.published, records...)
}

// heard is what subscribers have been told so far.
func (r *rig) heard() []record.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.published
}

// answer is the reply to one command, when it comes.
type answer chan sequencer.Reply

// submit queues a command; it must be taken.
func (r *rig) submit(c decide.Command) answer {
	r.t.Helper()
	a := make(answer, 2) // a second reply would be seen, not lost
	if err := r.Submit(c, func(reply sequencer.Reply) { a <- reply }); err != nil {
		r.t.Fatalf("submit %T: %v", c, err)
	}
	return a
}

// do submits a command and waits for its reply.
func (r *rig) do(c decide.Command) sequencer.Reply {
	r.t.Helper()
	return <-r.submit(c)
}

// accepted is do for a command that must be accepted.
func (r *rig) accepted(c decide.Command) sequencer.Reply {
	r.t.Helper()
	reply := r.do(c)
	if reply.Refusal != nil {
		r.t.Fatalf("%T was refused: %v", c, reply.Refusal)
	}
	return reply
}

// silent reports whether the reply has not come.
func (a answer) silent() bool { return len(a) == 0 }

// refused is the code of a refusal; 0 for an accepted command.
func code(reply sequencer.Reply) int {
	if reply.Refusal == nil {
		return 0
	}
	return reply.Refusal.Code
}

// intent is that of a new command.
func (r *rig) intent() decide.Intent {
	id := numbered(r.ids.Add(1))
	i := decide.Intent{Command: approval.CommandIDFromBits(id, false), By: record.Party{Client: "tester"}}
	copy(i.Payload[:], id[:])
	return i
}

// session starts a session.
func (r *rig) session() approval.ID {
	r.t.Helper()
	return r.accepted(decide.StartSession{Intent: r.intent(), Unattended: approval.Park}).Records[0].Session
}

// opening asks for a write to one file, which waits for a reviewer.
func (r *rig) opening(session approval.ID, timeout time.Duration) decide.Open {
	return decide.Open{Intent: r.intent(), Session: session, Timeout: timeout, Action: write}
}

// write is a write to one file.
var write = approval.Action{
	ToolCallID: "call", ToolName: "write_file", RawArgs: `{}`, ArgsDigest: "sha256:00", Reason: "because",
	Subject: approval.File{ToolName: "write_file", Path: "/srv/notes", RequestedPath: "notes", Access: "write"},
}

// open opens an approval.
func (r *rig) open(session approval.ID) approval.ID {
	r.t.Helper()
	return r.accepted(r.opening(session, 0)).Records[0].Approval
}

// choose decides an approval.
func (r *rig) choose(session, id approval.ID, choice wire.ChoiceID) decide.Decide {
	return decide.Decide{Intent: r.intent(), Session: session, Approval: id, Choice: choice}
}

// pending reports whether readers see an approval that waits.
func (r *rig) pending(session, id approval.ID) (pending bool) {
	r.t.Helper()
	_, err := r.ViewSession(session, func(_ *fold.State, in *fold.Session) {
		a, ok := in.Approval(id)
		if !ok {
			r.t.Errorf("approval %s is not known", id)
			return
		}
		pending = a.Pending()
	})
	if err != nil {
		r.t.Error(err)
	}
	return pending
}

// outcome is what becomes of an append.
type outcome int

const (
	carryOut outcome = iota
	lose             // it fails, and nothing was written
	persist          // it fails, and everything was written all the same
)

var errDisk = errors.New("the disk has failed")

// heldLog is a log in memory whose appends wait for the test while it is held.
type heldLog struct {
	log.Memory
	held    atomic.Bool
	entered chan int     // groups that have come to be appended, by their size
	resume  chan outcome // what becomes of the one that waits
	freed   chan struct{}
	appends atomic.Int64 // that were begun
}

func newLog() *heldLog {
	return &heldLog{entered: make(chan int), resume: make(chan outcome), freed: make(chan struct{})}
}

// hold makes every append from now on say on entered that it has come, and
// wait on resume.
func (l *heldLog) hold() { l.held.Store(true) }

// free lets appends pass again, the one that waits included.
func (l *heldLog) free() {
	if l.held.CompareAndSwap(true, false) {
		close(l.freed)
	}
}

func (l *heldLog) Append(values [][]byte) (uint64, error) {
	l.appends.Add(1)
	if l.held.Load() {
		what := carryOut
		select {
		case l.entered <- len(values):
			select {
			case what = <-l.resume:
			case <-l.freed:
			}
		case <-l.freed:
		}
		switch what {
		case lose:
			return 0, errDisk
		case carryOut:
		case persist:
			if _, err := l.Memory.Append(values); err != nil {
				return 0, err
			}
			return 0, errDisk
		}
	}
	return l.Memory.Append(values)
}
