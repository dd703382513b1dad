package record

import "github.com/approvald/approvald/internal/approval"

// ApprovalSettled is the terminal record of an approval; there is never a
// second one (invariant 3).
type ApprovalSettled struct {
	Opened       uint64       `json:"opened"` // sequence of the approval's opening record
	Outcome      string       `json:"outcome"`
	Decision     string       `json:"decision"`
	PolicyResult string       `json:"policyResult"`
	ResolvedBy   string       `json:"resolvedBy"`
	Source       string       `json:"source"`
	ChoiceID     string       `json:"choiceId,omitempty"`
	Feedback     string       `json:"feedback,omitempty"` // for the agent and the audit; in no view event
	Reason       string       `json:"reason,omitempty"`   // why, where policy or a cancellation settled it
	Rule         string       `json:"rule,omitempty"`     // the place of the rule that settled it
	Stages       []Stage      `json:"stages,omitempty"`   // every stage as it ended; none for other subjects
	Amendment    *Amendment   `json:"amendment,omitempty"`
	Successor    *approval.ID `json:"successor,omitempty"`
	Recovery     *Recovery    `json:"recovery,omitempty"` // set where a restart superseded it
	By           *Party       `json:"by,omitempty"`       // nil: policy
	Command      *Intake      `json:"command,omitempty"`
}

// Amendment is the standing permission that came with the decision.
type Amendment struct {
	Durability  string `json:"durability"` // session or localPersistent
	RulePreview string `json:"rulePreview"`
}

// Recovery is what the restart that superseded an approval found
// (protocol §8).
type Recovery struct {
	Reparsed   bool `json:"reparsed"` // the stages' argv differ from those of the old identity
	Executable bool `json:"executable"`
}

// Kind implements Body.
func (*ApprovalSettled) Kind() Kind { return KindApprovalSettled }

func (r *ApprovalSettled) command() *Intake { return r.Command }
