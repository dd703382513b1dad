package record

// Party is who did something, as far as it can be known: what a client claims
// of itself, the role of its connection, and what the kernel says about the
// process at the other end (protocol §2). It is evidence, not a credential.
type Party struct {
	Client     string `json:"client,omitempty"` // clientInfo.name: a claim
	Version    string `json:"version,omitempty"`
	Role       string `json:"role,omitempty"`
	Transport  string `json:"transport,omitempty"` // stdio, agent, reviewer, host or AgentCommand
	PID        int    `json:"pid,omitempty"`
	UID        *int   `json:"uid,omitempty"` // nil where the kernel was not asked
	Executable string `json:"executable,omitempty"`
}

// AgentCommand is the transport of the program of serve --agent-cmd, which speaks on
// its standard input and output.
const AgentCommand = "agent-cmd"

// Hosted reports whether it is a program of serve --agent-cmd: the daemon started it,
// and it ends with the daemon.
func (p Party) Hosted() bool { return p.Transport == AgentCommand }
