package daemon

import (
	"errors"
	"fmt"
	"time"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
)

// returnGrace is how long after a restart agents and reviewers may take to come
// back: the restart ended their connections, and did not end them. After it,
// what belongs to an agent that is gone is cancelled (cancelOnDisconnect), and
// what may not wait in an empty room is refused (unattended: refuse).
const returnGrace = time.Minute

// recover carries out what the restart owes, and waits until it is durable:
// nothing is answered before it (protocol §8). The sessions share commits.
func (d *Daemon) recover() error {
	var plan []decide.Command
	d.seq.View(func(state *fold.State) { plan = recovery.Plan(state) })
	replies := make(chan sequencer.Reply, len(plan))
	for waiting := 0; len(plan) > 0 || waiting > 0; {
		if len(plan) > 0 {
			switch err := d.seq.Submit(plan[0], func(r sequencer.Reply) { replies <- r }); {
			case err == nil:
				plan, waiting = plan[1:], waiting+1
				continue
			case !errors.Is(err, sequencer.ErrOverloaded):
				return fmt.Errorf("recover what was pending: %w", err)
			}
		}
		select {
		case r := <-replies:
			waiting--
			if r.Refusal != nil {
				return fmt.Errorf("recover what was pending: %w", r.Refusal)
			}
		case <-d.ended:
			return fmt.Errorf("recover what was pending: %w", d.fatal)
		}
	}
	d.expectReturn()
	return nil
}

// expectReturn settles, when the grace is over, what waits for somebody who did
// not come back, in the order in which the sessions began.
func (d *Daemon) expectReturn() {
	var gone []decide.Command
	d.seq.View(func(state *fold.State) {
		for _, s := range waitingSessions(state) {
			gone = append(gone, decide.AgentGone{Session: s.ID}, decide.ReviewersGone{Session: s.ID})
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
