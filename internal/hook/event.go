package hook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/approvald/approvald/internal/canon"
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
	// Real is a directory without links in its path.
	Real func(dir string) string
	// Nonce tells this process from every other: what identifies a call of which the agent
	// gives no id.
	Nonce string
}

// input is what Claude Code writes to a hook's standard input.
type input struct {
	Event     string          `json:"hook_event_name"`
	Session   string          `json:"session_id"`
	Cwd       string          `json:"cwd"`
	Agent     string          `json:"agent_id"` // of a subagent
	AgentType string          `json:"agent_type"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	ToolUse   string          `json:"tool_use_id"`
	Reason    string          `json:"reason"`
	MCPServer *struct {
		Name string `json:"name"`
	} `json:"mcp_server"`

	marks
}

// marks are members that Claude Code does not write, by which other agents are known.
type marks struct {
	Conversation json.RawMessage `json:"conversation_id"`
	Generation   json.RawMessage `json:"generation_id"`
	Turn         json.RawMessage `json:"turn_id"`
	ToolName     json.RawMessage `json:"toolName"`
	ToolArgs     json.RawMessage `json:"toolArgs"`
	SessionID    json.RawMessage `json:"sessionId"`
	Timestamp    json.RawMessage `json:"timestamp"`
}

// Parse reads an event of Claude Code. The error is a sentence that says what is wrong with it;
// the event then has the kind, where that could be read.
func Parse(text []byte, around Surroundings) (Event, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		return Event{}, fmt.Errorf("standard input was empty, where the agent describes its call")
	}
	var in input
	err := canon.Unmarshal(text, &in)
	event := Event{Kind: Kind(in.Event), Session: in.Session, Reason: in.Reason}
	switch {
	case in.foreign() != "":
		return event, fmt.Errorf("the call is not one of Claude Code's (%s), and approvald hook knows no other agent yet", in.foreign())
	case err != nil:
		return event, fmt.Errorf("what the agent wrote to standard input could not be read: %w", err)
	case in.Event == "":
		return event, fmt.Errorf("the agent did not say which event it is (hook_event_name)")
	case !event.Kind.gates() && event.Kind != SessionStart && event.Kind != SessionEnd:
		return event, fmt.Errorf("the event %s is none that approvald hook answers: register it for PreToolUse, PermissionRequest, SessionStart and SessionEnd only", quote(in.Event))
	case in.Session == "":
		return event, fmt.Errorf("the agent did not say which session it is (session_id)")
	case !filepath.IsAbs(in.Cwd):
		return event, fmt.Errorf("the agent did not say in which directory it is (cwd must be an absolute path)")
	}
	event.Root = in.Cwd
	if filepath.IsAbs(around.Project) {
		event.Root = around.Project
	}
	if event.Kind.gates() {
		event.Call, err = in.call(around)
	}
	return event, err
}

// foreign says by which member the input is another agent's, "" where it is not. Several agents
// run the hooks of .claude/settings.json, and what allows a call to one may mean nothing, or
// something else, to another.
func (m *marks) foreign() string {
	for _, mark := range []struct {
		value         json.RawMessage
		member, agent string
	}{
		{m.Conversation, "conversation_id", "Cursor"}, {m.Generation, "generation_id", "Cursor"}, {m.Turn, "turn_id", "Codex"},
		{m.ToolName, "toolName", "Copilot"}, {m.ToolArgs, "toolArgs", "Copilot"}, {m.SessionID, "sessionId", "Copilot"},
		{m.Timestamp, "timestamp", "Copilot, VS Code or Gemini"},
	} {
		if mark.value != nil {
			return "it has a " + mark.member + ", as those of " + mark.agent
		}
	}
	return ""
}

// quote is a text of others within a sentence.
func quote(text string) string { return fmt.Sprintf("%.200q", text) }
