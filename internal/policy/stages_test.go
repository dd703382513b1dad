package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	split "github.com/approvald/approvald/internal/policy/shell"
)

func TestStagesAreNumberedInSourceOrderUnderTheApproval(t *testing.T) {
	id := approval.ID{15: 0xe1}
	want := []approval.Stage{
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 0}, Position: 1, TotalStages: 3,
			Argv: []string{"make", "clean"}, ArgvComplete: true, Resolution: open,
			SuggestedPrefix: &approval.SuggestedPrefix{ArgvPrefix: []string{"make", "clean"}, Label: "Always allow commands that begin with the words: make clean"},
		},
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 1}, Position: 2, TotalStages: 3,
			Argv: []string{"true"}, ArgvComplete: true, Resolution: safe,
		},
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 2}, Position: 3, TotalStages: 3,
			Argv: []string{"make 'a b"}, Resolution: approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: "does not parse"},
		},
	}
	got := policy.Stages(id, []split.Stage{
		{Argv: []string{"make", "clean"}, Complete: true, Prefix: []string{"make", "clean"}},
		{Argv: []string{"true"}, Complete: true, KnownSafe: true},
		{Argv: []string{"make 'a b"}, Diagnostic: "does not parse"},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}

// The label says what Describe says of the rule that the choice would write.
func TestTheLabelOfASuggestionDescribesItsRule(t *testing.T) {
	for _, prefix := range [][]string{{"ls"}, {"go", "test"}, {"a b", "", "c\n"}, {"git", "--x='y'", "é"}} {
		got := policy.Stages(approval.ID{}, []split.Stage{{Argv: prefix, Complete: true, Prefix: prefix}})[0].SuggestedPrefix.Label
		if want := "Always " + policy.Describe(policy.Rule{Effect: allow, Kind: approval.KindShell, HasArgv: true, Argv: prefix}); got != want {
			t.Errorf("label = %q, want %q", got, want)
		}
	}
}
