package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	strict "github.com/go-json-experiment/json"
)

// The five kinds of subject. The union is open: anything else is Unknown,
// which is shown, kept verbatim and never approved without a person
// (seed 003 "Subjects", protocol §6).
const (
	KindShell   = "shell"
	KindFile    = "fileAccess"
	KindNetwork = "network"
	KindProcess = "process"
	KindTool    = "tool"
)

// Subject is what is being approved, after inspection: the form that is
// published to reviewers and kept in the log. It is one of Shell, File,
// Network, Process, Tool and Unknown.
type Subject interface {
	// Kind is the value of the published member "kind".
	Kind() string
	// Reach is what a session grant given on this subject would cover; false
	// where no such grant is defined.
	Reach() (Reach, bool)
}

// Shell is a command line, split into stages that are decided one by one.
type Shell struct {
	Command       string  `json:"command"` // the full raw text
	Cwd           string  `json:"cwd"`     // real, absolute
	Shell         string  `json:"shell"`   // bash, sh or zsh
	WorkspaceRoot string  `json:"workspaceRoot,omitempty"`
	Stages        []Stage `json:"stages"`
}

// File is one access to one file.
type File struct {
	ToolName      string `json:"toolName"`
	Path          string `json:"path"`          // real, absolute: every link resolved
	RequestedPath string `json:"requestedPath"` // as the agent wrote it
	Access        string `json:"access"`        // "read" or "write"
	Exists        bool   `json:"exists"`
	Diff          string `json:"diff,omitempty"`
	DiffOmitted   bool   `json:"diffOmitted,omitempty"`
	DiffDigest    string `json:"diffDigest,omitempty"`
}

// Network is a connection to one destination.
type Network struct {
	Host     string  `json:"host"` // normalised: lower case, ASCII, one spelling an address
	Port     int     `json:"port"`
	Protocol string  `json:"protocol"`
	Origin   *Origin `json:"origin,omitempty"`
}

// Origin is where a network destination was read from.
type Origin struct {
	Kind string `json:"kind"` // "url"
	URL  string `json:"url,omitempty"`
}

// Process is something done to, or with, a process.
type Process struct {
	Action    string   `json:"action"` // signal, attach, spawn …
	Target    string   `json:"target"`
	PID       int      `json:"pid,omitempty"`
	StartedAt string   `json:"startedAt,omitempty"` // tells a recycled pid apart
	Argv      []string `json:"argv,omitempty"`
}

// Tool is a call of a named tool, of an MCP server or of the agent's own.
type Tool struct {
	ToolName   string          `json:"toolName"`
	ServerName string          `json:"serverName,omitempty"`
	Transport  string          `json:"transport,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	ToolDigest string          `json:"toolDigest,omitempty"`
}

// Unknown is a subject of a kind that this version has no rules for.
type Unknown struct {
	Name string          // the value of "kind"
	Raw  json.RawMessage // the whole object, verbatim
}

// Kind implements Subject.
func (Shell) Kind() string { return KindShell }

// Kind implements Subject.
func (File) Kind() string { return KindFile }

// Kind implements Subject.
func (Network) Kind() string { return KindNetwork }

// Kind implements Subject.
func (Process) Kind() string { return KindProcess }

// Kind implements Subject.
func (Tool) Kind() string { return KindTool }

// Kind implements Subject.
func (u Unknown) Kind() string { return u.Name }

// EncodeSubject writes the published form of s: one JSON object whose first
// member is "kind". Text is not HTML-escaped, so that a reviewer reads && and
// not an escape.
func EncodeSubject(s Subject) (json.RawMessage, error) {
	if u, ok := s.(Unknown); ok {
		return u.Raw, nil
	}
	body, err := encode(s)
	if err != nil {
		return nil, fmt.Errorf("encode a %s subject: %w", s.Kind(), err)
	}
	out := make([]byte, 0, len(body)+len(`{"kind":"",`)+len(s.Kind()))
	out = append(out, `{"kind":"`...)
	out = append(out, s.Kind()...)
	out = append(out, `",`...)
	return append(out, body[1:]...), nil
}

// encode writes v as JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// ErrSubject is wrapped by every error of DecodeSubject.
var ErrSubject = errors.New("not a subject")

// DecodeSubject reads the published form back. A kind that is not one of the
// five gives Unknown, not an error. Names match in their exact case: an object
// whose "kind" is unknown must not become a command line because it also has a
// "KIND".
func DecodeSubject(raw json.RawMessage) (Subject, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := strict.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSubject, err)
	}
	switch head.Kind {
	case KindShell:
		return decodeAs[Shell](raw)
	case KindFile:
		return decodeAs[File](raw)
	case KindNetwork:
		return decodeAs[Network](raw)
	case KindProcess:
		return decodeAs[Process](raw)
	case KindTool:
		return decodeAs[Tool](raw)
	case "":
		return nil, fmt.Errorf("%w: it has no kind", ErrSubject)
	}
	return Unknown{Name: head.Kind, Raw: raw}, nil
}

func decodeAs[S Subject](raw json.RawMessage) (Subject, error) {
	var s S
	if err := strict.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSubject, err)
	}
	return s, nil
}
