package card

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/approvald/approvald/wire"
)

// SubjectLine says in one sentence what a published subject is, the command, the
// access and the file, the host, and so on; and its path: of a file the real one, of a
// command the directory that it runs in, "" for others. Neither is visible yet.
func SubjectLine(raw json.RawMessage) (text, path string) {
	decoded, err := wire.DecodeSubject(raw)
	if err != nil {
		return string(raw), ""
	}
	switch s := decoded.(type) {
	case *wire.ShellSubject:
		return s.Command, s.Cwd
	case *wire.FileSubject:
		return fmt.Sprintf("%s %s", s.Access, s.Path), s.Path
	case *wire.NetworkSubject:
		return fmt.Sprintf("connect to %s:%d (%s)", s.Host, s.Port, s.Protocol), ""
	case *wire.ProcessSubject:
		return fmt.Sprintf("%s %s", s.Action, s.Target), ""
	case *wire.ToolSubject:
		return fmt.Sprintf("%s %s", toolName(s), s.Arguments), ""
	}
	return string(raw), ""
}

// toolName shows a server and its tool as the two names that they are.
func toolName(s *wire.ToolSubject) string {
	if s.ServerName == "" {
		return s.ToolName
	}
	return s.ServerName + " " + s.ToolName
}

// SubjectItems are what is to be done, a command with its stages. pending says that a
// decision is still waited for.
func SubjectItems(r *wire.ApprovalRequest, pending bool) []Item {
	subject, err := wire.DecodeSubject(r.Subject)
	if err != nil {
		return []Item{jsonItem("subject", string(r.Subject))}
	}
	var items []Item
	add := func(name string, form Form, value string) {
		if value != "" {
			items = append(items, Item{Name: name, Form: form, Lines: plainLines(value), Value: value})
		}
	}
	switch s := subject.(type) {
	case *wire.ShellSubject:
		add("command", FormCode, s.Command)
		add("in", FormCode, s.Cwd)
		add("shell", FormText, s.Shell)
		if len(s.Stages) > 0 {
			items = append(items, Item{Name: "stages", Form: FormStages, Stages: stagesOf(s.Stages, pending, r.CurrentRequirementID)})
		}
	case *wire.FileSubject:
		add(string(s.Access), FormCode, s.Path)
		if s.RequestedPath != s.Path {
			add("asked as", FormCode, s.RequestedPath)
		}
		add("exists", FormText, yesNo(s.Exists))
		if s.DiffOmitted {
			add("diff", FormText, "too long to be shown to everyone: "+s.DiffDigest)
		} else if s.Diff != "" {
			items = append(items, diffItem("diff", s.Diff))
		}
	case *wire.NetworkSubject:
		add("connect", FormCode, fmt.Sprintf("%s, port %d, %s", s.Host, s.Port, s.Protocol))
		if s.Origin != nil {
			add("for", FormCode, strings.TrimSpace(s.Origin.Kind+" "+s.Origin.Command+s.Origin.URL))
		}
	case *wire.ProcessSubject:
		add("action", FormText, s.Action)
		add("target", FormCode, s.Target)
		if s.PID != 0 {
			add("process", FormText, fmt.Sprintf("%d, since %s", s.PID, s.StartedAt))
		}
		add("argv", FormCode, ShellWords(s.Argv))
	case *wire.ToolSubject:
		add("server", FormCode, s.ServerName)
		add("calls", FormCode, s.ToolName)
		add("transport", FormText, s.Transport)
		add("defined as", FormCode, s.ToolDigest)
		if len(s.Arguments) > 0 {
			items = append(items, jsonItem("with", string(s.Arguments)))
		}
	default:
		items = append(items, jsonItem("subject", string(r.Subject)))
	}
	return items
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
