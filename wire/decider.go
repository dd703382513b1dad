package wire

// CapabilityDecidedBy is asked for in requestedCapabilities by a client that shows people
// who decided: it is granted to reviewers and hosts, not to agents, and adds decidedBy to
// approval/resolved and userInput/settled, live and in pages, and to approval/read.
const CapabilityDecidedBy = "decidedBy"

// Decider says with what a person decided. It is what the record of the decision has
// of it, but for what the kernel says of the process, which is in the audit.
type Decider struct {
	ClientName string `json:"clientName"` // clientInfo.name: a claim
	Role       Role   `json:"role,omitzero"`
	Transport  string `json:"transport,omitzero"` // stdio, reviewer, host or web
}
