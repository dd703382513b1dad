package fold

import "github.com/approvald/approvald/internal/approval"

// runCall is a tool call of a run, by which approval/prepare finds what it was
// given before (protocol §7).
type runCall struct{ run, call string }

// span are the places of a call's approvals in opening order, from the oldest that
// is pending or can be consumed; places behind it may hold others. A call that is
// opened over and over and never consumed makes none of it slower.
type span struct{ first, next int }

type place struct {
	of runCall
	n  int
}

// enterRun notes an approval that was opened for a run.
func (d *Details) enterRun(of runCall, id approval.ID) {
	if of.run == "" {
		return
	}
	at, _ := d.runs.get(of)
	d.places.put(place{of, at.next}, id)
	at.next++
	d.runs.put(of, at)
}

// leaveRun passes over what was consumed, voided or superseded, one of which has
// just been.
func (d *Details) leaveRun(of runCall) {
	at, ok := d.runs.get(of)
	if !ok {
		return
	}
	for ; at.first < at.next; at.first++ {
		id, _ := d.places.get(place{of, at.first})
		if a, ok := d.approvals.get(id); ok && (a.Pending() || a.Claimable()) {
			d.runs.put(of, at)
			return
		}
		d.places.drop(place{of, at.first})
	}
	d.runs.drop(of)
}

// Prepared returns the oldest approval of a call of a run that is pending or can
// be consumed: never one that a restart superseded, and its successor instead.
func (s *Session) Prepared(run, call string) (*Approval, bool) {
	of := runCall{run, call}
	at, ok := s.full().runs.get(of)
	if !ok {
		return nil, false
	}
	id, _ := s.full().places.get(place{of, at.first})
	return s.Approval(id)
}
