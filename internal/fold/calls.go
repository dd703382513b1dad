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

// InCall reports whether the approval, which must be pending or have a claim, belongs to the
// tool call id, or to one nested in it at any depth. The approval's own word
// about its parent counts, also when its call was opened again with another.
func (s *Session) InCall(a *Approval, id string) bool {
	return a.ToolCallID == id ||
		s.ancestor(a.Claim.Parent, func(toolCall string, _ call) bool { return toolCall == id })
}

// InTurn reports whether the approval, which must be pending or have a claim, belongs to the
// turn, or to a call nested in one of the turn's.
func (s *Session) InTurn(a *Approval, turn string) bool {
	return a.Claim.Turn == turn ||
		s.ancestor(a.Claim.Parent, func(_ string, c call) bool { return c.turn == turn })
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
