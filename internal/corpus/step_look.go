package corpus

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/wire"
)

// listPending lists what waits.
type listPending struct {
	Client  string `json:"client"`
	Session string `json:"session"` // "": all
}

func (l *listPending) do(ctx context.Context, r *run) (seen, error) {
	var got wire.ApprovalListPendingResult
	params := object{}
	if l.Session != "" {
		s, err := r.start(ctx, l.Session)
		if err != nil {
			return seen{}, err
		}
		params = params.with("sessionId", s.id)
	}
	err := r.must(ctx, &got, r.reviewer(l.Client), wire.MethodApprovalListPending, params)
	var out seen
	for _, a := range got.Approvals {
		out.labels = append(out.labels, r.label(a.ApprovalID))
	}
	return out, err
}

// state looks at everything; what is looked at is in run.look.
type state struct {
	Client  string `json:"client"`
	Session string `json:"session"`
}

func (*state) do(context.Context, *run) (seen, error) { return seen{}, nil }

// history reads what was decided, by whom: DETAIL of LABEL by CLIENT, in the order of the log.
type history struct {
	Client  string `json:"client"`
	Session string `json:"session"`
}

func (h *history) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, h.Session)
	if err != nil {
		return seen{}, err
	}
	resolved, err := r.resolved(ctx, r.reviewer(h.Client), s.id)
	var out seen
	for _, e := range resolved {
		word := standing(&wire.Resolution{Outcome: e.Outcome, PolicyResult: e.PolicyResult}).word
		text := r.label(e.ApprovalID) + " " + string(word)
		if by := r.deciders[e.DecidedByCommandID]; by != "" {
			text += " by " + by
		}
		out.labels = append(out.labels, text)
	}
	return out, err
}

// pageSize is how many events are read at once.
const pageSize = 1000

// resolved reads the ends of a session's approvals from its view.
func (r *run) resolved(ctx context.Context, from *peer, session string) ([]wire.ApprovalResolved, error) {
	var out []wire.ApprovalResolved
	params := object{{"sessionId", session}, {"limit", pageSize}}
	for {
		var page wire.ViewPageResult
		if err := r.must(ctx, &page, from, wire.MethodViewPage, params); err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			if e.Method != wire.MethodApprovalResolved {
				continue
			}
			var one wire.ApprovalResolved
			if err := json.Unmarshal(e.Params, &one); err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		if page.NextCursor == nil {
			return out, nil
		}
		params = object{{"sessionId", session}, {"limit", pageSize}, {"cursor", *page.NextCursor}}
	}
}

// presented is what a client is asked, with what it may answer.
type presented struct {
	Client string `json:"client"`
}

func (p *presented) do(_ context.Context, r *run) (seen, error) {
	return r.delivered(r.reviewer(p.Client), 0), nil
}

// listRules lists the grants: what decisions left behind.
type listRules struct {
	Session string `json:"session"`
	Client  string `json:"client"`
}

// methodGrantList and methodGrantRevoke are of protocol §6.
const (
	methodGrantList   = "grant/list"
	methodGrantRevoke = "grant/revoke"
)

// grant is a row of grant/list.
type grant struct {
	GrantID     string `json:"grantId"`
	Scope       string `json:"scope"`
	RulePreview string `json:"rulePreview"`
	InForce     bool   `json:"inForce"`
}

func (l *listRules) do(ctx context.Context, r *run) (seen, error) {
	grants, err := r.grants(ctx, l.Session)
	var out seen
	for _, g := range grants {
		if g.InForce {
			out.labels = append(out.labels, g.RulePreview)
		}
	}
	return out, err
}

func (r *run) grants(ctx context.Context, name string) ([]grant, error) {
	s, err := r.start(ctx, name)
	if err != nil {
		return nil, err
	}
	var got struct {
		Grants []grant `json:"grants"`
	}
	err = r.must(ctx, &got, r.operator(), methodGrantList, object{{"sessionId", s.id}})
	return got.Grants, err
}

// revoke takes back every grant of a session that is in force.
type revoke struct {
	Session string `json:"session"`
}

func (v *revoke) do(ctx context.Context, r *run) (seen, error) {
	grants, err := r.grants(ctx, v.Session)
	if err != nil {
		return seen{}, err
	}
	s, err := r.start(ctx, v.Session)
	if err != nil {
		return seen{}, err
	}
	for _, g := range grants {
		if !g.InForce {
			continue
		}
		err := r.must(ctx, nil, r.operator(), methodGrantRevoke, object{{"commandId", r.command("")}, {"sessionId", s.id}, {"grantId", g.GrantID}})
		if err != nil {
			return seen{}, err
		}
	}
	return seen{}, nil
}
