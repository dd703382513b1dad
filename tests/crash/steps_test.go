package crash

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// Recovery may be cut short anywhere and begun anew: whatever group the log ends
// with, before a restart or in one, the next restart leaves exactly one approval
// pending for each that was, every earlier identity has one terminal record, and
// two daemons agree (protocol §8; invariants 3 and 4).
func TestRecoveryIsTakenUpWhereItWasCutOff(t *testing.T) {
	whole := story(t)
	restarts := 0
	for _, end := range groups(whole, 0) {
		before := twinOf(whole[:end])
		recovered := restart(t, before)
		if faults := faultsOfCopies(end, recovered, restart(t, before)); len(faults) > 0 {
			t.Fatalf("the log cut off behind record %d: %s", end, strings.Join(faults, "\n"))
		}
		restarts += 2
		for _, cut := range groups(recovered, end) {
			again := twinOf(restart(t, twinOf(recovered[:cut])))
			restarts++
			mapped(t, before, again)
		}
		if t.Failed() {
			t.Fatalf("the log was cut off behind record %d", end)
		}
	}
	t.Logf("%d records, %d restarts", len(whole), restarts)
}

// groups are the places, behind from, at which a commit may have ended: where a
// command's records do. What the daemon does by itself is at least one command a
// session, which begins with the record that says so.
func groups(log []entry, from int) (ends []int) {
	for i := from; i <= len(log); i++ {
		if i == len(log) || i == from || log[i].kind == recovered || log[i].command != log[i-1].command {
			ends = append(ends, i)
		}
	}
	return ends
}

// mapped checks that there is one approval pending for each that was, of the
// same call, unless its deadline has passed or its session denies it.
func mapped(t *testing.T, before, now *twin) {
	t.Helper()
	var ends, pending []string
	for _, a := range before.pending() {
		is := now.approvals[a.id]
		for is.settled != nil && is.settled.body.Successor != nil {
			is = now.approvals[*is.settled.body.Successor]
		}
		if is.settled == nil {
			ends = append(ends, is.id)
		} else if by := is.settled.body.Source; by != "deadline" && by != "mode" && by != "catalog" {
			t.Errorf("approval %s was pending, and its last successor %s is settled by %s", a.id, is.id, by)
		}
		if is.opened.body.ToolCallID != a.opened.body.ToolCallID {
			t.Errorf("approval %s is of call %s, its successor %s of %s", a.id, a.opened.body.ToolCallID, is.id, is.opened.body.ToolCallID)
		}
	}
	for _, a := range now.pending() {
		pending = append(pending, a.id)
	}
	slices.Sort(ends)
	slices.Sort(pending)
	if !slices.Equal(ends, pending) {
		t.Errorf("pending are %q; following the successors from before these should be: %q", pending, ends)
	}
}

// stopped is a clock that stands still.
type stopped struct{ now time.Time }

func (c stopped) Now() time.Time                                  { return c.now }
func (stopped) AfterFunc(time.Duration, func()) (withdraw func()) { return func() {} }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// afterNoon is when the daemons of restarts live: a deadline of a second has passed,
// one of an hour has not.
var afterNoon = noon.Add(time.Minute)

func opened(t *testing.T, state string, clock stopped) *daemon.Daemon {
	t.Helper()
	d, err := daemon.Open(daemon.Config{
		StateDir: state, Clock: clock, NewID: daemon.Minter(rand.Reader, clock),
		Identity: rpc.Identity{Version: "crash", Home: state, OS: "linux", Arch: "amd64", Fingerprint: "sha256:00"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// attached is a peer of a daemon in this process.
func attached(t *testing.T, d *daemon.Daemon, interactive bool) asker {
	t.Helper()
	ours, theirs := net.Pipe()
	go d.ServeStream("host", wire.RoleBoth, theirs)
	c, err := greet(ours, interactive)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	return asker{t, c}
}

// restart has a daemon take up a log, holds what it says against the log, and
// gives what is then in it.
func restart(t *testing.T, before *twin) []entry {
	t.Helper()
	state := t.TempDir()
	path := filepath.Join(state, "sessions.db")
	written, err := log.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]byte, len(before.log))
	for i, e := range before.log {
		values[i] = e.raw
	}
	if len(values) > 0 {
		if _, err := written.Append(values); err != nil {
			t.Fatal(err)
		}
	}
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	d := opened(t, state, stopped{afterNoon})
	attached(t, d, false).holdAgainst(before, afterNoon)
	if err := d.Crash(); err != nil {
		t.Fatal(err)
	}
	now, err := readLog(path)
	if err != nil {
		t.Fatal(err)
	}
	is := after{twinOf(now), afterNoon, true}
	for _, fault := range append(is.faults, faultsSince(before, is)...) {
		t.Errorf("the log cut off behind record %d: %s", len(before.log), fault)
	}
	if err := os.RemoveAll(state); err != nil { // there are hundreds
		t.Fatal(err)
	}
	return now
}

// story is the log of a daemon in which everything waits that a restart is to
// deal with.
func story(t *testing.T) []entry {
	t.Helper()
	state, root := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".git", "hooks"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := opened(t, state, stopped{noon})
	s := teller{attached(t, d, true), newWorld(t, root), root}

	plain := s.start("")
	child := s.start(fmt.Sprintf(`,"parentSessionId":%q`, plain))
	refuses := s.start(`,"unattended":"refuse"`)
	strict := s.start(`,"cancelOnDisconnect":true`)
	over := s.start("")

	s.decide(plain, s.open(plain, tool("granted"), ""), 0, wire.ChoiceAllowSession)
	s.open(child, tool("granted"), "") // covered by the parent's grant
	s.open(plain, tool("waits"), "")
	s.decide(plain, s.open(plain, shell("make a && make b && make c"), ""), 0, wire.ChoiceAllowOnce) // half decided
	s.open(child, shell("make a && make b"), "")
	s.open(child, tool("soon"), `,"timeoutMs":1000`)
	s.open(plain, tool("later"), `,"timeoutMs":3600000`)
	s.open(plain, write(".git/hooks/pre-commit"), "") // protected
	kept := s.open(plain, write(".git/hooks/pre-push"), "")
	s.decide(plain, kept, 0, wire.ChoiceAllowOnce)
	taken := s.open(plain, write(".git/config"), "")
	s.decide(plain, taken, 0, wire.ChoiceAllowOnce)
	s.consume(plain, taken)
	permit := s.open(child, write("file"), "")
	s.decide(child, permit, 0, wire.ChoiceAllowOnce)
	s.decide(plain, s.open(plain, tool("rejected"), ""), 0, wire.ChoiceAbort)
	s.open(refuses, tool("waits"), "")
	s.open(refuses, tool("parks"), `,"unattended":"park"`)
	s.open(strict, tool("waits"), "")
	s.do(wire.MethodSessionSetApprovalMode, fmt.Sprintf(`"sessionId":%q,"mode":"denyUnmatched"`, strict)) // denies the successor
	s.open(over, tool("waits"), "")
	s.do(wire.MethodSessionClose, fmt.Sprintf(`"sessionId":%q`, over))
	s.do(wire.MethodApprovalCancel, fmt.Sprintf(`"sessionId":%q,"approvalId":%q`, plain, s.open(plain, tool("withdrawn"), "").id))
	s.underCatalogs(plain, child)
	s.asks(plain, "")
	s.asks(child, `,"autoResolutionMs":1000`)
	s.asks(child, `,"autoResolutionMs":3600000`)
	s.do(wire.MethodUserInputAnswer, fmt.Sprintf(
		`"sessionId":%q,"userInputId":%q,"answers":[{"questionId":"q","freeText":"yes"}]`, plain, s.asks(plain, "")))
	s.open(child, tool("last"), "")
	busy := s.start("")
	s.do(wire.MethodTurnStart, fmt.Sprintf(`"sessionId":%q,"input":[{}]`, busy)) // stays open
	s.open(busy, tool("waits"), "")

	if err := d.Crash(); err != nil {
		t.Fatal(err)
	}
	told, err := readLog(filepath.Join(state, "sessions.db"))
	if err != nil {
		t.Fatal(err)
	}
	if faults := faultsOf(twinOf(told), s.world.said); len(faults) > 0 {
		t.Fatal(strings.Join(faults, "\n"))
	}
	return told
}

// underCatalogs leaves what ends with the daemon: a catalog under which something
// waits, here and in a child session, with a permit and a grant, and one by itself.
func (s teller) underCatalogs(session, child string) {
	list := func(server string) (catalog string) {
		var ack wire.CatalogOpenResult
		s.world.decode(s.do(wire.MethodCatalogOpen, fmt.Sprintf(
			`"sessionId":%q,"serverName":%q,"tools":[{"name":"read","digest":"1"},{"name":"send","digest":"1"}]`, session, server)), &ack)
		return ack.CatalogID
	}
	mail := list("mail")
	list("other")
	under := func(in, name string) target {
		return s.open(in, fmt.Sprintf(`"toolName":"run","subject":{"kind":"tool","serverName":"mail","toolName":%q}`, name), fmt.Sprintf(`,"catalogId":%q`, mail))
	}
	s.decide(session, under(session, "read"), 0, wire.ChoiceAllowSession)
	s.decide(session, under(session, "send"), 0, wire.ChoiceAllowOnce)
	under(session, "send")
	under(child, "send")
}

// asks opens a prompt.
func (s teller) asks(session, more string) (id string) {
	var ack wire.UserInputOpenResult
	s.world.decode(s.do(wire.MethodUserInputOpen, fmt.Sprintf(
		`"sessionId":%q,"toolCallId":"asks","toolName":"ask","questions":[{"id":"q","header":"","question":"Which?","options":[],"selection":{"mode":"single"}}]%s`,
		session, more)), &ack)
	return ack.UserInputID
}

// teller carries commands out one by one, each in a commit of its own.
type teller struct {
	asker
	world *world
	root  string
}

// do carries one command out and gives its ack.
func (s teller) do(method, params string) reply {
	s.t.Helper()
	c := s.world.mintCommand(func(id string) request {
		return request{method, fmt.Sprintf(`{"commandId":%q,%s}`, id, params)}
	})
	if !s.world.send(s.client, c) || c.answer == "" || !strings.Contains(c.answer, `"accepted"`) {
		s.t.Fatalf("%s %s: %s", method, c.params, c.answer)
	}
	return reply{result: []byte(c.answer)}
}

func (s teller) start(more string) (session string) {
	var ack wire.SessionStartResult
	s.world.decode(s.do(wire.MethodSessionStart, fmt.Sprintf(`"workspaceRoot":%q%s`, s.root, more)), &ack)
	return ack.Session.SessionID
}

func (s teller) open(session, what, more string) target {
	var ack wire.ApprovalOpenResult
	s.world.decode(s.do(wire.MethodApprovalOpen, fmt.Sprintf(
		`"sessionId":%q,"toolCallId":"call %d","rawArgs":"{}","reason":"because",%s%s`, session, len(s.world.all), what, more)), &ack)
	return target{session, ack.ApprovalID, ack.ToolCallID, ack.ArgsDigest}
}

func (s teller) decide(session string, of target, stage int, choice wire.ChoiceID) {
	s.do(wire.MethodApprovalDecide, fmt.Sprintf(
		`"sessionId":%q,"approvalId":%q,"requirementId":{"approvalId":%[2]q,"sourceIndex":%[3]d},"choiceId":%[4]q`, session, of.id, stage, choice))
}

func (s teller) consume(session string, of target) {
	s.do(wire.MethodApprovalConsume, fmt.Sprintf(`"sessionId":%q,"approvalId":%q,"toolCallId":%q,"argsDigest":%q`, session, of.id, of.call, of.digest))
}

func tool(name string) string { return fmt.Sprintf(`"toolName":%q,"subject":{"kind":"tool"}`, name) }

func shell(line string) string {
	return fmt.Sprintf(`"toolName":"bash","subject":{"kind":"shell","command":%q}`, line)
}

func write(path string) string {
	return fmt.Sprintf(`"toolName":"write","subject":{"kind":"fileAccess","access":"write","path":%q}`, path)
}
