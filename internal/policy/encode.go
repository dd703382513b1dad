package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	strict "github.com/go-json-experiment/json"

	"github.com/approvald/approvald/internal/approval"
)

// ruleForm is a Rule as records hold it: without its place, which is where it
// was read from and no part of what it says.
type ruleForm struct {
	Effect   string          `json:"effect"`
	Kind     string          `json:"kind"`
	Argv     *[]string       `json:"argvPrefix,omitempty"`
	Class    string          `json:"class,omitempty"`
	Programs []string        `json:"programs,omitempty"`
	Access   approval.Access `json:"access,omitempty"`
	Glob     string          `json:"pathGlob,omitempty"`
	Resolved string          `json:"resolvedGlob,omitempty"`
	Outside  bool            `json:"outsideWorkspace,omitempty"`
	Host     string          `json:"host,omitempty"`
	Port     int             `json:"port,omitempty"`
	Action   string          `json:"action,omitempty"`
	Target   string          `json:"target,omitempty"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Grant    *approval.ID    `json:"grantId,omitempty"`
}

// ErrRule is wrapped by every error of DecodeRule.
var ErrRule = errors.New("not a rule")

// EncodeRule writes r, without its Ref, as a JSON object that DecodeRule reads
// back. Equal rules give equal bytes.
func EncodeRule(r Rule) (json.RawMessage, error) {
	form := ruleForm{
		Effect: r.Effect.String(), Kind: r.Kind, Class: r.Class, Programs: r.Programs, Access: r.Access, Glob: r.Glob,
		Resolved: r.Resolved, Outside: r.Outside, Host: r.Host, Port: r.Port, Action: r.Action, Target: r.Target,
		Server: r.Server, Tool: r.Tool, Reason: r.Reason,
	}
	if r.HasArgv {
		argv := append([]string{}, r.Argv...) // the catch-all is [], not null
		form.Argv = &argv
	}
	if !r.Grant.IsZero() {
		form.Grant = &r.Grant
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(form); err != nil {
		return nil, fmt.Errorf("encode a rule: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// DecodeRule reads what EncodeRule wrote. It is strict: an unknown or repeated
// member, and a rule that Compile would refuse, are errors.
func DecodeRule(raw json.RawMessage) (Rule, error) {
	var form ruleForm
	if err := strict.Unmarshal(raw, &form, strict.RejectUnknownMembers(true)); err != nil {
		return Rule{}, fmt.Errorf("%w: %w", ErrRule, err)
	}
	r := Rule{
		Kind: form.Kind, Class: form.Class, Programs: form.Programs, Access: form.Access, Glob: form.Glob,
		Resolved: form.Resolved, Outside: form.Outside, Host: form.Host, Port: form.Port, Action: form.Action, Target: form.Target,
		Server: form.Server, Tool: form.Tool, Reason: form.Reason,
	}
	switch form.Effect {
	case Allow.String():
		r.Effect = Allow
	case Ask.String():
		r.Effect = Ask
	case Deny.String():
		r.Effect = Deny
	default:
		return Rule{}, fmt.Errorf("%w: effect %s is none of allow, ask and deny", ErrRule, quote(form.Effect))
	}
	if form.Argv != nil {
		r.HasArgv, r.Argv = true, *form.Argv
	}
	if form.Grant != nil {
		r.Grant = *form.Grant
	}
	if err := check(r); err != nil {
		return Rule{}, fmt.Errorf("%w: %w", ErrRule, err)
	}
	return r, nil
}
