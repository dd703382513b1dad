package record

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
)

// GrantAdded is a standing permission given with a decision. The approval it
// was given on and the command that gave it are in the header.
type GrantAdded struct {
	GrantID     approval.ID `json:"grantId"`
	Scope       string      `json:"scope"`
	Reach       Reach       `json:"reach"`
	RulePreview string      `json:"rulePreview"`
	By          Party       `json:"by"`
	// Rule and Root are of a localPersistent grant: the rule, as policy.EncodeRule
	// writes it, and the workspace whose store it goes into. Reach is then empty.
	Rule json.RawMessage `json:"rule,omitempty"`
	Root string          `json:"root,omitempty"`
}

// Reach mirrors approval.Reach member by member; the conversion between the
// two stops compiling when they part.
type Reach struct {
	Kind      string `json:"kind"`
	Command   string `json:"command,omitempty"`
	Cwd       string `json:"cwd,omitempty"`
	Shell     string `json:"shell,omitempty"`
	Path      string `json:"path,omitempty"`
	Access    string `json:"access,omitempty"`
	Host      string `json:"host,omitempty"`
	Port      int    `json:"port,omitempty"`
	Protocol  string `json:"protocol,omitempty"`
	Action    string `json:"action,omitempty"`
	Target    string `json:"target,omitempty"`
	PID       int    `json:"pid,omitempty"`
	StartedAt string `json:"startedAt,omitempty"`
	Argv      string `json:"argv,omitempty"`
	Server    string `json:"server,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Catalog   string `json:"catalog,omitempty"`
	Digest    string `json:"digest,omitempty"`
}

// Kind implements Body.
func (*GrantAdded) Kind() Kind { return KindGrantAdded }

func (*GrantAdded) command() *Intake { return nil }
