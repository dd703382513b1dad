package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// What a hook links is paid for before every call of a tool.
func TestHookLinksLittle(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/approvald/approvald/cmd/approvald-hook").Output()
	if err != nil {
		t.Fatal(err)
	}
	heavy := regexp.MustCompile(`(?m)^(net/http|crypto/tls|log/slog|text/template|encoding/gob|github\.com/spf13/.*|go\.etcd\.io/.*|` +
		`charm\.land/.*|mvdan\.cc/.*|github\.com/sourcegraph/.*|.*opentelemetry.*|.*nats.*|github\.com/approvald/approvald/(client|internal/(policy|daemon|rpc|log|sequencer|fold).*))$`)
	if found := heavy.FindString(string(out)); found != "" {
		t.Errorf("approvald-hook links %s", found)
	}
	if !strings.Contains(string(out), "internal/hook/gate\n") {
		t.Error("the list is not that of approvald-hook")
	}
}

// hooked is a hook that runs, as an agent starts it.
type hooked struct {
	*exec.Cmd

	stdout, stderr bytes.Buffer
}

// called is the answer of a hook as Claude Code reads it.
type called struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		Behavior struct {
			Behavior string `json:"behavior"`
			Message  string `json:"message"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
	code   int
	stderr string
}

// calling is an event about a command in the directory dir.
func calling(dir, kind, session, id, command string) string {
	text, _ := json.Marshal(map[string]any{ // texts can always be encoded
		"session_id": session, "cwd": dir, "hook_event_name": kind, "tool_name": "Bash", "tool_use_id": id,
		"tool_input": map[string]string{"command": command},
	})
	return string(text)
}

// hook starts a hook on an event: by default the program, or what argv says.
func (p place) hook(t *testing.T, event string, argv ...string) *hooked {
	t.Helper()
	if len(argv) == 0 {
		argv = []string{"approvald-hook"}
	}
	h := &hooked{Cmd: p.command(t)}
	h.Path, h.Args = argv[0], argv
	if found, err := exec.LookPath(argv[0]); err == nil {
		h.Path = found
	}
	h.Stdin, h.Stdout, h.Stderr = strings.NewReader(event), &h.stdout, &h.stderr
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

// answer waits for the end of the hook.
func (h *hooked) answer(t *testing.T) (c called) {
	t.Helper()
	_ = h.Wait() // the code says it
	if out := h.stdout.Bytes(); len(out) > 0 {
		if err := json.Unmarshal(out, &c); err != nil || bytes.Count(out, []byte("\n")) != 1 || bytes.ContainsRune(out, '\x1b') {
			t.Fatalf("%v: it said %q", err, out)
		}
	}
	c.code, c.stderr = h.ProcessState.ExitCode(), h.stderr.String()
	return c
}

func (c called) is(t *testing.T, code int, decision, reason string) {
	t.Helper()
	if c.code != code || c.Output.Decision != decision || !strings.Contains(c.Output.Reason, reason) {
		t.Fatalf("code %d, %+v, %s; want code %d, %s, because %q", c.code, c.Output, c.stderr, code, decision, reason)
	}
}

func TestHookAsksOnceForEachCall(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	event := calling(dir, "PreToolUse", "s1", "t1", "make one")

	first := p.hook(t, event, "approvald", "hook")
	asked := p.pending(t, reviewer, "")
	if asked.ToolName != "Bash" || asked.ItemID != "t1" || asked.RawArgs != `{"command":"make one"}` {
		t.Errorf("it is asked about %+v", asked)
	}
	second := p.hook(t, event) // the same call, delivered twice at once
	decideAs(t, reviewer, asked, wire.ChoiceAllowOnce)
	first.answer(t).is(t, 0, "allow", "allowed by a reviewer (approval "+asked.ApprovalID+")")
	second.answer(t).is(t, 0, "allow", asked.ApprovalID)
	p.hook(t, event).answer(t).is(t, 0, "allow", asked.ApprovalID) // and once more afterwards

	// The same command again is another call, which the permission of before is not for.
	third := p.hook(t, calling(dir, "PreToolUse", "s1", "t2", "make one"))
	again := p.pending(t, reviewer, "")
	if again.ApprovalID == asked.ApprovalID || again.SessionID != asked.SessionID {
		t.Errorf("it is asked about %s of session %s", again.ApprovalID, again.SessionID)
	}
	decideWith(t, reviewer, again, "not \x1b[2J now")
	third.answer(t).is(t, 0, "deny", "\nThe reviewer says: not \x1b[2J now")
}

// However many hooks ask about the same call at once, and whichever of them are killed, a permission
// lets one call through.
func TestOnePermissionIsOneExecutionAmongHooksThatRace(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	killed := p.hook(t, calling(dir, "PreToolUse", "s1", "t0", "make one"))
	asked := p.pending(t, reviewer, "")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	var racing []*hooked
	for i := range 4 {
		racing = append(racing, p.hook(t, calling(dir, "PreToolUse", "s1", fmt.Sprint("t", i), "make one")))
	}
	allowed := map[string]bool{}
	for range racing {
		decideAs(t, reviewer, asked, wire.ChoiceAllowOnce)
		allowed[asked.ApprovalID] = true
		if len(allowed) < len(racing) {
			asked = p.pending(t, reviewer, asked.ApprovalID)
		}
	}
	for _, h := range racing {
		got := h.answer(t)
		got.is(t, 0, "allow", "(approval ")
		_, id, _ := strings.Cut(strings.TrimSuffix(got.Output.Reason, ")."), "(approval ")
		if !allowed[id] {
			t.Errorf("%s is allowed twice, or by nobody", id)
		}
		delete(allowed, id)
	}
}

// Where .. and a link would lead one way and Claude Code goes the other, a rule for the one does not
// cover the other.
func TestARuleForAPlaceCoversNoOtherThatALinkMakesOfIt(t *testing.T) {
	p, root, config := newPlace(t), t.TempDir(), t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "app")
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a/b", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	writePolicy(t, config, fmt.Sprintf("[[rule]]\neffect = \"allow\"\nkind = \"file\"\naccess = \"read\"\npath_glob = %q\n", dir+"/**"))
	t.Setenv("XDG_CONFIG_HOME", config)
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	reading := func(id, path string) string {
		text, _ := json.Marshal(map[string]any{ // texts can always be encoded
			"session_id": "s1", "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": id,
			"tool_input": map[string]string{"file_path": path},
		})
		return string(text)
	}
	p.hook(t, reading("t1", "link/../x")).answer(t).is(t, 0, "allow", "by policy")
	h := p.hook(t, reading("t2", "link/../../x"))
	asked := p.pending(t, reviewer, "")
	if want := filepath.Join(root, "x"); !strings.Contains(string(asked.Subject), `"path":"`+want+`"`) {
		t.Errorf("it is asked about %s, not %s", asked.Subject, want)
	}
	decideAs(t, reviewer, asked, wire.ChoiceAllowOnce)
	h.answer(t).is(t, 0, "allow", asked.ApprovalID)
}

// A call of which the agent gives no id is let through once for a permission.
func TestPermissionRequestsAreAnsweredInTheirOwnForm(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	event := strings.Replace(calling(dir, "PermissionRequest", "s1", "", "make one"), `"tool_use_id":"",`, "", 1)
	for _, choice := range []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAbort} {
		h := p.hook(t, event)
		decideAs(t, reviewer, p.pending(t, reviewer, ""), choice)
		got := h.answer(t)
		behavior := map[wire.ChoiceID]string{wire.ChoiceAllowOnce: "allow", wire.ChoiceAbort: "deny"}[choice]
		if got.code != 0 || got.Output.Event != "PermissionRequest" || got.Output.Behavior.Behavior != behavior || (got.Output.Behavior.Message == "") != (behavior == "allow") {
			t.Errorf("%s: %+v", choice, got)
		}
	}
}

func TestHookOutlivesItsDaemon(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	daemon := p.serve(t)
	h := p.hook(t, calling(dir, "PreToolUse", "s1", "t1", "make one"))
	asked := p.pending(t, p.dial(t, "host", client.Options{}), "")
	kill(t, daemon)
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	successor := p.pending(t, reviewer, asked.ApprovalID)
	decideAs(t, reviewer, successor, wire.ChoiceAllowOnce)
	h.answer(t).is(t, 0, "allow", successor.ApprovalID)
}

// What an ended hook leaves waiting is decided meanwhile, and taken up by the same call.
func TestACallThatIsMadeAgainTakesUpItsApproval(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	var asked wire.ApprovalRequest
	for polls := 1; ; polls *= 2 { // a hook hears signals once it has waited for a moment
		h := p.hook(t, calling(dir, "PreToolUse", "s1", fmt.Sprint("t", polls), "make one"))
		asked = p.pending(t, reviewer, "")
		left := polls
		if err := eventually("it has waited", func() bool { left--; return left < 0 }); err != nil {
			t.Fatal(err)
		}
		if err := h.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if got := h.answer(t); got.code != -1 { // ended before it heard any
			got.is(t, 2, "deny", "ended by a signal")
			break
		}
	}
	if still := p.pending(t, reviewer, ""); still.ApprovalID != asked.ApprovalID {
		t.Errorf("%s waits", still.ApprovalID)
	}
	decideAs(t, reviewer, asked, wire.ChoiceAllowOnce)
	p.hook(t, calling(dir, "PreToolUse", "s1", "t0", "make one")).answer(t).is(t, 0, "allow", asked.ApprovalID)
}

// The end of the agent's session ends its approvals and its grants; what it begins again is new.
func TestTheEndOfTheAgentsSessionIsOne(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	reviewer := p.dial(t, "host", client.Options{})
	event := func(id string) string { return calling(dir, "PreToolUse", "s1", id, "make one") }
	tell := func(kind string) {
		t.Helper()
		if got := p.hook(t, calling(dir, kind, "s1", "", "")).answer(t); got.code != 0 || got.Output.Event != "" {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	tell("SessionStart")
	h := p.hook(t, event("t1"))
	asked := p.pending(t, reviewer, "")
	decideAs(t, reviewer, asked, wire.ChoiceAllowSession)
	h.answer(t).is(t, 0, "allow", "by a reviewer")
	p.hook(t, event("t2")).answer(t).is(t, 0, "allow", "by policy") // by the grant

	h = p.hook(t, calling(dir, "PreToolUse", "s1", "t3", "make two"))
	p.pending(t, reviewer, "")
	tell("SessionEnd")
	h.answer(t).is(t, 0, "deny", "session")
	tell("SessionEnd")
	tell("SessionStart")
	h = p.hook(t, event("t4"))
	again := p.pending(t, reviewer, "")
	if again.SessionID == asked.SessionID {
		t.Error("an ended session goes on")
	}
	decideAs(t, reviewer, again, wire.ChoiceAbort)
	h.answer(t).is(t, 0, "deny", "")
}

// A denial that nobody can hear is no exit code 0, with which the call would go ahead.
func TestAnAnswerThatIsNotHeardBlocks(t *testing.T) {
	p, dir, config := newPlace(t), t.TempDir(), t.TempDir()
	writePolicy(t, config, "[[rule]]\neffect = \"deny\"\nkind = \"shell\"\nargv_prefix = [\"make\"]\n")
	t.Setenv("XDG_CONFIG_HOME", config)
	p.serve(t)
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	unwritable, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer unwritable.Close()
	for name, stdout := range map[string]*os.File{"led nowhere": nowhere, "not writable": unwritable} {
		h := &hooked{Cmd: p.command(t)}
		program, err := exec.LookPath(hookProgram)
		if err != nil {
			t.Fatal(err)
		}
		h.Path, h.Args, h.Stdout, h.Stderr = program, []string{hookProgram}, stdout, &h.stderr
		h.Stdin = strings.NewReader(calling(dir, "PreToolUse", "s1", name, "make"))
		if err := h.Run(); h.ProcessState.ExitCode() != 2 || !strings.Contains(h.stderr.String(), "the answer could not be written") {
			t.Errorf("%s: %v, %s", name, err, h.stderr.String())
		}
	}
	h := p.hook(t, calling(dir, "PreToolUse", "s1", "closed", "make"), "sh", "-c", "exec approvald-hook >&-")
	if got := h.answer(t); got.code != 2 || !strings.Contains(got.stderr, "standard output is closed") {
		t.Errorf("closed: %+v", got)
	}
}

func TestHookTellsWhatPolicyDenies(t *testing.T) {
	p, dir, config := newPlace(t), t.TempDir(), t.TempDir()
	rule := "[[rule]]\neffect = \"deny\"\nkind = \"shell\"\nargv_prefix = [\"make\", \"prod\"]\nreason = \"production is not for agents\"\n"
	writePolicy(t, config, rule)
	t.Setenv("XDG_CONFIG_HOME", config)
	p.serve(t)
	p.hook(t, calling(dir, "PreToolUse", "s1", "t1", "make prod")).answer(t).is(t, 0, "deny", "production is not for agents")
}

func writePolicy(t *testing.T, config, rules string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(config, "approvald"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "approvald", "policy.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
}

// None of these is a decision, and none says that it was one.
func TestHookSaysWhatIsBroken(t *testing.T) {
	dir := t.TempDir()
	event := calling(dir, "PreToolUse", "s1", "t1", "make")
	alone := func(t *testing.T, more ...string) string {
		t.Helper()
		self, err := exec.LookPath("approvald")
		if err != nil {
			t.Fatal(err)
		}
		bin := t.TempDir()
		if err := os.Link(self, filepath.Join(bin, "approvald")); err != nil {
			t.Fatal(err)
		}
		for _, name := range more {
			if err := os.WriteFile(filepath.Join(bin, name), []byte("no program\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(bin, "approvald")
	}
	for name, c := range map[string]struct {
		event string
		argv  func(t *testing.T, p place) []string
		says  string
	}{
		"no daemon":                  {event, nil, "no approvald daemon answers at"},
		"no program":                 {event, func(t *testing.T, _ place) []string { return []string{alone(t), "hook"} }, "the hook failed to start. Its program is "},
		"a file that is none":        {event, func(t *testing.T, _ place) []string { return []string{alone(t, hookProgram), "hook"} }, "it cannot be executed (permission denied)"},
		"an agent that is not known": {event, func(*testing.T, place) []string { return []string{"approvald-hook", "--agent", "codex"} }, `the agent "codex" is not known`},
		"a program that is a directory": {event, func(t *testing.T, _ place) []string {
			program := alone(t)
			if err := os.Mkdir(filepath.Join(filepath.Dir(program), hookProgram), 0o700); err != nil {
				t.Fatal(err)
			}
			return []string{program, "hook"}
		}, "it is no file"},
		"a program of another machine": {event, func(t *testing.T, _ place) []string {
			program := alone(t, hookProgram)
			if err := os.Chmod(filepath.Join(filepath.Dir(program), hookProgram), 0o700); err != nil {
				t.Fatal(err)
			}
			return []string{program, "hook"}
		}, "it cannot be executed (exec format error)"},
		"a link in circles": {event, func(t *testing.T, _ place) []string {
			program := alone(t)
			if err := os.Symlink(hookProgram, filepath.Join(filepath.Dir(program), hookProgram)); err != nil {
				t.Fatal(err)
			}
			return []string{program, "hook"}
		}, "the hook failed to start"},
		"a socket's place of others": {event, func(t *testing.T, p place) []string {
			if err := os.MkdirAll(filepath.Join(p.runtime, "agent"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(p.runtime, "agent"), 0o777); err != nil {
				t.Fatal(err)
			}
			return []string{"approvald-hook"}
		}, "the sockets of approvald were not trusted: others may write to the directory"},
		"a wrong command line": {event, func(*testing.T, place) []string { return []string{"approvald-hook", "--wait", "1s"} }, "its command line in the agent's settings is wrong"},
		"a place of others": {event, func(t *testing.T, p place) []string {
			if err := os.Chmod(p.runtime, 0o777); err != nil {
				t.Fatal(err)
			}
			return []string{"approvald-hook"}
		}, "the sockets of approvald were not trusted: others may write to the directory"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			var argv []string
			if c.argv != nil {
				argv = c.argv(t, p)
			}
			got := p.hook(t, c.event, argv...).answer(t)
			got.is(t, 2, "deny", c.says)
			if !strings.Contains(got.stderr, c.says) || strings.Contains(got.Output.Reason, "denied by policy") {
				t.Errorf("it says %s", got.stderr)
			}
		})
	}
}

// The settings that are printed are those under which the hook runs.
func TestPrintedSettingsRunTheHook(t *testing.T) {
	p, dir := newPlace(t), t.TempDir()
	p.serve(t)
	out, err := p.command(t, "hook", "--print-settings", "--timeout", "2m", "--runtime-dir", p.runtime).Output()
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command, OnFailure string
				Args                     []string
				Timeout                  int
			}
		}
	}
	if err := json.Unmarshal(out, &settings); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"PreToolUse", "SessionStart", "SessionEnd"} {
		h := settings.Hooks[kind][0].Hooks[0]
		if h.Type != "command" || !filepath.IsAbs(h.Command) || (h.OnFailure == "block") != (kind == "PreToolUse") {
			t.Errorf("%s: %+v", kind, h)
		}
		if kind != "PreToolUse" {
			if got := p.hook(t, calling(dir, kind, "s1", "", ""), append([]string{h.Command}, h.Args...)...).answer(t); got.code != 0 {
				t.Errorf("%s: %+v", kind, got)
			}
			continue
		}
		if settings.Hooks[kind][0].Matcher != "*" || h.Timeout != 130 {
			t.Errorf("%s: %s", kind, out)
		}
		run := p.hook(t, calling(dir, kind, "s1", "t1", "make"), append([]string{h.Command}, h.Args...)...)
		reviewer := p.dial(t, "host", client.Options{})
		decideAs(t, reviewer, p.pending(t, reviewer, ""), wire.ChoiceAbort)
		run.answer(t).is(t, 0, "deny", "")
	}
	for _, timeout := range []string{"0s", "-1s", "2562047h47m16s"} {
		if said, code := p.says(t, "hook", "--print-settings", "--timeout", timeout); code != exitUsage || !strings.Contains(said, "--timeout must be positive") {
			t.Errorf("%s: %d %s", timeout, code, said)
		}
	}
	if said, code := p.says(t, "hook", "--print-settings", "--agent", "codex"); code != exitUsage || !strings.Contains(said, `"codex" is not known`) {
		t.Errorf("%d %s", code, said)
	}
}

// decideWith rejects a request with words for the agent.
func decideWith(t *testing.T, c *client.Client, r wire.ApprovalRequest, feedback string) {
	t.Helper()
	if _, err := c.Decide(t.Context(), wire.ApprovalDecideParams{
		SessionID: r.SessionID, ApprovalID: r.ApprovalID, RequirementID: r.CurrentRequirementID, ChoiceID: wire.ChoiceAbort, Feedback: &feedback,
	}); err != nil {
		t.Fatal(fmt.Errorf("reject: %w", err))
	}
}
