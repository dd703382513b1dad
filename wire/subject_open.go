package wire

import "encoding/json"

// The Open… subjects are what an agent hands in with approval/open. approvald
// inspects them and publishes the full forms of subject.go (protocol §7). A client
// encodes them, with [Marshal], into ApprovalOpenParams.Subject; only the daemon
// reads them, as strictly as it reads params.

// OpenShell is a command to be approved.
type OpenShell struct {
	Kind    SubjectKind `json:"kind"`
	Command string      `json:"command"`
	Cwd     string      `json:"cwd,omitzero"`
	Shell   string      `json:"shell,omitzero"` // bash (default), sh or zsh
	Path    string      `json:"path,omitzero"`  // the agent's PATH
}

// OpenFile is a file access to be approved. Content is never published.
type OpenFile struct {
	Kind    SubjectKind `json:"kind"`
	Path    string      `json:"path"`
	Access  Access      `json:"access"`
	Content *string     `json:"content,omitzero"`
	Diff    string      `json:"diff,omitzero"`
	Cwd     string      `json:"cwd,omitzero"`
}

// OpenNetwork is a connection to be approved: a URL, or a host with optional
// port and protocol.
type OpenNetwork struct {
	Kind     SubjectKind `json:"kind"`
	URL      string      `json:"url,omitzero"`
	Host     string      `json:"host,omitzero"`
	Port     int         `json:"port,omitzero"`
	Protocol string      `json:"protocol,omitzero"`
}

// OpenProcess is an action on a process to be approved.
type OpenProcess struct {
	Kind      SubjectKind `json:"kind"`
	Action    string      `json:"action"`
	PID       int         `json:"pid,omitzero"`
	StartedAt Time        `json:"startedAt,omitzero"`
	Argv      []string    `json:"argv,omitempty"`
	Target    string      `json:"target,omitzero"`
}

// OpenTool is a tool call to be approved. ToolName and Arguments default to
// those of the approval.
type OpenTool struct {
	Kind       SubjectKind     `json:"kind"`
	ServerName string          `json:"serverName,omitzero"`
	ToolName   string          `json:"toolName,omitzero"`
	Transport  string          `json:"transport,omitzero"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
}
