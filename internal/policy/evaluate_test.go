package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

const unheardOf approval.Mode = "unheardOf"

// verdictRow is a row of the table: what becomes of each sort of subject.
type verdictRow struct {
	mode                               approval.Mode
	requested                          bool
	unmatched, granted, safe, stranger answer
}

// answer is what a verdict comes to: its effect and what decided.
type answer struct {
	effect policy.Effect
	source string
}

var (
	byMode    = answer{policy.Allow, "mode"}
	byGrant   = answer{policy.Allow, "sessionGrant"}
	byBuiltin = answer{policy.Allow, "builtin"}
	asks      = answer{policy.Ask, "mode"}
	denies    = answer{policy.Deny, "mode"}
)

// The table of policy.md "Verdict", without the rules that this version does
// not have: for each mode and requested flag, what becomes of a subject that
// nothing covers, of one that a session grant covers, of a command whose every
// part is known to be safe, and of a kind that nobody has rules for (for which
// no session grant is defined).
var verdicts = []verdictRow{
	{approval.AllowAll, false, byMode, byGrant, byBuiltin, asks},
	{approval.AllowAll, true, byMode, byGrant, byBuiltin, asks},
	{approval.PromptUnmatched, false, asks, byGrant, byBuiltin, asks},
	{approval.PromptUnmatched, true, asks, byGrant, byBuiltin, asks},
	{approval.OnRequest, false, byMode, byGrant, byBuiltin, asks},
	{approval.OnRequest, true, asks, byGrant, byBuiltin, asks},
	{approval.DenyUnmatched, false, denies, byGrant, byBuiltin, denies},
	{approval.DenyUnmatched, true, denies, byGrant, byBuiltin, denies},
	{unheardOf, false, denies, byGrant, byBuiltin, asks},
	{unheardOf, true, denies, byGrant, byBuiltin, asks},
}

var (
	open = approval.StageResolution{Kind: approval.StageUnresolved}
	safe = approval.StageResolution{Kind: approval.StageKnownSafe}
	once = approval.StageResolution{Kind: approval.StageAllowOnce}
)

// ordinary are subjects that the mode decides on where nothing covers them.
var ordinary = map[string]approval.Subject{
	"file":                     approval.File{Path: "/srv/app/a.txt", Access: "write"},
	"network":                  approval.Network{Host: "example.org", Port: 443, Protocol: "https"},
	"process":                  approval.Process{Action: "signal", Target: "SIGTERM"},
	"tool":                     approval.Tool{ServerName: "github", ToolName: "create_issue"},
	"shell, one part":          shell(open),
	"shell, partly safe":       shell(safe, open, safe),
	"shell, partly decided":    shell(once, open),
	"shell, stages not split":  shell(), // nothing is known to be safe about it
	"shell, an opaque command": shell(approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: "does not parse"}),
}

var stranger = approval.Unknown{Name: "teleport", Raw: json.RawMessage(`{"kind":"teleport"}`)}

func TestEvaluateGivesTheVerdictOfTheTable(t *testing.T) {
	for _, row := range verdicts {
		for name, subject := range ordinary {
			row.check(t, name, subject, nothing, row.unmatched)
			row.check(t, name+", granted", subject, everything, row.granted)
		}
		row.check(t, "shell, all of it safe", shell(safe, safe), nothing, row.safe)
		row.check(t, "shell, nothing left open", shell(once, safe), nothing, row.safe)
		row.check(t, "unknown kind", stranger, nothing, row.stranger)
		row.check(t, "unknown kind, grants for everything", stranger, everything, row.stranger)
	}
}

// check is the test of one cell.
func (row verdictRow) check(t *testing.T, name string, s approval.Subject, granted lookup, want answer) {
	t.Helper()
	t.Run(fmt.Sprintf("%s, requested %v, %s", row.mode, row.requested, name), func(t *testing.T) {
		v := none.Evaluate(
			approval.Action{Subject: s, Found: looked(s), Requested: row.requested},
			policy.Context{Under: under(row.mode), Granted: granted},
		)
		if got := (answer{v.Effect, v.Source}); got != want {
			t.Fatalf("effect and source %v, want %v", got, want)
		}
		if v.Explanation == "" {
			t.Error("it is not explained")
		}
		if v.Effect == policy.Ask {
			if v.Resolution != (approval.Resolution{}) {
				t.Errorf("a question is settled by %v", v.Resolution)
			}
		} else if got := v.Resolution; got != resolutions[want] {
			t.Errorf("settled by %v, want %v", got, resolutions[want])
		}
		_, grantable := s.Reach()
		if want := v.Effect == policy.Ask && grantable; v.Menu.Session != want {
			t.Errorf("Menu.Session = %v, want %v", v.Menu.Session, want)
		}
	})
}

var resolutions = map[answer]approval.Resolution{
	byMode:    approval.ByModeAllow,
	byGrant:   approval.BySessionGrant,
	byBuiltin: approval.ByBuiltinAllow,
	denies:    approval.ByModeDeny,
}

func TestEvaluateSaysOfEachStageWhatBecameOfIt(t *testing.T) {
	opaque := approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: "does not parse"}
	settled := func(why string) approval.StageResolution {
		return approval.StageResolution{Kind: approval.StagePolicyAllow, Diagnostic: why}
	}
	asked := approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: `nothing in force covers the command "make"`}
	denied := func(why string) approval.StageResolution {
		return approval.StageResolution{
			Kind:       approval.StageUnresolved,
			Diagnostic: "policyDeny: " + why + `, and the mode denyUnmatched denies it.`,
		}
	}
	deniedOpen := denied(`Nothing in force covers the command "make"`)
	deniedOpaque := denied(`No rule covers the command "make": does not parse`)
	byMode := settled("The mode allowAll allows everything")
	grant := settled("session grant " + theGrant.ID.String())
	for _, c := range []struct {
		name    string
		mode    approval.Mode
		granted lookup
		subject approval.Subject
		want    []approval.StageResolution
	}{
		{"asked: what is open says why", approval.PromptUnmatched, nothing, shell(safe, open, once, opaque), stages(safe, asked, once, opaque)},
		{"allowed: the open ones by the mode", approval.AllowAll, nothing, shell(safe, open, once, opaque),
			stages(safe, byMode, once, byMode)},
		{"denied: the open ones stay unresolved", approval.DenyUnmatched, nothing, shell(safe, open, once, opaque), stages(safe, deniedOpen, once, deniedOpaque)},
		{"granted: the open ones by the grant", approval.PromptUnmatched, everything, shell(safe, open, once, opaque), stages(safe, grant, once, grant)},
		{"safe: as they were", approval.DenyUnmatched, nothing, shell(safe, safe), stages(safe, safe)},
		{"a subject without stages has none", approval.AllowAll, nothing, approval.File{}, nil},
		{"a subject without stages has none, granted", approval.AllowAll, everything, approval.File{}, nil},
		{"an unknown kind has none", approval.PromptUnmatched, nothing, stranger, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := approval.Resolutions(c.subject)
			v := none.Evaluate(approval.Action{Subject: c.subject, Found: looked(c.subject)}, policy.Context{Under: under(c.mode), Granted: c.granted})
			if diff := cmp.Diff(c.want, v.Stages); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, approval.Resolutions(c.subject)); diff != "" {
				t.Errorf("the action was changed:\n%s", diff)
			}
		})
	}
}

func TestAGrantIsLookedUpByTheReachOfTheSubject(t *testing.T) {
	for name, subject := range ordinary {
		t.Run(name, func(t *testing.T) {
			var asked []approval.Reach
			none.Evaluate(approval.Action{Subject: subject, Found: looked(subject)}, policy.Context{
				Under: under(approval.PromptUnmatched),
				Granted: func(r approval.Reach) (approval.Grant, bool) {
					asked = append(asked, r)
					return approval.Grant{}, false
				},
			})
			want, _ := subject.Reach()
			if diff := cmp.Diff([]approval.Reach{want}, asked); diff != "" {
				t.Errorf("looked up (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExplanationsNameWhatDecided(t *testing.T) {
	for _, c := range []struct {
		name      string
		mode      approval.Mode
		requested bool
		granted   lookup
		subject   approval.Subject
		says      string
	}{
		{"mode", approval.AllowAll, false, nothing, approval.File{}, "allowAll"},
		{"mode that asks", approval.PromptUnmatched, false, nothing, approval.File{}, "promptUnmatched"},
		{"mode that leaves it to the agent", approval.OnRequest, false, nothing, approval.File{}, "onRequest"},
		{"the agent", approval.OnRequest, true, nothing, approval.File{}, "The agent asked to be asked"},
		{"mode that denies", approval.DenyUnmatched, false, nothing, approval.File{}, "denyUnmatched"},
		{"mode that nobody knows", unheardOf, false, nothing, approval.File{}, `"unheardOf"`},
		{"grant", approval.DenyUnmatched, false, everything, approval.File{}, "write /srv/app/a.txt"},
		{"kind that nobody knows", approval.AllowAll, false, nothing, stranger, `"teleport"`},
		{"kind that nobody knows, denied", approval.DenyUnmatched, false, nothing, stranger, `"teleport"`},
		{"safe parts", approval.DenyUnmatched, false, nothing, shell(safe), "known to be safe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := none.Evaluate(
				approval.Action{Subject: c.subject, Found: looked(c.subject), Requested: c.requested},
				policy.Context{Under: under(c.mode), Granted: c.granted},
			)
			if !strings.Contains(v.Explanation, c.says) {
				t.Errorf("%q does not say %q", v.Explanation, c.says)
			}
		})
	}
}

// lookup finds the session grant that covers exactly a reach.
// none is the policy without rules.
var none = &policy.Policy{}

// under is one regime: the session's own mode.
func under(m approval.Mode) []policy.Regime { return []policy.Regime{{Mode: m, Root: root}} }

type lookup = func(approval.Reach) (approval.Grant, bool)

var theGrant = approval.Grant{ID: approval.ID{15: 0xf1}, Scope: approval.ScopeSession, RulePreview: "write /srv/app/a.txt"}

func nothing(approval.Reach) (approval.Grant, bool)    { return approval.Grant{}, false }
func everything(approval.Reach) (approval.Grant, bool) { return theGrant, true }

func stages(s ...approval.StageResolution) []approval.StageResolution { return s }

// shell is a command with stages that stand as given.
func shell(resolutions ...approval.StageResolution) approval.Shell {
	s := approval.Shell{Command: "make", Cwd: "/srv/app", Shell: "bash"}
	for i, r := range resolutions {
		s.Stages = append(s.Stages, approval.Stage{
			RequirementID: approval.RequirementID{SourceIndex: i}, Position: i + 1, TotalStages: len(resolutions),
			Argv: []string{"make"}, ArgvComplete: r.Diagnostic == "", Resolution: r,
		})
	}
	return s
}

// looked is what inspection would have found out about the stages of s: nothing
// out of the ordinary.
func looked(s approval.Subject) approval.Found {
	sh, ok := s.(approval.Shell)
	if !ok {
		return approval.Found{}
	}
	return approval.Found{Parts: make([]approval.Part, len(sh.Stages))}
}
