package record

import "github.com/approvald/approvald/internal/approval"

// GrantRevoked ends a standing permission. It may stand in another session than
// the grant: a persistent one can be revoked through any session of its
// workspace (protocol §6).
type GrantRevoked struct {
	GrantID approval.ID `json:"grantId"`
	By      Party       `json:"by"`
	Command *Intake     `json:"command"`
}

// Kind implements Body.
func (*GrantRevoked) Kind() Kind { return KindGrantRevoked }

func (r *GrantRevoked) command() *Intake { return r.Command }
