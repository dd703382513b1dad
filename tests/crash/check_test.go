package crash

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/approvald/approvald/wire"
)

// said is one command as its clients know it.
type said struct {
	request
	id string
	// answer is the ack, or the refusal that the log keeps; "" while neither was
	// heard nor found in the log.
	answer string
	// underWay says that it was sent to the daemon that was killed, and that not
	// every time was answered.
	underWay bool
}

// faultsOf holds a log against what was said: acknowledged ⊆ log ⊆ acknowledged
// and what was under way at the kill, and every ack was carried out.
func faultsOf(t *twin, commands map[string]*said) []string {
	faults := slices.Clone(t.faults)
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, c := range commands {
		e, there := t.commands[c.id]
		switch {
		case c.answer != "" && !there:
			fault("command %s (%s) was acknowledged and is not in the log", c.id, c.method)
		case c.answer != "" && e.body.Command.answer() != c.answer:
			fault("command %s (%s) was answered\n%s\nand in the log it is\n%s", c.id, c.method, c.answer, e.body.Command.answer())
		case c.answer == "" && there && !c.underWay:
			fault("command %s (%s) is in the log at %d, and nobody waited for it", c.id, c.method, e.seq)
		}
	}
	for i := range t.log {
		e := &t.log[i]
		c, sent := commands[e.command]
		switch {
		case e.command == "" && !ofTheDaemon(e):
			fault("record %d (kind %d) has no command, and the daemon makes none such by itself", e.seq, e.kind)
		case e.command != "" && !sent:
			fault("record %d is of command %s, which nobody sent", e.seq, e.command)
		case e.command != "" && t.commands[e.command] == nil && !tooLate(c, e):
			fault("record %d is of command %s, whose answer is not in the log", e.seq, e.command)
		case e.body.Command != nil && e.body.Command.Ack != nil && sent:
			for _, why := range t.carriedOut(c, e.body.Command.Ack) {
				fault("command %s (%s) has the ack\n%s\nand %s", c.id, c.method, e.body.Command.Ack, why)
			}
		}
		if e.kind == approvalConsumed && sent && t.commands[e.command] != nil { // of a batch, the first record has the answer
			if said := t.commands[e.command].body.Command.answer(); !strings.Contains(said, `"consumed":true`) {
				fault("approval %s was consumed by command %s, which was answered %s", e.approval, e.command, said)
			}
		}
	}
	return faults
}

// tooLate reports whether e is what a decision comes to that meets a rule of now:
// the rule settles the approval, and the decision is refused as too late, which
// no log keeps (docs/DECISIONS.md).
func tooLate(c *said, e *entry) bool {
	return c.method == wire.MethodApprovalDecide && e.kind == approvalSettled && e.body.Source == "rule" && c.answer == ""
}

// ofTheDaemon reports whether a record may be there without a command: what a
// restart does, a deadline, and an agent or a reviewer who is gone.
func ofTheDaemon(e *entry) bool {
	switch e.kind {
	case recovered, policyPersisted:
		return true
	case approvalOpened:
		return e.body.Supersedes != nil
	case approvalSettled:
		return e.body.ResolvedBy == "policy"
	case inputSettled:
		return e.body.Source != "reviewer"
	case permitVoided:
		return e.body.Reason == "protectedWriteRestart" || e.body.Reason == string(wire.ReasonPermitCatalogClosed)
	case catalogClosed:
		return true
	case turnEnded:
		return e.body.Reason == "The agent disconnected."
	default:
		return false
	}
}

// carriedOut lists what an ack says and the log does not.
func (t *twin) carriedOut(c *said, ack json.RawMessage) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var is struct {
		Session      struct{ SessionID string } `json:"session"`
		ApprovalID   string                     `json:"approvalId"`
		TurnID       string                     `json:"turnId"`
		State        string                     `json:"state"`
		Terminal     bool                       `json:"terminal"`
		Cancelled    []string                   `json:"cancelled"`
		ApplyOutcome string                     `json:"applyOutcome"`
		CatalogID    string                     `json:"catalogId"`
		UserInputID  string                     `json:"userInputId"`
	}
	var of struct {
		SessionID  string `json:"sessionId"`
		ApprovalID string `json:"approvalId"`
		GrantID    string `json:"grantId"`
		TurnID     string `json:"turnId"`
		CatalogID  string `json:"catalogId"`
	}
	if err := json.Unmarshal(ack, &is); err != nil {
		fault("it cannot be read: %v", err)
	}
	if err := json.Unmarshal([]byte(c.params), &of); err != nil {
		fault("its params cannot be read: %v", err)
	}
	by := func(e *entry) bool { return e != nil && e.command == c.id }
	switch c.method {
	case wire.MethodSessionStart:
		if t.sessions[is.Session.SessionID] == nil {
			fault("there is no such session")
		}
	case wire.MethodApprovalOpen:
		a := t.approvals[is.ApprovalID]
		switch {
		case a == nil || !by(a.opened) || a.session != of.SessionID:
			fault("it opened no such approval")
		case is.State == "resolved" && !by(a.settled):
			fault("approval %s was not settled with it", a.id)
		}
	case wire.MethodApprovalDecide:
		a := t.approvals[is.ApprovalID]
		if a == nil || is.Terminal != by(a.settled) || !t.any(c.id, a.id) {
			fault("approval %s was not decided so by it", is.ApprovalID)
		}
	case wire.MethodApprovalCancel:
		for _, id := range is.Cancelled {
			if p := t.prompts[id]; p != nil && by(p.settled) && p.settled.body.Outcome == "cancelled" {
				continue
			}
			if a := t.approvals[id]; a == nil || !by(a.settled) || a.settled.body.Outcome != "cancelled" {
				fault("approval %s was not cancelled by it", id)
			}
		}
	case wire.MethodApprovalConsume:
		if a := t.approvals[of.ApprovalID]; a == nil || !by(a.consumed) {
			fault("approval %s was not consumed by it", of.ApprovalID)
		}
	case wire.MethodTurnStart, wire.MethodTurnInterrupt, wire.MethodTurnComplete:
		faults = append(faults, t.carriedOutTurn(c, cmp.Or(is.TurnID, of.TurnID))...)
	case wire.MethodApprovalPrepare, wire.MethodApprovalConsumeAll:
		faults = append(faults, t.carriedOutBatch(c, ack)...)
	case wire.MethodCatalogOpen, wire.MethodCatalogUpdate:
		if c := t.catalogs[cmp.Or(is.CatalogID, of.CatalogID)]; c == nil {
			fault("there is no such catalog")
		}
	case wire.MethodUserInputOpen, wire.MethodUserInputAnswer, wire.MethodUserInputCancel, wire.MethodUserInputClarify:
		if why := t.carriedOutPrompt(c, is.UserInputID); why != "" {
			fault("%s", why)
		}
	case wire.MethodCatalogClose:
		if c := t.catalogs[of.CatalogID]; c == nil || c.closed == nil {
			fault("catalog %s is open", of.CatalogID)
		}
	case wire.MethodSessionClose:
		if s := t.sessions[of.SessionID]; s == nil || !s.closed {
			fault("session %s is not closed", of.SessionID)
		}
	case wire.MethodGrantRevoke:
		if _, holds := t.grants[of.GrantID]; holds {
			fault("grant %s is in force", of.GrantID)
		}
	}
	return faults
}

// any reports whether a command made a record about an approval.
func (t *twin) any(command, approval string) bool {
	return slices.ContainsFunc(t.log, func(e entry) bool { return e.command == command && e.approval == approval })
}

// after is the log a restart later.
type after struct {
	*twin
	now      time.Time // when the first daemon since then was started
	complete bool      // a daemon has answered what names pending approvals
}

// faultsSince holds a log against what was in it before a restart: nothing of
// that has changed, and every approval that was pending has got what a restart
// owes it, or nothing yet.
func faultsSince(before *twin, now after) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	head := len(before.log)
	if len(now.log) < head || head > 0 && now.log[head-1].link != before.log[head-1].link {
		fault("of the %d records that were in the log some are not, or are others", head)
		return faults
	}
	waiting := map[string]int{}
	for _, a := range before.pending() {
		waiting[a.session]++
		for _, why := range before.owed(a, now) {
			fault("approval %s was pending at the crash, %s", a.id, why)
		}
	}
	for _, a := range before.order {
		protects := a.opened.body.Protected && a.allowed() && a.consumed == nil && a.voided == nil
		is := now.approvals[a.id]
		switch void := is.voided != nil && is.voided.body.Reason == "protectedWriteRestart"; {
		case protects && before.sessions[a.session].closed: // the session's end has made it void
		case protects && now.complete && !void && is.consumed != nil:
			fault("the permit of approval %s, a protected write, was taken after the restart", a.id)
		case protects && now.complete && !void:
			fault("the permit of approval %s, a protected write, has outlived the restart", a.id)
		case void && !protects:
			if a.voided == nil {
				fault("the permit of approval %s was made void by the restart, and is for no protected write", a.id)
			}
		}
	}
	faults = append(faults, faultsOfCatalogs(before, now)...)
	faults = append(faults, faultsOfPrompts(before, now)...)
	for _, e := range now.log[head:] {
		if e.kind != recovered {
			continue
		}
		if e.body.Pending != waiting[e.session] {
			fault("record %d says that %d approvals of session %s were pending, there were %d", e.seq, e.body.Pending, e.session, waiting[e.session])
		}
		waiting[e.session] = 0
	}
	return faults
}

// owed lists what is wrong with what became of an approval that was pending.
func (t *twin) owed(a *action, now after) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	is, next := now.approvals[a.id], now.approvals[successor(a)]
	expires := a.opened.body.ExpiresAt
	denied := t.denies(a.session)
	atOnce := next != nil && next.settled != nil && next.settled.seq == next.opened.seq+1
	switch {
	case is.settled == nil && next != nil:
		fault("is pending, and its successor %s was opened", next.id)
	case is.settled == nil && now.complete:
		fault("and is pending still")
	case is.settled == nil:
	case is.settled.command != "":
		fault("and command %s settled it as %s", is.settled.command, is.settled.body.Outcome)
	case a.catalogued():
		if is.settled.body.Outcome != "cancelled" || is.settled.body.Source != "catalog" || next != nil {
			fault("its catalog ended with the daemon; it was settled as %s, by %s", is.settled.body.Outcome, is.settled.body.Source)
		}
	case expires != nil && *expires <= now.now.UnixMilli():
		if is.settled.body.Outcome != "timedOut" || next != nil {
			fault("its deadline had passed; it was settled as %s", is.settled.body.Outcome)
		}
	case is.settled.body.Outcome != "superseded" || is.settled.body.Source != "recovery" || next == nil:
		fault("and was settled as %s, by %s", is.settled.body.Outcome, is.settled.body.Source)
	case t.ruled(a): // it may be denied, asked about or allowed, by what the store had
	case atOnce && next.settled.body.Source == "rule":
		fault("and its successor %s was settled by a rule that is not in force", next.id)
	case denied && (next.settled == nil || next.settled.body.Outcome != "rejected" || next.settled.body.Source != "mode"):
		fault("its session denies what nothing covers, and its successor %s was not denied", next.id)
	case !denied && atOnce && next.settled.body.Source == "mode":
		fault("and its successor %s was denied by a mode that is not in force", next.id)
	}
	return faults
}

// expected are the ids of what waits after the recovery of a log, sorted: the
// successors of what is pending, but for what has expired or is denied by now.
// Of may it cannot be told: a rule is on its way.
func (t *twin) expected(now time.Time) (ids, may []string) {
	for _, a := range t.pending() {
		at := a.opened.body.ExpiresAt
		switch {
		case a.catalogued():
		case at != nil && *at <= now.UnixMilli():
		case t.ruled(a):
			may = append(may, successor(a))
		case !t.denies(a.session):
			ids = append(ids, successor(a))
		}
	}
	slices.Sort(ids)
	return ids, may
}

// granted finds, in the text of a workspace's store, the grants that its rules
// come from.
var granted = regexp.MustCompile(`(?m)^grant = "([0-9a-f-]{36})"$`)

// faultsOfStores holds the stores of rules against the log: a rule is in the log
// before it is in a store, and what the log says is stored is there.
func (t *twin) faultsOfStores(stores string) (faults []string) {
	there := map[string]bool{}
	for _, found := range granted.FindAllStringSubmatch(stores, -1) {
		there[found[1]] = true
		if !t.rules[found[1]] {
			faults = append(faults, fmt.Sprintf("a store holds the rule of grant %s, which is not in the log", found[1]))
		}
	}
	for id, g := range t.grants {
		if g.stored && !there[id] {
			faults = append(faults, fmt.Sprintf("the log says that the rule of grant %s is stored, and it is in no store", id))
		}
	}
	return faults
}

// faultsOfCopies compares what two daemons made of copies of one log: the same
// records in each session, but for times and for what follows from them.
func faultsOfCopies(head int, one, other []entry) (faults []string) {
	a, b := recoveryOf(head, one), recoveryOf(head, other)
	for session := range b {
		if _, there := a[session]; !there {
			a[session] = nil
		}
	}
	for session, records := range a {
		if x, y := strings.Join(records, "\n"), strings.Join(b[session], "\n"); x != y {
			faults = append(faults, fmt.Sprintf("two daemons recovered session %s from copies of one log, the one as\n%s\nthe other as\n%s", session, x, y))
		}
	}
	slices.Sort(faults)
	return faults
}

// recoveryOf are the records that a recovery made, by session: those behind head
// and before the first command.
func recoveryOf(head int, log []entry) map[string][]string {
	made := map[string][]string{}
	opened := map[string]int{} // a successor's place among the recovery's records of its session
	for i, e := range log {
		switch {
		case i < head:
			continue
		case e.command != "":
			return made
		case e.kind == policyPersisted, e.kind == approvalSettled && e.body.Source == "rule" && log[i-1].approval != e.approval:
			continue // a rule that has come to its store, and what it settles, when that was
		}
		text := e.text
		if e.kind == approvalOpened {
			opened[e.approval] = len(made[e.session])
		} else if at, ours := opened[e.approval]; ours { // sessions may be recovered in any order
			text = strings.Replace(text, fmt.Sprintf(`"opened":%d`, e.body.Opened), fmt.Sprintf(`"opened":"%d of these"`, at), 1)
		}
		made[e.session] = append(made[e.session], fmt.Sprintf("%d %s %s", e.kind, e.approval, text))
	}
	return made
}
