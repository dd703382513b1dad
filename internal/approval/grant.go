package approval

import "time"

// Scope is how long a choice reaches (protocol §6 "Choice").
type Scope string

// The scopes.
const (
	ScopeOnce            Scope = "once"
	ScopeSession         Scope = "session"
	ScopeLocalPersistent Scope = "localPersistent" // a rule of the workspace's own
)

// Reach is exactly what a grant covers. Two subjects with equal reaches are
// the same thing to a grant, and nothing else is: there is no pattern, no
// prefix and no "similar" (policy.md per kind). It is comparable, so that a
// set of grants is a map.
//
//	shell      the byte-identical command, in this cwd, by this shell
//	fileAccess this real path and this access (write does not imply read)
//	network    host, port and protocol
//	process    action, target, pid with start, and the exact argv
//	tool       the server and the tool, as two strings; under a catalog also the
//	           catalog and the digest that it lists
type Reach struct {
	Kind      string
	Command   string
	Cwd       string
	Shell     string
	Path      string
	Access    string
	Host      string
	Port      int
	Protocol  string
	Action    string
	Target    string
	PID       int
	StartedAt string
	Argv      string // JSON array, so that words cannot run together; "" for no words
	Server    string
	Tool      string
	Catalog   string // id of the catalog that a tool is listed in; "" for none
	Digest    string // of the tool's definition there
}

// Grant is a standing permission that a reviewer gave with a decision.
type Grant struct {
	ID          ID
	Scope       Scope
	Session     ID     // that it was given in
	Kind        string // of subject
	Reach       Reach  // of a session grant: exactly what it covers
	Rule        string // of a persistent one: the rule, as policy.EncodeRule writes it
	Root        string // of a persistent one: the workspace whose store it goes into
	RulePreview string // what the reviewer was shown when giving it
	Approval    ID     // the approval that it was given on
	CreatedBy   CommandID
	CreatedAt   time.Time
	Seq         uint64 // of the record that gave it
	Persisted   bool   // the rule is in the store
	Revoked     bool
	Ended       bool // the catalog that it was bound to was closed, or lists the tool otherwise
}

// Reach implements Subject.
func (s Shell) Reach() (Reach, bool) {
	return Reach{Kind: KindShell, Command: s.Command, Cwd: s.Cwd, Shell: s.Shell}, true
}

// Reach implements Subject.
func (f File) Reach() (Reach, bool) {
	return Reach{Kind: KindFile, Path: f.Path, Access: f.Access}, true
}

// Reach implements Subject.
func (n Network) Reach() (Reach, bool) {
	return Reach{Kind: KindNetwork, Host: n.Host, Port: n.Port, Protocol: n.Protocol}, true
}

// Reach implements Subject.
func (p Process) Reach() (Reach, bool) {
	r := Reach{Kind: KindProcess, Action: p.Action, Target: p.Target, PID: p.PID, StartedAt: p.StartedAt}
	if len(p.Argv) == 0 { // nil or empty: the published form does not tell them apart
		return r, true
	}
	argv, err := encode(p.Argv)
	if err != nil {
		return Reach{}, false
	}
	r.Argv = string(argv)
	return r, true
}

// Reach implements Subject.
func (t Tool) Reach() (Reach, bool) {
	return Reach{Kind: KindTool, Server: t.ServerName, Tool: t.ToolName}, true
}

// Reach implements Subject: a session grant is not defined for a kind that
// nobody has rules for.
func (Unknown) Reach() (Reach, bool) { return Reach{}, false }
