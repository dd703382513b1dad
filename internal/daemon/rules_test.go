package daemon_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

func connectParams(n int, session, host string) string {
	return fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"toolCallId":"call","toolName":"fetch","rawArgs":"{}","reason":"because",`+
		`"subject":{"kind":"network","host":%q,"port":443,"protocol":"https"}}`, commandID(n), session, host)
}

func alwaysParams(n int, session, id string) string {
	return strings.Replace(decideParams(n, session, id), "allow_once", "allow_local_network", 1)
}

// started starts a session in a workspace.
func (c *caller) started(n int, root string) (session string) {
	c.t.Helper()
	return member(c.must(wire.MethodSessionStart, fmt.Sprintf(`{"commandId":%q,"workspaceRoot":%q}`, commandID(n), root)), "sessionId")
}

// heard waits until the connection was sent a line that holds text.
func (c *caller) heard(text string) string {
	c.t.Helper()
	for _, line := range c.over {
		if strings.Contains(line, text) {
			return line
		}
	}
	for line := range c.lines {
		c.over = append(c.over, line)
		if strings.Contains(line, text) {
			return line
		}
	}
	c.t.Fatalf("the connection ended before it was sent %q", text)
	return ""
}

func TestAPersistentGrantOutlivesTheDaemon(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	d := open(t, config(state, 0))
	c := attach(t, d, wire.RoleBoth)
	session, neighbour := c.started(1, root), c.started(2, root)
	waits := member(c.must(wire.MethodApprovalOpen, connectParams(3, neighbour, "docs.example.org")), "approvalId")
	given := member(c.must(wire.MethodApprovalOpen, connectParams(4, session, "docs.example.org")), "approvalId")
	c.must(wire.MethodApprovalDecide, alwaysParams(5, session, given))
	c.heard(`"change":{"kind":"policyPersistence","status":"succeeded"}`)
	c.must(wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q]}`, neighbour, waits))
	if got := c.outcome(neighbour, waits); got != "allowedOnce" {
		t.Errorf("what waited in another session of the workspace is %s", got)
	}
	closed(t, d)

	next := open(t, config(state, 1000))
	c = attach(t, next, wire.RoleBoth)
	again := c.started(6, root)
	elsewhere := c.started(7, t.TempDir())
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(8, again, "docs.example.org"))); !strings.Contains(got, `"source":"rule"`) {
		t.Errorf("in the workspace: %s", got)
	}
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(9, elsewhere, "docs.example.org"))); !strings.Contains(got, `"state":"pending"`) {
		t.Errorf("in another workspace: %s", got)
	}
	grants := c.must(wire.MethodGrantList, fmt.Sprintf(`{"workspaceRoot":%q}`, root))
	if !strings.Contains(string(grants), `"inForce":true`) {
		t.Errorf("grants: %s", grants)
	}
	c.must(wire.MethodGrantRevoke, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"grantId":%q}`, commandID(10), again, member(grants, "grantId")))
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(11, again, "docs.example.org"))); !strings.Contains(got, `"state":"pending"`) {
		t.Errorf("after it was revoked: %s", got)
	}
	closed(t, next) // what the store is owed is done by then
	stores, err := filepath.Glob(filepath.Join(state, "workspaces", "*"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("stores %v, %v", stores, err)
	}
	if text, err := os.ReadFile(stores[0]); err != nil || strings.Contains(string(text), "docs.example.org") {
		t.Errorf("the store still has it: %s %v", text, err)
	}
}

// A grant whose rule no record says was stored is written again at the start
// (policy.md "Files").
func TestARuleThatCouldNotBeStoredIsWrittenAtTheNextStart(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	stores := filepath.Join(state, "workspaces")
	d := open(t, config(state, 0))
	if err := os.WriteFile(stores, nil, 0o600); err != nil { // no directory can be made there
		t.Fatal(err)
	}
	c := attach(t, d, wire.RoleBoth)
	session := c.started(1, root)
	given := member(c.must(wire.MethodApprovalOpen, connectParams(2, session, "docs.example.org")), "approvalId")
	c.must(wire.MethodApprovalDecide, alwaysParams(3, session, given))
	c.heard(`"change":{"kind":"policyPersistence","status":"failed","reason":`)
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(4, session, "docs.example.org"))); !strings.Contains(got, `"source":"rule"`) {
		t.Errorf("in its session: %s", got)
	}
	closed(t, d)
	if err := os.Remove(stores); err != nil {
		t.Fatal(err)
	}

	c = attach(t, open(t, config(state, 1000)), wire.RoleBoth)
	c.must(wire.MethodViewSubscribe, fmt.Sprintf(`{"sessionId":%q,"after":"v:%s:4"}`, session, session)) // it may be history by now
	c.heard(`"change":{"kind":"policyPersistence","status":"succeeded"}`)
	other := c.started(5, root)
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(6, other, "docs.example.org"))); !strings.Contains(got, `"source":"rule"`) {
		t.Errorf("in another session of the workspace: %s", got)
	}
}

func TestAnEphemeralDaemonKeepsTheRuleForTheSession(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	cfg.Ephemeral = true
	c := attach(t, open(t, cfg), wire.RoleBoth)
	root := t.TempDir()
	session, neighbour := c.started(1, root), c.started(2, root)
	given := member(c.must(wire.MethodApprovalOpen, connectParams(3, session, "docs.example.org")), "approvalId")
	c.must(wire.MethodApprovalDecide, alwaysParams(4, session, given))
	c.heard(`"change":{"kind":"policyPersistence","status":"failed","reason":`)
	for id, want := range map[string]string{session: `"source":"rule"`, neighbour: `"state":"pending"`} {
		n := 5
		if id == session {
			n = 6
		}
		if got := string(c.must(wire.MethodApprovalOpen, connectParams(n, id, "docs.example.org"))); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// policyAt writes a policy file that a daemon trusts, the way an editor does.
func policyAt(t *testing.T, path, text string) {
	t.Helper()
	next := path + ".new"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

const (
	allowDocs = "[[rule]]\neffect = \"allow\"\nkind = \"network\"\nhost = \"docs.example.org\"\n"
	denyDocs  = "[[rule]]\neffect = \"deny\"\nkind = \"network\"\nhost = \"docs.example.org\"\n"
)

func TestAPolicyFileThatChangesIsInForceAndABadOneIsNot(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	cfg.Policy.User = filepath.Join(t.TempDir(), "policy.toml")
	c := attach(t, open(t, cfg), wire.RoleBoth)
	session := c.started(1, t.TempDir())
	waits := member(c.must(wire.MethodApprovalOpen, connectParams(2, session, "docs.example.org")), "approvalId")

	policyAt(t, cfg.Policy.User, allowDocs)
	c.heard(`"method":"policy/changed","params":{"status":"loaded"`)
	c.must(wire.MethodApprovalAwait, fmt.Sprintf(`{"sessionId":%q,"approvalIds":[%q]}`, session, waits))
	if got := c.outcome(session, waits); got != "allowedOnce" {
		t.Errorf("what waited is %s", got)
	}

	policyAt(t, cfg.Policy.User, "[[rule]]\neffect = \"alow\"\nkind = \"network\"\n")
	failed := c.heard(`"method":"policy/changed","params":{"status":"failed"`)
	if !strings.Contains(failed, "policy.toml:2") {
		t.Errorf("the notice names no line: %s", failed)
	}
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(3, session, "docs.example.org"))); !strings.Contains(got, `"source":"rule"`) {
		t.Errorf("the last good policy does not hold: %s", got)
	}

	c.over = nil
	policyAt(t, cfg.Policy.User, denyDocs)
	c.heard(`"method":"policy/changed","params":{"status":"loaded"`)
	if got := string(c.must(wire.MethodApprovalOpen, connectParams(4, session, "docs.example.org"))); !strings.Contains(got, `"outcome":"rejected"`) {
		t.Errorf("the new policy does not hold: %s", got)
	}
}

func TestADaemonRefusesToStartOnABadPolicy(t *testing.T) {
	cfg := config(t.TempDir(), 0)
	cfg.Policy.User = filepath.Join(t.TempDir(), "policy.toml")
	policyAt(t, cfg.Policy.User, "[[rule]]\neffect = \"alow\"\nkind = \"network\"\nhost = \"x\"\n")
	_, err := daemon.Open(cfg)
	var fault *rulefile.Fault
	if !errors.As(err, &fault) || fault.Line != 2 {
		t.Errorf("%v", err)
	}
}

func TestAManagedCeilingBindsTheFlag(t *testing.T) {
	for _, c := range []struct {
		flag approval.Mode
		may  bool
	}{{"", true}, {approval.DenyUnmatched, true}, {approval.PromptUnmatched, true}, {approval.OnRequest, false}, {approval.AllowAll, false}} {
		cfg := config(t.TempDir(), 0)
		cfg.Mode, cfg.Ceiling = approval.DenyUnmatched, c.flag
		cfg.PolicyText = []rulefile.Source{{Layer: rulefile.Managed, Name: "managed.toml", Text: []byte("ceiling = \"promptUnmatched\"\n")}}
		d, err := daemon.Open(cfg)
		if may := err == nil; may != c.may || !may && !errors.Is(err, daemon.ErrModes) {
			t.Errorf("--ceiling %q: %v", c.flag, err)
		}
		if d != nil {
			closed(t, d)
		}
	}
}
