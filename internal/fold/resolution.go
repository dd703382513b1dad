package fold

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Resolution is what the agent learns of a settled approval (protocol §7). It
// must not be called on a pending one.
func (a *Approval) Resolution() *wire.Resolution {
	s := a.Settled
	r := &wire.Resolution{
		ApprovalID:   a.ID.String(),
		ToolCallID:   a.ToolCallID,
		Outcome:      wire.Outcome(s.Outcome),
		Decision:     wire.Decision(s.Decision),
		PolicyResult: wire.PolicyResult(s.PolicyResult),
		ResolvedBy:   wire.ResolvedBy(s.ResolvedBy),
		Source:       wire.Source(s.Source),
		DecidedAt:    wire.FormatTime(a.SettledAt),
		Feedback:     s.Feedback,
	}
	if s.Successor != nil {
		r.SuccessorApprovalID = s.Successor.String()
	}
	if a.Claim != nil && approval.Outcome(s.Outcome).Allows() {
		r.Permit = &wire.Permit{ArgsDigest: a.Claim.ArgsDigest, SubjectDigest: a.Claim.SubjectDigest}
	}
	r.Denial = denial(a.ToolName, s)
	return r
}

// Notice is what the loser of a race is told (protocol §6, -32051).
func (a *Approval) Notice(session approval.ID) *wire.ResolutionNotice {
	return &wire.ResolutionNotice{
		Decision:   wire.Decision(a.Settled.Decision),
		ResolvedBy: wire.ResolvedBy(a.Settled.ResolvedBy),
		ViewCursor: CursorAt(a.SettledSeq, 0).Text(session),
		Outcome:    wire.Outcome(a.Settled.Outcome),
	}
}

// denial explains a refusal to the model; nil where there is nothing to
// explain.
func denial(tool string, s *record.ApprovalSettled) *wire.Denial {
	call := fmt.Sprintf("The call of %q was not carried out", tool)
	d := &wire.Denial{Feedback: s.Feedback, Rule: s.Rule}
	var why string
	switch approval.Outcome(s.Outcome) {
	case approval.Rejected:
		if s.ResolvedBy == approval.ByReviewerAbort.ResolvedBy {
			d.Kind, why = wire.DenialRejected, "a reviewer rejected it"
			break
		}
		d.Kind, why = wire.DenialPolicy, "the user's policy denies it"
	case approval.TimedOut:
		d.Kind, why = wire.DenialTimedOut, "nobody decided before its deadline"
	case approval.Unavailable:
		d.Kind, why = wire.DenialUnavailable, "no reviewer was there to decide"
	case approval.Cancelled:
		d.Kind, why = wire.DenialCancelled, "it was cancelled"
	default:
		return nil
	}
	var message strings.Builder
	fmt.Fprintf(&message, "%s: %s.", call, why)
	if s.Reason != "" {
		fmt.Fprintf(&message, " %s", sentence(s.Reason))
	}
	if s.Feedback != "" {
		fmt.Fprintf(&message, " The reviewer says: %s", sentence(s.Feedback))
	}
	message.WriteString(" Repeating the same call will not help.")
	d.Message = message.String()
	return d
}

// sentence ends what somebody wrote as a sentence ends, so that what follows is not
// read as a part of it.
func sentence(said string) string {
	said = strings.TrimRightFunc(said, unicode.IsSpace)
	if last, _ := utf8.DecodeLastRuneInString(said); strings.ContainsRune(".!?…", last) {
		return said
	}
	return said + "."
}
