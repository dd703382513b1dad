package policy

import (
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// stricter is the verdict where both must be satisfied: own is that of the
// session's own workspace, above that of an ancestor's. A stage is settled where
// both settle it, and offered is what would satisfy both.
func stricter(own, above Verdict) Verdict {
	v := own
	if above.Effect > own.Effect {
		v = above
		v.PermissionMode = own.PermissionMode
	}
	v.Stages = make([]approval.StageResolution, len(own.Stages))
	for i := range own.Stages {
		v.Stages[i] = own.Stages[i]
		if i < len(above.Stages) && weight(above.Stages[i]) > weight(own.Stages[i]) {
			v.Stages[i] = above.Stages[i]
		}
	}
	if own.Stages == nil {
		v.Stages = nil
	}
	if v.Effect != Ask {
		return v
	}
	v.Protected = own.Protected || above.Protected
	v.Menu = Menu{OnlySession: own.Menu.OnlySession || above.Menu.OnlySession}
	// Where one of the two asks nothing, only the other says what may be offered.
	v.Menu.Session = (own.Effect != Ask || own.Menu.Session) && (above.Effect != Ask || above.Menu.Session)
	if above.Effect == Allow {
		v.Menu.Persist = own.Menu.Persist // a rule of the own store settles what is asked
	}
	return v
}

// weight orders stages from settled to denied.
func weight(s approval.StageResolution) int {
	switch {
	case !s.Open():
		return 0
	case strings.HasPrefix(s.Diagnostic, denialPrefix):
		return 2
	}
	return 1
}
