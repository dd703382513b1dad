package audit

import "github.com/approvald/approvald/internal/record"

// turn says what became of a turn. Where it is one that was started, its id stands in
// the header, where that of an approval does.
func (l *Line) turn(r record.Record) {
	l.ApprovalID = ""
	switch body := r.Body.(type) {
	case *record.TurnStarted:
		l.TurnID, l.Input, l.Agent, l.Hosted = textOf(r.Approval), body.Input, partyOf(body.Agent), body.Hosted
		l.By = party(body.By)
	case *record.TurnEnded:
		l.TurnID, l.Terminal, l.Why, l.By = body.TurnID, body.Terminal, body.Reason, party(body.By)
	}
}
