package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
)

// Load decides nothing: who has it carried out wants the session loaded, with
// what a restart owes it done (protocol §4 "Loading").
type Load struct{ Session approval.ID }

func (c Load) concerns(*fold.State) approval.ID { return c.Session }

func (c Load) decide(*fold.State, Env) Result { return Result{} }
