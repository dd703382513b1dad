package linear

import (
	"encoding/json"
	"errors"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// story is what view/page tells in the end: which approvals came to be, and in
// which order they were opened and settled. It tells what the model cannot know,
// the ids, and holds the clients' answers to the order of the log. An approval
// that a client met and the story does not have is a violation.
type story struct {
	session  approval.ID
	opening  map[string]string        // approval by toolCallId; successors are not in it
	openedAt map[string]uint64        // sequence of the opening record
	endedAt  map[string]string        // view cursor of approval/resolved
	events   []string                 // one of the words below and an approval
	callOf   map[string]string        // toolCallId by approval
	mint     func(call string) string // the id of what a batch opens, where writing
	writing  bool                     // the model itself is the daemon and writes it
}

// The events that change what clients are answered.
const (
	opens   = "opens "
	stages  = "settles a stage of "
	settles = "settles "
)

func newStory(session approval.ID) *story {
	return &story{session: session, opening: map[string]string{}, openedAt: map[string]uint64{}, endedAt: map[string]string{}, callOf: map[string]string{}}
}

// add takes up one event.
func (s *story) add(event wire.ViewEvent) error {
	var e struct {
		ApprovalID  string           `json:"approvalId"`
		ToolCallID  string           `json:"toolCallId"`
		ViewCursor  string           `json:"viewCursor"`
		SourceRange wire.SourceRange `json:"sourceRange"`
		Change      wire.Change      `json:"change"`
	}
	if err := json.Unmarshal(event.Params, &e); err != nil {
		return err
	}
	switch {
	case event.Method == wire.MethodApprovalRequested && s.openedAt[e.ApprovalID] == 0: // else it is about a later stage
		s.openedAt[e.ApprovalID] = e.SourceRange.First.Sequence
		s.events = append(s.events, opens+e.ApprovalID)
		s.callOf[e.ApprovalID] = e.ToolCallID
		if s.opening[e.ToolCallID] == "" { // a successor has the call of the one before
			s.opening[e.ToolCallID] = e.ApprovalID
		}
	case event.Method == wire.MethodApprovalUpdated && e.Change.Kind == wire.ChangeStageResolved:
		s.events = append(s.events, stages+e.ApprovalID)
	case event.Method == wire.MethodApprovalResolved:
		if s.endedAt[e.ApprovalID] != "" {
			return errors.New("it was resolved before")
		}
		s.endedAt[e.ApprovalID] = e.ViewCursor
		s.events = append(s.events, settles+e.ApprovalID)
	}
	return nil
}
