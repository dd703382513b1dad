package record

import "encoding/json"

// StageSettled is one stage of a shell command decided, by a reviewer or by
// policy. Together with the opening record it holds everything that its view
// events say.
type StageSettled struct {
	Opened   uint64          `json:"opened"` // sequence of the approval's opening record
	Stage    int             `json:"stage"`  // source index of what was settled
	ChoiceID string          `json:"choiceId,omitempty"`
	Decision string          `json:"decision,omitempty"`
	Stages   []Stage         `json:"stages"`         // every stage as it stands after this record
	Next     int             `json:"next"`           // the current requirement from here on
	Menu     json.RawMessage `json:"menu"`           // its menu as published; [] where nothing is left
	Asks     bool            `json:"asks,omitempty"` // the next requirement is put to reviewers by this record
	// Policy is why, as published, where Asks; absent: as the opening record says.
	Policy  json.RawMessage `json:"policy,omitempty"`
	By      *Party          `json:"by,omitempty"` // nil: policy
	Command *Intake         `json:"command,omitempty"`
}

// Stage is the resolution of one stage.
type Stage struct {
	Kind       string   `json:"kind"`
	Diagnostic string   `json:"diagnostic,omitempty"`
	ArgvPrefix []string `json:"argvPrefix,omitempty"` // of policyAmendment: the rule that was written
}

// Kind implements Body.
func (*StageSettled) Kind() Kind { return KindStageSettled }

func (r *StageSettled) command() *Intake { return r.Command }
