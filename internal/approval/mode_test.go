package approval_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
)

// The order of policy.md "Ceilings": denyUnmatched < promptUnmatched <
// allowAll; onRequest < allowAll and incomparable with the other two.
func TestModeIsWithinACeilingByThePartialOrder(t *testing.T) {
	const (
		within = true
		beyond = false
	)
	for _, c := range []struct {
		mode, ceiling approval.Mode
		want          bool
	}{
		{approval.DenyUnmatched, approval.DenyUnmatched, within},
		{approval.DenyUnmatched, approval.PromptUnmatched, within},
		{approval.DenyUnmatched, approval.OnRequest, beyond},
		{approval.DenyUnmatched, approval.AllowAll, within},
		{approval.PromptUnmatched, approval.DenyUnmatched, beyond},
		{approval.PromptUnmatched, approval.PromptUnmatched, within},
		{approval.PromptUnmatched, approval.OnRequest, beyond},
		{approval.PromptUnmatched, approval.AllowAll, within},
		{approval.OnRequest, approval.DenyUnmatched, beyond},
		{approval.OnRequest, approval.PromptUnmatched, beyond},
		{approval.OnRequest, approval.OnRequest, within},
		{approval.OnRequest, approval.AllowAll, within},
		{approval.AllowAll, approval.DenyUnmatched, beyond},
		{approval.AllowAll, approval.PromptUnmatched, beyond},
		{approval.AllowAll, approval.OnRequest, beyond},
		{approval.AllowAll, approval.AllowAll, within},
	} {
		t.Run(string(c.mode)+" under "+string(c.ceiling), func(t *testing.T) {
			if got := c.mode.Within(c.ceiling); got != c.want {
				t.Errorf("Within = %v, want %v", got, c.want)
			}
		})
	}
}

func TestAnUnknownModeIsWithinNothingAndAdmitsNothing(t *testing.T) {
	for _, unknown := range []approval.Mode{"", "allowall", "AllowAll", "never", "unheardOf"} {
		t.Run(string(unknown), func(t *testing.T) {
			if unknown.Known() {
				t.Error("it is known")
			}
			for _, known := range append(approval.Modes, unknown) {
				if unknown.Within(known) {
					t.Errorf("it is within %s", known)
				}
				if known.Within(unknown) {
					t.Errorf("%s is within it", known)
				}
			}
		})
	}
}

func TestModesListsTheFour(t *testing.T) {
	seen := map[approval.Mode]bool{}
	for _, m := range approval.Modes {
		if !m.Known() || seen[m] {
			t.Errorf("%s is unknown or listed twice", m)
		}
		seen[m] = true
	}
	if len(seen) != 4 {
		t.Errorf("there are %d", len(seen))
	}
}
