package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/internal/canon"
	"github.com/approvald/approvald/wire"
)

// execute is the agent taking what it was allowed.
type execute struct {
	Approval  string         `json:"approval"`
	Arguments jsontext.Value `json:"arguments"` // nil: those of the request
	Call      string         `json:"call"`      // "": that of the request
}

// methodConsume is the method that takes a permit (protocol §7).
const methodConsume = "approval/consume"

func (e *execute) do(ctx context.Context, r *run) (seen, error) {
	a, ok := r.find(e.Approval)
	if !ok {
		return seen{}, fmt.Errorf("no approval %s was opened", e.Approval)
	}
	digest, call, args := a.argsDigest, a.call, a.subject.Arguments
	if len(e.Arguments) > 0 {
		var err error
		if digest, err = canon.Digest(e.Arguments); err != nil {
			return seen{}, err
		}
		args = e.Arguments
	}
	if e.Call != "" {
		call = e.Call
	}
	got, err := r.ask(ctx, r.agent(), methodConsume, object{
		{"commandId", r.command("")}, {"sessionId", a.session}, {"approvalId", a.id}, {"toolCallId", call}, {"argsDigest", digest},
	})
	if err != nil {
		return seen{}, err
	}
	if out, refused := got.refused(); refused {
		out.label = e.Approval
		return out, nil
	}
	var consumed struct {
		PolicyResult wire.PolicyResult `json:"policyResult"`
		Consumed     bool              `json:"consumed"`
	}
	if err := got.read(&consumed); err != nil {
		return seen{}, err
	}
	out := seen{word: denied, label: e.Approval}
	if consumed.PolicyResult == wire.PolicyAllow && consumed.Consumed {
		out.word, out.detail = executed, string(args)
	}
	return out, nil
}

// agentResult is what the agent learns of its call.
type agentResult struct {
	Call string `json:"call"` // the label of the approval
}

func (q *agentResult) do(ctx context.Context, r *run) (seen, error) {
	a, ok := r.find(q.Call)
	if !ok {
		return seen{}, fmt.Errorf("no approval %s was opened", q.Call)
	}
	var got wire.ApprovalAwaitResult
	err := r.must(ctx, &got, r.agent(), wire.MethodApprovalAwait, object{{"sessionId", a.session}, {"approvalIds", []string{a.id}}, {"waitMs", 0}})
	if err != nil || len(got.Results) != 1 {
		return seen{}, err
	}
	out := standing(got.Results[0].Resolution)
	out.label = q.Call
	return out, nil
}

// mutate is the agent changing its own object after it was sent. Nothing of that reaches the wire.
type mutate struct{}

// UnmarshalJSON takes any members: the object is the agent's own.
func (*mutate) UnmarshalJSON([]byte) error { return nil }

func (*mutate) do(context.Context, *run) (seen, error) { return seen{}, nil }

// cancel is the agent withdrawing a call, or everything of a session.
type cancel struct {
	Session  string `json:"session"`
	Call     string `json:"call"` // the label of an approval: it, and what is nested in it
	Approval string `json:"approval"`
}

func (c *cancel) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, c.Session)
	if err != nil {
		return seen{}, err
	}
	params := object{{"commandId", r.command("")}, {"sessionId", s.id}}
	if a, ok := r.find(c.Call); ok {
		params = append(params, member{"toolCallId", a.call})
	} else if a, ok := r.find(c.Approval); ok {
		params = append(params, member{"approvalId", a.id})
	} else {
		params = append(params, member{"all", true})
	}
	a, err := r.ask(ctx, r.agent(), wire.MethodApprovalCancel, params)
	if err != nil {
		return seen{}, err
	}
	if out, refused := a.refused(); refused {
		return out, nil
	}
	var got wire.ApprovalCancelResult
	if err := a.read(&got); err != nil {
		return seen{}, err
	}
	out := seen{word: cancelled, heard: r.heardOf(got.Cancelled)}
	for _, id := range got.Cancelled {
		out.labels = append(out.labels, r.label(id))
	}
	return out, nil
}

// heardOf are the names of those who heard that approvals are resolved.
func (r *run) heardOf(ids []string) []string {
	var out []string
	for name, p := range r.peers {
		for _, e := range p.events {
			var resolved wire.ApprovalResolved
			if e.Method == wire.MethodApprovalResolved && json.Unmarshal(e.Params, &resolved) == nil && slices.Contains(ids, resolved.ApprovalID) {
				out = append(out, name)
				break
			}
		}
	}
	return out
}

// spawn starts a child session.
type spawn struct {
	Parent  string `json:"parent"`
	Child   string `json:"child"`
	Inherit string `json:"inherit"` // grants or none; "": the default
	Mode    string `json:"mode"`
	// Rules are the child's. approvald's rules are in force for every session: whoever starts the child
	// adds them to the policy file.
	Rules []Rule `json:"rules"`
}

func (s *spawn) do(ctx context.Context, r *run) (seen, error) {
	if _, err := r.start(ctx, s.Parent); err != nil {
		return seen{}, err
	}
	if !strings.HasPrefix(s.Child, s.Parent+".") {
		return seen{}, fmt.Errorf("the child %q of %q must be named %s.NAME", s.Child, s.Parent, s.Parent)
	}
	if len(s.Rules) > 0 {
		if out, err := r.addRules(ctx, s.Rules); err != nil || out.word != loaded {
			return out, err
		}
	}
	more := object{}.with("inherit", s.Inherit).with("approvalMode", s.Mode)
	_, err := r.start(ctx, s.Child, more...)
	return seen{}, err
}

// end closes a session.
type end struct {
	Session string `json:"session"`
}

func (e *end) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, e.Session)
	if err != nil {
		return seen{}, err
	}
	return seen{}, r.must(ctx, nil, r.agent(), wire.MethodSessionClose, object{{"commandId", r.command("")}, {"sessionId", s.id}})
}
