package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/approvald/approvald/internal/hook/members"
)

// Kind is the event of the agent that a hook is called for.
type Kind string

// The events that are served.
const (
	PreToolUse        Kind = "PreToolUse"
	PermissionRequest Kind = "PermissionRequest"
	SessionStart      Kind = "SessionStart"
	SessionEnd        Kind = "SessionEnd"
)

// gates reports whether the event asks whether a call may go ahead.
func (k Kind) gates() bool { return k == PreToolUse || k == PermissionRequest }

// Event is one call of the hook, read.
type Event struct {
	Kind    Kind
	Session string // the agent's own id of its session
	Root    string // the workspace
	Reason  string // of SessionEnd
	Call    *Call  // of an event that asks about one
}

// Surroundings are what the hook finds in its process, which the agent started.
type Surroundings struct {
	Project string // CLAUDE_PROJECT_DIR
	Path    string // PATH
	Shell   string // CLAUDE_CODE_SHELL, else SHELL
	Home    string // HOME
	// Real is a directory without links in its path.
	Real func(dir string) string
	// Nonce tells this process from every other: what identifies a call of which the agent
	// gives no id.
	Nonce string
}

// input is what Claude Code writes to a hook's standard input, as far as it is of interest.
type input struct {
	event, session, cwd, reason string
	agent, agentType            string // of a subagent
	tool, toolUse, mcpServer    string
	prompt                      string // of the person, that the call is for
	args                        json.RawMessage
}

// Parse reads an event of Claude Code. The error is a sentence that says what is wrong with it;
// the event then has the kind, where that could be read.
func Parse(text []byte, around Surroundings) (Event, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return Event{}, errors.New("standard input was empty, where the agent describes its call")
	}
	r := members.ReaderOf(text)
	in := input{
		event: r.Text("hook_event_name"), session: r.Text("session_id"), cwd: r.Text("cwd"), reason: r.Text("reason"),
		agent: r.Text("agent_id"), agentType: r.Text("agent_type"),
		tool: r.Text("tool_name"), toolUse: r.Text("tool_use_id"), prompt: r.Text("prompt_id"), args: json.RawMessage(r.Object["tool_input"]),
	}
	server := r.Inner("mcp_server")
	in.mcpServer = server.Text("name")
	r.Err = cmp.Or(r.Err, server.Err)
	event := Event{Kind: Kind(in.event), Session: in.session, Root: in.cwd, Reason: in.reason}
	switch mark := foreign(r.Object); {
	case mark != "":
		return event, fmt.Errorf("the call is not one of Claude Code's (%s), and approvald hook knows no other agent yet", mark)
	case r.Err != nil:
		return event, fmt.Errorf("what the agent wrote to standard input could not be read: %w", r.Err)
	case in.event == "":
		return event, errors.New("the agent did not say which event it is (hook_event_name)")
	case !event.Kind.gates() && event.Kind != SessionStart && event.Kind != SessionEnd:
		return event, fmt.Errorf("the event %s is none that approvald hook answers: register it for PreToolUse, PermissionRequest, SessionStart and SessionEnd only", quote(in.event))
	case in.session == "":
		return event, errors.New("the agent did not say which session it is (session_id)")
	case !filepath.IsAbs(in.cwd):
		return event, errors.New("the agent did not say in which directory it is (cwd must be an absolute path)")
	}
	if filepath.IsAbs(around.Project) {
		event.Root = around.Project
	}
	if event.Kind.gates() {
		var err error
		event.Call, err = in.call(around)
		return event, err
	}
	return event, nil
}

// foreign says by which member the input is another agent's, "" where it is not. Several agents
// run the hooks of .claude/settings.json, and what allows a call to one may mean nothing, or
// something else, to another.
func foreign(in members.Object) string {
	for _, mark := range []struct{ member, agent string }{
		{"conversation_id", "Cursor"}, {"generation_id", "Cursor"}, {"turn_id", "Codex"},
		{"toolName", "Copilot"}, {"toolArgs", "Copilot"}, {"sessionId", "Copilot"}, {"timestamp", "Copilot, VS Code or Gemini"},
	} {
		if _, there := in[mark.member]; there {
			return "it has a " + mark.member + ", as those of " + mark.agent
		}
	}
	return ""
}

// quote is a text of others within a sentence.
func quote(text string) string { return fmt.Sprintf("%.200q", text) }
