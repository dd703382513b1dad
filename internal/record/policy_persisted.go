package record

import (
	"encoding/json"

	"github.com/approvald/approvald/internal/approval"
)

// PolicyPersisted says what became of writing a localPersistent grant's rule to
// its workspace's store. The approval that it was given on is in the header.
type PolicyPersisted struct {
	GrantID approval.ID `json:"grantId"`
	Status  string      `json:"status"` // Persisted or Failed
	Reason  string      `json:"reason,omitempty"`
	// The approval as it stands, for the event: see StageSettled.
	Opened uint64          `json:"opened"`
	Stages []Stage         `json:"stages,omitempty"`
	Next   int             `json:"next"`
	Menu   json.RawMessage `json:"menu"`
}

// Persisted and Failed are the statuses.
const (
	Persisted = "succeeded"
	Failed    = "failed"
)

// Kind implements Body.
func (*PolicyPersisted) Kind() Kind { return KindPolicyPersisted }

func (*PolicyPersisted) command() *Intake { return nil }
