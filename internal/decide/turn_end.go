package decide

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// endTurn settles what is pending in a turn of the draft's session, and in the
// calls nested in it, voids its permits, and then ends it: whoever is told that
// the turn is over is told nothing more of it.
func (d *draft) endTurn(body *record.TurnEnded, why string) {
	session := d.now()
	turn := session.InTurn(body.TurnID)
	for _, a := range session.PendingApprovals() {
		if turn.Approval(a) {
			d.settle(a, approval.ByTurnEnd, &record.ApprovalSettled{Reason: why})
		}
	}
	prompts := slices.DeleteFunc(session.PendingPrompts(), func(p *fold.Prompt) bool { return !turn.Prompt(p) })
	d.cancelPrompts(prompts, wire.SourceTurn, why)
	permits := session.Claims(func(a *fold.Approval) bool { return permitted(a) && turn.Approval(a) })
	var by *record.Party // the daemon is nobody
	if body.By != (record.Party{}) {
		by = &body.By
	}
	d.void(permits, wire.ReasonPermitTurnEnded, by)
	d.noteTurnEnd(body)
}

// noteTurnEnd appends the record of a turn's end, whose header names the open turn
// where it is that.
func (d *draft) noteTurnEnd(body *record.TurnEnded) {
	var id approval.ID
	if open, ok := d.now().OpenTurn(); ok && open.ID.String() == body.TurnID {
		id = open.ID
	}
	d.add(id, body)
}

// cancelOpenTurn ends the open turn of the draft's session, if there is one, on the
// daemon's own account.
func (d *draft) cancelOpenTurn(reason string) {
	if open, ok := d.now().OpenTurn(); ok {
		d.endTurn(&record.TurnEnded{TurnID: open.ID.String(), Terminal: string(wire.TurnWasCancelled), Reason: reason}, reason)
	}
}
