package decide_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

func allowing(words ...string) policy.Rule {
	return policy.Rule{Effect: policy.Allow, Kind: approval.KindShell, HasArgv: true, Argv: words}
}

func denying(words ...string) policy.Rule {
	return policy.Rule{Effect: policy.Deny, Kind: approval.KindShell, HasArgv: true, Argv: words}
}

// What waits is asked again by the full policy when rules arrive: each approval
// that they settle has its own terminal record and events (policy.md "Files").
func TestNewRulesSettleWhatTheyMatch(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	half := w.open(session, shell("a; b; c"))
	w.choose(session, half, 0, wire.ChoiceAllowOnce)
	whole := w.open(session, shell("b"))
	doomed := w.open(session, shell("a; d"))
	other := w.open(session, shell("a"))
	w.rules(allowing("b"), denying("d"))
	r := w.do(decide.PolicyChanged{Session: session})
	want := []string{
		"stage 1 policy, then 2: allow_once allow_session abort", "approval/requested",
		"stage 0 policy, then 0:", "resolved approved by policy (rule)",
		"resolved denied by policy (rule)",
	}
	got := w.tell(r)
	for i, line := range got {
		if strings.HasPrefix(line, "requested 2:") {
			got[i] = "approval/requested"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.isPending(session, half, 2)
	w.endedAs(session, whole, approval.ByRuleAllow)
	w.endedAs(session, doomed, approval.ByRuleDeny)
	w.isPending(session, other, 0)
	if rule := w.approval(session, doomed).Settled.Rule; rule != "user rule 2" {
		t.Errorf("it was denied by %q", rule)
	}
	if again := w.do(decide.PolicyChanged{Session: session}); len(again.Records) != 0 {
		t.Errorf("asked again, it made %d records", len(again.Records))
	}
}

func TestRulesThatGoSettleNothing(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.rules(allowing("a"))
	id := w.open(session, shell("a; b"))
	w.isPending(session, id, 1)
	w.rules()
	if r := w.do(decide.PolicyChanged{Session: session}); len(r.Records) != 0 {
		t.Errorf("%v", w.tell(r))
	}
}

func TestADenyRuleThatCameMeanwhileBeatsTheReviewer(t *testing.T) {
	for _, choice := range []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowSession} {
		w := newWorld(t)
		session := w.start("")
		id := w.open(session, shell("d"))
		w.rules(denying("d"))
		r := w.do(w.choice(session, id, 0, choice))
		if r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalAlreadyResolved || r.Refusal.Data.Resolution.Outcome != wire.OutcomeRejected {
			t.Errorf("%s: %v %s", choice, r.Refusal, r.Ack)
		}
		w.endedAs(session, id, approval.ByRuleDeny)
	}
}

func TestADenyRuleOfNowStopsConsumption(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("d"))
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.rules(denying("d"))
	take := w.consuming(session, id, func(c *decide.Consume) {
		c.Action = approval.Action{Subject: shell("d"), Found: found(shell("d"))}
	})
	if r := w.do(take); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonDenied {
		t.Errorf("%v %s", r.Refusal, r.Ack)
	}
}

// A rule that is written at a stage covers the rest at once and stays, whatever
// becomes of the approval (protocol §6 "Stages").
func TestARuleWrittenAtAStageCoversTheRestAndStays(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("git add a; make; git add b"))
	r := w.do(w.choice(session, id, 0, wire.ChoiceAllowLocalPrefix))
	want := []string{
		"stage 0 allow_local_prefix, then 1: allow_once allow_all_once allow_session abort",
		"stage 2 policy, then 1: allow_once allow_session abort",
		"requested 1: allow_once allow_session abort",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	stages := w.full(session, id).Stages
	if diff := cmp.Diff([]string{"git", "add"}, stages[0].ArgvPrefix); stages[0].Kind != approval.StagePolicyAmendment || diff != "" {
		t.Errorf("stage 0 is %+v", stages[0])
	}
	w.choose(session, id, 1, wire.ChoiceAbort)
	w.endedAs(session, w.open(session, shell("git add c")), approval.ByRuleAllow)
}

func TestAPersistentChoiceEndsTheApprovalByItself(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, network)
	r := w.do(w.choice(session, id, 0, wire.ChoiceAllowLocalNetwork))
	if diff := cmp.Diff([]string{"resolved approvedPolicyAmendment by user (reviewer)"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.endedAs(session, id, approval.ByReviewerRule)
	if got := w.approval(session, id).Settled.Amendment; got == nil || got.Durability != "localPersistent" {
		t.Errorf("amendment %+v", got)
	}
	w.endedAs(session, w.open(session, network), approval.ByRuleAllow)
	w.isPending(session, w.open(session, approval.Network{Host: "other.example", Port: 443, Protocol: "https"}), 0)
}

func TestWithoutAWorkspaceNoRuleIsOffered(t *testing.T) {
	w := newWorld(t)
	session := w.start("", func(c *decide.StartSession) { c.WorkspaceRoot = "" })
	r := w.do(w.opening(session, network))
	if diff := cmp.Diff([]string{"requested 0: allow_once allow_session abort"}, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// granted is the id of the last grant that was given.
func (w *world) granted() approval.ID {
	w.t.Helper()
	for _, r := range slices.Backward(w.log) {
		if body, ok := r.Body.(*record.GrantAdded); ok {
			return body.GrantID
		}
	}
	w.t.Fatal("no grant was given")
	return approval.ID{}
}

func TestARuleHoldsForItsSessionUntilTheStoreHasIt(t *testing.T) {
	w := newWorld(t)
	session, other := w.start(""), w.start("")
	id := w.open(session, network)
	w.choose(session, id, 0, wire.ChoiceAllowLocalNetwork)
	grant := w.granted()
	w.isPending(other, w.open(other, network), 0) // no store has it yet

	failed := w.do(decide.RuleStored{Grant: grant, Err: errors.New("no space left")})
	if diff := cmp.Diff([]string{"policyPersistence failed:"}, w.tell(failed)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.endedAs(session, w.open(session, network), approval.ByRuleAllow)

	stored := w.do(decide.RuleStored{Grant: grant})
	if diff := cmp.Diff([]string{"policyPersistence succeeded:"}, w.tell(stored)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.isPending(session, w.open(session, network), 0) // the store's rule is not in this policy
	if again := w.do(decide.RuleStored{Grant: grant}); len(again.Records) != 0 {
		t.Errorf("told again, it made %d records", len(again.Records))
	}
}

func TestAStoredRuleIsToldAtTheLastStageOfWhatHasEnded(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("make && go test"))
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.choose(session, id, 1, wire.ChoiceAllowLocalPrefix)

	stored := w.do(decide.RuleStored{Grant: w.granted()})
	if len(stored.Records) != 1 {
		t.Fatalf("storing made %d records; want 1", len(stored.Records))
	}
	body, ok := stored.Records[0].Body.(*record.PolicyPersisted)
	if !ok || body.Next != 1 {
		t.Errorf("the record is %+v; want one at requirement 1, the last", stored.Records[0].Body)
	}
}

func TestARevokedGrantIsOutOfForce(t *testing.T) {
	for name, choice := range map[string]wire.ChoiceID{"of the session": wire.ChoiceAllowSession, "persistent": wire.ChoiceAllowLocalNetwork} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			w.choose(session, w.open(session, network), 0, choice)
			revoke := decide.RevokeGrant{Intent: w.intent(), Session: session, Grant: w.granted()}
			first := w.do(revoke)
			if first.Refusal != nil || len(first.Records) != 1 {
				t.Fatalf("%v, %d records", first.Refusal, len(first.Records))
			}
			w.isPending(session, w.open(session, network), 0)
			if again := w.do(revoke); string(again.Ack) != string(first.Ack) || len(again.Records) != 0 {
				t.Errorf("again: %s, %d records", again.Ack, len(again.Records))
			}
			if twice := w.do(decide.RevokeGrant{Intent: w.intent(), Session: session, Grant: revoke.Grant}); twice.Refusal != nil {
				t.Errorf("another command for the same: %v", twice.Refusal)
			}
		})
	}
}

func TestAGrantIsRevokedThroughASessionThatItIsOf(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	neighbour := w.start("")
	elsewhere := w.start("", func(c *decide.StartSession) { c.WorkspaceRoot = "/srv/lib" })
	w.choose(session, w.open(session, network), 0, wire.ChoiceAllowSession)
	ofSession := w.granted()
	w.choose(session, w.open(session, tool), 0, wire.ChoiceAllowLocalMCPTool)
	ofWorkspace := w.granted()
	for name, c := range map[string]struct {
		through, grant approval.ID
		may            bool
	}{
		"a session grant elsewhere":          {neighbour, ofSession, false},
		"a workspace's from another session": {neighbour, ofWorkspace, true},
		"a workspace's from another one":     {elsewhere, ofWorkspace, false},
		"one that was never given":           {session, approval.ID{15: 0xee}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.do(decide.RevokeGrant{Intent: w.intent(), Session: c.through, Grant: c.grant})
			if may := r.Refusal == nil; may != c.may {
				t.Errorf("%v", r.Refusal)
			}
			if r.Refusal != nil && r.Refusal.Code != wire.CodeNotFound {
				t.Errorf("refused as %v", r.Refusal)
			}
		})
	}
}

var gitHook = approval.File{ToolName: "write", Path: "/srv/app/.git/hooks/post-commit", RequestedPath: ".git/hooks/post-commit", Access: "write"}

func TestAProtectedWriteIsDecidedWhileSomebodyWatches(t *testing.T) {
	w := newWorld(t)
	session := w.start(approval.AllowAll)
	r := w.do(w.opening(session, gitHook))
	if diff := cmp.Diff([]string{"requested 0: allow_once abort"}, w.tell(r)); diff != "" {
		t.Fatalf("events (-want +got):\n%s", diff)
	}
	id := r.Records[0].Approval
	if p := w.full(session, id).Params(w.session(session).Lineage); !p.ProtectedWrite || p.PermissionMode != "" {
		t.Errorf("protectedWrite %v, permissionMode %q, which no preset is", p.ProtectedWrite, p.PermissionMode)
	}
	w.attended = false
	allow := w.choice(session, id, 0, wire.ChoiceAllowOnce)
	refused := w.do(allow)
	if refused.Refusal == nil || refused.Refusal.Code != wire.CodeApprovalReviewerUnavailable || len(refused.Records) != 0 {
		t.Fatalf("%v %s, %d records", refused.Refusal, refused.Ack, len(refused.Records))
	}
	w.attended = true
	if r := w.do(allow); r.Refusal != nil {
		t.Errorf("the same command, when somebody watches: %v", r.Refusal)
	}
}

func TestAProtectedWriteMayBeRejectedByAnybody(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, gitHook)
	w.attended = false
	w.choose(session, id, 0, wire.ChoiceAbort)
	w.endedAs(session, id, approval.ByReviewerAbort)
}

func TestAPermitForAProtectedWriteEndsWithTheDaemon(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, gitHook)
	w.choose(session, id, 0, wire.ChoiceAllowOnce)
	w.do(decide.Recover{Session: session})
	if r := w.do(w.consuming(session, id)); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonProtectedWriteRestart {
		t.Errorf("%v %s", r.Refusal, r.Ack)
	}
}

func TestAModeThatIsSetLeavesThePreset(t *testing.T) {
	w := newWorld(t)
	session := w.start("", func(c *decide.StartSession) { c.Preset = approval.WorkspaceWrite })
	w.endedAs(session, w.open(session, file), approval.ByModeAllow)
	w.do(setMode(w, session, approval.DenyUnmatched))
	w.do(setMode(w, session, approval.PromptUnmatched))
	w.isPending(session, w.open(session, file), 0)
	if p := w.session(session).Object(w.env().Profile).Preset; p != "" {
		t.Errorf("the session still says %s", p)
	}
}

func TestPresetsObeyTheCeiling(t *testing.T) {
	for _, c := range []struct {
		preset    approval.Preset
		ceiling   approval.Mode
		fromAgent bool
		may       bool
	}{
		{approval.ReadOnly, approval.PromptUnmatched, false, true},
		{approval.ReadOnly, approval.PromptUnmatched, true, true},
		{approval.ReadOnly, approval.DenyUnmatched, false, false},
		{approval.WorkspaceWrite, approval.PromptUnmatched, false, true},
		{approval.WorkspaceWrite, approval.AllowAll, true, false},
		{approval.DangerFullAccess, approval.PromptUnmatched, false, false},
		{approval.DangerFullAccess, approval.AllowAll, false, true},
		{approval.DangerFullAccess, approval.AllowAll, true, false},
	} {
		w := newWorld(t)
		w.limits.Ceiling = c.ceiling
		r := w.do(decide.StartSession{Intent: w.intent(), Preset: c.preset, FromAgent: c.fromAgent, Unattended: approval.Park})
		if may := r.Refusal == nil; may != c.may {
			t.Errorf("%s under %s, agent %v: %v", c.preset, c.ceiling, c.fromAgent, r.Refusal)
		}
		if r.Refusal != nil && (r.Refusal.Data.Reason != wire.ReasonApprovalModeCeiling || len(r.Records) != 1) {
			t.Errorf("%s under %s: %v, %d records", c.preset, c.ceiling, r.Refusal, len(r.Records))
		}
	}
}

func TestWhatAModeAllowedNamesWhoSwitchedItOn(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.do(setMode(w, session, approval.AllowAll))
	id := w.open(session, file)
	_, why, _ := strings.Cut(string(w.opened(id).Policy), `"explanation":`)
	if !strings.Contains(why, "tester (both)") || !strings.Contains(why, "2026-01-02T03:04:05.678Z") {
		t.Errorf("explanation %s", why)
	}
}

// opened is an approval's opening record.
func (w *world) opened(id approval.ID) *record.ApprovalOpened {
	w.t.Helper()
	for _, r := range w.log {
		if body, ok := r.Body.(*record.ApprovalOpened); ok && r.Approval == id {
			return body
		}
	}
	w.t.Fatalf("no approval %s was opened", id)
	return nil
}

// A restart whose splitter reads a command in another way knows nothing of what
// its parts touch: a reviewer is asked in every mode, and a protected write stays
// one.
func TestWhatARestartSplitsOtherwiseIsAskedInEveryMode(t *testing.T) {
	for name, protected := range map[string]bool{"a command": false, "a protected write": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			subject := shell("echo x > .git/config")
			subject.Stages = append(subject.Stages, subject.Stages[0]) // as an older version split it
			id := w.open(session, subject, func(o *decide.Open) {
				o.Action.Found = approval.Found{Parts: make([]approval.Part, 2), Protected: protected}
			})
			w.do(setMode(w, session, approval.AllowAll))
			w.do(decide.Recover{Session: session})
			next := pending(t, w, session)
			p := w.full(session, next).Params(w.session(session).Lineage)
			if p.ProtectedWrite != protected || ids(p.AvailableChoices) != " allow_once abort" {
				t.Errorf("protectedWrite %v, menu%s", p.ProtectedWrite, ids(p.AvailableChoices))
			}
			if w.approval(session, id).Pending() {
				t.Error("the old identity is pending still")
			}
		})
	}
}

func TestARuleOfOneWorkspaceIsNotInForceInAnother(t *testing.T) {
	w := newWorld(t)
	parent := w.start("")
	child := w.child(parent, func(c *decide.StartSession) { c.WorkspaceRoot = "/srv/lib" })
	near := w.child(parent)
	w.choose(parent, w.open(parent, network), 0, wire.ChoiceAllowLocalNetwork)
	w.isPending(child, w.open(child, network), 0)
	id := w.open(near, network)
	w.endedAs(near, id, approval.ByRuleAllow)
	if rule := w.approval(near, id).Settled.Rule; rule != "session rule 1" {
		t.Errorf("the rule is named %q", rule)
	}
}

func TestAnInheritedModeNamesWhoSwitchedItOn(t *testing.T) {
	w := newWorld(t)
	parent := w.start("")
	w.do(setMode(w, parent, approval.AllowAll))
	child := w.child(parent, func(c *decide.StartSession) { c.By.Client = "robot" })
	id := w.open(child, file)
	if why := string(w.opened(id).Policy); !strings.Contains(why, "switched on by tester") {
		t.Errorf("policy %s", why)
	}
}

func TestCancellingAllVoidsThePermitsBelow(t *testing.T) {
	w := newWorld(t)
	parent := w.start("")
	child := w.child(parent)
	id := w.open(child, file)
	w.choose(child, id, 0, wire.ChoiceAllowOnce)
	w.do(decide.Cancel{Intent: w.intent(), Session: parent, All: true})
	if r := w.do(w.consuming(child, id)); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonCallEnded {
		t.Errorf("%v %s", r.Refusal, r.Ack)
	}
}

func TestAClosedSessionIsOwedNothingByARestart(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	w.choose(session, w.open(session, gitHook), 0, wire.ChoiceAllowOnce)
	w.do(decide.CloseSession{Intent: w.intent(), Session: session})
	if r := w.do(decide.Recover{Session: session}); len(r.Records) != 0 || decide.NeedsRecovery(w.session(session)) {
		t.Errorf("%d records behind sessionClosed", len(r.Records))
	}
}

func TestAnAgentThatIsThereKeepsWhatIsBelowItsSession(t *testing.T) {
	w := newWorld(t)
	top := w.start("", func(c *decide.StartSession) { c.CancelOnDisconnect = true })
	gone := w.child(top)
	owned := w.child(top)
	below := w.child(owned)
	w.owners = map[approval.ID]bool{owned: true}
	inGone, inOwned, inBelow := w.open(gone, file), w.open(owned, file), w.open(below, file)
	w.do(decide.AgentGone{Session: top})
	w.endedAs(gone, inGone, approval.ByAgentCancel)
	w.isPending(owned, inOwned, 0)
	w.isPending(below, inBelow, 0)
}

// What is published with a stage that others follow at once offers no rule about
// a later one.
func TestARecordInBetweenOffersNoRuleOfALaterStage(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.open(session, shell("a; git add x; git push y"))
	w.rules(allowing("a"), allowing("git", "add"))
	r := w.do(decide.PolicyChanged{Session: session})
	want := []string{
		"stage 0 policy, then 1: allow_once allow_all_once allow_session abort",
		"stage 1 policy, then 2: allow_once allow_session allow_local_prefix abort",
		"requested 2: allow_once allow_session allow_local_prefix abort",
	}
	if diff := cmp.Diff(want, w.tell(r)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.isPending(session, id, 2)
}

// A choice that would leave something behind loses to a rule that came before it
// and settles the approval itself, and is not on the menu once a rule asks.
func TestAStandingChoiceMeetsTheRulesOfNow(t *testing.T) {
	for _, choice := range []wire.ChoiceID{wire.ChoiceAllowSession, wire.ChoiceAllowLocalPrefix} {
		w := newWorld(t)
		session := w.start("")
		allowed, asked := w.open(session, shell("git add x")), w.open(session, shell("git push y"))
		asking := denying("git", "push")
		asking.Effect = policy.Ask
		w.rules(allowing("git", "add"), asking)
		if r := w.do(w.choice(session, allowed, 0, choice)); r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalAlreadyResolved {
			t.Errorf("%s, where a rule allows: %v %s", choice, r.Refusal, r.Ack)
		}
		w.endedAs(session, allowed, approval.ByRuleAllow)
		if r := w.do(w.choice(session, asked, 0, choice)); r.Refusal == nil || r.Refusal.Code != wire.CodeApprovalChoiceInvalid {
			t.Errorf("%s, where a rule asks: %v %s", choice, r.Refusal, r.Ack)
		}
	}
}
