package corpus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/wire"
)

// connect is a client that opens a session, or, in a case about names, an agent that dials an
// address: it asks for the address that it dials.
type connect struct {
	Client     string `json:"client"`
	Session    string `json:"session"`
	Role       string `json:"role"`        // reviewer; or viewer, who may look on
	ResolvesTo string `json:"resolves_to"` //nolint:tagliatelle // SCHEMA.md's spelling
}

func (c *connect) do(ctx context.Context, r *run) (seen, error) {
	if c.ResolvesTo != "" {
		return c.dial(ctx, r)
	}
	p := r.reviewer(c.Client)
	switch c.Role {
	case "", "reviewer":
	case "viewer": // of the roles there are, the one that never decides
		p.door = "agent"
		return seen{}, r.greet(ctx, p)
	default:
		return seen{}, fmt.Errorf("role is %q; give reviewer or viewer", c.Role)
	}
	s, err := r.start(ctx, c.Session)
	if err != nil {
		return seen{}, err
	}
	before := len(p.events)
	if slices.Contains(p.reads, s.id) {
		p.ready = p.ready && false // it comes back to what it read
	} else {
		p.reads = append(p.reads, s.id)
		if p.ready {
			return r.delivered(p, before), r.returnTo(ctx, p, s.id)
		}
	}
	err = r.greet(ctx, p)
	return r.delivered(p, before), err
}

// delivered are the approvals that a peer was asked about since.
func (r *run) delivered(p *peer, since int) seen {
	var out seen
	for _, e := range p.events[since:] {
		if e.Method != wire.MethodApprovalRequest {
			continue
		}
		var asked wire.ApprovalRequest
		if json.Unmarshal(e.Params, &asked) == nil {
			out.labels = append(out.labels, r.label(asked.ApprovalID))
		}
	}
	return out
}

// dial asks for the address that is really connected to.
func (c *connect) dial(ctx context.Context, r *run) (seen, error) {
	named := r.c.Input.Subject
	if named == nil || named.URL == "" {
		return seen{}, fmt.Errorf("resolves_to: the case has no url")
	}
	address, err := withHost(named.URL, c.ResolvesTo)
	if err != nil {
		return seen{}, err
	}
	return (&request{ID: "dial", Subject: &Subject{Kind: "network", URL: address}}).do(ctx, r)
}

// disconnect is a client that goes away.
type disconnect struct {
	Client string `json:"client"`
}

func (d *disconnect) do(ctx context.Context, r *run) (seen, error) {
	return seen{}, r.hangUp(ctx, r.reviewer(d.Client))
}

// hangUp ends a peer's connection.
func (r *run) hangUp(ctx context.Context, p *peer) error {
	if !p.ready {
		return nil
	}
	p.ready = false
	return r.control(ctx, object{{"op", "disconnect"}, {"conn", p.name}})
}

// control carries out a control line of a scenario.
func (r *run) control(ctx context.Context, what object) error {
	line, err := append(object{{"dir", "control"}}, what...).encode()
	if err != nil {
		return err
	}
	return r.step(ctx, line)
}

// agentConnect is the agent that comes back; agentDisconnect the one that goes away.
type agentConnect struct {
	Agent   string `json:"agent"` // there is one, so the name tells nothing
	Client  string `json:"client"`
	Session string `json:"session"`
}

func (c *agentConnect) do(ctx context.Context, r *run) (seen, error) {
	if err := r.greet(ctx, r.agent()); err != nil || c.Session == "" {
		return seen{}, err
	}
	_, err := r.start(ctx, c.Session)
	return seen{}, err
}

type agentDisconnect struct {
	Agent   string `json:"agent"`
	Client  string `json:"client"`
	Session string `json:"session"`
}

func (*agentDisconnect) do(ctx context.Context, r *run) (seen, error) {
	return seen{}, r.hangUp(ctx, r.agent())
}

// restart ends the daemon, in order or not, and starts the next one on what it left.
type restart struct {
	op      string
	Seconds int64 `json:"seconds"` // for which it is down
}

func (s *restart) do(ctx context.Context, r *run) (seen, error) {
	for _, p := range r.peers {
		p.ready = false
	}
	if err := r.control(ctx, object{{"op", s.op}, {"ms", s.Seconds * 1000}}); err != nil {
		return seen{}, err
	}
	for _, label := range r.labels {
		if err := r.follow(ctx, r.approvals[label]); err != nil {
			return seen{}, err
		}
	}
	return seen{}, nil
}

// follow finds what succeeded an approval.
func (r *run) follow(ctx context.Context, a *approved) error {
	for {
		var got wire.ApprovalReadResult
		params := object{{"sessionId", a.session}, {"approvalId", a.id}}
		if err := r.must(ctx, &got, r.agent(), wire.MethodApprovalRead, params); err != nil {
			return err
		}
		if got.Resolution == nil || got.Resolution.SuccessorApprovalID == "" {
			return nil
		}
		a.id = got.Resolution.SuccessorApprovalID
		a.ids = append(a.ids, a.id)
	}
}

// wait lets time pass.
type wait struct {
	Seconds int64 `json:"seconds"`
}

func (w *wait) do(ctx context.Context, r *run) (seen, error) {
	passed := time.Duration(w.Seconds) * time.Second
	return seen{}, r.control(ctx, object{{"op", "advance"}, {"ms", passed.Milliseconds()}})
}
