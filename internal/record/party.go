package record

// Party is who did something, as far as it can be known: what a client claims
// of itself, the role of its connection, and what the kernel says about the
// process at the other end (protocol §2). It is evidence, not a credential.
type Party struct {
	Client     string `json:"client,omitempty"` // clientInfo.name: a claim
	Version    string `json:"version,omitempty"`
	Role       string `json:"role,omitempty"`
	Transport  string `json:"transport,omitempty"` // stdio, agent, reviewer or host
	PID        int    `json:"pid,omitempty"`
	UID        *int   `json:"uid,omitempty"` // nil where the kernel was not asked
	Executable string `json:"executable,omitempty"`
}
