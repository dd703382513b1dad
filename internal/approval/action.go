package approval

import (
	"encoding/json"

	strict "github.com/go-json-experiment/json"
)

// Action is one thing that an agent wants to do: the call it comes from, the
// inspected subject, and what the agent says about it. It is everything that
// survives into a successor after a restart (protocol §8).
type Action struct {
	ToolCallID       string
	ToolName         string
	RawArgs          string // the model's arguments, a JSON text, verbatim
	ArgsDigest       string // "sha256:…" over RawArgs in canonical form
	Reason           string
	Justification    string // untrusted display text; changes nothing
	Operation        json.RawMessage
	TurnID           string // "" until opening gives it the open turn's or the approval's id
	TaskID           string
	ItemID           string
	ParentToolCallID string
	RunID            string // the agent's own name for the run
	Catalog          ID     // that the tool is listed in; zero for none
	Requested        bool   // the agent asked to be asked (mode onRequest)
	Subject          Subject
	Found            Found // what inspection learned with the subject
}

// OperationUnrestricted is the kind of the operation by which a command runs with
// all of the host's files, network and environment.
const OperationUnrestricted = "shell-unrestricted"

// Unrestricted reports whether the action is a command that runs outside every
// sandbox: it is approved for one invocation, and what was granted to the same
// command inside one does not cover it. An operation that cannot be read may be
// that.
func (a Action) Unrestricted() bool {
	if len(a.Operation) == 0 {
		return false
	}
	var head struct {
		Kind string `json:"kind"`
	}
	err := strict.Unmarshal(a.Operation, &head)
	return err != nil || head.Kind == OperationUnrestricted
}
