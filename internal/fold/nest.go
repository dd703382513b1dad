package fold

// Nest is a call, or a turn, of a session with everything nested in it at any
// depth. It remembers what it has found out of calls, so that asking it about all
// that a session holds takes as long as the calls are many, however deep an agent
// has nested them. It is of the session as it stood, and must not outlive a record
// of an opening.
type Nest struct {
	in   *Session
	call string // one of call and turn
	turn string
	at   map[string]bool // whether a call is it, or nested in it
}

// InCall is the nest of a tool call.
func (s *Session) InCall(id string) *Nest { return &Nest{in: s, call: id, at: map[string]bool{}} }

// InTurn is the nest of a turn: its calls and those nested in them.
func (s *Session) InTurn(turn string) *Nest { return &Nest{in: s, turn: turn, at: map[string]bool{}} }

// Approval reports whether an approval, which must be pending or have a claim, is in
// the nest. Its own word about its parent and its turn counts, also when its call was
// opened again with others.
func (n *Nest) Approval(a *Approval) bool {
	own := n.call != "" && a.ToolCallID == n.call || n.turn != "" && a.Claim.Turn == n.turn
	return own || n.holds(a.Claim.Parent)
}

// Prompt reports whether a pending prompt is in the nest.
func (n *Nest) Prompt(p *Prompt) bool {
	return n.turn != "" && p.Request.TurnID == n.turn || n.holds(p.Request.ToolCallID)
}

// holds reports whether a call is in the nest.
func (n *Nest) holds(id string) (is bool) {
	var path []string
	for id != "" {
		var known bool
		if is, known = n.at[id]; known {
			break
		}
		n.at[id] = false // where the chain closes on itself it ends here
		path = append(path, id)
		c, opened := n.in.full().calls.get(id)
		if is = n.call != "" && id == n.call || n.turn != "" && opened && c.turn == n.turn; is {
			break
		}
		id = c.parent
	}
	for _, below := range path {
		n.at[below] = is
	}
	return is
}
