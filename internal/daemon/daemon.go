package daemon

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// store is the log as the daemon holds it: on disk or in memory.
type store interface {
	sequencer.Log
	recovery.Log
	io.Closer
}

// Daemon is a running daemon. Its methods are safe for concurrent use.
type Daemon struct {
	cfg     Config
	lock    *log.Lock // of the state directory; nil for an ephemeral daemon
	store   store
	rules   *rules
	agents  *agents
	seq     *sequencer.Sequencer
	server  *rpc.Server
	sockets *rpc.Sockets // nil without
	runtime *log.Lock    // of the runtime directory; nil without sockets

	serving context.Context //nolint:containedctx // the life of connections and of the writer, which is the daemon's own
	stop    context.CancelFunc
	ended   chan struct{} // closed when the writer has ended
	fatal   error         // why; set before ended is closed

	recovering atomic.Bool

	closing sync.Once
}

// Open takes the state directory, reads its log, and stands ready to serve. What
// a restart owes the approvals that were pending is done before anybody hears of
// them, and without waiting for that. The lock is taken before anything else is
// touched: where another daemon holds it the error is a *log.HeldError.
func Open(cfg Config) (*Daemon, error) {
	cfg.settle()
	d := &Daemon{cfg: cfg, ended: make(chan struct{})}
	if err := d.open(); err != nil {
		return nil, errors.Join(err, d.release())
	}
	d.recover()
	return d, nil
}

func (d *Daemon) open() (err error) {
	if !d.cfg.Ephemeral {
		if d.lock, err = log.Acquire(d.cfg.StateDir, d.holder(), 0); err != nil {
			return err
		}
	}
	inspector := inspect.Host()
	if d.cfg.FS != nil {
		inspector = inspect.New(d.cfg.FS).As(inspect.User{Home: "/home/user", Path: "/usr/local/bin:/usr/bin:/bin"})
	}
	if d.rules, err = openRules(&d.cfg, inspector); err != nil {
		return err // before there is a log
	}
	if d.cfg.Ephemeral {
		d.store = new(log.Memory)
	} else {
		opened, err := log.Open(d.cfg.logPath())
		if err != nil {
			return err
		}
		d.store = opened
	}
	outlined, err := recovery.Outline(d.store)
	if err != nil {
		return err
	}
	d.assemble(outlined, inspector)
	return nil
}

// holder names this process to those who find a directory taken.
func (d *Daemon) holder() log.Holder {
	return log.Holder{PID: os.Getpid(), Version: d.cfg.Identity.Version, StartedAt: d.cfg.Clock.Now()}
}

// assemble joins the writer and the edge, which know each other, and starts
// the writer.
func (d *Daemon) assemble(outlined recovery.Outlined, inspector *inspect.Inspector) {
	head := outlined.State.Head()
	profile := fold.Profile{ReplayedTo: head}
	if !d.cfg.Ephemeral {
		profile.LogPath = d.cfg.Identity.Home + "/sessions.db"
	}
	d.server = rpc.NewServer(rpc.Config{
		Clock:       d.cfg.Clock,
		Inspector:   inspector,
		Forbidden:   inspect.Forbidden{Homes: d.cfg.Homes, Own: d.cfg.own()},
		Profile:     profile,
		Identity:    d.cfg.Identity,
		Ephemeral:   d.cfg.Ephemeral,
		RuleInForce: d.rules.holds,
		Head:        head,
		Logger:      d.cfg.Logger,
	})
	d.seq = sequencer.New(sequencer.Config{
		Log:      d.store,
		Clock:    d.cfg.Clock,
		State:    outlined.State,
		Chain:    outlined.Chain,
		Read:     func(last uint64) (*fold.Details, error) { return recovery.Details(d.store, last) },
		NewID:    d.cfg.NewID,
		Attended: d.server.Attended,
		Owned:    d.server.Owned,
		Agent:    d.server.Agent, AgentCommand: d.cfg.AgentCommand != nil,
		Watched: d.server.Watched,
		TakenUp: d.server.TakenUp,
		Publish: func(records []record.Record) {
			d.server.Publish(records)
			d.rules.keep(records)
			d.agents.publish(records)
		},
		Policy: d.rules.policy,
		Limits: decide.Limits{
			Mode: d.cfg.Mode, Ceiling: d.cfg.Ceiling,
			MaxPending: d.cfg.MaxPending, MaxRefusals: decide.DefaultMaxRefusals,
		},
		IdleWindow: d.cfg.IdleWindow,
		Profile:    profile,
		Logger:     d.cfg.Logger,
	})
	d.server.Attach(d.seq)
	d.rules.attach(d.seq, d.server)
	d.serving, d.stop = context.WithCancel(context.Background())
	d.agents = &agents{
		start: d.cfg.AgentCommand, seq: d.seq, server: d.server, log: d.cfg.Logger, serving: d.serving,
		running: make(map[approval.ID]*agentRun),
	}
	go func() {
		defer close(d.ended)
		if err := d.seq.Run(d.serving); err != nil && !errors.Is(err, context.Canceled) {
			d.fatal = err // connections go on until Close, so that everyone hears of it
		}
	}()
}

// ServeStream serves one connection that the caller has, such as stdio or a
// pipe in memory, and returns when it is over.
func (d *Daemon) ServeStream(name string, widest wire.Role, stream io.ReadWriteCloser) {
	d.server.Serve(d.serving, rpc.Transport{Name: name, Widest: widest, Conn: stream})
}

// ServeOwn serves a part of this program that is a client like any other, as
// ServeStream does. Nobody stays for it (Connections).
func (d *Daemon) ServeOwn(name string, widest wire.Role, stream io.ReadWriteCloser) {
	d.server.Serve(d.serving, rpc.Transport{Name: name, Widest: widest, Own: true, Conn: stream})
}

// ServeStdio serves the one who started the daemon, and returns when the
// connection is over. The daemon is to end with it unless stays, asked when
// the peer has stopped sending, reports that it does not; the caller then
// closes it. The peer has been told by then, as protocol §1 has it. Which process
// that is nobody knows; its user is the daemon's.
func (d *Daemon) ServeStdio(widest wire.Role, stream io.ReadWriteCloser, stays func() bool) {
	d.server.Serve(d.serving, rpc.Transport{
		Name: "stdio", Widest: widest, Conn: stream, Peer: rpc.Peer{UID: new(os.Getuid())},
		Last: func() bool { return !stays() },
	})
}

// Ended is closed when the daemon can no longer serve: it was closed, or the
// log failed, which Err tells.
func (d *Daemon) Ended() <-chan struct{} { return d.ended }

// Err is why the writer ended, once Ended is closed; nil for an orderly end.
func (d *Daemon) Err() error {
	select {
	case <-d.ended:
		return d.fatal
	default:
		return nil
	}
}

// Idle reports whether nothing is on its way: no command queued or committing,
// no peer owed anything. Parked awaits do not count.
func (d *Daemon) Idle() bool {
	return d.agents.idle() && d.Told() && d.agents.idle() && d.Told()
}

// Told is Idle but for programs of --agent-cmd, which may be on their way.
func (d *Daemon) Told() bool {
	return !d.recovering.Load() && d.seq.Idle() && d.rules.idle() && d.server.Idle() && d.rules.idle() && d.seq.Idle()
}

// Connections is how many connections there are, for the one who decides whether
// to go on without its own.
func (d *Daemon) Connections() int { return d.server.Connections() }

// drainTimeout bounds how long an orderly end waits for peers to take what
// they are owed.
const drainTimeout = 5 * time.Second

// Close ends the daemon in order: no new connection, queued commands carried
// out, awaits answered, peers told, the log closed. What is pending stays
// pending in the log.
func (d *Daemon) Close() error {
	var err error
	d.closing.Do(func() {
		if d.sockets != nil {
			err = d.sockets.Close()
		}
		d.rules.close() // what the stores are owed is reported to the log first
		d.seq.Drain()
		<-d.ended
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		d.server.Drain(ctx)
		d.stop()
		d.agents.close()
		err = errors.Join(err, d.release())
	})
	return err
}

// Crash ends the daemon as a kill would, as far as a process can do that to
// itself: connections break, queued commands are dropped, and only what was
// committed is in the log.
func (d *Daemon) Crash() error {
	var err error
	d.closing.Do(func() {
		if d.sockets != nil {
			err = d.sockets.Close()
		}
		d.stop()
		<-d.ended
		d.rules.keeper.abandon()
		d.server.Abandon()
		d.agents.close()
		err = errors.Join(err, d.release())
	})
	return err
}

// release gives back the log and the lock.
func (d *Daemon) release() error {
	var errs []error
	if d.rules != nil {
		d.rules.close()
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}
	for _, lock := range []*log.Lock{d.runtime, d.lock} {
		if lock != nil {
			errs = append(errs, lock.Release())
		}
	}
	return errors.Join(errs...)
}
