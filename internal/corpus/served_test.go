package corpus_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// served is a daemon that sees the real file system, with an agent that has one session in it.
type served struct {
	daemon  *daemon.Daemon
	agent   *client.Client
	dir     string // real; holds everything
	session string
	calls   int
}

// serve starts one whose workspace is work in its directory.
func serve(t *testing.T) *served {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{dir: dir}
	for _, sub := range []string{"work", "bin", "marks"} {
		if err := os.Mkdir(s.path(sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	clock := sequencer.SystemClock{}
	s.daemon, err = daemon.Open(daemon.Config{
		StateDir: s.path("state"), Ephemeral: true, PolicyText: []rulefile.Source{}, Homes: []string{s.path("home")},
		NewID: daemon.Minter(rand.Reader, clock), Clock: clock,
		Identity: rpc.Identity{Version: "test", Home: s.path("state"), OS: runtime.GOOS, Arch: runtime.GOARCH},
	})
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	go s.daemon.ServeStream("host", wire.RoleBoth, far)
	if s.agent, err = client.New(t.Context(), near, client.Options{Name: "property"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.agent.Close(), s.daemon.Close()); err != nil {
			t.Error(err)
		}
	})
	started, err := s.agent.StartSession(t.Context(), wire.SessionStartParams{WorkspaceRoot: s.path("work")})
	if err != nil {
		t.Fatal(err)
	}
	s.session = started.Session.SessionID
	return s
}

func (s *served) path(name string) string { return filepath.Join(s.dir, name) }

// obey puts the text of a policy file in force.
func (s *served) obey(t failing, policy string) {
	t.Helper()
	if err := s.daemon.ReplacePolicyText([]rulefile.Source{{Layer: rulefile.User, Name: "policy.toml", Text: []byte(policy)}}); err != nil {
		t.Fatal(err)
	}
}

// failing is what testing and rapid have in common.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// allows opens an approval and reports whether it was allowed; one that waits is withdrawn.
func (s *served) allows(t *testing.T, failing failing, subject map[string]any) bool {
	failing.Helper()
	s.calls++
	text, err := json.Marshal(subject)
	if err != nil {
		failing.Fatal(err)
	}
	opened, err := s.agent.Open(t.Context(), wire.ApprovalOpenParams{
		SessionID: s.session, ToolCallID: strconv.Itoa(s.calls), ToolName: "tool", RawArgs: "{}", Reason: "a property", Subject: text,
	})
	if wire.IsKind(err, wire.KindInvalidParams) {
		return false
	}
	if err != nil {
		failing.Fatal(err)
	}
	if opened.Resolution == nil {
		if _, err := s.agent.Cancel(t.Context(), wire.ApprovalCancelParams{SessionID: s.session, ApprovalID: opened.ApprovalID}); err != nil {
			failing.Fatal(err)
		}
		return false
	}
	return opened.Resolution.PolicyResult == wire.PolicyAllow
}

// longer is the variable that says for how long properties look for a case that breaks them, as
// APPROVALD_PROPERTY=10m; without it they make one round.
const longer = "APPROVALD_PROPERTY"

// tries is how many actions are tried under one policy, or in one tree.
func tries() int {
	if os.Getenv(longer) == "" {
		return 4
	}
	return 12
}

// rounds calls a property until its time is over.
func rounds(t *testing.T, property func()) {
	var until time.Time
	if text := os.Getenv(longer); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", longer, err)
		}
		until = time.Now().Add(d)
	}
	for {
		property()
		if t.Failed() || !time.Now().Before(until) {
			return
		}
	}
}
