package decide

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
)

// granted looks session grants up as session sees them.
func granted(s *fold.State, session *fold.Session) func(approval.Reach) (approval.Grant, bool) {
	return func(reach approval.Reach) (approval.Grant, bool) { return s.Granted(session, reach) }
}
