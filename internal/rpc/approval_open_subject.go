package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/wire"
)

// inspected is a subject in the form that is published, with what else was
// learned about it.
type inspected struct {
	subject approval.Subject
	found   approval.Found
	diff    string // where it is too long to publish
}

// actionOf is what the agent says about the call, without digest and subject.
func actionOf(p wire.ApprovalOpenParams) approval.Action {
	return approval.Action{
		ToolCallID: p.ToolCallID, ToolName: p.ToolName, RawArgs: p.RawArgs,
		Reason: p.Reason, Justification: p.Justification, Operation: absentIfNull(p.Operation),
		TurnID: p.TurnID, TaskID: p.TaskID, ItemID: p.ItemID,
		ParentToolCallID: p.ParentToolCallID, RunID: p.RunID, Requested: p.Requested,
	}
}

// inspect turns the agent's subject into the published one: real paths,
// normalised hosts, start times. root is the session's workspace, "" for none.
func (r *request) inspect(p wire.ApprovalOpenParams, root string) (inspected, *wire.Error) {
	given, e := readSubject(p.Subject)
	if e != nil {
		return inspected{}, e
	}
	look := r.conn.srv.cfg.Inspector
	switch s := given.(type) {
	case *wire.OpenShell:
		return inspectShell(look, s, root)
	case *wire.OpenFile:
		return inspectFile(look, s, p.ToolName, root)
	case *wire.OpenNetwork:
		return inspectNetwork(s)
	case *wire.OpenProcess:
		return inspectProcess(look, s)
	case *wire.OpenTool:
		return inspectTool(s, p)
	case *wire.UnknownSubject:
		if e := name("subject.kind", string(s.Kind)); e != nil {
			return inspected{}, e
		}
		return inspected{subject: approval.Unknown{Name: string(s.Kind), Raw: s.Raw}},
			bounded("subject", string(s.Raw), maxRawArgs)
	}
	return inspected{}, invalid("subject is of no kind that can be read")
}

// readSubject decodes the agent's subject as strictly as params are: names in
// their exact case, none twice, and an error is a sentence that names the member.
func readSubject(raw json.RawMessage) (any, *wire.Error) {
	var head struct {
		Kind wire.SubjectKind `json:"kind"`
	}
	if err := canon.Unmarshal(raw, &head); err != nil {
		return nil, invalid("subject: %v", err)
	}
	var form any
	switch head.Kind {
	case "":
		return nil, invalid("subject must name its kind")
	case wire.SubjectShell:
		form = new(wire.OpenShell)
	case wire.SubjectFile:
		form = new(wire.OpenFile)
	case wire.SubjectNetwork:
		form = new(wire.OpenNetwork)
	case wire.SubjectProcess:
		form = new(wire.OpenProcess)
	case wire.SubjectTool:
		form = new(wire.OpenTool)
	default:
		return &wire.UnknownSubject{Kind: head.Kind, Raw: raw}, nil
	}
	if err := canon.Unmarshal(raw, form); err != nil {
		return nil, invalid("subject: %v", err)
	}
	return form, nil
}

func inspectNetwork(s *wire.OpenNetwork) (inspected, *wire.Error) {
	if (s.URL == "") == (s.Host == "") {
		return inspected{}, invalid("subject must give either url or host")
	}
	if e := first(bounded("subject.url", s.URL, maxReason), bounded("subject.host", s.Host, maxReason)); e != nil {
		return inspected{}, e
	}
	if e := first(noNUL("subject.url", s.URL), noNUL("subject.host", s.Host)); e != nil {
		return inspected{}, e
	}
	to, err := inspect.Destination(s.URL, s.Host, s.Port, s.Protocol)
	if m := (*inspect.MisleadingError)(nil); errors.As(err, &m) { // its url may hold a secret, and is not kept
		return inspected{
			subject: approval.Network{Host: m.Host, Port: m.Port, Protocol: m.Protocol},
			found:   approval.Found{Refused: m.Why},
		}, nil
	}
	if err != nil {
		return inspected{}, invalid("subject: %v", err)
	}
	out := approval.Network{Host: to.Host, Port: to.Port, Protocol: to.Protocol}
	if s.URL != "" {
		out.Origin = &approval.Origin{Kind: "url", URL: s.URL}
	}
	return inspected{subject: out}, nil
}

// inspectProcess completes what the agent says of a process with what the
// system knows of the pid: where they disagree, the pid is not that process.
func inspectProcess(look *inspect.Inspector, s *wire.OpenProcess) (inspected, *wire.Error) {
	out := approval.Process{
		Action: s.Action, Target: s.Target, PID: s.PID, StartedAt: string(s.StartedAt), Argv: s.Argv,
	}
	if e := first(name("subject.action", s.Action), bounded("subject.target", s.Target, maxReason), noNUL("subject.target", s.Target)); e != nil {
		return inspected{}, e
	}
	size := 0
	for _, w := range s.Argv {
		size += len(w)
		if e := noNUL("subject.argv", w); e != nil {
			return inspected{}, e
		}
	}
	switch {
	case size > maxCommand:
		return inspected{}, invalid("subject.argv must be at most %d bytes long together", maxCommand)
	case s.PID < 0:
		return inspected{}, invalid("subject.pid must be positive")
	case s.Target == "" && s.PID == 0 && len(s.Argv) == 0:
		return inspected{}, invalid("subject must give a target, a pid or an argv")
	}
	if s.StartedAt != "" {
		if _, e := instant("subject.startedAt", s.StartedAt); e != nil {
			return inspected{}, e
		}
	}
	if s.PID > 0 {
		if found, ok := look.Process(s.PID); ok {
			started := string(wire.FormatTime(found.StartedAt))
			if out.StartedAt != "" && out.StartedAt != started {
				return inspected{}, invalid("subject.startedAt: process %d started at %s, so it is another one", s.PID, started)
			}
			out.StartedAt = started
			if len(out.Argv) > 0 && !slices.Equal(out.Argv, found.Argv) {
				return inspected{}, invalid("subject.argv: process %d shows other arguments, so it is another one; leave argv out to have those shown", s.PID)
			}
			out.Argv = found.Argv
		}
	}
	if out.Target == "" {
		if len(out.Argv) > 0 {
			out.Target = out.Argv[0]
		} else {
			out.Target = fmt.Sprintf("process %d", s.PID)
		}
	}
	return inspected{subject: out}, nil
}

func inspectTool(s *wire.OpenTool, p wire.ApprovalOpenParams) (inspected, *wire.Error) {
	out := approval.Tool{
		ToolName: s.ToolName, ServerName: s.ServerName, Transport: s.Transport, Arguments: absentIfNull(s.Arguments),
	}
	if out.ToolName == "" {
		out.ToolName = p.ToolName
	}
	if out.Arguments == nil {
		out.Arguments = json.RawMessage(p.RawArgs) // checked to be one JSON text
	}
	return inspected{subject: out}, first(name("subject.toolName", out.ToolName),
		optionalName("subject.serverName", s.ServerName), optionalName("subject.transport", s.Transport),
		bounded("subject.arguments", string(out.Arguments), maxRawArgs))
}

func noNUL(member, value string) *wire.Error {
	if strings.ContainsRune(value, 0) {
		return invalid("%s must not hold a NUL", member)
	}
	return nil
}
