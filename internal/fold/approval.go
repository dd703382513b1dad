package fold

import (
	"encoding/json"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Approval is one approval as it stands after the last record about it. It is
// immutable: a record replaces it.
type Approval struct {
	ID         approval.ID
	Opened     uint64 // sequence of the opening record
	OpenedAt   time.Time
	ToolCallID string
	ToolName   string

	Requirement int // the source index that a decision must name, or the last that one named

	// Request, Stages, Menu, Policy and Asked are of a pending approval; once it is
	// settled the log has them, and memory does not.
	Request *record.ApprovalOpened
	Stages  []approval.StageResolution
	Menu    json.RawMessage // as published
	Policy  json.RawMessage // why it is asked, as published; nil: as Request says
	Asked   Cursor          // of the latest approval/requested

	// Settled is the terminal record; nil while the approval is pending.
	Settled    *record.ApprovalSettled
	SettledAt  time.Time
	SettledSeq uint64
	SettledBy  approval.CommandID // zero where no command settled it

	// Claim is what consuming a settled approval must name; nil for a superseded
	// one, which nobody can consume.
	Claim      *Claim
	ConsumedBy approval.CommandID // zero: by nobody
	Voided     string             // why nobody can any more; "" where somebody can
}

// Claimable reports whether a settled approval can still be consumed.
func (a *Approval) Claimable() bool {
	return a.Claim != nil && a.ConsumedBy.IsZero() && a.Voided == ""
}

// Claim is what is kept of the request of a settled approval.
type Claim struct {
	ArgsDigest    string
	SubjectDigest string
	Turn          string
	Run           string // "" for none
	Parent        string // toolCallId of the parent call; "" for none
	Protected     bool
	Catalog       approval.ID // that the tool is listed in; zero for none
	Tool          string      // its name there
}

// Pending reports whether nothing has settled the approval.
func (a *Approval) Pending() bool { return a.Settled == nil }

// Subject is what a pending approval is about, with Stages as its resolutions.
// It is decoded on each call: most approvals are settled without it.
func (a *Approval) Subject() approval.Subject {
	subject, err := approval.DecodeSubject(a.Request.Subject)
	if err != nil {
		return approval.Unknown{Raw: a.Request.Subject} // never allowed unasked
	}
	return approval.WithResolutions(subject, a.Stages)
}

// Action is what a pending approval is about, as recovery opens it again.
func (a *Approval) Action() approval.Action { return actionOf(a.Request, a.Subject()) }

// ActionOf is what an opening record was about, with its stages as it had them.
func ActionOf(r *record.ApprovalOpened) approval.Action {
	return actionOf(r, (&Approval{Request: r, Stages: stagesFrom(r.Stages)}).Subject())
}

func actionOf(r *record.ApprovalOpened, subject approval.Subject) approval.Action {
	return approval.Action{
		ToolCallID:       r.ToolCallID,
		ToolName:         r.ToolName,
		RawArgs:          r.RawArgs,
		ArgsDigest:       r.ArgsDigest,
		Reason:           r.Reason,
		Justification:    r.Justification,
		Operation:        r.Operation,
		TurnID:           r.TurnID,
		TaskID:           r.TaskID,
		ItemID:           r.ItemID,
		ParentToolCallID: r.ParentToolCallID,
		RunID:            r.RunID,
		Catalog:          r.CatalogID,
		Requested:        r.Requested,
		Subject:          subject,
		Found:            foundIn(r),
	}
}

// foundIn is what inspection learned. What cannot be read is nothing: then no
// allow rule matches.
func foundIn(r *record.ApprovalOpened) (f approval.Found) {
	if len(r.Found) > 0 && json.Unmarshal(r.Found, &f) != nil {
		return approval.Found{}
	}
	return f
}
