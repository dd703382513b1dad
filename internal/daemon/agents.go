package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// AgentCommand starts the program of serve --agent-cmd in a directory, a session's
// workspace; "" where it has none.
type AgentCommand func(dir string) (AgentProcess, error)

// AgentProcess is such a program. What it writes to its standard output is read, and
// what is written goes to its standard input; Close ends both.
type AgentProcess interface {
	io.ReadWriteCloser
	// Identity is its process id, and the file that it was started from.
	Identity() (pid int, executable string)
	// End has it end, where it has not, and says in a sentence how it did. It returns
	// when the program is gone; what it started and let go is its own matter.
	End() string
}

// agents runs the programs of --agent-cmd: one for a session whose turn nobody else
// carries out, from that turn on until it ends or the session is closed.
type agents struct {
	start   AgentCommand // nil: there is none
	seq     *sequencer.Sequencer
	server  *rpc.Server
	log     *slog.Logger
	serving context.Context //nolint:containedctx // the life of connections, as in Daemon

	busy atomic.Int64 // programs that are being started, or whose end is not settled
	runs sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	running map[approval.ID]*agentRun // by session
}

// agentRun is a program, and after it another where one is wanted before it is gone.
type agentRun struct {
	session approval.ID
	from    uint64 // the record of the turn that it was started for
	over    bool   // it says nothing any more; guarded by agents.mu
	until   uint64 // the last record when it was: what begins later is another's; guarded by agents.mu
	next    uint64 // the turn that another is to be started for; 0: none; guarded by agents.mu
}

// publish starts what records ask for. It is called on the writer's goroutine.
func (a *agents) publish(records []record.Record) {
	for _, r := range records {
		if body, ok := r.Body.(*record.TurnStarted); ok && body.Hosted && body.Agent == nil {
			a.want(r.Session, r.Seq)
		}
	}
}

// want sees to it that a program runs for a session, which is to hear of the record at
// seq and of what follows.
func (a *agents) want(session approval.ID, seq uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	run := a.running[session]
	switch {
	case a.ended:
	case run == nil:
		run = &agentRun{session: session, from: seq}
		a.running[session] = run
		a.busy.Add(1)
		a.runs.Go(func() { a.keep(run) })
	case run.over:
		run.next = seq
	}
}

// keep carries out a run.
func (a *agents) keep(run *agentRun) {
	defer a.busy.Add(-1)
	for {
		a.once(run)
		if !a.again(run) {
			return
		}
	}
}

// again reports whether the run goes on with another program.
func (a *agents) again(run *agentRun) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if run.next == 0 || a.ended {
		delete(a.running, run.session)
		return false
	}
	run.from, run.next, run.over = run.next, 0, false
	return true
}

// once starts a program, speaks with it until it is gone, and settles what that means.
func (a *agents) once(run *agentRun) {
	gone := decide.AgentExited{Session: run.session}
	process, err := a.start(a.workspace(run.session))
	if err != nil {
		gone.Reason = fmt.Sprintf("The agent could not be started: %v.", err)
	} else {
		pid, executable := process.Identity()
		a.log.Info("an agent was started", slog.String("session", run.session.String()), slog.Int("pid", pid))
		a.server.Serve(a.serving, rpc.Transport{
			Name: record.AgentCommand, Widest: wire.RoleAgent, Peer: rpc.Peer{PID: pid, UID: own(), Executable: executable},
			Hosted: &rpc.Hosted{Session: run.session, From: run.from}, Conn: &agentStream{AgentProcess: process, of: a, run: run},
		})
		a.finish(run) // also where it was never read
		gone.PID, gone.Reason = pid, process.End()
	}
	a.log.Info("an agent is gone", slog.String("session", run.session.String()), slog.Int("pid", gone.PID), slog.String("how", gone.Reason))
	gone.Until = a.finish(run)
	if a.serving.Err() != nil {
		return // the daemon has ended it: the next one settles what is left, as a restart
	}
	if err := a.seq.Enqueue(gone); err != nil { // likewise
		a.log.Debug("command not queued", slog.String("command", fmt.Sprintf("%T", gone)), slog.Any("cause", err))
	}
}

// finish notes that a program takes up nothing more, if that is not known, and gives the
// last record that may have been its matter.
func (a *agents) finish(run *agentRun) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !run.over {
		run.over = true // before the head is read: what is behind that is wanted of another
		a.seq.View(func(s *fold.State) { run.until = s.Head() })
	}
	return run.until
}

func (a *agents) workspace(session approval.ID) (dir string) {
	a.seq.View(func(s *fold.State) {
		if in, ok := s.Session(session); ok {
			dir = in.Started.WorkspaceRoot
		}
	})
	return dir
}

// idle reports whether no program is being started or settled.
func (a *agents) idle() bool { return a.busy.Load() == 0 }

// close starts no further program, and waits for those that there are, whose
// connections have been ended.
func (a *agents) close() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.runs.Wait()
}

// agentStream is a program as a connection: it is at rest from its first Read on, until
// one fails.
type agentStream struct {
	AgentProcess

	of          *agents
	run         *agentRun
	rest, stirs sync.Once
}

// Read implements io.Reader.
func (s *agentStream) Read(p []byte) (int, error) {
	s.rest.Do(func() { s.of.busy.Add(-1) })
	n, err := s.AgentProcess.Read(p)
	if err != nil {
		s.stirs.Do(func() {
			s.of.busy.Add(1)
			s.of.finish(s.run)
		})
	}
	return n, err
}

// own is the user that the daemon, and with it every program that it starts, runs as.
func own() *int {
	uid := os.Getuid()
	return &uid
}
