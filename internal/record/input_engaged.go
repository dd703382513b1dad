package record

// InputEngaged says that a person has begun to answer a prompt, which has no
// deadline any more. There is at most one of a prompt, and none of a prompt
// without a deadline. A notification causes it: no command does.
type InputEngaged struct {
	Opened uint64 `json:"opened"` // sequence of the prompt's opening record
	By     Party  `json:"by"`
}

// Kind implements Body.
func (*InputEngaged) Kind() Kind { return KindInputEngaged }

func (*InputEngaged) command() *Intake { return nil }
