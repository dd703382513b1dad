package record

// ApprovalConsumed says that the agent took what was decided, to act on it: the
// permit of an allowed approval, or the denial of another. There is never a
// second one of an approval (invariant 9).
type ApprovalConsumed struct {
	Opened  uint64  `json:"opened"` // sequence of the approval's opening record
	By      Party   `json:"by"`
	Command *Intake `json:"command,omitempty"` // nil but in the first record of a batch
}

// Kind implements Body.
func (*ApprovalConsumed) Kind() Kind { return KindApprovalConsumed }

func (r *ApprovalConsumed) command() *Intake { return r.Command }
