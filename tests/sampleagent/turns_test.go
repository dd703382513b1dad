package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A program that was written for MSP hosts, and speaks nothing of approvald's own, drives
// an agent: the kinds of approval, each decided as its reviewer likes.
func TestAProgramForMSPHostsDrivesAnAgent(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		kind    string
		stages  int
		choices []string
		outcome string
		want    string
		log     string // what the agent says
	}{
		"one stage":                       {"run make", "shell", 1, []string{"allow_once"}, "allowedOnce", "completed", `line="permitted: run make"`},
		"one stage, rejected":             {"run make", "shell", 1, []string{"abort"}, "rejected", "completed", `line="denied: The call of`},
		"two stages":                      {"run make && make test", "shell", 2, []string{"allow_once", "allow_once"}, "allowedOnce", "completed", `line="permitted: run make && make test"`},
		"two stages, the second rejected": {"run make && make test", "shell", 2, []string{"allow_once", "abort"}, "rejected", "completed", "denied:"},
		"an unknown subject":              {"odd mars", "teleport", 0, []string{"allow_once"}, "allowedOnce", "completed", `line="permitted: odd mars"`},
		"a step nobody knows, behind it":  {"odd mars\njuggle", "teleport", 0, []string{"allow_once"}, "allowedOnce", `failed: I do not know how to "juggle".`, "permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			h.begin(c.text)
			for i, choice := range c.choices {
				requested := h.until("approval/requested")
				asked := h.until("approval/request")
				if asked.ApprovalID != requested.ApprovalID || asked.TurnID != h.turn || asked.Subject.Kind != c.kind || len(asked.Subject.Stages) != c.stages || asked.Current.SourceIndex != i {
					t.Fatalf("it is asked about %+v", asked)
				}
				ack := h.decides(asked, choice)
				if last := i == len(c.choices)-1; ack.Result.Terminal != last {
					t.Errorf("decision %d: terminal is %v", i+1, ack.Result.Terminal)
				}
			}
			if got := h.until("approval/resolved").Outcome; got != c.outcome {
				t.Errorf("it ended as %s", got)
			}
			if got := h.ends(); got != c.want {
				t.Errorf("the turn: %s, want %s", got, c.want)
			}
			h.leave()
			if !strings.Contains(h.said.String(), c.log) {
				t.Errorf("the log does not say %s:\n%s", c.log, h.said)
			}
		})
	}
}

// One session, several turns: of one program, which hears that a turn was interrupted.
func TestTurnsFollowOneAnother(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.begin("run make && make test\nask Which port?")
	asked := h.until("approval/request")
	h.decides(asked, "allow_once") // half of it
	if m := h.tries("turn/start", map[string]any{"input": []any{map[string]any{}}}); m.Error == nil || m.Error.Data.Reason != "run_active" {
		t.Errorf("a turn in a turn: %+v", m)
	}
	h.ask("turn/interrupt", map[string]any{"turnId": h.turn})
	if got := h.until("approval/resolved").Outcome; got != "cancelled" {
		t.Errorf("its approval ended as %s", got)
	}
	if got := h.ends(); got != "cancelled: It was interrupted." {
		t.Errorf("the turn: %s", got)
	}

	h.begin("ask Which port?")
	prompt := h.until("userInput/request")
	h.ask("userInput/answer", map[string]any{"userInputId": prompt.InputID, "answers": []any{map[string]any{"questionId": "q", "freeText": "80"}}})
	if got := h.ends(); got != "completed" {
		t.Errorf("the second turn: %s", got)
	}
	state := h.ask("session/read", map[string]any{"sessionId": h.session}).Result.Session
	if state.TurnCount != 2 || state.Status != "idle" || state.ActiveTurnID != nil {
		t.Errorf("the session is %+v", state)
	}
	h.leave()
	if n := strings.Count(h.said.String(), "an agent was started"); n != 1 {
		t.Errorf("%d programs were started:\n%s", n, h.said)
	}
}

// A program that ends in its turn: what it had pending is cancelled, its turn has failed,
// and the next turn has another.
func TestAProgramThatEndsInItsTurn(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.begin("exit 3")
	if got := h.ends(); got != "failed: The agent ended with exit code 3." {
		t.Errorf("the turn: %s", got)
	}
	h.begin("odd mars")
	h.decides(h.until("approval/request"), "allow_once")
	if got := h.ends(); got != "completed" {
		t.Errorf("the next turn: %s", got)
	}
}

var startedAgent = regexp.MustCompile(`an agent was started.* pid=(\d+)`)

// The daemon ends with its input though an agent is at work: in order, with exit code 0,
// and without leaving the agent. The next one ends its turn.
func TestTheAgentEndsWithTheDaemon(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.begin("run make && make test")
	asked := h.until("approval/request")
	h.leave()
	found := startedAgent.FindStringSubmatch(h.said.String())
	if found == nil {
		t.Fatalf("no agent was started:\n%s", h.said)
	}
	pid, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the agent is there still: %v", err)
	}

	h.startDaemon()
	resumed := h.ask("session/resume", nil)
	if s := resumed.Result.Session; s.Status != "idle" || s.ActiveTurnID != nil || s.TurnCount != 1 {
		t.Errorf("the session is %+v", s)
	}
	read := h.ask("approval/read", map[string]any{"approvalId": asked.ApprovalID})
	page := h.ask("view/page", map[string]any{"limit": 1000})
	if read.Error != nil || page.Error != nil {
		t.Error(read.Error, page.Error)
	}
	h.begin("odd mars")
	h.decides(h.until("approval/request"), "allow_once")
	if got := h.ends(); got != "completed" {
		t.Errorf("the turn of the next daemon: %s", got)
	}
}

// The agent runs in the workspace, and does not find the sockets of reviewers in its
// environment.
func TestTheAgentsPlace(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.begin("run true")
	if got := h.ends(); got != "completed" {
		t.Fatalf("the turn: %s", got)
	}
	found := startedAgent.FindStringSubmatch(h.said.String())
	if found == nil {
		t.Fatalf("no agent was started:\n%s", h.said)
	}
	proc := filepath.Join("/proc", found[1])
	if _, err := os.Stat(proc); err != nil {
		t.Skip("there is no /proc to look at")
	}
	dir, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(filepath.Join(proc, "environ"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filepath.Join(h.home, "work"), dir); diff != "" {
		t.Errorf("its directory (-want +got):\n%s", diff)
	}
	if strings.Contains(string(environment), "APPROVALD_") || !strings.Contains(string(environment), "HOME="+h.home) {
		t.Errorf("its environment: %q", environment)
	}
}
