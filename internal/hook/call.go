package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/internal/hook/members"
	"github.com/approvald/approvald/wire"
)

// Call is a call of a tool that the agent asks about.
type Call struct {
	Tool  string
	Agent string // the subagent that makes it, "" for none
	// Delivery is the same whenever the agent asks about this one call.
	Delivery string

	request wire.ApprovalPrepareRequest
}

// tools are the tools of Claude Code whose effect has a subject of its own. Every other one is
// a tool, with its arguments.
var tools = map[string]func(*input, *members.Reader, Surroundings) described{
	"Bash":         (*input).bash,
	"Write":        (*input).write,
	"Edit":         (*input).edit,
	"MultiEdit":    (*input).edit,
	"NotebookEdit": (*input).notebook,
	"Read":         (*input).read,
	"Grep":         (*input).grep,
	"Glob":         (*input).glob,
	"WebFetch":     (*input).fetch,
}

// described is what a call would do.
type described struct {
	subject       any
	operation     any
	justification string
	note          string // for the reason
}

func (in *input) call(around Surroundings) (*Call, error) {
	if in.tool == "" {
		return nil, errors.New("the agent did not say which tool it would use (tool_name)")
	}
	if len(in.args) == 0 || in.args[0] != '{' {
		return nil, fmt.Errorf("the agent did not say what it would use the tool %s for (tool_input must be an object)", quote(in.tool))
	}
	describe := tools[in.tool]
	if describe == nil {
		describe = (*input).other
	}
	args := members.ReaderOf(in.args)
	d := describe(in, args, around)
	if args.Err != nil {
		return nil, fmt.Errorf("the arguments of the tool %s could not be read: %w", quote(in.tool), args.Err)
	}
	call := &Call{Tool: in.tool, Agent: in.agent, Delivery: in.toolUse}
	if in.toolUse == "" {
		call.Delivery = "nonce:" + around.Nonce
	}
	call.request = wire.ApprovalPrepareRequest{
		ToolName: in.tool, RawArgs: string(in.args), Reason: in.why(d.note),
		Justification: clip(d.justification, maxJustification), ItemID: in.toolUse,
	}
	var err error
	if call.request.Subject, err = wire.Marshal(d.subject); err != nil {
		return nil, err
	}
	if d.operation != nil {
		if call.request.Operation, err = wire.Marshal(d.operation); err != nil {
			return nil, err
		}
	}
	call.request.ToolCallID, err = call.name(in.args)
	return call, err
}

// why is what reviewers are told of who asks.
func (in *input) why(note string) string {
	who := "Claude Code"
	if in.agent != "" {
		who = "A subagent of Claude Code"
		if in.agentType != "" {
			who += " (" + clip(in.agentType, 100) + ")"
		}
	}
	return who + " wants to use " + clip(in.tool, 200) + note + "."
}

func (in *input) bash(args *members.Reader, around Surroundings) described {
	command := args.Text("command")
	d := described{
		subject:       wire.OpenShell{Kind: wire.SubjectShell, Command: command, Cwd: in.cwd, Shell: shellOf(around.Shell), Path: around.Path},
		justification: args.Text("description"),
	}
	if args.Yes("dangerouslyDisableSandbox") {
		d.note = ", outside its sandbox"
		d.operation = wire.ShellUnrestrictedOperation{
			Kind: wire.OperationShellUnrestricted, Command: command, Cwd: around.Real(in.cwd),
			Filesystem: "host", Network: "host", Environment: "host",
		}
		if d.justification == "" {
			d.justification = "It is to run outside the sandbox."
		}
	}
	return d
}

// shellOf is the shell that the tool Bash runs its commands with: the user's where that is one
// of these, and bash otherwise.
func shellOf(path string) string {
	if filepath.Base(path) == "zsh" {
		return "zsh"
	}
	return "bash"
}

func (in *input) write(args *members.Reader, _ Surroundings) described {
	content := args.Text("content")
	return in.file(args.Text("file_path"), wire.AccessWrite, &content, "")
}

func (in *input) edit(args *members.Reader, _ Surroundings) described {
	return in.file(args.Text("file_path"), wire.AccessWrite, nil, diff(edits(args)))
}

func (in *input) notebook(args *members.Reader, _ Surroundings) described {
	return in.file(args.Text("notebook_path"), wire.AccessWrite, nil, diff([]edit{{New: args.Text("new_source")}}))
}

func (in *input) read(args *members.Reader, _ Surroundings) described {
	return in.file(args.Text("file_path"), wire.AccessRead, nil, "")
}

func (in *input) file(path string, access wire.Access, content *string, diff string) described {
	return described{subject: wire.OpenFile{Kind: wire.SubjectFile, Path: path, Access: access, Content: content, Diff: diff, Cwd: in.cwd}}
}

// grep reads what is below a directory: policy knows that a rule may be about a part of it.
func (in *input) grep(args *members.Reader, _ Surroundings) described {
	return in.file(orDot(args.Text("path")), wire.AccessRead, nil, "")
}

func (in *input) glob(args *members.Reader, _ Surroundings) described {
	dir, ok := globRoot(orDot(args.Text("path")), args.Text("pattern"))
	if !ok {
		return in.asTool(ownServer, in.tool)
	}
	return in.file(dir, wire.AccessRead, nil, "")
}

func (in *input) fetch(args *members.Reader, _ Surroundings) described {
	return described{subject: wire.OpenNetwork{Kind: wire.SubjectNetwork, URL: args.Text("url")}}
}

func (in *input) other(*members.Reader, Surroundings) described {
	return in.asTool(splitMCP(in.tool, in.mcpServer))
}

func (in *input) asTool(server, name string) described {
	return described{subject: wire.OpenTool{Kind: wire.SubjectTool, ServerName: server, ToolName: name, Arguments: in.args}}
}

// maxJustification is the bound of protocol §1, in characters.
const maxJustification = 240

// clip is at most the first characters of a text.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// ownServer stands for the server of the tools that are Claude Code's own, so that a rule can tell
// them from those of servers: no name of theirs is that (splitMCP).
const ownServer = "claude:builtin"

// splitMCP is a tool of Claude Code's naming, mcp__server__tool, as a server and its tool. A
// name that can be split in two ways, where the agent does not say which server it is, is left
// whole: a rule for one server is not to cover the tool of another.
func splitMCP(name, server string) (of, tool string) {
	rest, isMCP := strings.CutPrefix(name, "mcp__")
	if !isMCP {
		return ownServer, name
	}
	if server == ownServer {
		return "", name
	}
	if tool, ok := strings.CutPrefix(rest, spelling(server)+"__"); ok && server != "" && tool != "" {
		return server, tool
	}
	of, tool, found := strings.Cut(rest, "__")
	if !found || server != "" || of == "" || tool == "" || strings.Contains(rest[len(of)+1:], "__") {
		return "", name
	}
	return of, tool
}

// spelling is a server's name as it stands in those of its tools.
func spelling(server string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, server)
}

// name is the toolCallId: the same for every call that does the same for the same agent.
func (c *Call) name(args json.RawMessage) (string, error) {
	canonical, err := canon.Canonical(args)
	if err != nil {
		return "", fmt.Errorf("the arguments of the tool %s are no JSON that everybody reads alike: %w", quote(c.Tool), err)
	}
	return "claude:" + digest("call", c.Agent, c.Tool, string(canonical), string(c.request.Subject), string(c.request.Operation)), nil
}
