package screen_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/internal/inbox/emulator"
	"github.com/approvald/approvald/internal/inbox/screen"
	"github.com/approvald/approvald/wire"
)

var start = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// outside is a daemon that says what the test wants.
type outside struct {
	send    func(inbox.Msg)
	effects chan inbox.Effect
}

func (o *outside) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (o *outside) Close() error                  { return nil }
func (o *outside) Do(ctx context.Context, e inbox.Effect) inbox.Msg {
	select {
	case o.effects <- e:
	case <-ctx.Done():
	}
	return nil
}

// terminal is an inbox on a terminal of its own.
type terminal struct {
	t      *testing.T
	keys   *os.File
	out    *outside
	ended  chan error
	cancel context.CancelFunc

	mu     sync.Mutex
	screen *emulator.Terminal // guarded by mu
	raw    strings.Builder    // everything that was written; guarded by mu
	now    time.Time          // guarded by mu
	change chan struct{}      // a token for something written
}

func open(t *testing.T, width, height int, environ ...string) *terminal {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{
		t: t, keys: keys, ended: make(chan error, 1), now: start, screen: emulator.New(width, height),
		change: make(chan struct{}, 1), out: &outside{effects: make(chan inbox.Effect, 16)},
	}
	term.size(width, height)
	ctx, cancel := context.WithCancel(t.Context())
	term.cancel = cancel
	connected, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		term.ended <- screen.Run(ctx, screen.Options{
			In: tty, Out: tty, Environ: append([]string{"TERM=xterm-256color"}, environ...), Now: term.clock,
			Connect: func(send func(inbox.Msg)) (screen.Outside, error) {
				term.out.send = send
				close(connected)
				return term.out, nil
			},
		})
	}()
	go term.read()
	<-connected
	t.Cleanup(func() {
		cancel()
		<-done
		_ = keys.Close()
		_ = tty.Close()
	})
	return term
}

func (s *terminal) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *terminal) wait(by time.Duration) {
	s.mu.Lock()
	s.now = s.now.Add(by)
	s.mu.Unlock()
	s.out.send(inbox.Tick{})
}

func (s *terminal) size(width, height int) {
	s.t.Helper()
	if err := pty.Setsize(s.keys, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.keys.Read(buf)
		s.mu.Lock()
		s.raw.Write(buf[:n])
		s.screen.Feed(string(buf[:n]))
		s.mu.Unlock()
		select {
		case s.change <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *terminal) press(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// shows waits until the screen fulfils a condition. The bound is there to fail a test that
// would hang.
func (s *terminal) shows(what string, holds func(screen string) bool) {
	s.t.Helper()
	bound := time.After(time.Minute)
	for {
		s.mu.Lock()
		screen, faults := s.screen.String(), s.screen.Faults()
		s.mu.Unlock()
		if len(faults) > 0 {
			s.t.Fatalf("the terminal does not know %q", faults)
		}
		if holds(screen) {
			return
		}
		select {
		case <-s.change:
		case <-bound:
			s.t.Fatalf("it does not show %s:\n%s", what, screen)
		}
	}
}

func (s *terminal) sees(text string) {
	s.t.Helper()
	s.shows(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// wants waits for what the inbox wants done.
func (s *terminal) wants() inbox.Effect {
	s.t.Helper()
	for {
		select {
		case e := <-s.out.effects:
			if _, learning := e.(inbox.LoadSessions); !learning {
				return e
			}
		case <-time.After(time.Minute):
			s.t.Fatal("the inbox wants nothing done")
		}
	}
}

func request(n int, command string) wire.ApprovalRequest {
	id := "0198f0ac-000" + string(rune('0'+n)) + "-7000-8000-0000000000e1"
	text, err := wire.Marshal(command)
	if err != nil {
		panic(err)
	}
	r := wire.ApprovalRequest{
		SessionID: "0198f0aa-1111-7000-8000-0000000000aa", ApprovalID: id, ToolCallID: "call", ToolName: "bash", RawArgs: "{}", Reason: "asked by a test",
		Subject:   []byte(`{"kind":"shell","command":` + string(text) + `,"cwd":"/w","shell":"bash","stages":[]}`),
		CreatedAt: wire.FormatTime(start), CurrentRequirementID: wire.RequirementID{ApprovalID: id},
		AvailableChoices: []wire.Choice{
			{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once", Decision: wire.DecisionApproved},
			{ChoiceID: wire.ChoiceAbort, Label: "Reject", Decision: wire.DecisionAbort, AcceptsFeedback: true},
		},
	}
	return r
}

func (s *terminal) brings(requests ...wire.ApprovalRequest) {
	s.out.send(inbox.Linked{})
	var all []inbox.Waiting
	for i := range requests {
		all = append(all, inbox.Waiting{Approval: &requests[i]})
	}
	s.out.send(inbox.Snapshot{Waiting: all})
}

// What the terminal shows is what package inbox wants seen, to the letter and also after
// the window has changed its size.
func TestTheTerminalShowsTheScreenAtEverySize(t *testing.T) {
	s := open(t, 80, 24)
	s.brings(request(1, "make one"), request(2, "make two && printf '\x1b[2J\u202e'"))
	m := inbox.New()
	tell := func(msg inbox.Msg) { m, _ = m.Update(msg, start) }
	one, two := request(1, "make one"), request(2, "make two && printf '\x1b[2J\u202e'")
	tell(inbox.Linked{})
	tell(inbox.Snapshot{Waiting: []inbox.Waiting{{Approval: &one}, {Approval: &two}}})
	for _, step := range []struct {
		name          string
		width, height int
		key           string
		named         string
	}{
		{"small", 80, 24, "j", "j"}, {"large", 120, 40, "f", "f"}, {"small again", 80, 24, "?", "?"}, {"odd", 61, 17, " ", "space"},
	} {
		s.mu.Lock()
		s.screen.Resize(step.width, step.height)
		s.mu.Unlock()
		s.size(step.width, step.height)
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil { // it is not this process's own terminal
			t.Fatal(err)
		}
		s.press(step.key)
		tell(inbox.Resized{Width: step.width, Height: step.height})
		tell(inbox.Key{Name: step.named, Text: step.key})
		var want strings.Builder
		for _, l := range m.View().Lines {
			want.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
		s.shows(step.name+": "+want.String(), func(screen string) bool { return screen == want.String() })
	}
	s.press("xq")
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestAKeyDecidesWhatIsOnTheScreenOnceItWasThere(t *testing.T) {
	s := open(t, 80, 24)
	s.brings(request(1, "make one"))
	s.sees("command      make one")
	s.press("1")
	s.sees("Nothing was decided")
	s.wait(time.Second)
	s.out.send(inbox.Event{Params: new(request(2, "make two"))}) // arrives while the key is pressed
	s.press("1")
	e, ok := s.wants().(inbox.Decide)
	if !ok || !strings.HasPrefix(e.Params.ApprovalID, "0198f0ac-0001") {
		t.Fatalf("it wants %+v", e)
	}
	s.sees("sending")
	s.out.send(inbox.Decided{Params: e.Params, Ack: wire.ApprovalDecideResult{Terminal: true}})
	s.sees("by you: make one")
	s.sees("command      make two")
	s.wait(time.Second)
	s.press("x")
	s.sees("what is the agent to be told?")
	s.press("\x1b[200~not\x1b[201~ today")
	s.sees("not today")
	s.wait(time.Second)
	s.press("\r")
	if e, ok := s.wants().(inbox.Decide); !ok || e.Params.Feedback == nil || *e.Params.Feedback != "not today" {
		t.Fatalf("it wants %+v", e)
	}
}

// Where no colour is wanted none is sent; and whatever an agent sent, the only sequences
// are those of the program.
func TestNoColourAndNoSequenceOfOthersReachesTheTerminal(t *testing.T) {
	hostile := "\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[31mred\x9b2J\u202e"
	for name, environ := range map[string][]string{"colours": nil, "NO_COLOR": {"NO_COLOR=1"}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, 120, 40, environ...)
			r := request(1, hostile)
			r.ToolName, r.Reason, r.RawArgs, r.AvailableChoices[0].Label = hostile, hostile, hostile, hostile
			s.brings(r)
			s.sees("<U+001B>]0;owned<U+0007>")
			s.press("q")
			if err := <-s.ended; err != nil {
				t.Error(err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			raw := s.raw.String()
			for _, bad := range []string{"]0;owned", "]52;", "\x1b[31mred", "\x9b2J", "\u202e"} {
				if strings.Contains(raw, "\x1b"+strings.TrimPrefix(bad, "\x1b")) || bad[0] != ']' && strings.Contains(raw, bad) {
					t.Errorf("%q reaches the terminal", bad)
				}
			}
			coloured := strings.Contains(raw, "[36m") || strings.Contains(raw, ";36m")
			if coloured == (environ != nil) {
				t.Errorf("with %v there are colours: %t", environ, coloured)
			}
		})
	}
}

// The golden screens of package inbox are what these show; here are two of the terminal
// itself, so that a fault of both would be seen.
func TestGoldenTerminals(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		name := "terminal-" + map[int]string{80: "80x24", 120: "120x40"}[size[0]] + ".txt"
		t.Run(name, func(t *testing.T) {
			s := open(t, size[0], size[1])
			s.brings(request(1, "make one"), request(2, "make two"))
			want, err := os.ReadFile(filepath.Join("testdata", name))
			if os.Getenv("UPDATE_SCREENS") != "" {
				s.sees("Reject")
				s.mu.Lock()
				want, err = []byte(s.screen.String()), os.WriteFile(filepath.Join("testdata", name), []byte(s.screen.String()), 0o600)
				s.mu.Unlock()
			}
			if err != nil {
				t.Fatal(err)
			}
			s.shows(string(want), func(screen string) bool { return screen == string(want) })
		})
	}
}
