package card

import (
	"time"

	"github.com/approvald/approvald/wire"
)

// Settled is what became of an approval.
type Settled struct {
	Outcome   wire.Outcome
	Allowed   bool
	Words     string // how and by whom: "allowed once by a reviewer"
	By        Text   // what settled it: the place of a rule, or the source
	At        time.Time
	Successor string
	Denial    []Line // what the agent is told; nil where it may go ahead
	Feedback  []Line // what the reviewer said; only the agent side is told
}

// SettledBy is what a resolution says of an approval; by is who decided, nil where
// nobody did or it is not told.
func SettledBy(r *wire.Resolution, asked *wire.ApprovalRequest, by *wire.Decider) *Settled {
	s := &Settled{
		Outcome: r.Outcome, Allowed: r.PolicyResult == wire.PolicyAllow, Words: OutcomeByText(r.Outcome, r.ResolvedBy, Person(by)),
		By: Of(string(r.Source)), At: timeOf(&r.DecidedAt), Successor: r.SuccessorApprovalID,
	}
	if rule := SettlingRule(r, asked); rule != "" {
		s.By = Of(rule)
	}
	if r.Denial != nil {
		s.Denial = plainLines(r.Denial.Message)
	}
	if r.Feedback != "" {
		s.Feedback = plainLines(r.Feedback)
	}
	return s
}

// SettlingRule is the place of the rule that settled an approval, "" where none
// did or it is not known: what a later rule settled does not say by which.
func SettlingRule(r *wire.Resolution, asked *wire.ApprovalRequest) string {
	switch {
	case r.Denial != nil && r.Denial.Rule != "":
		return r.Denial.Rule
	case r.Source == asked.Policy.Source && len(asked.AvailableChoices) == 0:
		return asked.Policy.Rule
	}
	return ""
}

const aReviewer = "a reviewer"

// OutcomeText says in a few words what became of an approval, and by whom.
func OutcomeText(o wire.Outcome, by wire.ResolvedBy) string {
	who := "by policy"
	if by == wire.ResolvedByUser {
		who = "by " + aReviewer
	}
	switch o {
	case wire.OutcomeAllowedOnce:
		return "allowed once " + who
	case wire.OutcomeAllowedSession:
		return "allowed for the session " + who
	case wire.OutcomeAllowedPersistent:
		return "allowed for good " + who
	case wire.OutcomeRejected:
		return "rejected " + who
	case wire.OutcomeCancelled:
		return "cancelled"
	case wire.OutcomeTimedOut:
		return "timed out"
	case wire.OutcomeUnavailable:
		return "refused, since no reviewer was there"
	case wire.OutcomeSuperseded:
		return "replaced by a successor after a restart of the daemon"
	}
	return Visible(string(o)) + " " + who
}
