package daemon

import (
	"errors"
	"fmt"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/recovery"
	"github.com/approvald/approvald/internal/sequencer"
)

// returnGrace is how long after a restart the agent of a session with
// cancelOnDisconnect may take to come back before its requests are cancelled:
// the restart ended its connection, and did not end the agent.
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
	d.expectAgents()
	return nil
}

// expectAgents cancels, when the grace is over, what the agents have left
// behind that did not come back.
func (d *Daemon) expectAgents() {
	var sessions []approval.ID
	d.seq.View(func(state *fold.State) {
		for s := range state.Sessions() {
			if s.Pending > 0 && s.Started.CancelOnDisconnect {
				sessions = append(sessions, s.ID)
			}
		}
	})
	if len(sessions) == 0 {
		return
	}
	d.cfg.Clock.AfterFunc(returnGrace, func() {
		go func() { // Enqueue may wait for room
			for _, id := range sessions {
				if err := d.seq.Enqueue(decide.AgentGone{Session: id}); err != nil {
					return // the daemon has ended; the next one expects them again
				}
			}
		}()
	})
}
