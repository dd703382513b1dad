package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// agentRole is the environment variable that makes this test binary the sample agent.
const agentRole = "SAMPLEAGENT_TEST_AGENT"

// approvald is the real binary, built once.
var approvald string

func TestMain(m *testing.M) {
	if os.Getenv(agentRole) != "" {
		main()
		return
	}
	os.Exit(withBinary(m))
}

func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sampleagent-test")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	approvald = filepath.Join(dir, "approvald")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", approvald, "github.com/approvald/approvald/cmd/approvald")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// host is a program as it is written for MSP hosts: it starts the daemon as its child
// and knows none of approvald's own capabilities.
type host struct {
	t       *testing.T
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	in      *bufio.Reader
	said    *log
	ids     int
	session string
	turn    string
	home    string
}

// log is what a process says on its standard error. It is safe for concurrent use.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// message is a frame of the daemon.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
	Result params          `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Reason string `json:"reason"`
		} `json:"data"`
	} `json:"error"`
}

// params are the members that a host looks at.
type params struct {
	SessionID  string `json:"sessionId"`
	TurnID     string `json:"turnId"`
	ApprovalID string `json:"approvalId"`
	InputID    string `json:"userInputId"`
	Terminal   any    `json:"terminal"`
	Reason     string `json:"reason"`
	Outcome    string `json:"outcome"`
	Status     string `json:"status"`
	Current    struct {
		ApprovalID  string `json:"approvalId"`
		SourceIndex int    `json:"sourceIndex"`
	} `json:"currentRequirementId"`
	Subject struct {
		Kind   string            `json:"kind"`
		Stages []json.RawMessage `json:"stages"`
	} `json:"subject"`
	Session struct {
		SessionID    string  `json:"sessionId"`
		Status       string  `json:"status"`
		TurnCount    int     `json:"turnCount"`
		ActiveTurnID *string `json:"activeTurnId"`
	} `json:"session"`
}

// newHost starts the daemon with the sample agent, shakes hands and starts a session.
func newHost(t *testing.T) *host {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, said: new(log), home: home}
	if err := os.MkdirAll(filepath.Join(home, "work"), 0o750); err != nil {
		t.Fatal(err)
	}
	h.startDaemon()
	t.Cleanup(func() {
		if h.cmd.ProcessState == nil {
			h.leave()
		}
	})
	started := h.ask("session/start", map[string]any{"workspaceRoot": filepath.Join(home, "work")})
	h.session = started.Result.Session.SessionID
	return h
}

func (h *host) startDaemon() {
	h.t.Helper()
	h.cmd = exec.Command(approvald, "serve", "--stdio", "--no-sockets", "--agent-cmd", "'"+os.Args[0]+"'",
		"--state-dir", filepath.Join(h.home, "state"))
	h.cmd.Env = append(os.Environ(), agentRole+"=1", "HOME="+h.home, "XDG_CONFIG_HOME="+filepath.Join(h.home, "config"), "APPROVALD_SECRET=x")
	h.cmd.Stderr = h.said
	var err error
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		h.t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.in = bufio.NewReader(out)
	h.ask("initialize", map[string]any{"clientInfo": map[string]any{"name": "editor", "version": "1"}})
	h.send(map[string]any{"jsonrpc": "2.0", "method": "initialized"})
}

func (h *host) send(frame map[string]any) {
	h.t.Helper()
	b, err := json.Marshal(frame)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.stdin.Write(append(b, '\n')); err != nil {
		h.t.Fatal(err)
	}
}

// command is the members that every command has.
func (h *host) command(more map[string]any) map[string]any {
	p := map[string]any{"commandId": fmt.Sprintf("018f6a2a-3333-7abc-8def-%012d", h.ids+1)}
	if h.session != "" {
		p["sessionId"] = h.session
	}
	maps.Copy(p, more)
	return p
}

// ask sends a request and reads until its answer; what comes before it is lost.
func (h *host) ask(method string, params map[string]any) message {
	h.t.Helper()
	m := h.tries(method, params)
	if m.Error != nil {
		h.t.Fatalf("%s: %+v", method, *m.Error)
	}
	return m
}

func (h *host) tries(method string, params map[string]any) message {
	h.t.Helper()
	p := params
	if method != "initialize" && method != "session/read" {
		p = h.command(params)
	}
	h.ids++
	id := fmt.Sprintf("r%d", h.ids)
	h.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": p})
	for {
		if m := h.hear(); string(m.ID) == `"`+id+`"` {
			return m
		}
	}
}

// hear is the next frame. A request of the daemon is given its receipt.
func (h *host) hear() message {
	h.t.Helper()
	line, err := h.in.ReadBytes('\n')
	if err != nil {
		h.t.Fatalf("the daemon says nothing more: %v\n%s", err, h.said)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		h.t.Fatalf("%v: %s", err, line)
	}
	if m.Method != "" && m.ID != nil {
		h.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{}})
	}
	return m
}

// until is the next frame of a method, which must come before the turn is over; what
// comes before it is lost.
func (h *host) until(method string) params {
	h.t.Helper()
	for {
		switch m := h.hear(); m.Method {
		case method:
			return m.Params
		case "turn/completed":
			h.t.Fatalf("the turn is over, %v: %s, before %s\n%s", m.Params.Terminal, m.Params.Reason, method, h.said)
		}
	}
}

// begin starts a turn with a text.
func (h *host) begin(text string) {
	h.t.Helper()
	m := h.ask("turn/start", map[string]any{"input": []any{map[string]any{"type": "text", "text": text}}})
	h.turn = m.Result.TurnID
	if got := h.until("turn/started"); got.TurnID != h.turn {
		h.t.Fatalf("turn/started of %s, want %s", got.TurnID, h.turn)
	}
}

// decides decides the requirement that a request is about.
func (h *host) decides(p params, choice string) message {
	h.t.Helper()
	return h.ask("approval/decide", map[string]any{
		"approvalId": p.ApprovalID, "choiceId": choice,
		"requirementId": map[string]any{"approvalId": p.ApprovalID, "sourceIndex": p.Current.SourceIndex},
	})
}

// ends reads until the turn is over, and says as what and why.
func (h *host) ends() string {
	h.t.Helper()
	p := h.until("turn/completed")
	if p.TurnID != h.turn {
		h.t.Errorf("turn/completed of %s, want %s", p.TurnID, h.turn)
	}
	return strings.TrimSuffix(fmt.Sprintf("%v: %s", p.Terminal, p.Reason), ": ")
}

// leave closes the daemon's input, and waits until it has ended well.
func (h *host) leave() {
	h.t.Helper()
	if err := h.stdin.Close(); err != nil {
		h.t.Error(err)
	}
	if _, err := io.Copy(io.Discard, h.in); err != nil {
		h.t.Error(err)
	}
	if err := h.cmd.Wait(); err != nil {
		h.t.Errorf("the daemon ended with %v\n%s", err, h.said)
	}
}
