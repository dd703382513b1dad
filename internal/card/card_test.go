package card_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

const anApproval = "0198f0aa-0000-7000-8000-000000000001"

// request is one that waits, about a subject, with a menu of two.
func request(subject string) *wire.ApprovalRequest {
	expires := wire.Time("2026-01-02T03:14:05.678Z")
	return &wire.ApprovalRequest{
		SessionID: "0198f0aa-1111-7000-8000-0000000000aa", ApprovalID: anApproval, ToolCallID: "c1", ToolName: "tool",
		RawArgs: `{"x":1}`, Reason: "because", Subject: []byte(subject), CreatedAt: "2026-01-02T03:04:05.678Z", ExpiresAt: &expires,
		CurrentRequirementID: wire.RequirementID{ApprovalID: anApproval, SourceIndex: 1},
		Policy:               wire.PolicyAnswer{Source: wire.SourceMode, Explanation: "Nothing covers it."},
		Justification:        "Nothing covers it.",
		AvailableChoices: []wire.Choice{
			{ChoiceID: wire.ChoiceAllowLocalPrefix, Label: "Allow for good", Decision: wire.DecisionApprovedPolicyAmendment, Scope: wire.ScopeLocalPersistent, RulePreview: "allow  git push …\nin /w\n"},
			{ChoiceID: wire.ChoiceAbort, Label: "Reject", Decision: wire.DecisionAbort, Scope: wire.ScopeOnce, AcceptsFeedback: true},
		},
	}
}

// set is a value as it is set, a line each.
func set(item card.Item) string {
	var b strings.Builder
	for _, l := range item.Lines {
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", l.Indent), l.Text)
		if l.Mark != card.Plain {
			fmt.Fprintf(&b, " (%s)", l.Mark)
		}
		if l.Fold != nil {
			fmt.Fprintf(&b, " [%s]", l.Fold.Size)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func warnings(c *card.Card) (texts []string) {
	for _, w := range c.Warnings {
		texts = append(texts, w.Text)
	}
	return texts
}

func TestACardSaysWhoAsksForWhatUntilWhen(t *testing.T) {
	r := request(`{"kind":"fileAccess","toolName":"t","path":"/w/real","requestedPath":"link","access":"write","exists":true,"diff":"@@ -1 +1 @@\n-a\n+b\n"}`)
	r.SubagentOrigin = &wire.SubagentOrigin{ChildSessionID: "child", Path: []string{"root", "child"}}
	r.PermissionMode, r.Justification = wire.PresetWorkspaceWrite, "I need to.\nReally."
	r.ProtectedWrite = true
	c := card.New(r, nil)
	if c.Title != "Change a file" || c.Headline.String() != "write /w/real" || !c.Pending || c.Settled != nil {
		t.Errorf("the head is %q, %q, pending %t", c.Title, c.Headline, c.Pending)
	}
	if d := cmp.Diff([]string{"root", "child"}, c.Asker.Path); d != "" {
		t.Errorf("the way to the child (-want +got):\n%s", d)
	}
	if got := c.Expires.Sub(c.Opened); got != 10*time.Minute {
		t.Errorf("there are %s between opening and deadline", got)
	}
	if c.Needs != "the preset workspace-write would cover it" || len(c.Justification) != 2 || len(c.Reason) != 1 {
		t.Errorf("needs %q, justification %v, reason %v", c.Needs, c.Justification, c.Reason)
	}
	if len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0].Text, "Protected") {
		t.Errorf("warnings: %q", warnings(c))
	}
	names := make([]string, len(c.Subject))
	for i, item := range c.Subject {
		names[i] = item.Name
	}
	if d := cmp.Diff([]string{"write", "asked as", "exists", "diff"}, names); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

// What the agent does not say is not put into its mouth: the daemon fills the
// justification with the answer of policy.
func TestPolicyIsNotAJustification(t *testing.T) {
	if c := card.New(request(`{"kind":"x"}`), nil); c.Justification != nil {
		t.Errorf("the justification is %v", c.Justification)
	}
}

func TestTheMenuIsTheServersAndVerbatim(t *testing.T) {
	got := card.New(request(`{"kind":"x"}`), nil).Choices
	want := []card.Choice{
		{ID: "allow_local_prefix", Label: card.Of("Allow for good"), Scope: wire.ScopeLocalPersistent, Allows: true, Preview: []card.Text{card.Of("allow  git push …"), card.Of("in /w")}},
		{ID: "abort", Label: card.Of("Reject"), Scope: wire.ScopeOnce, TakesReason: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("menu (-want +got):\n%s", d)
	}
}

func TestASettledCardOffersNothing(t *testing.T) {
	r := request(`{"kind":"shell","command":"rm x","cwd":"/w","shell":"bash","stages":[{"requirementId":{"approvalId":"` + anApproval + `","sourceIndex":1},"position":1,"totalStages":1,"argv":["rm","x"],"argvComplete":true,"resolution":{"kind":"unresolved"}}]}`)
	c := card.New(r, &wire.Resolution{
		Outcome: wire.OutcomeRejected, ResolvedBy: wire.ResolvedByPolicy, Source: wire.SourceRule, DecidedAt: "2026-01-02T03:05:05.678Z",
		Denial: &wire.Denial{Rule: "policy.toml rule 3", Message: "No.\nNever."},
	})
	if c.Pending || len(c.Choices) != 0 {
		t.Errorf("pending %t with %d choices", c.Pending, len(c.Choices))
	}
	if s := c.Subject[3].Stages[0]; s.Current || len(s.State) != 0 {
		t.Errorf("its stage is %+v", s)
	}
	s := c.Settled
	if s.Words != "rejected by policy" || s.By.String() != "policy.toml rule 3" || len(s.Denial) != 2 || s.Allowed {
		t.Errorf("settled: %+v", s)
	}
}

func TestAnOpaquePartAndWhatIsNotSeenAreWarnedOf(t *testing.T) {
	shell := `{"kind":"shell","command":"eval \"$x\"%s","cwd":"/w","shell":"bash","stages":[{"requirementId":{"approvalId":"` + anApproval + `","sourceIndex":1},"position":2,"totalStages":2,"argv":["eval"],"argvComplete":false,"resolution":{"kind":"unresolved","diagnostic":"eval runs text"}}]}`
	opaque := "Part 2 could not be understood: read it as text, it may do anything."
	unseen := `It has characters that are not seen: they are written out, as <U+202E> or \u202e.`
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"plain":  {"", []string{opaque}},
		"lines":  {`\nls`, []string{opaque}},
		"bidi":   {`\u202e`, []string{opaque, unseen}},
		"escape": {`\u001b[2J`, []string{opaque, unseen}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, warnings(card.New(request(fmt.Sprintf(shell, tt.in)), nil))); d != "" {
				t.Errorf("warnings (-want +got):\n%s", d)
			}
		})
	}
}

func TestWarningsOfOtherSubjects(t *testing.T) {
	r := request(`{"kind":"shell","command":"x","cwd":"/w","shell":"bash","stages":[]}`)
	r.Operation = []byte(`{"kind":"shell-unrestricted"}`)
	for name, tt := range map[string]struct {
		r     *wire.ApprovalRequest
		begin string
	}{
		"unknown kind": {request(`{"kind":"teleport"}`), "approvald does not know"},
		"no kind":      {request(`[]`), "approvald does not know"},
		"long diff":    {request(`{"kind":"fileAccess","path":"/a","requestedPath":"/a","access":"write","diffOmitted":true,"diffDigest":"sha256:0"}`), "What is to be written is too long"},
		"unrestricted": {r, "It runs outside of any sandbox"},
		"hidden in raw": {func() *wire.ApprovalRequest {
			r := request(`{"kind":"network","host":"a","port":1,"protocol":"x"}`)
			r.RawArgs = "\"\u202e\""
			return r
		}(), "It has characters"},
	} {
		t.Run(name, func(t *testing.T) {
			got := warnings(card.New(tt.r, nil))
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.begin) {
				t.Errorf("warnings are %q, want one that begins %q", got, tt.begin)
			}
		})
	}
}

func TestLinesOfADiffAreMarked(t *testing.T) {
	r := request(`{"kind":"fileAccess","path":"/a","requestedPath":"/a","access":"write","exists":true,"diff":"--- a\n+++ b\n@@ -1,3 +1,2 @@\n same\n--- no header\n+new\u202e\n"}`)
	want := `--- a (header)
+++ b (header)
@@ -1,3 +1,2 @@ (hunk)
 same
--- no header (removed)
+new<U+202E> (added)
`
	if d := cmp.Diff(want, set(card.New(r, nil).Subject[2])); d != "" {
		t.Errorf("diff (-want +got):\n%s", d)
	}
}
