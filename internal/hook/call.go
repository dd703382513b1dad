package hook

import (
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
	// ArgsDigest is what a permit for the call is for.
	ArgsDigest string

	delivery string // the same whenever the agent asks about this one call
	request  wire.ApprovalPrepareRequest
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
	argsDigest, err := canon.Digest(in.args)
	if err != nil {
		return nil, fmt.Errorf("the arguments of the tool %s are no JSON that everybody reads alike: %w", quote(in.tool), err)
	}
	call := &Call{ArgsDigest: argsDigest, delivery: in.delivery(around)}
	call.request = wire.ApprovalPrepareRequest{
		ToolName: in.tool, RawArgs: string(in.args), Reason: in.why(d.note),
		Justification: clip(d.justification, maxJustification), ItemID: in.toolUse,
	}
	if call.request.Subject, err = wire.Marshal(d.subject); err != nil {
		return nil, err
	}
	if d.operation != nil {
		if call.request.Operation, err = wire.Marshal(d.operation); err != nil {
			return nil, err
		}
	}
	// The same for every call that does the same, in the same place, for the same agent.
	subjectDigest, err := canon.Digest(call.request.Subject)
	if err != nil {
		return nil, fmt.Errorf("the subject of the tool %s cannot be written down: %w", quote(in.tool), err)
	}
	call.request.ToolCallID = "claude:" + digest("call", in.agent, in.tool, argsDigest, in.cwd, subjectDigest, string(call.request.Operation))
	return call, nil
}

// delivery is what identifies the call: the agent's id of it, within the person's prompt, since
// some models count their calls anew each time.
func (in *input) delivery(around Surroundings) string {
	if in.toolUse == "" {
		return digest("nonce", around.Nonce)
	}
	return digest("call", in.prompt, in.toolUse)
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

func (in *input) write(args *members.Reader, around Surroundings) described {
	content := args.Text("content")
	return in.file(in.path(args.Text("file_path"), around), wire.AccessWrite, &content, "")
}

func (in *input) edit(args *members.Reader, around Surroundings) described {
	return in.file(in.path(args.Text("file_path"), around), wire.AccessWrite, nil, diff(edits(args)))
}

func (in *input) notebook(args *members.Reader, around Surroundings) described {
	return in.file(in.path(args.Text("notebook_path"), around), wire.AccessWrite, nil, diff([]edit{{New: args.Text("new_source")}}))
}

func (in *input) read(args *members.Reader, around Surroundings) described {
	return in.file(in.path(args.Text("file_path"), around), wire.AccessRead, nil, "")
}

func (in *input) file(path string, access wire.Access, content *string, diff string) described {
	return described{subject: wire.OpenFile{Kind: wire.SubjectFile, Path: path, Access: access, Content: content, Diff: diff, Cwd: in.cwd}}
}

// grep reads what is below a directory: policy knows that a rule may be about a part of it.
func (in *input) grep(args *members.Reader, around Surroundings) described {
	return in.file(orDot(in.path(args.Text("path"), around)), wire.AccessRead, nil, "")
}

func (in *input) glob(args *members.Reader, around Surroundings) described {
	dir, ok := globRoot(orDot(in.path(args.Text("path"), around)), args.Text("pattern"))
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
	if tool, ok := strings.CutPrefix(rest, spelling(server)+"__"); ok && server != "" && server != ownServer && tool != "" {
		return server, tool
	}
	of, tool, found := strings.Cut(rest, "__")
	if !found || server != "" || of == "" || of != spelling(of) || tool == "" || strings.Contains(rest[len(of)+1:], "__") {
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
