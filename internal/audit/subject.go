package audit

import (
	"encoding/json"
	"fmt"

	"github.com/approvald/approvald/wire"
)

// SubjectText says in one sentence what a published subject is: the command, the
// access and the file, the host, and so on.
func SubjectText(raw json.RawMessage) string {
	text, _ := subject(raw)
	return text
}

// subject is the text of a published subject and its path: of a file the real
// one, of a command the directory that it runs in, "" for others.
func subject(raw json.RawMessage) (text, path string) {
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
