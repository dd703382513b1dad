package scenario

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/approvald/approvald/internal/daemon"
)

// agentCmdRole is the role, in no recording's words, of the connection that is the
// program of --agent-cmd.
const agentCmdRole = "agentCmd"

// agents is the program of --agent-cmd, as a recording plays it: the daemon starts it, and
// its frames are those of a connection. It is safe for concurrent use.
type agents struct {
	moves  *atomic.Uint64
	daemon atomic.Pointer[daemon.Daemon]

	mu      sync.Mutex
	started *agent // that no frame of it was sent yet; nil: none
	running int    // programs that have not ended
	count   int    // of all that were started
}

// agent is one start of the program.
type agent struct {
	*stream

	of   *agents
	pid  int
	gone chan struct{} // closed when the daemon is through with it
}

// errRunning is why the program does not start: a recording has one connection for it.
var errRunning = errors.New("the program is running already")

// start is the daemon's daemon.AgentCommand.
func (s *agents) start(string) (daemon.AgentProcess, error) {
	if a := s.next(); a != nil {
		return a, nil
	}
	s.wait()
	return nil, errRunning
}

// next is one more program; nil while there is one.
func (s *agents) next() *agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 0 {
		return nil
	}
	s.running++
	s.count++
	a := &agent{stream: newStream(s.moves), of: s, pid: s.count, gone: make(chan struct{})}
	s.started = a
	return a
}

// wait returns when everybody has been told what there is to tell, as settle does: a
// recording has one order in which a turn begins and fails.
func (s *agents) wait() {
	d := s.daemon.Load()
	for tries := 0; ; tries++ {
		before, once := s.moves.Load(), d.Told()
		if once && d.Told() && s.moves.Load() == before {
			return
		}
		select {
		case <-d.Ended():
			return
		default:
			pause(tries)
		}
	}
}

// take is the program that was started and has not spoken; nil for none.
func (s *agents) take() *agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.started
	s.started = nil
	return a
}

// Identity implements daemon.AgentProcess: its number stands for a process id.
func (a *agent) Identity() (pid int, executable string) { return a.pid, "" }

// End implements daemon.AgentProcess.
func (a *agent) End() string {
	_ = a.Close() // never fails
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	a.of.running--
	if a.of.started == a {
		a.of.started = nil
	}
	close(a.gone)
	return "The agent ended with exit code 0."
}
