package crash

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
)

// twin is what a log says, gone through naively from its first record to its
// last, and what is wrong with it whatever was said outside (protocol §3, §6,
// §7 and §8).
type twin struct {
	log       []entry
	commands  map[string]*entry // of each command, the record with its answer
	approvals map[string]*action
	order     []*action // in opening order
	sessions  map[string]*session
	begun     []*session // in the order in which they began
	catalogs  map[string]*catalog
	prompts   map[string]*prompt
	grants    map[string]*grant // those that were not revoked, and did not end with a tool
	rules     map[string]bool   // every grant that ever wrote a rule
	over      map[string]bool   // turns that were started and have ended
	faults    []string
}

// action is one approval.
type action struct {
	id, session string
	opened      *entry
	settled     *entry // its terminal record; nil: it is pending
	consumed    *entry
	voided      *entry
}

// grant is a standing permission. The load gives those that write a rule for one
// path only, in the one workspace that all its sessions have.
type grant struct {
	catalog, tool, digest string // that it is bound to; "" for none
	session               string
	rule                  bool // it wrote a rule, for writing path
	path                  string
	stored                bool // the log says that the workspace's store has it
}

type session struct {
	id, parent string
	mode       string
	closed     bool
	turn       string // the open one; "" for none
	turns      int64  // that were started
	last       uint64 // its last record
}

func (t *twin) fault(format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

// twinOf goes through a log.
func twinOf(log []entry) *twin {
	t := &twin{
		log: log, commands: map[string]*entry{}, approvals: map[string]*action{},
		catalogs: map[string]*catalog{}, prompts: map[string]*prompt{}, sessions: map[string]*session{}, grants: map[string]*grant{}, rules: map[string]bool{},
		over: map[string]bool{},
	}
	var link [16]byte
	for i := range log {
		e := &log[i]
		if e.seq != uint64(i)+1 {
			t.fault("record %d stands where %d should", e.seq, i+1)
		}
		if e.torn {
			t.fault("record %d does not match its checksum", e.seq)
		}
		if e.chain != link {
			t.fault("record %d does not follow the one before it", e.seq)
		}
		link = e.link
		t.take(e)
	}
	t.close()
	return t
}

func (t *twin) take(e *entry) {
	if e.body.Command != nil {
		if e.command == "" {
			t.fault("record %d answers no command", e.seq)
		}
		if first, twice := t.commands[e.command]; twice {
			t.fault("command %s is in the log twice, at %d and %d", e.command, first.seq, e.seq)
		} else {
			t.commands[e.command] = e
		}
	}
	if e.session == "" {
		return // a refused session/start
	}
	s := t.sessions[e.session]
	if e.kind == sessionStarted {
		if s != nil {
			t.fault("session %s began twice", e.session)
			return
		}
		s = &session{id: e.session, parent: e.body.Parent, mode: e.body.Mode}
		t.sessions[e.session], t.begun = s, append(t.begun, s)
	}
	if s == nil {
		t.fault("record %d is of session %s, which never began", e.seq, e.session)
		return
	}
	if e.prev != s.last {
		t.fault("record %d says that its session's last is %d, it is %d", e.seq, e.prev, s.last)
	}
	s.last = e.seq
	if s.closed && e.kind != commandSettled && e.kind != policyPersisted { // a refusal, and news of a rule that outlives it
		t.fault("record %d (kind %d) is of session %s, which was closed", e.seq, e.kind, e.session)
	}
	switch e.kind {
	case modeSet:
		s.mode = e.body.Mode
	case sessionClosed:
		s.closed = true
	case grantAdded:
		g := &grant{session: e.session, rule: e.body.Scope == "localPersistent"}
		g.catalog, g.tool, g.digest = e.body.Reach.Catalog, e.body.Reach.Tool, e.body.Reach.Digest
		if a := t.approvals[e.approval]; a != nil && g.rule {
			g.path = a.opened.body.Subject.Path
		}
		t.grants[e.body.GrantID] = g
		t.rules[e.body.GrantID] = g.rule
	case policyPersisted:
		if g := t.grants[e.body.GrantID]; g != nil {
			g.stored = e.body.Status == "succeeded"
		}
	case grantRevoked:
		delete(t.grants, e.body.GrantID)
	case approvalOpened, stageSettled, approvalSettled, approvalConsumed, permitVoided:
		t.about(e)
	case turnStarted, turnEnded:
		t.aboutTurn(s, e)
	case catalogOpened, catalogChanged, catalogClosed:
		t.aboutCatalog(e)
	case inputOpened, inputSettled:
		t.aboutPrompt(e)
	case sessionStarted, recovered, commandSettled:
	default:
		t.fault("record %d is of an unknown kind, %d", e.seq, e.kind)
	}
}

// about takes a record about an approval.
func (t *twin) about(e *entry) {
	a := t.approvals[e.approval]
	if e.kind == approvalOpened {
		if a != nil {
			t.fault("approval %s was opened twice, at %d and %d", e.approval, a.opened.seq, e.seq)
			return
		}
		a = &action{id: e.approval, session: e.session, opened: e}
		t.approvals[e.approval], t.order = a, append(t.order, a)
		return
	}
	switch {
	case a == nil:
		t.fault("record %d (kind %d) is of approval %s, which was never opened", e.seq, e.kind, e.approval)
		return
	case e.body.Opened != a.opened.seq || e.session != a.session:
		t.fault("record %d is of an approval opened at %d in %s; %s was at %d in %s", e.seq, e.body.Opened, e.session, a.id, a.opened.seq, a.session)
	}
	switch e.kind {
	case stageSettled:
		if a.settled != nil {
			t.fault("record %d decides a stage of approval %s, which was settled at %d", e.seq, a.id, a.settled.seq)
		}
	case approvalSettled:
		if a.settled != nil {
			t.fault("approval %s was settled twice, at %d and %d", a.id, a.settled.seq, e.seq)
			return
		}
		a.settled = e
	case approvalConsumed:
		switch {
		case a.settled == nil || a.settled.body.Successor != nil:
			t.fault("approval %s was consumed at %d, and was not decided", a.id, e.seq)
		case a.consumed != nil:
			t.fault("approval %s was consumed twice, at %d and %d", a.id, a.consumed.seq, e.seq)
		case a.voided != nil:
			t.fault("approval %s was consumed at %d, and void since %d", a.id, e.seq, a.voided.seq)
		}
		a.consumed = e
	case permitVoided:
		if a.consumed != nil || a.voided != nil || !a.allowed() {
			t.fault("record %d makes a permit of approval %s void that there is not", e.seq, a.id)
		}
		a.voided = e
	default:
	}
}

// close checks what holds at the end of a group, whatever group it is.
func (t *twin) close() {
	t.closeTurns()
	t.closeCatalogs()
	for id, p := range t.prompts {
		if p.settled == nil && t.sessions[p.session].closed {
			t.fault("session %s is closed, and prompt %s waits in it", p.session, id)
		}
	}
	for _, a := range t.order {
		if a.settled == nil && t.sessions[a.session].closed {
			t.fault("session %s is closed, and approval %s waits in it", a.session, a.id)
		}
		if a.settled != nil && a.settled.body.Successor != nil {
			t.follows(a)
		}
		if old := a.opened.body.Supersedes; old != nil && !t.superseded(*old, a) {
			t.fault("approval %s takes the place of %s, which was not superseded by it", a.id, *old)
		}
	}
}

// follows checks the successor of a, which a restart opened in the same commit:
// the same action, under the identity that follows from the log.
func (t *twin) follows(a *action) {
	id := *a.settled.body.Successor
	if want := successor(a); id != want {
		t.fault("approval %s was superseded by %s, and should be by %s", a.id, id, want)
	}
	next := t.approvals[id]
	if next == nil {
		t.fault("approval %s was superseded by %s, which was not opened", a.id, id)
		return
	}
	if was, is := carried(a), carried(next); was != is {
		t.fault("approval %s has the action\n%s\nand its successor %s\n%s", a.id, was, id, is)
	}
	if a.opened.body.Protected && !next.opened.body.Protected && (next.settled == nil || next.settled.body.PolicyResult != "deny") {
		t.fault("approval %s is a protected write, and its successor %s was not treated as one", a.id, id)
	}
}

func (t *twin) superseded(old string, by *action) bool {
	a := t.approvals[old]
	return a != nil && a.settled != nil && a.settled.body.Successor != nil && *a.settled.body.Successor == by.id
}

// carried is what a successor has of the approval before it (protocol §8).
func carried(a *action) string {
	b := a.opened.body
	expires := int64(0)
	if b.ExpiresAt != nil {
		expires = *b.ExpiresAt
	}
	justification := b.Justification
	if justification == b.Policy.Explanation { // the agent gave none, and each has that of its own policy
		justification = ""
	}
	return fmt.Sprintf("session %s call %s of %q, tool %s, args %s %s, turn %s task %s item %s run %q, reason %q justification %q operation %s requested %t, unattended %s expires %d",
		a.session, b.ToolCallID, b.ParentToolCallID, b.ToolName, b.RawArgs, b.ArgsDigest, b.TurnID, b.TaskID, b.ItemID, b.RunID,
		b.Reason, justification, b.Operation, b.Requested, b.Unattended, expires)
}

// allowed reports whether a is a permit, taken or not.
func (a *action) allowed() bool { return a.settled != nil && a.settled.body.PolicyResult == "allow" }

// successor is the identity under which a restart opens a again: UUIDv5 over
// session, id and the sequence of the opening record.
func successor(a *action) string {
	space, err := hex.DecodeString("6f1d2f0e6b1c5f0a9a530b6a6c0e7a11")
	if err != nil {
		panic(err)
	}
	h := sha1.New()
	h.Write(space)
	fmt.Fprintf(h, "%s:%s:%d", a.session, a.id, a.opened.seq)
	id := h.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	return uuid(id)
}

// pending are the approvals that wait, in opening order.
func (t *twin) pending() (waiting []*action) {
	for _, a := range t.order {
		if a.settled == nil {
			waiting = append(waiting, a)
		}
	}
	return waiting
}

// ruled reports whether a rule may settle the successor of an approval that is
// pending: one that a decision in another session wrote, and that may or may not
// have reached the store. In its own session a rule settles what waits when it is
// written, and so does a session grant.
func (t *twin) ruled(a *action) bool {
	path := a.opened.body.Subject.Path
	for _, g := range t.grants {
		if g.rule && g.path == path && path != "" && !a.opened.body.Protected {
			return true
		}
	}
	return false
}

// denies reports whether the mode of a session, or of one above it, denies what
// nothing covers.
func (t *twin) denies(id string) bool {
	for s := t.sessions[id]; s != nil; s = t.sessions[s.parent] {
		if s.mode == "denyUnmatched" {
			return true
		}
	}
	return false
}
