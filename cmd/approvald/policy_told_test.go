package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

// What a reviewer must not miss is in the details, and in the one line too.
func TestAReviewerIsToldWhatIsSpecialAboutARequest(t *testing.T) {
	r := aRequest(`{"kind":"fileAccess","toolName":"t","path":"/w/.git/config","requestedPath":"/w/.git/config","access":"write","exists":true}`)
	r.ProtectedWrite, r.PermissionMode = true, "workspace-write"
	r.SubagentOrigin = &wire.SubagentOrigin{ChildSessionID: "c", Path: []string{"a", "b", "c\u202e"}}
	var out strings.Builder
	details(&out, r, true)
	for _, line := range []string{
		"  protected  it writes a file that is protected: it is asked about in every mode, once, and only where a reviewer is there to answer\n",
		"  needs      the preset workspace-write would cover it\n",
		"  child      a > b > c<U+202E>\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the details lack %q:\n%s", line, out.String())
		}
	}
	if got, want := marks(r), "  [protected write]  [child a > b > c<U+202E>]"; got != want {
		t.Errorf("marks %q, want %q", got, want)
	}
	if got := marks(aRequest(`{}`)); got != "" {
		t.Errorf("a plain request is marked %q", got)
	}
}

func TestStagesSayWhatSettledThemOrWhatWould(t *testing.T) {
	stage := func(kind wire.StageResolutionKind, diagnostic string) wire.Stage {
		return wire.Stage{
			Position: 1, TotalStages: 1, Argv: []string{"git", "push"}, ArgvComplete: true,
			Resolution:      wire.StageResolution{Kind: kind, Diagnostic: diagnostic},
			SuggestedPrefix: &wire.SuggestedPrefix{ArgvPrefix: []string{"git", "push"}},
		}
	}
	amended := stage(wire.StagePolicyAmendment, "")
	amended.Resolution.ArgvPrefix = []string{"git", "push"}
	for name, tt := range map[string]struct {
		stage            wire.Stage
		pending, current bool
		want             string
	}{
		"open, its turn": {stage(wire.StageUnresolved, "nothing covers it"), true, true,
			"> 1 of 1     git push   [open]\n             | nothing covers it\n             | may become a rule: git push …\n"},
		"open, later": {stage(wire.StageUnresolved, ""), true, false,
			"  1 of 1     git push   [open]\n             | may become a rule: git push …\n"},
		"open once, settled since": {stage(wire.StageUnresolved, "nothing covers it"), false, false,
			"  1 of 1     git push\n             | nothing covers it\n"},
		"denied": {stage(wire.StageUnresolved, "policyDeny: rule 1 denies it"), false, false,
			"  1 of 1     git push   [denied]\n             | rule 1 denies it\n"},
		"allowed": {stage(wire.StagePolicyAllow, "user rule 1 (p:1)"), true, false,
			"  1 of 1     git push   [allowed by policy: user rule 1 (p:1)]\n"},
		"allowed for good": {amended, true, false,
			"  1 of 1     git push   [allowed for good, git push …]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			stageLine(&out, card.StageOf(tt.stage, tt.pending, tt.current))
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("stage (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExplanationsSayWhatBecomesOfAStage(t *testing.T) {
	for _, tt := range []struct {
		kind                            wire.StageResolutionKind
		diagnostic, verdict, wantReason string
	}{
		{wire.StageKnownSafe, "", "known safe", ""},
		{wire.StagePolicyAllow, "user rule 1", "allow", "user rule 1"},
		{wire.StageUnresolved, "nothing covers it", "ask", "nothing covers it"},
		{wire.StageUnresolved, "policyDeny: no", "deny", "no"},
	} {
		verdict, reason := stageVerdict(wire.StageResolution{Kind: tt.kind, Diagnostic: tt.diagnostic})
		if verdict != tt.verdict || reason != tt.wantReason {
			t.Errorf("%s %q: %s, %q; want %s, %q", tt.kind, tt.diagnostic, verdict, reason, tt.verdict, tt.wantReason)
		}
	}
	// What is neither known nor allowed must not pass for allowed.
	if got := verdictOf(&wire.Resolution{PolicyResult: "perhaps"}); got != "deny" {
		t.Errorf("an unknown policy result is %s", got)
	}
}

func TestARuleIsNamedOnce(t *testing.T) {
	for want, p := range map[string]wire.PolicyAnswer{
		"User rule 2 (p:6) denies it. (rule)":             {Source: "rule", Rule: "user rule 2 (p:6)", Explanation: "User rule 2 (p:6) denies it."},
		"Every part is allowed. (rule user rule 2 (p:6))": {Source: "rule", Rule: "user rule 2 (p:6)", Explanation: "Every part is allowed."},
		"The mode asks. (mode)":                           {Source: "mode", Explanation: "The mode asks."},
	} {
		if got := card.PolicyText(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// settledByRule never names a rule that did not decide.
func TestTheRuleThatSettledIsThatOfItsOwnAnswer(t *testing.T) {
	asked := aRequest(`{}`)
	asked.Policy = wire.PolicyAnswer{Source: "rule", Rule: "user rule 1"}
	if got := card.SettlingRule(&wire.Resolution{Source: "rule"}, asked); got != "user rule 1" {
		t.Errorf("settled at once: %q", got)
	}
	asked.AvailableChoices = question(anApproval, 0).AvailableChoices
	if got := card.SettlingRule(&wire.Resolution{Source: "rule"}, asked); got != "" {
		t.Errorf("asked about by one rule, settled by another: %q", got)
	}
	if got := card.SettlingRule(&wire.Resolution{Source: "rule", Denial: &wire.Denial{Rule: "user rule 7"}}, asked); got != "user rule 7" {
		t.Errorf("denied later: %q", got)
	}
}

func TestPersistenceIsToldEitherWay(t *testing.T) {
	for want, c := range map[string]wire.Change{
		"the rule is in the workspace's policy, for good": {Kind: wire.ChangePolicyPersistence, Status: wire.PersistenceSucceeded},
		"the rule could not be written and holds for this session only: disk<U+000A>full": {
			Kind: wire.ChangePolicyPersistence, Status: wire.PersistenceFailed, Reason: "disk\nfull",
		},
	} {
		if got := changeText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGrantsAreListedVerbatimAndEscaped(t *testing.T) {
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	var out strings.Builder
	if err := grantTable(&out, []wire.Grant{
		{
			GrantID: "0198f0ac-7777-7000-8000-0000000000a1", Scope: wire.ScopeSession, SessionID: "s1", InForce: true,
			RulePreview: "exactly this command, in /w, by bash: echo a\nb", CreatedAt: "2026-01-09T22:00:00.000Z",
			CreatedBy: wire.GrantOrigin{ApprovalID: "a1"},
		},
		{
			GrantID: "0198f0ad-7777-7000-8000-0000000000a2", Scope: wire.ScopeLocalPersistent, WorkspaceRoot: "/w\u202e",
			RulePreview: "allow it", CreatedAt: "2026-01-09T22:00:00.000Z", CreatedBy: wire.GrantOrigin{ApprovalID: "a2"},
		},
	}, now); err != nil {
		t.Fatal(err)
	}
	want := `GRANT     IN FORCE  FOR                  AGE  ON APPROVAL  COVERS
0198f0ac  yes       session s1           2h   a1           exactly this command, in /w, by bash: echo a<U+000A>b
0198f0ad  no        workspace /w<U+202E>  2h   a2           allow it
`
	if diff := cmp.Diff(strings.Fields(want), strings.Fields(out.String())); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestAGrantIsFoundByTheBeginningOfItsID(t *testing.T) {
	grants := []wire.Grant{{GrantID: "aa1"}, {GrantID: "aa2"}, {GrantID: "b"}}
	for prefix, want := range map[string]string{"aa1": "aa1", "b": "b", "aa": "", "": "", "c": ""} {
		got, err := findGrant(grants, prefix)
		if got.GrantID != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", prefix, got.GrantID, err, want)
		}
	}
}

func TestEveryFaultOfAPolicyIsCounted(t *testing.T) {
	one := &rulefile.Fault{File: "p", Line: 3, Why: "no"}
	err := errors.Join(one, errors.Join(&rulefile.Fault{File: "q", Why: "neither"}, errors.New("other")))
	want := []faultRow{{"p", 3, "no"}, {"q", 0, "neither"}, {"", 0, "other"}}
	if diff := cmp.Diff(want, faultsOf(err)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	r := checkReport{Layers: []layerRow{{Faults: want}}, Other: "more"}
	if r.faults() != 4 || r.good() || r.refusal() == nil {
		t.Errorf("%d faults, good %v", r.faults(), r.good())
	}
	if (checkReport{}).refusal() != nil {
		t.Error("a policy without a fault is refused")
	}
}

func TestWhatTheDaemonHasInForceIsSaid(t *testing.T) {
	for want, tt := range map[string]struct {
		answer daemonAnswer
		good   bool
	}{
		"no daemon is running":              {daemonAnswer{}, true},
		"is not known: refused":             {daemonAnswer{Running: true, Unknown: "refused"}, true},
		"has the policy from before":        {daemonAnswer{Running: true, Error: "p:1: no\nq:2: no"}, false},
		"p:1: no; q:2: no":                  {daemonAnswer{Running: true, Error: "p:1: no\nq:2: no"}, true},
		"the last good policy in force":     {daemonAnswer{Running: true}, false},
		"policy files in force as they are": {daemonAnswer{Running: true}, true},
	} {
		if got := tt.answer.sentence(tt.good); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want …%s…", tt.answer, got, want)
		}
	}
}

func TestAMemberIsAddedToWhateverObjectIsGiven(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:                       `{"cwd":"/w"}`,
		" {\n } ":                  `{"cwd":"/w"}`,
		`{"a":{"b":1}}`:            `{"cwd":"/w","a":{"b":1}}`,
		`{"a":1,"a":2}`:            `{"cwd":"/w","a":1,"a":2}`, // for the daemon to refuse
		"{\n\t\"a\": \"} {\"\n\t}": "{\"cwd\":\"/w\",\"a\": \"} {\"\n\t}",
	} {
		if got := string(withMember([]byte(object), "cwd", []byte(`"/w"`))); got != want {
			t.Errorf("%s becomes %s, want %s", object, got, want)
		}
	}
}
