package corpus

import (
	"context"

	"github.com/approvald/approvald/wire"
)

// ending is how an approval stands when every step is done.
type ending struct {
	resolution *wire.Resolution // nil: it waits
	request    wire.ApprovalRequest
	told       int // approval/resolved events in the session's view
}

// look reads, when every step is done, what became of every approval, as the agent may.
func (r *run) look(ctx context.Context) error {
	r.endings = make(map[string]ending)
	told := make(map[string]int) // by approval id
	for _, name := range r.owned {
		resolved, err := r.resolved(ctx, r.agent(), r.sessions[name].id)
		if err != nil {
			return err
		}
		for _, e := range resolved {
			if e.SubagentOrigin == nil || e.SessionID == r.sessions[name].id {
				told[e.ApprovalID]++
			}
		}
	}
	for _, label := range r.labels {
		a := r.approvals[label]
		var got wire.ApprovalReadResult
		if err := r.must(ctx, &got, r.agent(), wire.MethodApprovalRead, object{{"sessionId", a.session}, {"approvalId", a.id}}); err != nil {
			return err
		}
		r.endings[label] = ending{got.Resolution, got.Request, told[a.id]}
	}
	return nil
}
