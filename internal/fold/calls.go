package fold

import "github.com/approvald/approvald/internal/record"

// call is what is remembered of a tool call, so that the end of a call or a
// turn can find what is nested in it (protocol §7, approval/cancel).
type call struct {
	parent string // toolCallId of the parent; "" for none
	turn   string
}

func (d *Details) noteCall(body *record.ApprovalOpened) {
	d.calls.put(body.ToolCallID, call{parent: body.ParentToolCallID, turn: body.TurnID})
	if body.ParentToolCallID != "" {
		n, _ := d.children.get(body.ParentToolCallID)
		d.children.put(body.ParentToolCallID, n+1)
	}
}

// Children is how many approvals have named parent as their parent call.
func (s *Session) Children(parent string) int {
	n, _ := s.full().children.get(parent)
	return n
}

// Called reports whether an approval was ever opened for the tool call id.
func (s *Session) Called(id string) bool {
	_, known := s.full().calls.get(id)
	return known
}

// ancestor reports whether match holds for a call or one above it. Parents are
// named by agents, so a chain that closes on itself must end.
func (s *Session) ancestor(id string, match func(string, call) bool) bool {
	for seen := map[string]bool{}; id != "" && !seen[id]; {
		seen[id] = true
		c, known := s.full().calls.get(id)
		if match(id, c) {
			return true
		}
		if !known {
			return false
		}
		id = c.parent
	}
	return false
}

// Deep reports whether more than most calls are around what is nested in the call
// parent, which is one of them; a ring of calls ends.
func (s *Session) Deep(parent string, most int) bool {
	n := 0
	return s.ancestor(parent, func(string, call) bool { n++; return n > most })
}
