package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/wire"
)

// Only a permit that was taken, for exactly the arguments that were asked about, lets a call go.
func TestOnlyAPermitForExactlyThisCallAllows(t *testing.T) {
	permit := &wire.Permit{ArgsDigest: "sha256:00"}
	denial := &wire.Denial{Kind: wire.DenialRejected, Message: "no", Feedback: "later"}
	allow := wire.ApprovalConsumeResult{PolicyResult: wire.PolicyAllow, Consumed: true, Permit: permit}
	with := func(change func(*wire.ApprovalConsumeResult)) wire.ApprovalConsumeResult {
		c := allow
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		taken wire.ApprovalConsumeResult
		allow bool
		code  int
	}{
		"a permit":             {allow, true, ExitAnswered},
		"a denial":             {wire.ApprovalConsumeResult{PolicyResult: wire.PolicyDeny, Consumed: true, Denial: denial}, false, ExitAnswered},
		"not consumed":         {with(func(c *wire.ApprovalConsumeResult) { c.Consumed = false }), false, ExitBroken},
		"no permit":            {with(func(c *wire.ApprovalConsumeResult) { c.Permit = nil }), false, ExitBroken},
		"of other arguments":   {with(func(c *wire.ApprovalConsumeResult) { c.Permit = &wire.Permit{ArgsDigest: "sha256:01"} }), false, ExitBroken},
		"an unknown result":    {with(func(c *wire.ApprovalConsumeResult) { c.PolicyResult = "maybe" }), false, ExitBroken},
		"a denial with permit": {with(func(c *wire.ApprovalConsumeResult) { c.PolicyResult, c.Denial = wire.PolicyDeny, denial }), false, ExitAnswered},
	} {
		for _, kind := range []Kind{PreToolUse, PermissionRequest} {
			event := Event{Kind: kind, Call: &Call{ArgsDigest: "sha256:00"}}
			got := event.Decided("a1", wire.Resolution{}, c.taken)
			if allows(t, got) != c.allow || got.Code != c.code {
				t.Errorf("%s, %s: code %d, %s", name, kind, got.Code, got.Stdout)
			}
			if c.taken.Denial != nil && !strings.Contains(string(got.Stdout), `no\nThe reviewer says: later`) {
				t.Errorf("%s, %s: the agent is not told why: %s", name, kind, got.Stdout)
			}
		}
	}
}

// allows reads an answer as Claude Code does.
func allows(t *testing.T, a Answer) bool {
	t.Helper()
	if len(a.Stdout) == 0 {
		return a.Code == ExitAnswered
	}
	var out decision
	if err := json.Unmarshal(a.Stdout, &out); err != nil {
		t.Fatal(err)
	}
	behaves := out.Specific.Behavior != nil && out.Specific.Behavior.Behavior == "allow"
	return a.Code == ExitAnswered && (out.Specific.Decision == "allow" || behaves)
}

// A broken gate never allows, is never silent, and is no sentence of policy's.
func TestABrokenGateSaysThatItIsBroken(t *testing.T) {
	for _, kind := range []Kind{PreToolUse, PermissionRequest, SessionStart, SessionEnd, "", "Other"} {
		got := Broken(kind, "a\x1b[2J\n\u202eb")
		if got.Code != ExitBroken || strings.ContainsAny(got.Stderr, "\x1b\u202e") || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%s: %d %q", kind, got.Code, got.Stderr)
		}
		if asks := kind != SessionStart && kind != SessionEnd; asks != strings.Contains(string(got.Stdout), "nobody refused it") {
			t.Errorf("%s: %s", kind, got.Stdout)
		}
		if strings.Contains(string(got.Stdout), "\x1b") {
			t.Errorf("%s: %q", kind, got.Stdout)
		}
	}
}

// However often an agent has ended its session, the open one is found, in few steps.
func TestTheOpenGenerationIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		closed := rapid.IntRange(0, 5000).Draw(t, "closed")
		started := rapid.Bool().Draw(t, "started")
		var g Generations
		for steps := 0; ; steps++ {
			if steps > 40 {
				t.Fatalf("of %d closed ones it is still at %+v", closed, g)
			}
			n := g.Next()
			switch {
			case n < closed:
				g.Closed(n)
			case n == closed && started:
				return
			case g.Missing(n):
				if n != closed {
					t.Fatalf("it would start %d, and %d is the first that is not closed", n, closed)
				}
				return
			}
		}
	})
}

// What tells calls and deliveries apart is in their ids, and nothing else.
func TestIdsTellApartWhatIsNotTheSame(t *testing.T) {
	type asked struct{ session, prompt, cwd, tool, id, agent, input string }
	event := func(of asked) (call, command string) {
		t.Helper()
		e, err := Parse(fmt.Appendf(nil, `{"session_id":%q,"prompt_id":%q,"cwd":%q,"hook_event_name":"PreToolUse","tool_name":%q,"tool_use_id":%q,"agent_id":%q,"tool_input":%s}`,
			of.session, of.prompt, of.cwd, of.tool, of.id, of.agent, of.input), around)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Prepare(e.SessionID(0), 0)
		if err != nil {
			t.Fatal(err)
		}
		return p.Requests[0].ToolCallID, p.CommandID
	}
	for _, tool := range []string{"Bash", "Skill"} { // of a subject of its own, and of none
		is := asked{"s", "p", "/srv", tool, "t1", "", `{"command":"ls","timeout":1}`}
		call, command := event(is)
		for name, c := range map[string]struct {
			change                func(*asked)
			sameCall, sameCommand bool
		}{
			"the same delivery again":  {func(*asked) {}, true, true},
			"made again":               {func(of *asked) { of.id = "t2" }, true, false},
			"members in another order": {func(of *asked) { of.id, of.input = "t2", `{"timeout":1,"command":"ls"}` }, true, false},
			"other arguments":          {func(of *asked) { of.input = `{"command":"ls","timeout":2}` }, false, false},
			"a subagent's":             {func(of *asked) { of.agent = "a" }, false, false},
			"another directory":        {func(of *asked) { of.cwd = "/srv/x" }, false, false},
			"another tool":             {func(of *asked) { of.tool += "2" }, false, false},
			"another session":          {func(of *asked) { of.session = "s2" }, true, false},
			"an id counted anew":       {func(of *asked) { of.prompt = "p2" }, true, false},
		} {
			other := is
			c.change(&other)
			gotCall, gotCommand := event(other)
			if (gotCall == call) != c.sameCall || (gotCommand == command) != c.sameCommand {
				t.Errorf("%s, %s: call %t, command %t", tool, name, gotCall == call, gotCommand == command)
			}
		}
	}
	if derived("a", "bc") == derived("ab", "c") {
		t.Error("lists of texts are told apart by where one ends")
	}
}

func TestARootOfAPatternIsWhereItsNamesBegin(t *testing.T) {
	for _, c := range []struct {
		dir, pattern, root string
		ok                 bool
	}{
		{".", "*.go", ".", true},
		{".", "a/b/*.go", "a/b", true},
		{"/srv", "a/**", "/srv/a", true},
		{"/", "a/*", "/a", true},
		{"/srv", "/etc/*", "/etc", true},
		{"/srv", "/*", "/", true},
		{"/srv", "../x/*", "/srv/../x", true}, // the daemon follows it
		{"/srv", "*/../../etc/*", "", false},
		{"/srv", "{..,a}/*", "", false},
		{"/srv", "{a,/etc}/*", "", false},
		{"/srv", "@(a|/etc)/*", "", false},
		{"/srv", `\/etc/*`, "", false},
		{"/srv", "~/.ssh/*", "~/.ssh", true}, // policy knows what many tools take that for
	} {
		if root, ok := globRoot(c.dir, c.pattern); root != c.root || ok != c.ok {
			t.Errorf("%s in %s: %q, %t", c.pattern, c.dir, root, ok)
		}
	}
}

// Whatever comes on standard input is a call in full or a denial, and is read alike each time.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}`))
	f.Add([]byte(`{"session_id":"s","cwd":"/srv","hook_event_name":"PermissionRequest","tool_name":"Glob","tool_input":{"pattern":"../{a,/}"}}`))
	f.Add([]byte(`{"session_id":"s","cwd":"/srv","hook_event_name":"SessionEnd"}`))
	f.Add([]byte(`{"hook_event_name":"PreToolUse","Hook_Event_Name":"SessionEnd"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		event, err := Parse(text, around)
		again, errAgain := Parse(text, around)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, then %v", err, errAgain)
		}
		if err != nil {
			if Broken(event.Kind, err.Error()).Code != ExitBroken {
				t.Fatal("no denial")
			}
			return
		}
		if event.Kind.gates() != (event.Call != nil) {
			t.Fatalf("%s with call %v", event.Kind, event.Call)
		}
		if event.Call == nil {
			return
		}
		p, err := event.Prepare("s", 0)
		q, _ := again.Prepare("s", 0)
		if err != nil || p.CommandID != q.CommandID || !json.Valid([]byte(p.Requests[0].RawArgs)) {
			t.Fatalf("%v: %+v, then %+v", err, p, q)
		}
		if _, err := wire.KindOf(p.Requests[0].Subject); err != nil {
			t.Fatal(err)
		}
	})
}
