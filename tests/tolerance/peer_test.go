package tolerance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// peer is the other end of a connection to a daemon. It writes bytes as it is told, and reads a
// frame at a time. It is for one goroutine.
type peer struct {
	t     testing.TB
	conn  io.ReadWriteCloser
	lines *bufio.Reader
	kept  []frame // read and not asked for yet
	calls int     // requests of its own, whose ids are "call 1" and so on
}

// frame is one frame of the daemon.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wire.Error     `json:"error"`
	raw    string
}

// String is an answer in short: its id as written, and "result" or the code and kind of its error.
func (f frame) String() string {
	switch {
	case f.Method != "":
		return f.Method
	case f.Error != nil:
		return fmt.Sprintf("%s %d %s", f.ID, f.Error.Code, f.Error.Data.Kind)
	}
	return string(f.ID) + " result"
}

func newPeer(t testing.TB, conn io.ReadWriteCloser) *peer {
	p := &peer{t: t, conn: conn, lines: bufio.NewReaderSize(conn, 64<<10)}
	t.Cleanup(p.hangUp)
	return p
}

// dial connects to a socket.
func dial(t testing.TB, path string) *peer {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return newPeer(t, conn)
}

// write sends bytes as they are, in one write.
func (p *peer) write(bytes string) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, bytes); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// next reads a frame; io.EOF is the orderly end of the connection.
func (p *peer) next() (f frame, err error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		if line != "" {
			p.t.Errorf("the daemon sent a piece of a frame: %.200q", line)
		}
		return f, err
	}
	f.raw = strings.TrimSuffix(line, "\n")
	if err := json.Unmarshal([]byte(f.raw), &f); err != nil {
		p.t.Fatalf("the daemon sent no JSON: %v: %.200q", err, line)
	}
	if strings.ContainsAny(f.raw, "\r\t") {
		p.t.Errorf("the daemon sent a bare control character: %.200q", f.raw)
	}
	if f.Error != nil && (f.Error.Data.Kind == "" || !strings.Contains(f.raw, `"retryable":`)) {
		p.t.Errorf("an error without kind or retryable: %s", f.raw)
	}
	return f, nil
}

// until reads until a frame is wanted and gives it; what came before it is kept.
func (p *peer) until(what string, wanted func(frame) bool) frame {
	p.t.Helper()
	for i, f := range p.kept {
		if wanted(f) {
			p.kept = append(p.kept[:i:i], p.kept[i+1:]...)
			return f
		}
	}
	for {
		f, err := p.next()
		if err != nil {
			p.t.Fatalf("the connection ended without %s: %v", what, err)
		}
		if wanted(f) {
			return f
		}
		p.kept = append(p.kept, f)
	}
}

// answer waits for the answer to an id, as it is written.
func (p *peer) answer(id string) frame {
	p.t.Helper()
	return p.until("an answer to "+id, func(f frame) bool { return f.Method == "" && string(f.ID) == id })
}

// event waits for a notification, or a request of the daemon's, whose frame holds the texts.
func (p *peer) event(method string, holds ...string) frame {
	p.t.Helper()
	return p.until(method, func(f frame) bool {
		if f.Method != method {
			return false
		}
		for _, text := range holds {
			if !strings.Contains(f.raw, text) {
				return false
			}
		}
		return true
	})
}

// answers gives, in short, every answer to what was written so far, in order, and forgets what else
// came. It asks a question of its own: that is answered behind everything else, and shows that the
// connection is of use.
func (p *peer) answers() []string {
	p.t.Helper()
	id := p.send(wire.MethodSessionList, `{"limit":1}`)
	if last := p.answer(id); last.Error != nil && last.Error.Data.Kind != wire.KindNotInitialized && last.Error.Data.Kind != wire.KindRoleForbidden {
		p.t.Fatalf("the connection is of no use any more: %s", last.raw)
	}
	answers := []string{}
	for _, f := range p.kept {
		if f.Method == "" {
			answers = append(answers, f.String())
		}
	}
	p.kept = nil
	return answers
}

// request is a request with the next id.
func (p *peer) request(method, params string) (id, line string) {
	p.calls++
	id = fmt.Sprintf(`"call %d"`, p.calls)
	return id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params) + "\n"
}

// send sends a request and gives its id.
func (p *peer) send(method, params string) (id string) {
	p.t.Helper()
	id, line := p.request(method, params)
	p.write(line)
	return id
}

// call sends a request and waits for its answer.
func (p *peer) call(method, params string) frame {
	p.t.Helper()
	return p.answer(p.send(method, params))
}

// must is call for what must not be refused.
func (p *peer) must(method, params string) json.RawMessage {
	p.t.Helper()
	f := p.call(method, params)
	if f.Error != nil {
		p.t.Fatalf("%s %s was refused: %s", method, params, f.raw)
	}
	return f.Result
}

const initialized = `{"jsonrpc":"2.0","method":"initialized"}` + "\n"

// hello makes the handshake; capabilities are members of approvald's own.
func (p *peer) hello(capabilities ...string) {
	p.t.Helper()
	p.must(wire.MethodInitialize, fmt.Sprintf(
		`{"clientInfo":{"name":"tolerance","version":"1"},"capabilities":{"approvald":{%s}}}`, strings.Join(capabilities, ",")))
	p.write(initialized)
}

// member is a string member of a result.
func member(t testing.TB, result json.RawMessage, path ...string) string {
	t.Helper()
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(result, &members); err != nil || members[name] == nil {
			t.Fatalf("no member %q in %s", name, result)
		}
		result = members[name]
	}
	var text string
	if err := json.Unmarshal(result, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

// start starts a session in the workspace; members are further ones of the params.
func (p *peer) start(members ...string) (session string) {
	p.t.Helper()
	return member(p.t, p.must(wire.MethodSessionStart, object(append(members, command())...)), "session", "sessionId")
}

// open opens an approval that waits for a person.
func (p *peer) open(session string, members ...string) (approval string) {
	p.t.Helper()
	return member(p.t, p.must(wire.MethodApprovalOpen, opening(session, members...)), "approvalId")
}

// state is what has become of an approval: "pending" or its outcome.
func (p *peer) state(session, approval string) string {
	p.t.Helper()
	result := p.must(wire.MethodApprovalRead, object(in(session), about(approval)))
	if !strings.Contains(string(result), `"resolution":`) {
		return "pending"
	}
	return member(p.t, result, "resolution", "outcome")
}

func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
func command() string                 { return fmt.Sprintf(`"commandId":%q`, client.NewCommandID()) }
func in(session string) string        { return fmt.Sprintf(`"sessionId":%q`, session) }
func about(approval string) string    { return fmt.Sprintf(`"approvalId":%q`, approval) }

// opening are the params of an approval/open of a tool that nothing in force covers.
func opening(session string, members ...string) string {
	return object(append([]string{
		command(), in(session), `"toolCallId":"call","toolName":"search","rawArgs":"{}","reason":"because","subject":{"kind":"tool"}`,
	}, members...)...)
}

// deciding are the params of an approval/decide about a first stage.
func deciding(session, approval string, choice wire.ChoiceID, members ...string) string {
	return object(append([]string{
		command(), in(session), about(approval), fmt.Sprintf(`"requirementId":{"approvalId":%q,"sourceIndex":0},"choiceId":%q`, approval, choice),
	}, members...)...)
}

// closeWrite ends what the peer sends, and not what it is sent.
func (p *peer) closeWrite() {
	p.t.Helper()
	half, ok := p.conn.(interface{ CloseWrite() error })
	if !ok {
		p.t.Fatal("this connection has no halves")
	}
	if err := half.CloseWrite(); err != nil {
		p.t.Fatal(err)
	}
}

// rest reads to the end of the connection and gives the answers in short.
func (p *peer) rest() (answers []string) {
	p.t.Helper()
	for _, f := range p.kept {
		if f.Method == "" {
			answers = append(answers, f.String())
		}
	}
	p.kept = nil
	for {
		f, err := p.next()
		if err != nil {
			return answers
		}
		if f.Method == "" {
			answers = append(answers, f.String())
		}
	}
}

// hangUp closes the connection.
func (p *peer) hangUp() {
	if err := p.conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "already closed") {
		p.t.Errorf("close: %v", err)
	}
}
