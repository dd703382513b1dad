package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// peer plays a daemon: a method is answered by what is next in its list, the last for good. What
// it was asked is kept.
type peer struct {
	t       *testing.T
	answers map[string][]reply

	mu    sync.Mutex
	asked []asked
}

// reply is a result, a refusal, a frame as it is, the end of the connection, or (zero) nothing.
type reply struct {
	result any
	err    *wire.Error
	raw    string
	hangUp bool
}

type asked struct{ method, commandID, approvalID string }

const (
	first     = "0198f0ac-7777-7000-8000-000000000001"
	successor = "0198f0ac-7777-7000-8000-000000000002"
)

// allowing is a daemon that opens an approval which somebody allows.
func allowing(t *testing.T) *peer {
	return &peer{t: t, answers: map[string][]reply{
		wire.MethodInitialize:      {{result: wire.InitializeResult{}}},
		wire.MethodSessionResume:   {{result: wire.SessionResumeResult{Session: wire.Session{Status: wire.SessionIdle}}}},
		wire.MethodSessionStart:    {{result: wire.SessionStartResult{}}},
		wire.MethodSessionClose:    {{result: wire.SessionCloseResult{}}},
		wire.MethodApprovalPrepare: {{result: opened(t, first, nil)}},
		wire.MethodApprovalAwait:   {{result: resolved(first, wire.Resolution{ApprovalID: first, PolicyResult: wire.PolicyAllow, ResolvedBy: wire.ResolvedByUser})}},
		wire.MethodApprovalConsume: {{result: permitted}},
		wire.MethodApprovalCancel:  {{result: wire.ApprovalCancelResult{}}},
	}}
}

// makeDigest is that of the arguments of call.
const makeDigest = "sha256:0feeb86e202d4881f7cf17e1c8b466cdf04fb493fc9d370b0539ae9d42b7ab74"

var permitted = wire.ApprovalConsumeResult{PolicyResult: wire.PolicyAllow, Consumed: true, Permit: &wire.Permit{ArgsDigest: makeDigest}}

func opened(t *testing.T, id string, r *wire.Resolution) wire.ApprovalPrepareResult {
	p, err := call(t).Prepare("", 0)
	if err != nil {
		t.Fatal(err)
	}
	return wire.ApprovalPrepareResult{Approvals: wire.List[wire.PreparedApproval]{{
		ApprovalID: id, ToolCallID: p.Requests[0].ToolCallID, ArgsDigest: makeDigest, Resolution: r,
	}}}
}

func resolved(id string, r wire.Resolution) wire.ApprovalAwaitResult {
	return wire.ApprovalAwaitResult{Results: wire.List[wire.AwaitResult]{{ApprovalID: id, State: wire.StateResolved, Resolution: &r}}}
}

func event(t *testing.T, kind hook.Kind) *hook.Event {
	t.Helper()
	e, err := hook.Parse([]byte(`{"session_id":"s","cwd":"/srv","hook_event_name":"`+string(kind)+`","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}}`),
		hook.Surroundings{Real: func(dir string) string { return dir }})
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

func call(t *testing.T) *hook.Event { return event(t, hook.PreToolUse) }

func (p *peer) dial(context.Context) (io.ReadWriteCloser, error) {
	near, far := net.Pipe()
	go p.serve(far)
	return near, nil
}

func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	lines := make(chan []byte, 64) // as much as a socket would hold
	defer close(lines)
	go func() {
		for line := range lines {
			if _, err := conn.Write(line); err != nil {
				return // the hook has gone
			}
		}
	}()
	in := bufio.NewScanner(conn)
	for in.Scan() {
		var frame struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				CommandID  string `json:"commandId"`
				ApprovalID string `json:"approvalId"`
			} `json:"params"`
		}
		if err := json.Unmarshal(in.Bytes(), &frame); err != nil {
			p.t.Errorf("the hook sent %s", in.Bytes())
			return
		}
		if frame.Method == wire.MethodInitialized {
			continue
		}
		var out any
		switch r := p.next(asked{frame.Method, frame.Params.CommandID, frame.Params.ApprovalID}); {
		case r.hangUp:
			return
		case r.raw != "":
			out = json.RawMessage(r.raw)
		case r.err != nil:
			out = wire.ErrorResponse{JSONRPC: wire.Version, ID: frame.ID, Error: r.err}
		case r.result != nil:
			out = wire.Response{JSONRPC: wire.Version, ID: frame.ID, Result: r.result}
		default:
			continue
		}
		line, err := wire.Marshal(out)
		if err != nil {
			p.t.Error(err)
			return
		}
		lines <- append(line, '\n')
	}
}

func (p *peer) next(a asked) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, a)
	list := p.answers[a.method]
	if len(list) == 0 {
		p.t.Errorf("the hook asked for %s", a.method)
		return reply{hangUp: true}
	}
	if len(list) > 1 {
		p.answers[a.method] = list[1:]
	}
	return list[0]
}

// of are the questions of one method.
func (p *peer) of(method string) []asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.asked), func(a asked) bool { return a.method != method })
}

var errRefused = errors.New("connection refused")
