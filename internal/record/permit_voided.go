package record

// PermitVoided says that a settled approval can be consumed no more, though
// nobody has consumed it: what it was for has ended (protocol §7).
type PermitVoided struct {
	Opened uint64 `json:"opened"` // sequence of the approval's opening record
	Reason string `json:"reason"` // callEnded, turnEnded, catalogClosed or protectedWriteRestart
	By     *Party `json:"by,omitempty"`
}

// Kind implements Body.
func (*PermitVoided) Kind() Kind { return KindPermitVoided }

func (*PermitVoided) command() *Intake { return nil }
