package record

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
)

// ApprovalOpened is the opening record of an approval: it is pending while no
// ApprovalSettled names it (seed 003).
type ApprovalOpened struct {
	ToolCallID       string          `json:"toolCallId"`
	ToolName         string          `json:"toolName"`
	RawArgs          string          `json:"rawArgs"`
	ArgsDigest       string          `json:"argsDigest"`
	Reason           string          `json:"reason"`
	Justification    string          `json:"justification,omitempty"`
	Operation        json.RawMessage `json:"operation,omitempty"`
	TurnID           string          `json:"turnId"`
	TaskID           string          `json:"taskId"`
	ItemID           string          `json:"itemId"`
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	RunID            string          `json:"runId,omitempty"`
	CatalogID        approval.ID     `json:"catalogId,omitzero"` // that the subject's tool is listed in
	Requested        bool            `json:"requested,omitempty"`
	Subject          json.RawMessage `json:"subject"`          // as published, stages and their resolutions included
	Stages           []Stage         `json:"stages,omitempty"` // the subject's, each as it stands; none for other subjects
	SubjectDigest    string          `json:"subjectDigest"`
	Diff             string          `json:"diff,omitempty"` // too long to publish; the subject says diffOmitted
	Requirement      int             `json:"requirement"`    // source index that a decision must name first
	Menu             json.RawMessage `json:"menu"`           // as published; [] where policy settled it
	Policy           json.RawMessage `json:"policy"`         // as published: source, rule, explanation
	// Found is what inspection learned with the subject, as approval.Found
	// writes it: policy may be asked again without looking again.
	Found          json.RawMessage `json:"found,omitempty"`
	Protected      bool            `json:"protected,omitempty"` // a protected write
	PermissionMode string          `json:"permissionMode,omitempty"`
	ExpiresAt      *int64          `json:"expiresAt,omitempty"` // Unix milliseconds; absent: never
	Unattended     string          `json:"unattended"`
	Supersedes     *approval.ID    `json:"supersedes,omitempty"` // the approval that a restart closed for this one
	By             Party           `json:"by"`
	Command        *Intake         `json:"command,omitempty"` // nil for a successor, and but in the first record of a batch
}

// Kind implements Body.
func (*ApprovalOpened) Kind() Kind { return KindApprovalOpened }

func (r *ApprovalOpened) command() *Intake { return r.Command }

// Weight is about how many bytes of memory the record holds.
func (r *ApprovalOpened) Weight() int {
	const small = 1024 // the struct, and what is always short
	return small + len(r.RawArgs) + len(r.Reason) + len(r.Justification) + len(r.Operation) +
		len(r.Subject) + len(r.Diff) + len(r.Menu) + len(r.Policy) + len(r.Found)
}
