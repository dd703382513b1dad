package audit

import (
	"encoding/json"
	"time"
)

// Line is what one record of a log says, for an auditor: `approvald audit
// --json` prints one a line. It is made of the record, and of the record that
// opened its approval or prompt, and of nothing that came later, so that the line of a
// record is the same whenever the log is read. docs/AUDIT.md describes the
// members. Their names are stable: members may come, none goes or changes its
// meaning.
type Line struct {
	Seq         uint64 `json:"seq"`
	At          string `json:"at"`
	Event       Event  `json:"event"`
	SessionID   string `json:"sessionId,omitempty"`
	ApprovalID  string `json:"approvalId,omitempty"`
	UserInputID string `json:"userInputId,omitempty"`
	CommandID   string `json:"commandId,omitempty"`

	Opened        uint64 `json:"opened,omitempty"`
	ToolCallID    string `json:"toolCallId,omitempty"`
	ToolName      string `json:"toolName,omitempty"`
	Kind          string `json:"kind,omitempty"`
	Subject       string `json:"subject,omitempty"`
	Path          string `json:"path,omitempty"`
	Reason        string `json:"reason,omitempty"`
	Justification string `json:"justification,omitempty"`
	Supersedes    string `json:"supersedes,omitempty"`
	Call          *Call  `json:"call,omitempty"`
	Shown         *Shown `json:"shown,omitempty"`

	Outcome      string     `json:"outcome,omitempty"`
	Decision     string     `json:"decision,omitempty"`
	PolicyResult string     `json:"policyResult,omitempty"`
	ResolvedBy   string     `json:"resolvedBy,omitempty"`
	Source       string     `json:"source,omitempty"`
	Rule         string     `json:"rule,omitempty"`
	Why          string     `json:"why,omitempty"`
	ChoiceID     string     `json:"choiceId,omitempty"`
	Feedback     string     `json:"feedback,omitempty"`
	Requirement  *int       `json:"requirement,omitempty"`
	Stages       []Stage    `json:"stages,omitempty"`
	Amendment    *Amendment `json:"amendment,omitempty"`
	Successor    string     `json:"successor,omitempty"`

	Questions     json.RawMessage `json:"questions,omitempty"`
	ExpiresAt     string          `json:"expiresAt,omitempty"`
	Answers       json.RawMessage `json:"answers,omitempty"`
	Clarification json.RawMessage `json:"clarification,omitempty"`

	GrantID     string `json:"grantId,omitempty"`
	Scope       string `json:"scope,omitempty"`
	RulePreview string `json:"rulePreview,omitempty"`
	Status      string `json:"status,omitempty"`

	CatalogID  string   `json:"catalogId,omitempty"`
	ServerName string   `json:"serverName,omitempty"`
	Transport  string   `json:"transport,omitempty"`
	Tools      []Tool   `json:"tools,omitempty"`
	GrantIDs   []string `json:"grantIds,omitempty"`

	TurnID   string          `json:"turnId,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Agent    *Party          `json:"agent,omitempty"`
	Hosted   bool            `json:"hosted,omitempty"`
	Terminal string          `json:"terminal,omitempty"`

	WorkspaceRoot   string `json:"workspaceRoot,omitempty"`
	Mode            string `json:"mode,omitempty"`
	Preset          string `json:"preset,omitempty"`
	ParentSessionID string `json:"parentSessionId,omitempty"`
	Name            string `json:"name,omitempty"`
	Pending         *int   `json:"pending,omitempty"`

	By      *Party          `json:"by,omitempty"`
	Refusal json.RawMessage `json:"refusal,omitempty"`

	at time.Time // At, to compare
}

// Call says which call of the agent an approval is about.
type Call struct {
	TurnID           string `json:"turnId,omitempty"`
	TaskID           string `json:"taskId,omitempty"`
	ItemID           string `json:"itemId,omitempty"`
	ParentToolCallID string `json:"parentToolCallId,omitempty"`
	RunID            string `json:"runId,omitempty"`
	CatalogID        string `json:"catalogId,omitempty"`
	Unattended       string `json:"unattended,omitempty"`
}

// Shown is what reviewers were shown, as it was published.
type Shown struct {
	Subject        json.RawMessage `json:"subject,omitempty"`
	SubjectDigest  string          `json:"subjectDigest,omitempty"`
	RawArgs        string          `json:"rawArgs,omitempty"`
	ArgsDigest     string          `json:"argsDigest,omitempty"`
	Operation      json.RawMessage `json:"operation,omitempty"`
	Diff           string          `json:"diff,omitempty"`
	Requirement    int             `json:"requirement"`
	Menu           json.RawMessage `json:"menu,omitempty"`
	Policy         json.RawMessage `json:"policy,omitempty"`
	ProtectedWrite bool            `json:"protectedWrite,omitempty"`
	PermissionMode string          `json:"permissionMode,omitempty"`
	ExpiresAt      string          `json:"expiresAt,omitempty"`
}

// Stage is how one part of a command stands.
type Stage struct {
	Kind       string   `json:"kind"`
	Diagnostic string   `json:"diagnostic,omitempty"`
	ArgvPrefix []string `json:"argvPrefix,omitempty"`
}

// Tool is a tool as a catalog lists it.
type Tool struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// Amendment is the standing permission that came with a decision.
type Amendment struct {
	Durability  string `json:"durability"`
	RulePreview string `json:"rulePreview"`
}

// Party is who did something, as far as it can be known. Client and version are
// what a client says of itself; uid, pid and executable what the kernel says.
type Party struct {
	Client     string `json:"client,omitempty"`
	Version    string `json:"version,omitempty"`
	Role       string `json:"role,omitempty"`
	Transport  string `json:"transport,omitempty"`
	PID        int    `json:"pid,omitempty"`
	UID        *int   `json:"uid,omitempty"`
	Executable string `json:"executable,omitempty"`
}
