package corpus

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/approvald/approvald/wire"
)

// decide is a reviewer's answer. A command of several stages is answered whole: an answer for the
// stage that is asked, then, while more are asked, for those.
type decide struct {
	Client   string `json:"client"` // "" for a reviewer that sees every session
	Approval string `json:"approval"`
	Choice   string `json:"choice"`  // allow_once, allow_session, allow_always or deny
	Command  string `json:"command"` // the idempotency key; "" for one of its own
	// Rule is the rule that the reviewer would like to be written. What is written is what the choice
	// previews, and no method takes another (policy.md), so it is not sent.
	Rule string `json:"rule"`
	// Feedback is what the reviewer says to the agent, with a refusal.
	Feedback string `json:"feedback"`
}

// maxStages bounds the answers of one decision: no command has more stages.
const maxStages = 300

func (d *decide) do(ctx context.Context, r *run) (seen, error) {
	out, err := alone(ctx, r, d)
	if err != nil || out.word != accepted || d.Command != "" {
		return out, err
	}
	for range maxStages {
		menu, err := r.menu(ctx, d.Approval)
		if err != nil {
			return seen{}, err
		}
		if menu.over {
			break
		}
		if _, err := alone(ctx, r, d); err != nil {
			return seen{}, err
		}
	}
	return out, nil
}

func (d *decide) ask(ctx context.Context, r *run) (call, func(answer) (seen, error), error) {
	params, err := d.params(ctx, r)
	if err != nil {
		return call{}, nil, err
	}
	text, err := params.encode()
	if err != nil {
		return call{}, nil, err
	}
	took := func(a answer) (seen, error) {
		out, refused := a.refused()
		if !refused {
			out.word = accepted
		}
		out.label = d.Approval
		return out, nil
	}
	return call{r.reviewer(d.Client), wire.MethodApprovalDecide, text}, took, nil
}

func (d *decide) params(ctx context.Context, r *run) (object, error) {
	a, ok := r.find(d.Approval)
	if !ok {
		return nil, fmt.Errorf("no approval %s was opened", d.Approval)
	}
	menu, err := r.menu(ctx, d.Approval)
	if err != nil {
		return nil, err
	}
	choice, err := d.choose(menu)
	if err != nil {
		return nil, err
	}
	command := r.command(d.Command)
	r.deciders[command] = d.Client
	return object{
		{"commandId", command}, {"sessionId", a.session}, {"approvalId", a.id},
		{"requirementId", object{{"approvalId", a.id}, {"sourceIndex", menu.requirement}}}, {"choiceId", choice},
	}.with("feedback", d.Feedback), nil
}

// menu is what a reviewer sees of an approval.
type menu struct {
	choices     []wire.Choice
	requirement int
	over        bool // it is settled
}

// menu reads an approval as the agent that opened it may.
func (r *run) menu(ctx context.Context, label string) (menu, error) {
	a, ok := r.find(label)
	if !ok {
		return menu{}, fmt.Errorf("no approval %s was opened", label)
	}
	var got wire.ApprovalReadResult
	err := r.must(ctx, &got, r.agent(), wire.MethodApprovalRead, object{{"sessionId", a.session}, {"approvalId", a.id}})
	return menu{got.Request.AvailableChoices, got.Request.CurrentRequirementID.SourceIndex, got.Resolution != nil}, err
}

// choose finds the choice on a menu that is meant. Of what is meant and not on it, the wire's own word
// is sent: refusing that is the daemon's business.
func (d *decide) choose(m menu) (wire.ChoiceID, error) {
	has := func(id wire.ChoiceID) bool {
		for _, c := range m.choices {
			if c.ChoiceID == id {
				return true
			}
		}
		return false
	}
	switch d.Choice {
	case "deny":
		return wire.ChoiceAbort, nil
	case "allow_once":
		if has(wire.ChoiceAllowAllOnce) {
			return wire.ChoiceAllowAllOnce, nil
		}
		return wire.ChoiceAllowOnce, nil
	case "allow_session":
		return wire.ChoiceAllowSession, nil
	case "allow_always":
		for _, c := range m.choices {
			if c.Scope == wire.ScopeLocalPersistent {
				return c.ChoiceID, nil
			}
		}
		return wire.ChoiceAllowLocalPrefix, nil
	}
	return "", fmt.Errorf("choice is %q; give allow_once, allow_session, allow_always or deny", d.Choice)
}

// reviewer is the reviewer of that name.
func (r *run) reviewer(name string) *peer {
	if name == "" {
		return r.peer("desk", "reviewer", false)
	}
	return r.peer(name, "reviewer", false)
}

// decideBatch is one answer to several approvals. approvald takes one decision a request, so it is a
// JSON-RPC batch of them, which no connection takes (protocol §1).
type decideBatch struct {
	Client string   `json:"client"`
	Allow  []string `json:"allow"`
	Deny   []string `json:"deny"`
}

func (b *decideBatch) do(ctx context.Context, r *run) (seen, error) {
	from := r.reviewer(b.Client)
	if err := r.greet(ctx, from); err != nil {
		return seen{}, err
	}
	var text bytes.Buffer
	add := func(labels []string, choice string) error {
		for _, label := range labels {
			params, err := (&decide{Client: b.Client, Approval: label, Choice: choice}).params(ctx, r)
			if err != nil {
				return err
			}
			encoded, err := params.encode()
			if err != nil {
				return err
			}
			text.WriteByte("[,"[min(text.Len(), 1)])
			fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":"b%d","method":%q,"params":%s}`, text.Len(), wire.MethodApprovalDecide, encoded)
		}
		return nil
	}
	if err := add(b.Allow, "allow_once"); err != nil {
		return seen{}, err
	}
	if err := add(b.Deny, "deny"); err != nil {
		return seen{}, err
	}
	text.WriteByte(']')
	line, err := from.frame(text.String())
	if err != nil {
		return seen{}, err
	}
	if err := r.step(ctx, line); err != nil {
		return seen{}, err
	}
	a, err := r.answer(from.name, strconv.Itoa(r.requests))
	if err != nil {
		return seen{}, err
	}
	if out, refused := a.refused(); refused {
		return out, nil
	}
	return seen{word: accepted}, nil
}

// parallel is several requests that are sent before one of them is answered.
type parallel struct {
	Steps []Step `json:"steps"`
}

func (p *parallel) do(ctx context.Context, r *run) (seen, error) {
	var calls []call
	var took []func(answer) (seen, error)
	for _, s := range p.Steps {
		one, ok := s.action.(asking)
		if !ok {
			return seen{}, fmt.Errorf("a step %s is not one request and cannot be parallel to another", s.Do)
		}
		c, f, err := one.ask(ctx, r)
		if err != nil {
			return seen{}, err
		}
		calls, took = append(calls, c), append(took, f)
	}
	answers, err := r.call(ctx, calls...)
	if err != nil {
		return seen{}, err
	}
	var out seen
	for i, f := range took {
		s, err := f(answers[i])
		if err != nil {
			return seen{}, err
		}
		out.parts = append(out.parts, s)
	}
	return out, nil
}
