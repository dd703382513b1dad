package fold_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
)

func TestAClaimIsTakenOrVoidedOnce(t *testing.T) {
	type claim struct {
		Claimable bool
		Consumed  approval.CommandID
		Voided    string
	}
	for _, c := range []struct {
		name    string
		records int
		id      approval.ID
		want    claim
	}{
		{"allowed", 30, ruleApproval, claim{Claimable: true}},
		{"consumed", 32, ruleApproval, claim{Consumed: opened}},
		{"granted, not taken", 42, grantApproval, claim{Claimable: true}},
		{"voided", 43, grantApproval, claim{Voided: "callEnded"}},
		{"superseded", 40, brokenApproval, claim{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, _ := told(c.records).Session(childSession)
			a, _ := at.Approval(c.id)
			if got := (claim{a.Claimable(), a.ConsumedBy, a.Voided}); got != c.want {
				t.Errorf("claim %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestARuleIsTheSessionsOwnUntilTheStoreHoldsIt(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int
		want    int // rules in force for the child that are in no store
	}{
		{"written", 25, 1}, {"not stored", 28, 1}, {"stored", 31, 0}, {"revoked", 37, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := told(c.records)
			child, _ := s.Session(childSession)
			parent, _ := s.Session(parentSession)
			if got := s.Unstored(child); len(got) != c.want {
				t.Errorf("the child has %+v", got)
			}
			if got := s.Unstored(parent); len(got) != 0 {
				t.Errorf("the parent has %+v", got)
			}
			if got := s.Revoked(ruleGrant); got != (c.records >= 37) {
				t.Errorf("revoked: %v", got)
			}
		})
	}
}

func TestAChildSeesItsParentsGrantsAndNotTheReverse(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int
		session approval.ID
		tool    string
		want    approval.ID // zero: none
	}{
		{"its own", 35, childSession, "t", childsGrant},
		{"its child's", 35, parentSession, "t", approval.ID{}},
		{"a revoked one", 36, childSession, "t", approval.ID{}},
		{"its parent's", 46, childSession, "u", parentsGrant},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := told(c.records)
			at, _ := s.Session(c.session)
			if g, _ := s.Granted(at, approval.Reach{Kind: "tool", Tool: c.tool}); g.ID != c.want {
				t.Errorf("granted by %s, want %s", g.ID, c.want)
			}
		})
	}
}

func TestASessionCountsWhatWaitsBelowIt(t *testing.T) {
	for _, c := range []struct{ records, want int }{{23, 0}, {24, 1}, {30, 0}, {38, 1}, {40, 0}, {41, 1}, {47, 0}} {
		at, _ := told(c.records).Session(parentSession)
		if at.Below != c.want {
			t.Errorf("after %d records: %d below, want %d", c.records, at.Below, c.want)
		}
	}
}
