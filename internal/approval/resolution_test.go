package approval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
)

// The table of causes of protocol §6, row by row.
func TestResolutionsAreTheRowsOfTheTableOfCauses(t *testing.T) {
	for _, c := range []struct {
		cause string
		got   approval.Resolution
		want  []string // outcome, decision, policyResult, resolvedBy, source
	}{
		{"allow_once, allow_all_once", approval.ByReviewerOnce, []string{"allowedOnce", "approved", "allow", "user", "reviewer"}},
		{"allow_session", approval.ByReviewerSession, []string{"allowedSession", "approvedForSession", "allow", "user", "reviewer"}},
		{"abort", approval.ByReviewerAbort, []string{"rejected", "abort", "deny", "user", "reviewer"}},
		{"session grant", approval.BySessionGrant, []string{"allowedOnce", "approved", "allow", "policy", "sessionGrant"}},
		{"mode", approval.ByModeAllow, []string{"allowedOnce", "approved", "allow", "policy", "mode"}},
		{"only known-safe stages", approval.ByBuiltinAllow, []string{"allowedOnce", "approved", "allow", "policy", "builtin"}},
		{"denyUnmatched", approval.ByModeDeny, []string{"rejected", "denied", "deny", "policy", "mode"}},
		{"approval/cancel", approval.ByAgentCancel, []string{"cancelled", "abort", "deny", "policy", "agent"}},
		{"turn end", approval.ByTurnEnd, []string{"cancelled", "abort", "deny", "policy", "turn"}},
		{"session close", approval.BySessionClose, []string{"cancelled", "abort", "deny", "policy", "session"}},
		{"catalog close or changed tool", approval.ByCatalog, []string{"cancelled", "abort", "deny", "policy", "catalog"}},
		{"deadline", approval.ByDeadline, []string{"timedOut", "timedOut", "deny", "policy", "deadline"}},
		{"refuse without reviewer", approval.ByNobodyThere, []string{"unavailable", "denied", "deny", "policy", "unattended"}},
		{"restart", approval.ByRestart, []string{"superseded", "abort", "deny", "policy", "recovery"}},
	} {
		t.Run(c.cause, func(t *testing.T) {
			got := []string{string(c.got.Outcome), c.got.Decision, c.got.PolicyResult, c.got.ResolvedBy, c.got.Source}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
			if c.got.Allowed() != (c.want[2] == "allow") {
				t.Errorf("Allowed = %v", c.got.Allowed())
			}
		})
	}
}

func TestUnattendedKnowsItsTwoWords(t *testing.T) {
	for u, want := range map[approval.Unattended]bool{
		approval.Park: true, approval.Refuse: true, "": false, "Park": false, "wait": false,
	} {
		if got := u.Known(); got != want {
			t.Errorf("%q: Known = %v", u, got)
		}
	}
}
