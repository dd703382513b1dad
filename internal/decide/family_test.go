package decide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// child starts a session below parent.
func (w *world) child(parent approval.ID, more ...func(*decide.StartSession)) approval.ID {
	w.t.Helper()
	return w.start("", append([]func(*decide.StartSession){func(c *decide.StartSession) {
		c.Parent, c.WorkspaceRoot = parent, ""
	}}, more...)...)
}

func withoutGrants(c *decide.StartSession) { c.Inherit = fold.InheritNone }

func TestAChildStartsAsItsParentStands(t *testing.T) {
	w := newWorld(t)
	parent := w.start("")
	w.do(setMode(w, parent, approval.DenyUnmatched))
	child := w.session(w.child(parent))
	if child.Mode.Mode != approval.DenyUnmatched || child.Started.WorkspaceRoot != "/srv/app" {
		t.Errorf("mode %s in %q", child.Mode.Mode, child.Started.WorkspaceRoot)
	}
	if diff := cmp.Diff([]approval.ID{parent, child.ID}, child.Lineage); diff != "" {
		t.Errorf("lineage (-want +got):\n%s", diff)
	}
	o := child.Object(fold.Profile{})
	if o.Kind != wire.SessionSubagent || o.ParentSessionID != parent.String() {
		t.Errorf("kind %s of %s", o.Kind, o.ParentSessionID)
	}
}

func TestAChildIsRefusedWhereItsParentCannotBeOne(t *testing.T) {
	w := newWorld(t)
	closed := w.start("")
	w.do(decide.CloseSession{Intent: w.intent(), Session: closed})
	deep := w.start("")
	for range 15 {
		deep = w.child(deep)
	}
	for name, c := range map[string]struct {
		parent approval.ID
		want   int
	}{
		"unknown":       {approval.ID{15: 0xee}, wire.CodeSessionNotFound},
		"closed":        {closed, wire.CodeCommandRejected},
		"sixteen above": {deep, wire.CodeInvalidParams},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.do(decide.StartSession{Intent: w.intent(), Parent: c.parent, Unattended: approval.Park})
			if r.Refusal == nil || r.Refusal.Code != c.want {
				t.Errorf("%v %s, want %d", r.Refusal, r.Ack, c.want)
			}
		})
	}
}

// The strictest answer under its own mode and each of its ancestors' holds
// (policy.md "Sub-agents").
func TestTheStrictestModeOfTheFamilyHolds(t *testing.T) {
	const (
		allow  = approval.AllowAll
		prompt = approval.PromptUnmatched
		deny   = approval.DenyUnmatched
	)
	for _, c := range []struct {
		grandparent, parent, child approval.Mode
		want                       approval.Resolution // zero: asked
	}{
		{allow, allow, allow, approval.ByModeAllow},
		{prompt, allow, allow, approval.Resolution{}},
		{allow, prompt, allow, approval.Resolution{}},
		{allow, allow, prompt, approval.Resolution{}},
		{deny, allow, prompt, approval.ByModeDeny},
		{prompt, deny, allow, approval.ByModeDeny},
		{allow, prompt, deny, approval.ByModeDeny},
	} {
		w := newWorld(t)
		top := w.start(c.grandparent)
		middle := w.child(top, func(s *decide.StartSession) { s.Mode = c.parent })
		session := w.child(middle, func(s *decide.StartSession) { s.Mode = c.child })
		id := w.open(session, file)
		if c.want == (approval.Resolution{}) {
			w.isPending(session, id, 0)
			continue
		}
		w.endedAs(session, id, c.want)
	}
}

func TestGrantsFlowDownAndNeverUpOrAcross(t *testing.T) {
	w := newWorld(t)
	top := w.start("")
	giver := w.child(top)
	heir := w.child(giver)
	stranger := w.child(giver, withoutGrants)
	below := w.child(stranger) // inherits from one that does not
	sibling := w.child(top)
	w.choose(giver, w.open(giver, file), 0, wire.ChoiceAllowSession)
	for name, c := range map[string]struct {
		session approval.ID
		granted bool
	}{
		"itself": {giver, true}, "its child": {heir, true}, "a child with inherit none": {stranger, false},
		"a child of that": {below, false}, "its parent": {top, false}, "its sibling": {sibling, false},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.open(c.session, file)
			if c.granted {
				w.endedAs(c.session, id, approval.BySessionGrant)
			} else {
				w.isPending(c.session, id, 0)
			}
		})
	}
}

func TestAGrantSettlesWhatWaitsInTheSessionsThatSeeIt(t *testing.T) {
	w := newWorld(t)
	giver := w.start("")
	heir := w.child(giver)
	stranger := w.child(giver, withoutGrants)
	inHeir, inStranger := w.open(heir, file), w.open(stranger, file)
	w.choose(giver, w.open(giver, file), 0, wire.ChoiceAllowSession)
	w.endedAs(heir, inHeir, approval.BySessionGrant)
	w.isPending(stranger, inStranger, 0)
	if n := w.session(giver).Below; n != 1 {
		t.Errorf("%d pending below, want 1", n)
	}
}

func TestTheEndOfAnAncestorReachesItsDescendants(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(w *world, top approval.ID) decide.Command
		want approval.Resolution
	}{
		"close": {func(w *world, top approval.ID) decide.Command {
			return decide.CloseSession{Intent: w.intent(), Session: top}
		}, approval.BySessionClose},
		"cancel all": {func(w *world, top approval.ID) decide.Command {
			return decide.Cancel{Intent: w.intent(), Session: top, All: true}
		}, approval.ByAgentCancel},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			top := w.start("")
			child := w.child(top)
			grandchild := w.child(child)
			other := w.start("")
			inChild, inGrandchild, elsewhere := w.open(child, file), w.open(grandchild, file), w.open(other, file)
			if got := w.session(top).Attention(); len(got) != 1 {
				t.Errorf("the ancestor's attention is %v while they wait", got)
			}
			end := c.end(w, top)
			first := w.do(end)
			w.endedAs(child, inChild, c.want)
			w.endedAs(grandchild, inGrandchild, c.want)
			w.isPending(other, elsewhere, 0)
			if again := w.do(end); string(again.Ack) != string(first.Ack) || len(again.Records) != 0 {
				t.Errorf("again: %s and %d records, want %s", again.Ack, len(again.Records), first.Ack)
			}
			if w.session(top).Below != 0 {
				t.Errorf("%d still counted below", w.session(top).Below)
			}
		})
	}
}

func TestChildrenCloseWithTheirParent(t *testing.T) {
	w := newWorld(t)
	top := w.start("")
	child := w.child(top)
	grandchild := w.child(child)
	w.do(decide.CloseSession{Intent: w.intent(), Session: child})
	if w.session(top).Closed || !w.session(child).Closed || !w.session(grandchild).Closed {
		t.Errorf("closed: top %v, child %v, grandchild %v", w.session(top).Closed, w.session(child).Closed, w.session(grandchild).Closed)
	}
	if got := w.session(grandchild).CloseReason; got != string(wire.CloseWithParent) {
		t.Errorf("the grandchild closed as %q", got)
	}
}

// What a parent's preset allows is about the parent's workspace: a child cannot
// widen it by naming another.
func TestAChildOfAnotherWorkspaceIsNotUnderItsParentsPreset(t *testing.T) {
	w := newWorld(t)
	preset := func(c *decide.StartSession) { c.Preset = approval.WorkspaceWrite }
	parent := w.start("", preset)
	near := w.child(parent, preset)
	far := w.child(parent, preset, func(c *decide.StartSession) { c.WorkspaceRoot = "/srv/lib" })
	w.endedAs(near, w.open(near, file), approval.ByModeAllow)
	w.isPending(far, w.open(far, approval.File{ToolName: "write", Path: "/srv/lib/a.txt", RequestedPath: "a.txt", Access: "write"}), 0)
}
