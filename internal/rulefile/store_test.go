package rulefile_test

import (
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// grantID is the n-th of some ids.
func grantID(n byte) approval.ID { return approval.ID{15: n} }

// words is an allow rule for commands that begin with words.
func words(argv ...string) policy.Rule {
	return policy.Rule{Effect: policy.Allow, Kind: approval.KindShell, HasArgv: true, Argv: argv}
}
