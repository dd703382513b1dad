package hook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/canon"
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
var tools = map[string]func(*input, Surroundings) (described, error){
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
	if in.Tool == "" {
		return nil, fmt.Errorf("the agent did not say which tool it would use (tool_name)")
	}
	if len(in.Input) == 0 || in.Input[0] != '{' {
		return nil, fmt.Errorf("the agent did not say what it would use the tool %s for (tool_input must be an object)", quote(in.Tool))
	}
	describe := tools[in.Tool]
	if describe == nil {
		describe = (*input).other
	}
	d, err := describe(in, around)
	if err != nil {
		return nil, fmt.Errorf("the arguments of the tool %s could not be read: %w", quote(in.Tool), err)
	}
	call := &Call{Tool: in.Tool, Agent: in.Agent, Delivery: in.ToolUse}
	if in.ToolUse == "" {
		call.Delivery = "nonce:" + around.Nonce
	}
	call.request = wire.ApprovalPrepareRequest{
		ToolName: in.Tool, RawArgs: string(in.Input), Reason: in.reason(d.note),
		Justification: clip(d.justification, maxJustification), ItemID: in.ToolUse,
	}
	if call.request.Subject, err = wire.Marshal(d.subject); err != nil {
		return nil, err
	}
	if d.operation != nil {
		if call.request.Operation, err = wire.Marshal(d.operation); err != nil {
			return nil, err
		}
	}
	call.request.ToolCallID, err = call.name(in.Input)
	return call, err
}

// reason is what reviewers are told of who asks.
func (in *input) reason(note string) string {
	who := "Claude Code"
	if in.Agent != "" {
		who = "A subagent of Claude Code"
		if in.AgentType != "" {
			who += " (" + clip(in.AgentType, 100) + ")"
		}
	}
	return who + " wants to use " + clip(in.Tool, 200) + note + "."
}

func (in *input) bash(around Surroundings) (described, error) {
	var args struct {
		Command     string `json:"command"`
		Description string `json:"description"`
		Unsandboxed bool   `json:"dangerouslyDisableSandbox"`
	}
	if err := canon.Unmarshal(in.Input, &args); err != nil {
		return described{}, err
	}
	d := described{
		subject:       wire.OpenShell{Kind: wire.SubjectShell, Command: args.Command, Cwd: in.Cwd, Shell: shellOf(around.Shell), Path: around.Path},
		justification: args.Description,
	}
	if args.Unsandboxed {
		d.note = ", outside its sandbox"
		d.operation = wire.ShellUnrestrictedOperation{
			Kind: wire.OperationShellUnrestricted, Command: args.Command, Cwd: around.Real(in.Cwd),
			Filesystem: "host", Network: "host", Environment: "host",
		}
		if d.justification == "" {
			d.justification = "It is to run outside the sandbox."
		}
	}
	return d, nil
}

// shellOf is the shell that the tool Bash runs its commands with: the user's where that is one
// of these, and bash otherwise.
func shellOf(path string) string {
	if filepath.Base(path) == "zsh" {
		return "zsh"
	}
	return "bash"
}

func (in *input) write(Surroundings) (described, error) {
	var args struct {
		Path    string  `json:"file_path"`
		Content *string `json:"content"`
	}
	err := canon.Unmarshal(in.Input, &args)
	return in.file(args.Path, wire.AccessWrite, args.Content, ""), err
}

func (in *input) edit(Surroundings) (described, error) {
	var args struct {
		Path  string `json:"file_path"`
		Edits []edit `json:"edits"`
		edit
	}
	err := canon.Unmarshal(in.Input, &args)
	if args.edit != (edit{}) {
		args.Edits = append([]edit{args.edit}, args.Edits...)
	}
	return in.file(args.Path, wire.AccessWrite, nil, diff(args.Edits)), err
}

func (in *input) notebook(Surroundings) (described, error) {
	var args struct {
		Path   string `json:"notebook_path"`
		Source string `json:"new_source"`
	}
	err := canon.Unmarshal(in.Input, &args)
	return in.file(args.Path, wire.AccessWrite, nil, diff([]edit{{New: args.Source}})), err
}

func (in *input) read(Surroundings) (described, error) {
	var args struct {
		Path string `json:"file_path"`
	}
	err := canon.Unmarshal(in.Input, &args)
	return in.file(args.Path, wire.AccessRead, nil, ""), err
}

func (in *input) file(path string, access wire.Access, content *string, diff string) described {
	return described{subject: wire.OpenFile{Kind: wire.SubjectFile, Path: path, Access: access, Content: content, Diff: diff, Cwd: in.Cwd}}
}

// grep reads what is below a directory: policy knows that a rule may be about a part of it.
func (in *input) grep(Surroundings) (described, error) {
	var args struct {
		Path string `json:"path"`
	}
	err := canon.Unmarshal(in.Input, &args)
	return in.file(orDot(args.Path), wire.AccessRead, nil, ""), err
}

func (in *input) glob(Surroundings) (described, error) {
	var args struct {
		Path    string `json:"path"`
		Pattern string `json:"pattern"`
	}
	if err := canon.Unmarshal(in.Input, &args); err != nil {
		return described{}, err
	}
	dir, ok := globRoot(orDot(args.Path), args.Pattern)
	if !ok {
		return in.tool("", in.Tool), nil
	}
	return in.file(dir, wire.AccessRead, nil, ""), nil
}

func (in *input) fetch(Surroundings) (described, error) {
	var args struct {
		URL string `json:"url"`
	}
	err := canon.Unmarshal(in.Input, &args)
	return described{subject: wire.OpenNetwork{Kind: wire.SubjectNetwork, URL: args.URL}}, err
}

func (in *input) other(Surroundings) (described, error) {
	server := ""
	if in.MCPServer != nil {
		server = in.MCPServer.Name
	}
	return in.tool(splitMCP(in.Tool, server)), nil
}

func (in *input) tool(server, name string) described {
	return described{subject: wire.OpenTool{Kind: wire.SubjectTool, ServerName: server, ToolName: name, Arguments: in.Input}}
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

// splitMCP is a tool of Claude Code's naming, mcp__server__tool, as a server and its tool. A
// name that can be split in two ways, where the agent does not say which server it is, is left
// whole: a rule for one server is not to cover the tool of another.
func splitMCP(name, server string) (of, tool string) {
	rest, isMCP := strings.CutPrefix(name, "mcp__")
	if !isMCP {
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
