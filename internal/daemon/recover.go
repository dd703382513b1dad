package daemon

import (
	"errors"
	"log/slog"
	"time"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/sequencer"
)

// returnGrace is how long after a restart agents and reviewers may take to come
// back: the restart ended their connections, and did not end them. After it,
// what belongs to an agent that is gone is cancelled (cancelOnDisconnect), and
// what may not wait in an empty room is refused (unattended: refuse).
const returnGrace = time.Minute

// recover has every session with something pending loaded, so that what the
// restart owes it is done also where nobody asks (protocol §8), and then catches up
// with what the stores are owed: a rule that is stored earlier would settle some
// successors and others not, as the two happen to meet.
func (d *Daemon) recover() {
	d.expectReturn()
	d.recovering.Store(true)
	go func() {
		defer d.recovering.Store(false)
		err := d.seq.LoadPending()
		if errors.Is(err, sequencer.ErrStopped) {
			return
		}
		if err != nil {
			d.cfg.Logger.Error("not everything that was pending could be recovered", slog.Any("cause", err))
		}
		d.rules.catchUp()
	}()
}

// expectReturn settles, when the grace is over, what waits for somebody who did
// not come back, in the order in which the sessions began. An agent has what waits
// in child sessions too, whether or not something does in its own.
func (d *Daemon) expectReturn() {
	var gone []decide.Command
	d.seq.View(func(state *fold.State) {
		for _, s := range sessionsOf(state, (*fold.Session).Waits) {
			gone = append(gone, decide.AgentGone{Session: s.ID})
			if s.Pending > 0 {
				gone = append(gone, decide.ReviewersGone{Session: s.ID})
			}
		}
	})
	if len(gone) == 0 {
		return
	}
	d.cfg.Clock.AfterFunc(returnGrace, func() { d.settleLater(gone) })
}

// settleLater queues commands of the daemon's own from a clock's callback,
// which must not wait for room. After the daemon's end there is nobody to take
// them; the next one expects everybody again.
func (d *Daemon) settleLater(commands []decide.Command) {
	for i, command := range commands {
		switch err := d.seq.Submit(command, nil); {
		case errors.Is(err, sequencer.ErrOverloaded):
			go func() {
				for _, command := range commands[i:] {
					if d.seq.Enqueue(command) != nil {
						return
					}
				}
			}()
			return
		case err != nil:
			return
		}
	}
}
