package sequencer

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// DefaultRequestMemory is how many bytes of requests are held: some eight thousand
// ordinary ones, or three of the largest.
const DefaultRequestMemory = 16 << 20

// requests bounds what the view holds of the requests that wait: at most those
// among the last ones opened that weigh less than most. An older one is read from
// the log again by who needs it, which is slower and always there; without the
// bound ten thousand requests of a mebibyte would be ten gibibytes.
type requests struct {
	most  int // bytes
	held  []heldRequest
	bytes int
}

type heldRequest struct {
	session, id approval.ID
	bytes       int
}

// note takes up the requests that records opened, and lets go of the oldest.
func (q *requests) note(records []record.Record, letGo func(session, id approval.ID)) {
	for _, r := range records {
		if opened, ok := r.Body.(*record.ApprovalOpened); ok {
			q.held = append(q.held, heldRequest{r.Session, r.Approval, opened.Weight()})
			q.bytes += opened.Weight()
		}
	}
	n := 0
	for ; n < len(q.held) && q.bytes > q.most; n++ {
		letGo(q.held[n].session, q.held[n].id) // nothing happens to one that is settled
		q.bytes -= q.held[n].bytes
	}
	q.held = q.held[n:]
}
