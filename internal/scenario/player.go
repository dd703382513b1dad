package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/rulefile"
)

// identity is what every daemon of a scenario says of itself.
var identity = rpc.Identity{
	Version:     "0.0.0",
	Home:        "/var/lib/approvald",
	OS:          "linux",
	Arch:        "x86_64",
	Fingerprint: "sha256:0000000000000000000000000000000000000000000000000000000000000000",
}

// home is the home directory of the user of a scenario.
const home = "/home/user"

// player is one run of a scenario: a daemon and its peers. It is for one goroutine.
type player struct {
	dir    string // the state directory, removed at the end
	header *header
	clock  *clock
	files  *tree
	policy string // the text of the policy file
	// refused says why a daemon that runs did not take up the text; nil where it did.
	refused error
	mint    func() approval.ID
	daemon  *daemon.Daemon // nil between two lives
	moves   atomic.Uint64  // of all streams
	conns   []*conn        // in the order in which they were first opened
	agents  agents
}

func newPlayer(h *header) (*player, error) {
	dir, err := os.MkdirTemp("", "approvald-replay-")
	if err != nil {
		return nil, fmt.Errorf("make a state directory: %w", err)
	}
	p := &player{
		dir: dir, header: h, policy: h.Serve.Policy,
		clock: &clock{now: h.now}, files: newTree(h.Files),
	}
	p.mint = minter(h, p.clock)
	p.agents.moves = &p.moves
	if err := p.open(); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

// open starts a daemon on the state directory.
func (p *player) open() error {
	config := daemon.Config{
		StateDir:   filepath.Join(p.dir, "state"),
		Ephemeral:  p.header.Serve.Ephemeral,
		Mode:       p.header.Serve.Mode,
		Ceiling:    p.header.Serve.Ceiling,
		PolicyText: p.sources(),
		Identity:   identity,
		NewID:      p.mint,
		Clock:      p.clock,
		FS:         p.files,
		Homes:      []string{home},
	}
	if p.header.Serve.AgentCmd != "" {
		config.AgentCommand = p.agents.start
	}
	d, err := daemon.Open(config)
	if err != nil {
		return fmt.Errorf("the daemon does not start: %w", err)
	}
	p.daemon = d
	p.agents.daemon.Store(d)
	return nil
}

// sources is the policy that a daemon starts with.
func (p *player) sources() []rulefile.Source {
	return []rulefile.Source{{Layer: rulefile.User, Name: policyName, Text: []byte(p.policy)}}
}

// policyName is what explanations and messages call the policy file.
const policyName = "/home/user/.config/approvald/policy.toml"

// end disconnects everybody, ends the daemon and removes what it wrote.
func (p *player) end() error {
	var errs []error
	for _, c := range p.conns {
		c.hangUp()
	}
	if p.daemon != nil {
		errs = append(errs, p.daemon.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(p.dir))...)
}

// step carries out steps at once and returns what everybody heard because of them.
func (p *player) step(ctx context.Context, vars *bindings, steps ...step) ([]heard, error) {
	for i := range steps {
		var err error
		if frame := steps[i].frame; frame != nil {
			err = p.send(frame, vars)
		} else {
			err = p.control(ctx, steps[i].control)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	var all []heard
	for _, c := range p.conns {
		lines, err := c.take()
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 {
			all = append(all, heard{c.name, lines})
		}
	}
	return all, nil
}

// send sends a client's frame, on a new connection where there is none.
func (p *player) send(f *frame, vars *bindings) error {
	b, err := f.bytes(vars)
	if err != nil {
		return err
	}
	s, err := p.connect(f)
	if err != nil {
		return err
	}
	return s.send(b)
}

func (p *player) control(ctx context.Context, c *control) error {
	passed := time.Duration(c.Ms) * time.Millisecond
	switch c.Op {
	case opRestart:
		return p.restart((*daemon.Daemon).Close, passed, c.Text)
	case opCrash:
		return p.restart((*daemon.Daemon).Crash, passed, c.Text)
	case opAdvance:
		return p.advance(ctx, passed)
	case opDisconnect:
		p.disconnect(c.Conn)
	case opFiles:
		p.files.change(c.Files)
	case opPolicy:
		p.policy = *c.Text
		p.refused = p.daemon.ReplacePolicyText(p.sources())
	}
	return nil
}

// restart ends the daemon, and every connection with it, and starts another on what it left, after
// it has been down for a while. policy is what the policy file has come to say meanwhile; nil: the same.
func (p *player) restart(end func(*daemon.Daemon) error, down time.Duration, policy *string) error {
	old := p.daemon
	p.daemon = nil
	if err := end(old); err != nil {
		return fmt.Errorf("the daemon does not end: %w", err)
	}
	for _, c := range p.conns {
		c.hangUp()
	}
	p.clock.forget()
	p.clock.step(p.clock.Now().Add(down))
	if policy != nil {
		p.policy = *policy
	}
	return p.open()
}

// advance moves the clock, and lets everything that falls due on the way run its course before
// the next.
func (p *player) advance(ctx context.Context, d time.Duration) error {
	until := p.clock.Now().Add(d)
	for {
		due := p.clock.step(until)
		if due == nil {
			return nil
		}
		due()
		if err := p.settle(ctx); err != nil {
			return err
		}
	}
}
