package fold

import (
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Approval is one approval as it stands after the last record about it, in a
// size that does not depend on what was asked. It is immutable: a record
// replaces it.
type Approval struct {
	ID         approval.ID
	Opened     uint64 // sequence of the opening record
	OpenedAt   time.Time
	ToolCallID string
	ToolName   string

	Requirement int // the source index that a decision must name, or the last that one named

	// Those up to Asked are of a pending approval. What its records say of it at
	// length is in Full.
	Hosted     bool   // a program of --agent-cmd opened it,
	PID        int    // whose process this is
	ExpiresAt  *int64 // Unix milliseconds; nil: never
	Unattended approval.Unattended
	Asked      Cursor // of the latest approval/requested
	staged     uint64 // sequence of the last StageSettled; 0 for none
	said       *Said  // nil where memory has let go of it

	// Settled is the terminal record; nil while the approval is pending.
	Settled    *record.ApprovalSettled
	SettledAt  time.Time
	SettledSeq uint64
	SettledBy  approval.CommandID // zero where no command settled it

	// Claim is what consuming the approval must name; nil for a superseded one,
	// which nobody can consume.
	Claim      *Claim
	ConsumedBy approval.CommandID // zero: by nobody
	Voided     string             // why nobody can any more; "" where somebody can
}

// Claimable reports whether a settled approval can still be consumed.
func (a *Approval) Claimable() bool {
	return a.Claim != nil && a.ConsumedBy.IsZero() && a.Voided == ""
}

// Claim is what is kept of the request of an approval that can be consumed, or
// that can be once it is settled.
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

func claimOf(r *record.ApprovalOpened) *Claim {
	return &Claim{
		ArgsDigest: r.ArgsDigest, SubjectDigest: r.SubjectDigest,
		Turn: r.TurnID, Run: r.RunID, Parent: r.ParentToolCallID, Protected: r.Protected,
		Catalog: r.CatalogID, Tool: catalogTool(r),
	}
}

// Pending reports whether nothing has settled the approval.
func (a *Approval) Pending() bool { return a.Settled == nil }
