package web

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// inbox is a daemon with a web inbox that listens, an agent of it, and a browser that
// has been let in.
type inbox struct {
	t      *testing.T
	dir    string
	daemon *daemon.Daemon
	server *Server
	agent  *client.Client
	addr   string // that it listens at
	host   string // that its links name
	key    Key
	stop   func() // once
	browser
}

// browser is an HTTP client with cookies, which says of its requests what a browser
// does.
type browser struct {
	client *http.Client
	host   string
	cookie string
}

// later is a clock that tests move on.
type later struct {
	mu sync.Mutex
	by time.Duration
}

func (l *later) now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Add(l.by)
}

func (l *later) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.by += d
}

// serve starts a daemon and its inbox in a directory, which may have those of an
// earlier one.
func serve(t *testing.T, dir string, change func(*Config)) *inbox {
	t.Helper()
	clock := sequencer.SystemClock{}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Open(daemon.Config{
		StateDir: filepath.Join(dir, "state"), Homes: []string{}, NewID: daemon.Minter(rand.Reader, clock), Clock: clock,
		Ceiling: approval.PromptUnmatched, IdleWindow: time.Hour,
		Identity: rpc.Identity{Version: "test", Home: filepath.Join(dir, "state"), OS: "linux", Arch: runtime.GOARCH},
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	in := &inbox{t: t, dir: dir, daemon: d, addr: listener.Addr().String(), host: "approvald.localhost:" + port, key: NewKey()}
	dial := func(role wire.Role, name string) client.Dialer {
		return func(context.Context) (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			go d.ServeStream(name, role, theirs)
			return ours, nil
		}
	}
	cfg := Config{
		Client: client.Options{Name: "approvald_web", Version: "test", Role: wire.RoleReviewer},
		Dial:   dial(wire.RoleReviewer, Transport), Log: d, Key: in.key, Visits: filepath.Join(dir, "state", "web-visits.json"),
		Names: []string{"approvald.localhost", "127.0.0.1"}, Port: port, Modes: []wire.Mode{wire.ModePromptUnmatched, wire.ModeDenyUnmatched},
		Proof: time.Hour, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	if change != nil {
		change(&cfg)
	}
	if in.server, err = New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if in.agent, err = client.Connect(t.Context(), dial(wire.RoleBoth, "host"), client.Options{Name: "tester", Version: "1"}); err != nil {
		t.Fatal(err)
	}
	served := &http.Server{Handler: in.server, ReadHeaderTimeout: time.Minute}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if err := served.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", in.addr)
	}}
	in.browser = browser{host: in.host, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	stop := sync.OnceFunc(func() {
		_ = in.agent.Close()
		if err := errors.Join(in.server.Close(), served.Close()); err != nil {
			t.Error(err)
		}
		<-gone
		transport.CloseIdleConnections()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	in.stop = stop
	return in
}

// open is an inbox of its own whose browser is in.
func open(t *testing.T, change func(*Config)) *inbox {
	t.Helper()
	in := serve(t, t.TempDir(), change)
	in.enter()
	return in
}

// enter opens a fresh link.
func (in *inbox) enter() {
	in.t.Helper()
	answer := in.get(in.key.Link(in.server.now()))
	if answer.StatusCode != http.StatusOK {
		in.t.Fatalf("a fresh link is answered %s: %s", answer.Status, answer.body)
	}
	for _, c := range answer.Cookies() {
		in.cookie = c.Name + "=" + c.Value
	}
}

// answered is an answer with its body.
type answered struct {
	*http.Response
	body string
}

// send sends a request as a page of the inbox's own would; change makes it another's.
func (in *inbox) send(method, path string, form url.Values, change func(*http.Request)) answered {
	in.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(in.t.Context(), method, "http://"+in.browser.host+path, body)
	if err != nil {
		in.t.Fatal(err)
	}
	if in.cookie != "" {
		r.Header.Set("Cookie", in.cookie)
	}
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+in.browser.host)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	response, err := in.client.Do(r)
	if err != nil {
		in.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		in.t.Fatal(err)
	}
	return answered{response, string(text)}
}

func (in *inbox) get(path string) answered {
	in.t.Helper()
	return in.send(http.MethodGet, path, nil, nil)
}

// page gets a page that is there.
func (in *inbox) page(path string) string {
	in.t.Helper()
	answer := in.get(path)
	if answer.StatusCode != http.StatusOK {
		in.t.Fatalf("%s is answered %s: %s", path, answer.Status, answer.body)
	}
	return answer.body
}

// csrf is what the forms of this browser carry.
func (in *inbox) csrf() string {
	_, token, _ := strings.Cut(in.cookie, "=")
	return visitor{token}.csrf()
}

// post sends a form with fields, of this browser's.
func (in *inbox) post(path string, fields ...string) answered {
	in.t.Helper()
	return in.send(http.MethodPost, path, in.form(append([]string{"command", client.NewCommandID()}, fields...)...), nil)
}

// form is one of this browser's.
func (in *inbox) form(fields ...string) url.Values {
	form := url.Values{"csrf": {in.csrf()}}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return form
}

// decide takes a choice on a stage, long after its card was shown.
func (in *inbox) decide(path string, stage int, choice string, fields ...string) answered {
	in.t.Helper()
	return in.post(path+"/decide", append([]string{"requirement", fmt.Sprint(stage), "shown", "0", "choice", choice}, fields...)...)
}

// session starts one.
func (in *inbox) session(change func(*wire.SessionStartParams)) string {
	in.t.Helper()
	p := wire.SessionStartParams{WorkspaceRoot: filepath.Join(in.dir, "work"), Name: "a session"}
	if change != nil {
		change(&p)
	}
	started, err := in.agent.StartSession(in.t.Context(), p)
	if err != nil {
		in.t.Fatal(err)
	}
	return started.Session.SessionID
}

// ask opens an approval and returns its address.
func (in *inbox) ask(session, call, subject string, change func(*wire.ApprovalOpenParams)) string {
	in.t.Helper()
	p := wire.ApprovalOpenParams{
		SessionID: session, ToolCallID: call, ToolName: "Bash", RawArgs: `{}`, Reason: "to go on", Subject: []byte(subject),
	}
	if change != nil {
		change(&p)
	}
	opened, err := in.agent.Open(in.t.Context(), p)
	if err != nil {
		in.t.Fatal(err)
	}
	path := approvalPath(session, opened.ApprovalID)
	if opened.State == wire.StatePending {
		in.listedOr(opened.ApprovalID, func() bool { return in.became(path) != nil })
	}
	return path
}

// listed waits until the inbox has heard of something that waits.
func (in *inbox) listed(id string) { in.listedOr(id, func() bool { return false }) }

// listedOr is listed for what may be gone before.
func (in *inbox) listedOr(id string, gone func() bool) {
	in.t.Helper()
	for {
		_, more, _, _ := in.server.stream.from(0)
		if in.server.feed.place(id) >= 0 || gone() {
			return
		}
		select {
		case <-more:
		case <-in.t.Context().Done():
			in.t.Fatal("the inbox never heard of it")
		}
	}
}

// shell is the subject of a command.
func shell(command string) string {
	text, err := wire.Marshal(map[string]string{"kind": "shell", "command": command})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// became is what became of an approval, for the agent.
func (in *inbox) became(path string) *wire.Resolution {
	in.t.Helper()
	parts := strings.Split(path, "/")
	read, err := in.agent.ReadApproval(in.t.Context(), wire.ApprovalReadParams{SessionID: parts[2], ApprovalID: parts[3]})
	if err != nil {
		in.t.Fatal(err)
	}
	return read.Resolution
}

// tab is a stream of events.
type tab struct {
	t      *testing.T
	events chan event
	close  func()
}

type event struct{ id, name, data string }

// follow opens the stream of a tab.
func (in *inbox) follow(query, last string) *tab {
	in.t.Helper()
	ctx, cancel := context.WithCancel(in.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+in.browser.host+"/events?"+query, http.NoBody)
	if err != nil {
		in.t.Fatal(err)
	}
	r.Header.Set("Cookie", in.cookie)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := in.client.Do(r)
	if err != nil {
		in.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		in.t.Fatalf("the stream is answered %s", response.Status)
	}
	events := make(chan event, 10_000)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer close(events)
		defer response.Body.Close()
		var e event
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				events <- e
			}
		}
	}()
	tb := &tab{t: in.t, events: events, close: sync.OnceFunc(func() { cancel(); <-gone })}
	in.t.Cleanup(tb.close)
	return tb
}

// next waits for the next event of a name; those of others pass.
func (tb *tab) next(name string) event {
	tb.t.Helper()
	for e := range tb.events {
		if e.name == name {
			return e
		}
	}
	tb.t.Fatalf("the stream ended without %s", name)
	return event{}
}

// cursorOf is the position that a page says it shows.
func cursorOf(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`data-cursor="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no position")
	}
	return found[1]
}
