package scenario

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// patience is how long a daemon may be at work on one step. It bounds a fault, not a run: a step
// takes milliseconds.
const patience = time.Minute

// settle waits until the daemon is quiet: every frame read, every command committed, every peer
// sent what it is owed.
//
// Nobody can look at all parts of the daemon at one instant, and work moves on from part to part
// while one looks. But it moves in one direction, from the streams through the connections to the
// writer of the log and back to the streams, where it is counted. So what slips past one look is
// either caught by the second or has been counted by then.
func (p *player) settle(ctx context.Context) error {
	started := time.Now()
	for tries := 0; ; tries++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		before, once := p.moves.Load(), p.quiet()
		if once && p.quiet() && p.moves.Load() == before {
			return nil
		}
		select {
		case <-p.daemon.Ended():
			return fmt.Errorf("the daemon has ended: %w", p.daemon.Err())
		default:
		}
		if time.Since(started) > patience {
			return fmt.Errorf("the daemon is not quiet after %s", patience)
		}
		pause(tries)
	}
}

func (p *player) quiet() bool {
	for _, c := range p.conns {
		if !c.quiet() {
			return false
		}
	}
	return p.daemon.Idle()
}

// pause gives the processor away: at first to whoever wants it, then, while the daemon waits for
// the disk, for the time that looking again is worth.
func pause(tries int) {
	const eager, between = 64, 100 * time.Microsecond
	if tries < eager {
		runtime.Gosched()
		return
	}
	<-time.After(between)
}
