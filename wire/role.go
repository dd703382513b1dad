package wire

// Role says what a connection may do. It belongs to the connection, not to the
// user, and never widens (protocol §2). The set is closed.
type Role string

const (
	RoleAgent    Role = "agent"    // opens approvals and waits; never decides
	RoleReviewer Role = "reviewer" // is shown approvals and decides; never opens
	RoleBoth     Role = "both"     // holds the user's authority
)
