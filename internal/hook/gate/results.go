package gate

import (
	"cmp"

	"github.com/approvald/approvald/internal/hook/members"
	"github.com/approvald/approvald/wire"
)

// resolutionIn is the resolution of an approval, as far as a hook needs it; nil where there is none.
func resolutionIn(of *members.Reader) *wire.Resolution {
	if _, there := of.Object["resolution"]; !there {
		return nil
	}
	r := of.Inner("resolution")
	out := &wire.Resolution{
		Outcome: wire.Outcome(r.Text("outcome")), PolicyResult: wire.PolicyResult(r.Text("policyResult")),
		ResolvedBy: wire.ResolvedBy(r.Text("resolvedBy")), SuccessorApprovalID: r.Text("successorApprovalId"),
	}
	of.Err = cmp.Or(of.Err, r.Err)
	return out
}

// consumed is the answer to approval/consume, as far as a hook needs it.
func consumed(r *members.Reader) wire.ApprovalConsumeResult {
	out := wire.ApprovalConsumeResult{PolicyResult: wire.PolicyResult(r.Text("policyResult")), Consumed: r.Yes("consumed")}
	if _, there := r.Object["permit"]; there {
		permit := r.Inner("permit")
		out.Permit = &wire.Permit{ArgsDigest: permit.Text("argsDigest")}
		r.Err = cmp.Or(r.Err, permit.Err)
	}
	if _, there := r.Object["denial"]; there {
		denial := r.Inner("denial")
		out.Denial = &wire.Denial{Message: denial.Text("message"), Feedback: denial.Text("feedback")}
		r.Err = cmp.Or(r.Err, denial.Err)
	}
	return out
}
