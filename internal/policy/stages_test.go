package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

func TestStagesAreNumberedInSourceOrderUnderTheApproval(t *testing.T) {
	id := approval.ID{15: 0xe1}
	want := []approval.Stage{
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 0}, Position: 1, TotalStages: 3,
			Argv: []string{"make", "clean"}, ArgvComplete: true, Resolution: open,
		},
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 1}, Position: 2, TotalStages: 3,
			Argv: []string{"true"}, ArgvComplete: true, Resolution: safe,
		},
		{
			RequirementID: approval.RequirementID{Approval: id, SourceIndex: 2}, Position: 3, TotalStages: 3,
			Argv: []string{"make", "a b"}, ArgvComplete: true, Resolution: open,
		},
	}
	got := policy.Stages(id, "make clean && true; make 'a b'", "bash")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
}

// What is not understood is one opaque stage, which says why and is open.
func TestACommandThatIsNotUnderstoodIsOneOpenStage(t *testing.T) {
	for name, c := range map[string]struct{ command, dialect string }{
		"a substitution":   {"echo $(true)", "bash"},
		"a parse error":    {"echo 'a", "bash"},
		"a hidden control": {"true\x01", "bash"},
		"an unknown shell": {"true", "fish"},
		"nothing":          {"", "bash"},
	} {
		t.Run(name, func(t *testing.T) {
			got := policy.Stages(approval.ID{15: 0xe1}, c.command, c.dialect)
			if len(got) != 1 {
				t.Fatalf("%d stages: %+v", len(got), got)
			}
			stage := got[0]
			if stage.ArgvComplete || !stage.Resolution.Open() || stage.Resolution.Diagnostic == "" {
				t.Errorf("stage %+v", stage)
			}
			if diff := cmp.Diff([]string{c.command}, stage.Argv); diff != "" {
				t.Errorf("argv (-want +got):\n%s", diff)
			}
		})
	}
}
