package crash

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

// history is a log made by hand, with what was said about it. What the checker
// finds in a good one is nothing, and in each wrong one the thing that is wrong
// with it: a checker that finds nothing would pass every daemon.
type history struct {
	log      []entry
	commands map[string]*said
}

const (
	sessionA = "0198f0aa-1111-7000-8000-0000000000aa"
	first    = "0198f0ac-7777-7000-8000-0000000000e1"
	second   = "0198f0ac-7777-7000-8000-0000000000e2"
	third    = "0198f0ac-7777-7000-8000-0000000000e3"
	fourth   = "0198f0ac-7777-7000-8000-0000000000e4"
	begun    = "018f6a2a-3333-7abc-8def-0000000000c0"
	opened1  = "018f6a2a-3333-7abc-8def-0000000000c1"
	opened2  = "018f6a2a-3333-7abc-8def-0000000000c2"
	decided1 = "018f6a2a-3333-7abc-8def-0000000000c3"
	consumed = "018f6a2a-3333-7abc-8def-0000000000c4"
	opened3  = "018f6a2a-3333-7abc-8def-0000000000c5"
	decided3 = "018f6a2a-3333-7abc-8def-0000000000c6"
	later    = "018f6a2a-3333-7abc-8def-0000000000c7"
)

// put appends a record.
func (h *history) put(kind kind, approval, command string, b body) *entry {
	e := entry{kind: kind, session: sessionA, approval: approval, command: command, body: b}
	h.log = append(h.log, e)
	return &h.log[len(h.log)-1]
}

// say has a command be answered as the log has it.
func (h *history) say(id, method, params, ack string) *intake {
	h.commands[id] = &said{request: request{method, params}, id: id, answer: ack}
	return &intake{Ack: json.RawMessage(ack)}
}

// seal numbers and links the records.
func (h *history) seal() {
	for i := range h.log {
		e := &h.log[i]
		e.seq, e.prev = uint64(i)+1, uint64(i)
		e.link = [16]byte{byte(i + 1), 1}
		e.chain = [16]byte{}
		if i > 0 {
			e.chain = h.log[i-1].link
		}
	}
}

func (h *history) open(command, id string) {
	b := body{ToolCallID: "call", ToolName: "run", RawArgs: "{}", TurnID: id, TaskID: id, ItemID: id, Unattended: "park"}
	b.Command = h.say(command, wire.MethodApprovalOpen, fmt.Sprintf(`{"sessionId":%q}`, sessionA),
		fmt.Sprintf(`{"approvalId":%q,"state":"pending"}`, id))
	h.put(approvalOpened, id, command, b)
}

func (h *history) settle(command, id string, opened uint64) {
	b := body{Opened: opened, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer"}
	b.Command = h.say(command, wire.MethodApprovalDecide, fmt.Sprintf(`{"sessionId":%q}`, sessionA),
		fmt.Sprintf(`{"approvalId":%q,"terminal":true}`, id))
	h.put(approvalSettled, id, command, b)
}

// good is a history in which the first approval was allowed and consumed, the
// second is pending, and the third, a protected write, was allowed.
func good() *history {
	h := &history{commands: map[string]*said{}}
	h.put(sessionStarted, "", begun, body{Mode: "promptUnmatched", Command: h.say(begun, wire.MethodSessionStart, `{}`,
		fmt.Sprintf(`{"session":{"sessionId":%q}}`, sessionA))})
	h.open(opened1, first)
	h.open(opened2, second)
	h.settle(decided1, first, 2)
	h.put(approvalConsumed, first, consumed, body{Opened: 2, Command: h.say(consumed, wire.MethodApprovalConsume,
		fmt.Sprintf(`{"sessionId":%q,"approvalId":%q}`, sessionA, first), `{"consumed":true}`)})
	h.open(opened3, third)
	h.log[5].body.Protected = true
	h.settle(decided3, third, 6)
	h.seal()
	return h
}

// recover appends what a restart owes the good history.
func (h *history) recover() {
	pending := twinOf(h.log).approvals[second]
	next := successor(pending)
	h.put(recovered, "", "", body{Pending: 1})
	h.put(permitVoided, third, "", body{Opened: 6, Reason: "protectedWriteRestart"})
	h.put(approvalSettled, second, "", body{
		Opened: 3, Outcome: "superseded", Decision: "abort", PolicyResult: "deny", ResolvedBy: "policy", Source: "recovery", Successor: &next,
	})
	b := pending.opened.body
	old := second
	b.Supersedes, b.Command = &old, nil
	h.put(approvalOpened, next, "", b)
	h.seal()
}

func TestTheCheckerPassesAGoodHistory(t *testing.T) {
	h := good()
	before := twinOf(h.log)
	h.recover()
	now := after{twinOf(h.log), time.Now(), true}
	for _, fault := range append(faultsOf(now.twin, h.commands), faultsSince(before, now)...) {
		t.Error(fault)
	}
	if got, may := before.expected(time.Now()); len(may) > 0 || len(got) != 1 || got[0] != successor(before.approvals[second]) {
		t.Errorf("it expects %q to be pending", got)
	}
}

func TestTheCheckerFindsWhatADaemonDoesWrong(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(h *history)
		finds string
	}{
		"a lost ack": {func(h *history) { h.say(later, wire.MethodApprovalOpen, `{}`, `{"state":"pending"}`) },
			"was acknowledged and is not in the log"},
		"another ack": {func(h *history) {
			h.log[3].body.Command = &intake{Ack: json.RawMessage(`{"approvalId":"` + first + `","terminal":true }`)}
		},
			"was answered"},
		"a command carried out twice": {func(h *history) { h.open(opened2, fourth) }, "is in the log twice"},
		"a command that nobody sent":  {func(h *history) { h.open(later, fourth); delete(h.commands, later) }, "which nobody sent"},
		"a command that was given up": {func(h *history) { h.open(later, fourth); h.commands[later].answer = "" }, "nobody waited for it"},
		"an ack that is not carried out": {func(h *history) {
			h.put(commandSettled, "", later, body{Command: h.say(later, wire.MethodApprovalDecide, `{}`, `{"approvalId":"`+second+`","terminal":false}`)})
		}, "was not decided so by it"},
		"a close that closes nothing": {func(h *history) {
			h.put(commandSettled, "", later, body{Command: h.say(later, wire.MethodSessionClose, `{"sessionId":"`+sessionA+`"}`, `{}`)})
		}, "is not closed"},
		"a second terminal record":   {func(h *history) { h.settle(later, first, 2) }, "was settled twice"},
		"a terminal of nothing":      {func(h *history) { h.settle(later, fourth, 2) }, "which was never opened"},
		"a terminal of another":      {func(h *history) { h.settle(later, second, 2) }, "is of an approval opened at 2"},
		"an approval opened twice":   {func(h *history) { h.open(later, second) }, "was opened twice"},
		"a permit taken twice":       {func(h *history) { h.consume(later, first, 2) }, "was consumed twice"},
		"a permit that there is not": {func(h *history) { h.consume(later, second, 3) }, "and was not decided"},
		"a permit taken and refused": {func(h *history) {
			h.consume(later, third, 6).body.Command = h.say(later, wire.MethodApprovalConsume, `{}`, `{}`)
		},
			"which was answered {}"},
		"a batch of which a part is missing": {func(h *history) {
			h.consume(later, third, 6).body.Command = h.say(later, wire.MethodApprovalConsumeAll, `{}`,
				`{"decisions":[{"approvalId":"`+third+`","consumed":true},{"approvalId":"`+first+`","consumed":true}]}`)
		}, "approval " + first + " was not consumed so by it"},
		"a batch that says less than it did": {func(h *history) {
			h.open(later, fourth)
			h.log[len(h.log)-1].body.Command = h.say(later, wire.MethodApprovalPrepare, `{}`, `{"approvals":[]}`)
		}, "it opened or consumed 1 approvals, and says 0"},
		"a batch that opened what it found": {func(h *history) {
			h.open(later, fourth)
			h.log[len(h.log)-1].body.Command = h.say(later, wire.MethodApprovalPrepare, `{}`, `{"approvals":[{"approvalId":"`+fourth+`","created":false}]}`)
		}, "was not found or opened so by it"},
		"a stage after the end": {func(h *history) {
			h.put(stageSettled, first, later, body{Opened: 2, Command: h.say(later, wire.MethodApprovalDecide, `{}`, `{"approvalId":"`+first+`"}`)})
		}, "which was settled at 4"},
		"a closed session that goes on": {func(h *history) {
			h.put(sessionClosed, "", later, body{Command: h.say(later, wire.MethodSessionClose, `{"sessionId":"`+sessionA+`"}`, `{}`)})
		}, "is closed, and approval " + second + " waits in it"},
		"a record after the close": {func(h *history) {
			h.put(sessionClosed, "", later, body{Command: h.say(later, wire.MethodSessionClose, `{"sessionId":"`+sessionA+`"}`, `{}`)})
			h.consume(opened2, third, 6)
		}, "which was closed"},
		"a record without a command": {func(h *history) { h.put(modeSet, "", "", body{Mode: "allowAll"}) }, "the daemon makes none such by itself"},
		"an approval that waits for a changed tool": {func(h *history) {
			h.catalog(later)
			h.log[2].body.CatalogID, h.log[2].body.Subject.ToolName, h.log[2].body.Subject.ToolDigest = fourth, "send", "2"
		}, "approval " + second + " is of a tool that is not defined so any more"},
		"a permit for a tool that is gone": {func(h *history) {
			h.catalog(later)
			h.log[5].body.CatalogID, h.log[5].body.Subject.ToolName = fourth, "read"
		}, "approval " + third + " is of a tool that is not defined so any more"},
		"a grant for a tool that changed": {func(h *history) {
			h.catalog(later)
			g := body{GrantID: first, Scope: "session"}
			g.Reach.Catalog, g.Reach.Tool, g.Reach.Digest = fourth, "send", "2"
			h.put(grantAdded, first, decided1, g)
		}, "grant " + first + " is for a tool that is not defined so any more"},
		"a catalog that ends what is not bound to it": {func(h *history) {
			h.put(grantAdded, first, decided1, body{GrantID: first, Scope: "session"})
			h.catalog(later).body.Grants = []string{first}
		}, "which is not bound to its catalog"},
		"a catalog that is closed and changed": {func(h *history) {
			h.catalog(later)
			h.put(catalogClosed, "", "", body{CatalogID: fourth})
			h.put(catalogChanged, "", later, body{CatalogID: fourth})
		}, "which is not open"},
		"an ack of a catalog that there is not": {func(h *history) {
			h.catalog(later).body.Command = h.say(later, wire.MethodCatalogOpen, `{}`, `{"catalogId":"`+third+`"}`)
		}, "there is no such catalog"},
		"a part of a command": {func(h *history) { h.settle(later, second, 3); h.log[len(h.log)-1].body.Command = nil },
			"whose answer is not in the log"},
		"an ack of a decision that a rule overtook": {func(h *history) {
			h.settle(later, second, 3)
			last := &h.log[len(h.log)-1].body
			last.Source, last.Command = "rule", nil
		}, "whose answer is not in the log"},
		"a hole":                    {func(h *history) { h.seal(); h.log = append(h.log[:3:3], h.log[4:]...) }, "stands where 4 should"},
		"an altered record":         {func(h *history) { h.seal(); h.log[2].link[0]++ }, "does not follow the one before it"},
		"a torn record":             {func(h *history) { h.log[2].torn = true }, "does not match its checksum"},
		"another chain of sessions": {func(h *history) { h.seal(); h.log[2].prev = 1 }, "says that its session's last is 1"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			c.wrong(h)
			if h.log[len(h.log)-1].seq == 0 {
				h.seal()
			}
			finds(t, faultsOf(twinOf(h.log), h.commands), c.finds)
		})
	}
}

func (h *history) consume(command, id string, opened uint64) *entry {
	return h.put(approvalConsumed, id, command, body{Opened: opened, Command: h.say(command, wire.MethodApprovalConsume,
		fmt.Sprintf(`{"sessionId":%q,"approvalId":%q}`, sessionA, id), `{"consumed":true}`)})
}

func finds(t *testing.T, faults []string, want string) {
	t.Helper()
	if all := strings.Join(faults, "\n"); !strings.Contains(all, want) {
		t.Errorf("it finds\n%s\nwant something with %q", all, want)
	}
}

// The same for what a restart does. The last four records are those of the recovery.
func TestTheCheckerFindsWhatARestartDoesWrong(t *testing.T) {
	passed := time.Now().Add(-time.Hour).UnixMilli()
	for name, c := range map[string]struct {
		before func(h *history) // the crash
		wrong  func(h *history) // the restart
		finds  string
	}{
		"records that are gone": {nil, func(h *history) { h.log = h.log[:5] }, "some are not, or are others"},
		"nothing done":          {nil, func(h *history) { h.log = h.log[:7] }, "and is pending still"},
		"no successor opened": {nil, func(h *history) { h.log = h.log[:10] },
			"which was not opened"},
		"a successor of what is pending": {nil, func(h *history) { h.log = append(h.log[:9:9], h.log[10]); h.seal() },
			"is pending, and its successor"},
		"another id": {nil, func(h *history) {
			id := fourth
			h.log[9].body.Successor, h.log[10].approval = &id, id
		}, "and should be by"},
		"another action":       {nil, func(h *history) { h.log[10].body.RawArgs = `{"other":1}` }, "has the action"},
		"a decision made up":   {nil, func(h *history) { h.log[9].body.Outcome, h.log[9].body.Source = "allowedOnce", "reviewer" }, "and was settled as allowedOnce"},
		"a deadline forgotten": {func(h *history) { h.log[2].body.ExpiresAt = &passed }, nil, "its deadline had passed"},
		"a mode forgotten":     {func(h *history) { h.log[0].body.Mode = "denyUnmatched" }, nil, "was not denied"},
		"a mode made up": {nil, func(h *history) {
			h.put(approvalSettled, h.log[10].approval, "", body{Opened: 11, Outcome: "rejected", ResolvedBy: "policy", Source: "mode"})
			h.seal()
		}, "denied by a mode that is not in force"},
		"a protected write that stays": {nil, func(h *history) { h.log = append(h.log[:8:8], h.log[9:]...); h.seal() },
			"has outlived the restart"},
		"another permit that does not": {nil, func(h *history) { h.log[8].approval, h.log[8].body.Opened = first, 2 }, "that there is not"},
		"the number":                   {nil, func(h *history) { h.log[7].body.Pending = 2 }, "says that 2 approvals"},
		"recovered once more":          {nil, func(h *history) { h.put(recovered, "", "", body{Pending: 1}); h.seal() }, "there were 0"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			if c.before != nil {
				c.before(h)
			}
			before := twinOf(append([]entry(nil), h.log...))
			h.recover()
			if c.wrong != nil {
				c.wrong(h)
			}
			now := after{twinOf(h.log), time.Now(), true}
			finds(t, append(now.faults, faultsSince(before, now)...), c.finds)
		})
	}
}

func TestTheCheckerFindsCopiesThatDiffer(t *testing.T) {
	one, other := good(), good()
	one.recover()
	other.recover()
	if faults := faultsOfCopies(7, one.log, other.log); len(faults) > 0 {
		t.Errorf("it finds %q in the same", faults)
	}
	other.log[10].text = `{"toolName":"another"}`
	finds(t, faultsOfCopies(7, one.log, other.log), "two daemons recovered session "+sessionA)
	finds(t, faultsOfCopies(7, one.log, one.log[:9]), "two daemons recovered session "+sessionA)
	finds(t, faultsOfCopies(7, one.log[:7], one.log), "two daemons recovered session "+sessionA)
}

// rule appends a decision that writes a rule for a path, and what became of that.
func (h *history) rule(id, status string) {
	h.put(grantAdded, first, decided1, body{GrantID: id, Scope: "localPersistent"})
	if status != "" {
		h.put(policyPersisted, first, "", body{Opened: 2, GrantID: id, Status: status})
	}
	h.seal()
}

func TestTheCheckerHoldsStoresAgainstTheLog(t *testing.T) {
	const entry = "grant = \"" + fourth + "\"\n"
	for name, c := range map[string]struct{ status, store, finds string }{
		"stored":          {"succeeded", entry, ""},
		"on its way":      {"", "", ""},
		"there already":   {"", entry, ""},
		"failed":          {"failed", "", ""},
		"stored and gone": {"succeeded", "", "and it is in no store"},
		"not in the log":  {"", "grant = \"" + third + "\"\n", "which is not in the log"},
	} {
		t.Run(name, func(t *testing.T) {
			h := good()
			h.rule(fourth, c.status)
			faults := twinOf(h.log).faultsOfStores(c.store)
			if c.finds == "" && len(faults) > 0 {
				t.Errorf("it finds %q", faults)
			}
			if c.finds != "" {
				finds(t, faults, c.finds)
			}
		})
	}
}

func TestTheCheckerKnowsWhatARuleMaySettle(t *testing.T) {
	h := good()
	h.log[1].body.Subject.Path, h.log[2].body.Subject.Path = "/srv/file", "/srv/file"
	without := twinOf(append([]entry(nil), h.log...))
	h.rule(fourth, "")
	with := twinOf(h.log)
	if ids, may := without.expected(time.Now()); len(ids) != 1 || len(may) != 0 {
		t.Errorf("without a rule %q are to be pending, and %q may be", ids, may)
	}
	if ids, may := with.expected(time.Now()); len(ids) != 0 || len(may) != 1 {
		t.Errorf("with a rule on its way %q are to be pending, and %q may be", ids, may)
	}
}
