package fold

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// runCall is a tool call of a run, by which approval/prepare finds what it was
// given before (protocol §7).
type runCall struct{ run, call string }

// unconsumed are the approvals of a call that are pending or can be consumed, in
// opening order. It is immutable: a change replaces it.
type unconsumed struct{ ids []approval.ID }

// enterRun notes an approval that was opened for a run.
func (d *Details) enterRun(of runCall, id approval.ID) {
	if of.run == "" {
		return
	}
	var ids []approval.ID
	if known, ok := d.runs.get(of); ok {
		ids = known.ids
	}
	d.runs.put(of, &unconsumed{append(slices.Clip(ids), id)})
}

// leaveRun forgets one that was consumed, voided or superseded.
func (d *Details) leaveRun(of runCall, id approval.ID) {
	known, ok := d.runs.get(of)
	if !ok {
		return
	}
	left := slices.DeleteFunc(slices.Clone(known.ids), func(one approval.ID) bool { return one == id })
	if len(left) == 0 {
		d.runs.drop(of)
		return
	}
	d.runs.put(of, &unconsumed{left})
}

// Prepared returns the oldest approval of a call of a run that is pending or can
// be consumed: never one that a restart superseded, and its successor instead.
func (s *Session) Prepared(run, call string) (*Approval, bool) {
	known, ok := s.full().runs.get(runCall{run, call})
	if !ok {
		return nil, false
	}
	return s.Approval(known.ids[0])
}

// Run is the run that the approval was opened for, which must be pending or have
// a claim; "" for none.
func (a *Approval) Run() string {
	if a.Claim != nil {
		return a.Claim.Run
	}
	return a.Request.RunID
}

// Digests are those of the arguments and of the subject of an approval that is
// pending or has a claim.
func (a *Approval) Digests() (args, subject string) {
	if a.Claim != nil {
		return a.Claim.ArgsDigest, a.Claim.SubjectDigest
	}
	return a.Request.ArgsDigest, a.Request.SubjectDigest
}
