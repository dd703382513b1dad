package wire

import (
	"encoding/json"
	"fmt"

	strict "github.com/go-json-experiment/json"
)

// SubjectKind tells subjects apart. The union is open: an unknown kind is shown
// as it is and approved by nobody but a reviewer (protocol §6).
type SubjectKind string

const (
	SubjectShell   SubjectKind = "shell"
	SubjectFile    SubjectKind = "fileAccess"
	SubjectNetwork SubjectKind = "network"
	SubjectProcess SubjectKind = "process"
	SubjectTool    SubjectKind = "tool"
)

// Access is the direction of a file access; write does not imply read. The set is closed.
type Access string

const (
	AccessRead  Access = "read"
	AccessWrite Access = "write"
)

// ShellSubject is a command as approvald parsed it. Command is the full raw
// text; Stages has at least one member.
type ShellSubject struct {
	Kind          SubjectKind `json:"kind"`
	Command       string      `json:"command"`
	Cwd           string      `json:"cwd"`
	Shell         string      `json:"shell"` // bash, sh or zsh
	WorkspaceRoot string      `json:"workspaceRoot,omitzero"`
	Stages        List[Stage] `json:"stages"`
}

// FileSubject is a file access. Path is real and absolute, RequestedPath is
// what the agent wrote. A large diff is left out, marked with DiffOmitted and
// DiffDigest, and fetched with approval/read (protocol §1).
type FileSubject struct {
	Kind          SubjectKind `json:"kind"`
	ToolName      string      `json:"toolName"`
	Path          string      `json:"path"`
	RequestedPath string      `json:"requestedPath"`
	Access        Access      `json:"access"`
	Exists        bool        `json:"exists"`
	Diff          string      `json:"diff,omitzero"`
	DiffOmitted   bool        `json:"diffOmitted,omitzero"`
	DiffDigest    string      `json:"diffDigest,omitzero"`
}

// NetworkSubject is a connection, host and port normalised.
type NetworkSubject struct {
	Kind     SubjectKind    `json:"kind"`
	Host     string         `json:"host"`
	Port     int            `json:"port"`
	Protocol string         `json:"protocol"`
	Origin   *NetworkOrigin `json:"origin,omitzero"`
}

// NetworkOrigin says what wants the connection (msp-facts §5.2).
type NetworkOrigin struct {
	Kind    string `json:"kind"`
	Command string `json:"command,omitzero"`
	URL     string `json:"url,omitzero"`
}

// ProcessSubject is an action (signal, attach, spawn) on a process.
type ProcessSubject struct {
	Kind      SubjectKind `json:"kind"`
	Action    string      `json:"action"`
	Target    string      `json:"target"`
	PID       int         `json:"pid,omitzero"`
	StartedAt Time        `json:"startedAt,omitzero"`
	Argv      []string    `json:"argv,omitempty"`
}

// ToolSubject is a call of a named tool. ServerName and ToolName are two
// strings, never one joined text. ToolDigest is the one that the catalog lists
// under which the call was opened, and absent where it was opened under none.
type ToolSubject struct {
	Kind       SubjectKind     `json:"kind"`
	ToolName   string          `json:"toolName"`
	ServerName string          `json:"serverName,omitzero"`
	Transport  string          `json:"transport,omitzero"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	ToolDigest string          `json:"toolDigest,omitzero"`
}

// UnknownSubject is a subject of a kind that this package does not know. Raw is
// the whole object, verbatim.
type UnknownSubject struct {
	Kind SubjectKind
	Raw  json.RawMessage
}

// KindOf reads the kind of a subject or operation object; an object without a
// kind is an error. Only the member of exactly that name is read: an agent may add
// a "Kind", which encoding/json would take for it, and others do not.
func KindOf(raw json.RawMessage) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return "", fmt.Errorf("wire: a subject must be an object with a kind: %w", err)
	}
	var kind string
	if given, ok := members["kind"]; ok {
		if err := json.Unmarshal(given, &kind); err != nil {
			return "", fmt.Errorf("wire: the kind of a subject must be a string: %w", err)
		}
	}
	if kind == "" {
		return "", fmt.Errorf("wire: a subject must name its kind")
	}
	return kind, nil
}

// DecodeSubject reads a published subject. The result is a *ShellSubject,
// *FileSubject, *NetworkSubject, *ProcessSubject, *ToolSubject, or, for any
// other kind, an *UnknownSubject that shares raw. Names are read in their exact
// case, and a name twice is an error: what a person is shown is what was decided on.
func DecodeSubject(raw json.RawMessage) (any, error) {
	kind, err := KindOf(raw)
	if err != nil {
		return nil, err
	}
	var form any
	switch SubjectKind(kind) {
	case SubjectShell:
		form = new(ShellSubject)
	case SubjectFile:
		form = new(FileSubject)
	case SubjectNetwork:
		form = new(NetworkSubject)
	case SubjectProcess:
		form = new(ProcessSubject)
	case SubjectTool:
		form = new(ToolSubject)
	default:
		return &UnknownSubject{Kind: SubjectKind(kind), Raw: raw}, nil
	}
	if err := strict.Unmarshal(raw, form); err != nil {
		return nil, fmt.Errorf("wire: subject of kind %s: %w", kind, err)
	}
	return form, nil
}
