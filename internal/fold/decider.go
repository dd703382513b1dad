package fold

import (
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Decider is the person behind a record that settles an approval or a prompt, as far as
// the wire tells of them; nil where nobody decided, and for every other record. It is
// no part of the params of events: not everybody is told (wire.CapabilityDecidedBy).
func Decider(r record.Record) *wire.Decider {
	var by *record.Party
	switch body := r.Body.(type) {
	case *record.ApprovalSettled:
		by = body.By
	case *record.InputSettled:
		by = body.By
	}
	if by == nil {
		return nil
	}
	return &wire.Decider{ClientName: by.Client, Role: wire.Role(by.Role), Transport: by.Transport}
}

// Decider is the person who settled the approval; nil where nobody did.
func (a *Approval) Decider() *wire.Decider {
	if a.Settled == nil {
		return nil
	}
	return Decider(record.Record{Body: a.Settled})
}
