package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxPointers is how many pending requests session/resume and session/read
// point at.
const maxPointers = 1000

// pendingPointers point at the first of what a session waits for.
func pendingPointers(pending []pendingRef) (pointers []wire.PendingRequest, truncated bool) {
	if truncated = len(pending) > maxPointers; truncated {
		pending = pending[:maxPointers]
	}
	for _, ref := range pending {
		pointer := wire.PendingRequest{ViewCursor: ref.cursor(), SubagentOrigin: fold.Origin(ref.lineage)}
		if ref.prompt != nil {
			pointer.Kind, pointer.UserInputID = wire.PendingUserInput, ref.id.String()
		} else {
			pointer.Kind, pointer.ApprovalID = wire.PendingApproval, ref.id.String()
		}
		pointers = append(pointers, pointer)
	}
	return pointers, truncated
}

// cursor is that of its latest requested event.
func (ref pendingRef) cursor() string { return ref.asked.Text(last(ref.lineage)) }
