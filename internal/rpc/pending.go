package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxPointers is how many pending requests session/resume and session/read
// point at.
const maxPointers = 1000

// pendingPointers point at what a session and those below it wait for, in
// opening order.
func pendingPointers(state *fold.State, session *fold.Session) (pointers []wire.PendingRequest, truncated bool) {
	pending := pendingWithin(state, session)
	if truncated = len(pending) > maxPointers; truncated {
		pending = pending[:maxPointers]
	}
	for _, ref := range pending {
		pointer := wire.PendingRequest{
			ViewCursor:     ref.asked.Text(last(ref.lineage)),
			SubagentOrigin: fold.Origin(ref.lineage),
		}
		if ref.prompt != nil {
			pointer.Kind, pointer.UserInputID = wire.PendingUserInput, ref.id.String()
		} else {
			pointer.Kind, pointer.ApprovalID = wire.PendingApproval, ref.id.String()
		}
		pointers = append(pointers, pointer)
	}
	return pointers, truncated
}
