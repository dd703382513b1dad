package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxPointers is how many pending requests session/resume and session/read
// point at.
const maxPointers = 1000

// pendingPointers point at what a session waits for, in opening order.
func pendingPointers(session *fold.Session) (pointers []wire.PendingRequest, truncated bool) {
	pending := session.PendingApprovals()
	if truncated = len(pending) > maxPointers; truncated {
		pending = pending[:maxPointers]
	}
	for _, a := range pending {
		pointers = append(pointers, wire.PendingRequest{
			Kind: wire.PendingApproval, ApprovalID: a.ID.String(), ViewCursor: a.Asked.Text(session.ID),
		})
	}
	return pointers, truncated
}
