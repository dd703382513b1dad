package daemon_test

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/wire"
)

// program is one that a daemon has started, as the test plays it.
type program struct {
	net.Conn // the daemon's end

	dir    string
	ours   net.Conn
	pid    int
	ending chan struct{} // closed when the daemon ends it
	may    chan struct{} // closed when it may be gone
	ended  chan struct{} // closed when the daemon has ended it
}

func (p *program) Identity() (pid int, executable string) { return p.pid, "/usr/bin/agent" }

func (p *program) End() string {
	_ = p.Close()
	close(p.ending)
	<-p.may
	close(p.ended)
	return fmt.Sprintf("Program %d is gone.", p.pid)
}

// programs has a daemon start programs that the test plays. It gives each.
func programs(cfg *daemon.Config) <-chan *program {
	started := make(chan *program, 8)
	n := 0
	cfg.AgentCommand = func(dir string) (daemon.AgentProcess, error) {
		n++
		p := &program{dir: dir, pid: n, ending: make(chan struct{}), may: make(chan struct{}), ended: make(chan struct{})}
		p.ours, p.Conn = net.Pipe()
		started <- p
		return p, nil
	}
	return started
}

func turnParams(n int, session string) string {
	return fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"input":[{}]}`, commandID(n), session)
}

// hears waits for a notification that holds a text.
func (c *caller) hears(method, text string) {
	c.t.Helper()
	for line := range c.lines {
		if strings.Contains(line, `"method":"`+method+`"`) && strings.Contains(line, text) {
			return
		}
	}
	c.t.Fatalf("the connection ended before %s", method)
}

// A turn that begins while the program before is on its way out is another program's: it
// is not failed with the first, and the second hears of it and of nothing before.
func TestATurnThatBeginsWhileAProgramEndsHasAnother(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	started := programs(&cfg)
	d := open(t, cfg)
	c := attach(t, d, wire.RoleBoth)
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	session := member(c.must(wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q,"workspaceRoot":%q}`, commandID(1), workspace)), "sessionId")
	turn := member(c.must(wire.MethodTurnStart, turnParams(2, session)), "turnId")
	first := <-started
	if first.dir != workspace {
		t.Errorf("it was started in %q, want %q", first.dir, workspace)
	}
	agent := greeted(t, first.ours)
	agent.hears(wire.MethodTurnStarted, turn)
	agent.must(wire.MethodTurnComplete, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"turnId":%q,"terminal":"completed"}`, commandID(3), session, turn))
	if err := first.ours.Close(); err != nil {
		t.Fatal(err)
	}
	<-first.ending // the daemon has noticed
	next := member(c.must(wire.MethodTurnStart, turnParams(4, session)), "turnId")
	close(first.may)
	second := <-started
	<-first.ended
	agent = greeted(t, second.ours)
	agent.hears(wire.MethodTurnStarted, next)
	for _, line := range agent.over {
		if strings.Contains(line, turn) {
			t.Errorf("it is told of the turn before: %s", line)
		}
	}
	close(second.may)
	if err := second.ours.Close(); err != nil {
		t.Fatal(err)
	}
	c.hears(wire.MethodTurnCompleted, `"turnId":"`+next+`","terminal":"failed","reason":"Program 2 is gone."`)
}

// A daemon that ends, one way or the other, leaves no program behind.
func TestADaemonLeavesNoProgram(t *testing.T) {
	for name, end := range map[string]func(*daemon.Daemon) error{"close": (*daemon.Daemon).Close, "crash": (*daemon.Daemon).Crash} {
		for greets, silent := range map[string]bool{"at work": false, "without a word": true} {
			t.Run(name+", "+greets, func(t *testing.T) {
				cfg := config(t.TempDir(), 0)
				started := programs(&cfg)
				d := open(t, cfg)
				c := attach(t, d, wire.RoleBoth)
				session := member(c.must(wire.MethodSessionStart, startParams(1)), "sessionId")
				turn := member(c.must(wire.MethodTurnStart, turnParams(2, session)), "turnId")
				p := <-started
				close(p.may)
				if !silent {
					greeted(t, p.ours).hears(wire.MethodTurnStarted, turn)
				}
				if err := end(d); err != nil {
					t.Fatal(err)
				}
				select {
				case <-p.ended:
				default:
					t.Error("the program was not ended")
				}

				next := attach(t, open(t, config(cfg.StateDir, 1000)), wire.RoleBoth)
				got := string(next.must(wire.MethodSessionResume, fmt.Sprintf(`{"commandId":%q,"sessionId":%q}`, commandID(9), session)))
				if !strings.Contains(got, `"status":"idle","turnCount":1`) || !strings.Contains(got, `"activeTurnId":null`) {
					t.Errorf("the next daemon says %s", got)
				}
				page := string(next.must(wire.MethodViewPage, fmt.Sprintf(`{"sessionId":%q,"limit":10}`, session)))
				if !strings.Contains(page, `"terminal":"cancelled","reason":"hostRestart"`) {
					t.Errorf("the turn did not end with the daemon: %s", page)
				}
			})
		}
	}
}

// A program that cannot be started: its turn fails, with a sentence that says why.
func TestAProgramThatCannotBeStarted(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	cfg.AgentCommand = func(string) (daemon.AgentProcess, error) { return nil, errors.New("no such file") }
	d := open(t, cfg)
	c := attach(t, d, wire.RoleBoth)
	session := member(c.must(wire.MethodSessionStart, startParams(1)), "sessionId")
	turn := member(c.must(wire.MethodTurnStart, turnParams(2, session)), "turnId")
	c.hears(wire.MethodTurnCompleted, `"turnId":"`+turn+`","terminal":"failed","reason":"The agent could not be started: no such file."`)
}
