package corpus

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/wire"
)

// peer is a program that is connected to the daemon.
type peer struct {
	name string // of its connection
	door string // the role by which a scenario opens it
	// silent says that it shows nobody anything, and so is no interactive reviewer.
	silent bool
	ready  bool     // has shaken hands since it was last connected
	reads  []string // sessions that it subscribed to, or owns, by id
	events []event  // heard, oldest first
}

// event is a notification or request of the daemon.
type event struct {
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
}

// call is one request to be sent.
type call struct {
	from   *peer
	method string
	params []byte // need not be valid JSON
}

// answer is the daemon's: a result or an error.
type answer struct {
	result jsontext.Value
	err    *wire.Error
}

// read reads a result into v.
func (a answer) read(v any) error {
	if a.err != nil {
		return a.err
	}
	return json.Unmarshal(a.result, v)
}

// frame is the line of a scenario that sends the text of one frame on a peer's connection.
func (p *peer) frame(text string) ([]byte, error) {
	return object{{"dir", "client"}, {"conn", p.name}, {"role", p.door}, {"raw", text}}.encode()
}

// call sends requests, all before the daemon has answered one, and returns their answers in order. A
// method that the daemon does not serve is a *missingError.
func (r *run) call(ctx context.Context, calls ...call) ([]answer, error) {
	lines := make([][]byte, len(calls))
	ids := make([]string, len(calls))
	for i, c := range calls {
		if err := r.greet(ctx, c.from); err != nil {
			return nil, err
		}
		r.requests++
		ids[i] = strconv.Itoa(r.requests)
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, ids[i], c.method, c.params)
		var err error
		if lines[i], err = c.from.frame(text); err != nil {
			return nil, err
		}
	}
	if err := r.step(ctx, lines...); err != nil {
		return nil, err
	}
	answers := make([]answer, len(calls))
	for i, c := range calls {
		var err error
		if answers[i], err = r.answer(c.from.name, ids[i]); err != nil {
			return nil, err
		}
		if e := answers[i].err; e != nil && e.Code == wire.CodeMethodNotFound {
			return nil, &missingError{need: c.method}
		}
	}
	return answers, nil
}

// ask sends one request.
func (r *run) ask(ctx context.Context, from *peer, method string, params object) (answer, error) {
	text, err := params.encode()
	if err != nil {
		return answer{}, err
	}
	answers, err := r.call(ctx, call{from, method, text})
	if err != nil {
		return answer{}, err
	}
	return answers[0], nil
}

// must sends one request that has to succeed, and reads its result into v unless that is nil.
func (r *run) must(ctx context.Context, v any, from *peer, method string, params object) error {
	a, err := r.ask(ctx, from, method, params)
	switch {
	case err != nil:
		return err
	case a.err != nil:
		return fmt.Errorf("%s: %w", method, a.err)
	case v == nil:
		return nil
	}
	return a.read(v)
}

// reply is what a frame of the daemon may be.
type reply struct {
	event

	ID     jsontext.Value `json:"id"`
	Result jsontext.Value `json:"result"`
	Error  *wire.Error    `json:"error"`
}

// step carries out lines of a scenario and files what everybody heard.
func (r *run) step(ctx context.Context, lines ...[]byte) error {
	heard, err := r.world.Step(ctx, lines...)
	if err != nil {
		return err
	}
	for _, h := range heard {
		p := r.peers[h.Conn]
		for _, line := range h.Lines {
			var got reply
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				return fmt.Errorf("connection %s hears %.200q: %w", h.Conn, line, err)
			}
			if got.Method != "" {
				p.events = append(p.events, got.event)
			} else {
				r.replies = append(r.replies, said{h.Conn, got})
			}
		}
	}
	return nil
}

// said is a response, and who heard it.
type said struct {
	conn  string
	reply reply
}

// answer takes the response to a request out of those that arrived. A frame that could not be read
// is answered with the id null.
func (r *run) answer(conn, id string) (answer, error) {
	want := strconv.Quote(id)
	for i, s := range r.replies {
		if text := string(s.reply.ID); s.conn != conn || text != want && text != "null" {
			continue
		}
		r.replies = slices.Delete(r.replies, i, i+1)
		return answer{s.reply.Result, s.reply.Error}, nil
	}
	return answer{}, fmt.Errorf("connection %s: request %s is not answered", conn, id)
}

// greet shakes hands where that is still to be done, and returns to the peer's sessions.
func (r *run) greet(ctx context.Context, p *peer) error {
	if p.ready {
		return nil
	}
	p.ready = true
	hello := object{
		{"clientInfo", object{{"name", strings.ToLower(p.name)}, {"version", "1"}}},
		{"capabilities", object{{"approvald", object{{"interactive", !p.silent}, {"turns", p.door == "agent"}}}}},
	}
	if err := r.must(ctx, nil, p, wire.MethodInitialize, hello); err != nil {
		return err
	}
	line, err := p.frame(`{"jsonrpc":"2.0","method":"initialized"}`)
	if err != nil {
		return err
	}
	if err := r.step(ctx, line); err != nil {
		return err
	}
	for _, session := range p.reads {
		if err := r.returnTo(ctx, p, session); err != nil {
			return err
		}
	}
	return nil
}

// returnTo resumes a session of an agent, and subscribes a reviewer to one.
func (r *run) returnTo(ctx context.Context, p *peer, session string) error {
	if p.door == "agent" {
		return r.must(ctx, nil, p, wire.MethodSessionResume, object{{"commandId", r.command("")}, {"sessionId", session}})
	}
	return r.must(ctx, nil, p, wire.MethodViewSubscribe, object{{"sessionId", session}})
}

// peer is the peer of that name, known from now on where it is new.
func (r *run) peer(name, door string, silent bool) *peer {
	if r.peers[name] == nil {
		r.peers[name] = &peer{name: name, door: door, silent: silent}
	}
	return r.peers[name]
}

// agent is the peer that opens approvals.
func (r *run) agent() *peer { return r.peer("agent", "agent", false) }

// operator is the peer that changes what a client may: modes. It is no interactive reviewer.
func (r *run) operator() *peer { return r.peer("operator", "reviewer", true) }
