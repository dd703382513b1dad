package wire

// ChoiceID names a choice. The set is open and minted by the server per
// requirement: a client selects from the menu it was given (protocol §6).
type ChoiceID string

const (
	ChoiceAllowOnce         ChoiceID = "allow_once"
	ChoiceAllowAllOnce      ChoiceID = "allow_all_once"
	ChoiceAllowSession      ChoiceID = "allow_session"
	ChoiceAllowLocalPrefix  ChoiceID = "allow_local_prefix"
	ChoiceAllowLocalPath    ChoiceID = "allow_local_path"
	ChoiceAllowLocalNetwork ChoiceID = "allow_local_network"
	ChoiceAllowLocalMCPTool ChoiceID = "allow_local_mcp_tool"
	ChoiceAbort             ChoiceID = "abort"
)

// Decision is what a choice or a policy decides.
type Decision string

const (
	DecisionApproved                Decision = "approved"
	DecisionApprovedForSession      Decision = "approvedForSession"
	DecisionApprovedPolicyAmendment Decision = "approvedPolicyAmendment"
	DecisionDenied                  Decision = "denied"
	DecisionTimedOut                Decision = "timedOut"
	DecisionAbort                   Decision = "abort"
)

// Scope is how long the grant of a choice lasts.
type Scope string

const (
	ScopeOnce            Scope = "once"            // leaves nothing behind
	ScopeSession         Scope = "session"         // the session's policy overlay
	ScopeLocalPersistent Scope = "localPersistent" // the workspace's policy store
)

// Choice is one row of a menu. RulePreview is to be shown verbatim: the grant
// covers no more than it says.
type Choice struct {
	ChoiceID        ChoiceID `json:"choiceId"`
	Label           string   `json:"label"`
	Decision        Decision `json:"decision"`
	Scope           Scope    `json:"scope"`
	RulePreview     string   `json:"rulePreview,omitzero"`
	AcceptsFeedback bool     `json:"acceptsFeedback,omitzero"`
}
