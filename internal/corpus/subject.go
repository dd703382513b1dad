package corpus

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/wire"
)

// Subject is an action in the corpus's words.
type Subject struct {
	Kind string `json:"kind"` // shell, file, network, process, tool or policy-load

	Shell   string `json:"shell"`
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	// PathVar is the PATH of the agent's shell; "" for the fixture's.
	PathVar string `json:"path_var"` //nolint:tagliatelle // SCHEMA.md's spelling

	Access string `json:"access"` // read, write, create or search
	Path   string `json:"path"`

	URL    string `json:"url"`
	Method string `json:"method"` // of HTTP: approvald decides about destinations, not about requests
	Host   string `json:"host"`
	Port   int    `json:"port"`

	Action    string   `json:"action"`
	Target    string   `json:"target"`
	PID       int      `json:"pid"`
	StartedAt string   `json:"started_at"` //nolint:tagliatelle // SCHEMA.md's spelling
	Argv      []string `json:"argv"`

	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`

	HostsFromFile string `json:"hosts_from_file"` //nolint:tagliatelle // SCHEMA.md's spelling
}

// kindPolicyLoad is the subject that is no action: loading the case's rules.
const kindPolicyLoad = "policy-load"

// programs is the PATH of the fixture.
const programs = "/usr/bin:/bin"

// wire is the subject as approval/open takes it. Text that is not valid JSON, in arguments, stays as
// it is: refusing it is the daemon's business.
func (s *Subject) wire() ([]byte, error) {
	out := object{{"kind", s.Kind}}
	switch s.Kind {
	case "shell":
		search := s.PathVar
		if search == "" {
			search = programs
		}
		out = append(out, member{"command", s.Command}, member{"path", search})
		out = out.with("cwd", s.Cwd).with("shell", s.Shell)
	case "file":
		out = object{{"kind", wire.SubjectFile}, {"path", s.Path}, {"access", access(s.Access)}}
		out = out.with("cwd", s.Cwd)
	case "network":
		out = out.with("url", s.URL).with("host", s.Host)
		if s.Port != 0 {
			out = append(out, member{"port", s.Port})
		}
	case "process":
		out = append(out, member{"action", s.Action}, member{"pid", s.PID}, member{"argv", s.Argv})
		out = out.with("target", s.Target)
		if s.StartedAt != "" {
			at, err := instant(s.StartedAt)
			if err != nil {
				return nil, err
			}
			out = append(out, member{"startedAt", wire.FormatTime(at)})
		}
	case "tool":
		out = append(out, member{"serverName", s.Server}, member{"toolName", s.Tool}, member{"arguments", s.arguments()})
	}
	return out.encode()
}

// rawArgs is the model's JSON text for the call.
func (s *Subject) rawArgs() (string, error) {
	if s.Kind == "tool" {
		return string(s.arguments()), nil
	}
	text, err := json.Marshal(s, json.OmitZeroStructFields(true), jsontext.AllowInvalidUTF8(true))
	return string(text), err
}

func (s *Subject) arguments() jsontext.Value {
	if len(s.Arguments) == 0 {
		return jsontext.Value("{}")
	}
	return s.Arguments
}

// toolName names what the agent calls.
func (s *Subject) toolName() string {
	if s.Kind == "tool" {
		return s.Tool
	}
	return s.Kind
}

// access is the corpus's word in approvald's: a file that does not exist yet is written, a directory
// that is searched is read.
func access(word string) string {
	switch word {
	case "create":
		return string(wire.AccessWrite)
	case "search":
		return string(wire.AccessRead)
	}
	return word
}

// epoch is when the fixture's machine was started.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// instant reads the symbol of a point in time, t0, t1 …
func instant(symbol string) (time.Time, error) {
	var n int
	if _, err := fmt.Sscanf(symbol, "t%d", &n); err != nil {
		return time.Time{}, fmt.Errorf("started_at is %q; give t0, t1 …", symbol)
	}
	return epoch.Add(time.Duration(n) * time.Minute), nil
}

// object is a JSON object whose members keep their order, and whose values of type jsontext.Value
// are written as they are, valid or not.
type object []member

type member struct {
	name  string
	value any
}

// with adds a text unless it is empty.
func (o object) with(name, text string) object {
	if text == "" {
		return o
	}
	return append(o, member{name, text})
}

func (o object) encode() ([]byte, error) {
	var out bytes.Buffer
	for i, m := range o {
		out.WriteByte("{,"[min(i, 1)])
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, raw := m.value.(jsontext.Value)
		if !raw {
			if value, err = json.Marshal(m.value); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	if len(o) == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// MarshalJSON implements json.Marshaler for an object within another.
func (o object) MarshalJSON() ([]byte, error) { return o.encode() }
