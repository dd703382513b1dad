package inbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

// start is when the person sat down.
var start = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

const (
	aSession = "0198f0aa-1111-7000-8000-0000000000aa"
	another  = "0198f0aa-2222-7000-8000-0000000000bb"
)

// id is that of the nth approval.
func id(n int) string { return fmt.Sprintf("0198f0ac-%04d-7000-8000-0000000000e1", n) }

func ago(d time.Duration) wire.Time { return wire.FormatTime(start.Add(-d)) }

// request is one that waits, opened as the nth record.
func request(n int, since time.Duration, subject string) wire.ApprovalRequest {
	r := wire.ApprovalRequest{
		SessionID: aSession, ApprovalID: id(n), ToolCallID: fmt.Sprintf("call_%d", n), ToolName: "bash", RawArgs: `{}`,
		Reason: "asked by a test", Subject: []byte(subject), CreatedAt: ago(since),
		CurrentRequirementID: wire.RequirementID{ApprovalID: id(n)},
		Policy:               wire.PolicyAnswer{Source: wire.SourceMode, Explanation: "Nothing in force covers it, and the mode promptUnmatched asks."},
		AvailableChoices: []wire.Choice{
			{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once", Decision: wire.DecisionApproved, Scope: wire.ScopeOnce},
			{ChoiceID: wire.ChoiceAllowSession, Label: "Allow for this session", Decision: wire.DecisionApprovedForSession, Scope: wire.ScopeSession, RulePreview: "exactly this command, in /home/you/project, by bash: make"},
			{ChoiceID: wire.ChoiceAbort, Label: "Reject", Decision: wire.DecisionAbort, Scope: wire.ScopeOnce, AcceptsFeedback: true},
		},
	}
	r.SourceRange.Last.Sequence = uint64(n)
	return r
}

func shell(n int, since time.Duration, command string) wire.ApprovalRequest {
	text, err := wire.Marshal(command)
	if err != nil {
		panic(err)
	}
	return request(n, since, `{"kind":"shell","command":`+string(text)+`,"cwd":"/home/you/project","shell":"bash","stages":[]}`)
}

// staged is a command of three parts whose second is to be decided.
func staged(n int) wire.ApprovalRequest {
	stage := func(i int, argv, resolution, more string) string {
		return fmt.Sprintf(`{"requirementId":{"approvalId":%q,"sourceIndex":%d},"position":%d,"totalStages":3,"argv":[%s],"argvComplete":true,"resolution":{%s}%s}`,
			id(n), i-1, i, argv, resolution, more)
	}
	r := request(n, 3*time.Minute, `{"kind":"shell","command":"git add . && git commit -m \"x; y\" | tee out","cwd":"/home/you/project","shell":"bash","stages":[`+
		stage(1, `"git","add","."`, `"kind":"policyAllow","diagnostic":"user rule 1"`, "")+","+
		stage(2, `"git","commit","-m","x; y"`, `"kind":"unresolved","diagnostic":"nothing in force covers the command"`, `,"suggestedPrefix":{"argvPrefix":["git","commit"],"label":""}`)+","+
		stage(3, `"tee","out"`, `"kind":"unresolved","diagnostic":"nothing in force covers the command"`, "")+`]}`)
	r.CurrentRequirementID.SourceIndex = 1
	r.RawArgs = `{"command":"git add . && git commit -m \"x; y\" | tee out","description":"Commit the work"}`
	r.Justification = "The tests pass, so this is safe to commit."
	expires := wire.FormatTime(start.Add(7 * time.Minute))
	r.ExpiresAt = &expires
	r.SubagentOrigin = &wire.SubagentOrigin{ChildSessionID: another, Path: []string{aSession, another}}
	r.AvailableChoices = []wire.Choice{
		{ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once", Decision: wire.DecisionApproved, Scope: wire.ScopeOnce},
		{ChoiceID: wire.ChoiceAllowAllOnce, Label: "Allow all 2 parts once", Decision: wire.DecisionApproved, Scope: wire.ScopeOnce, RulePreview: "2. git commit -m \"x; y\"\n3. tee out"},
		{ChoiceID: wire.ChoiceAllowSession, Label: "Allow for this session", Decision: wire.DecisionApprovedForSession, Scope: wire.ScopeSession, RulePreview: `exactly this command, in /home/you/project, by bash: git add . && git commit -m "x; y" | tee out`},
		{ChoiceID: wire.ChoiceAllowLocalPrefix, Label: "Always allow commands like this in this workspace", Decision: wire.DecisionApprovedPolicyAmendment, Scope: wire.ScopeLocalPersistent, RulePreview: "allow commands that begin with the words: git commit"},
		{ChoiceID: wire.ChoiceAbort, Label: "Reject", Decision: wire.DecisionAbort, Scope: wire.ScopeOnce, AcceptsFeedback: true},
	}
	return r
}

func prompt(n int) wire.UserInputRequest {
	p := wire.UserInputRequest{
		SessionID: aSession, UserInputID: id(n), ToolName: "ask_user", ToolCallID: "call_ask", CreatedAt: ago(40 * time.Second),
		Questions: []wire.Question{
			{ID: "port", Header: "Port", Question: "Which port is the server to listen on?", Selection: wire.Selection{Mode: wire.SelectSingle},
				Options: []wire.QuestionOption{{Label: "8080", Description: "as it was"}, {Label: "9090"}}},
			{ID: "with", Header: "Parts", Question: "What is to be deployed?", Selection: wire.Selection{Mode: wire.SelectMultiple},
				Options: []wire.QuestionOption{{Label: "server"}, {Label: "worker"}, {Label: "docs"}}},
		},
	}
	p.SourceRange.Last.Sequence = uint64(n)
	return p
}

// desk is an inbox with a clock.
type desk struct {
	t   *testing.T
	m   inbox.Model
	now time.Time
	out []inbox.Effect // what it wanted done since it was last asked
}

func sit(t *testing.T, waiting ...inbox.Waiting) *desk {
	t.Helper()
	d := &desk{t: t, m: inbox.New(), now: start}
	d.tell(inbox.Linked{}, inbox.Snapshot{Waiting: waiting})
	d.done()
	return d
}

func approvals(all ...wire.ApprovalRequest) (waiting []inbox.Waiting) {
	for i := range all {
		waiting = append(waiting, inbox.Waiting{Approval: &all[i]})
	}
	return waiting
}

func (d *desk) tell(msgs ...inbox.Msg) {
	for _, msg := range msgs {
		var effects []inbox.Effect
		d.m, effects = d.m.Update(msg, d.now)
		for _, e := range effects {
			if _, wake := e.(inbox.Wake); !wake {
				d.out = append(d.out, e)
			}
		}
	}
}

// asked tells of a request.
func (d *desk) asked(r wire.ApprovalRequest) { d.tell(inbox.Event{Params: &r}) }

// press presses keys, without waiting.
func (d *desk) press(names ...string) {
	for _, name := range names {
		text := ""
		if len([]rune(name)) == 1 {
			text = name
		}
		d.tell(inbox.Key{Name: name, Text: text})
	}
}

// write presses the keys of a text.
func (d *desk) write(text string) {
	for _, r := range text {
		d.tell(inbox.Key{Name: string(r), Text: string(r)})
	}
}

// wait lets time pass.
func (d *desk) wait(by time.Duration) {
	d.now = d.now.Add(by)
	d.tell(inbox.Tick{})
}

// done is what it wanted done since.
func (d *desk) done() []inbox.Effect {
	out := d.out
	d.out = nil
	return out
}

// decided is the one decision that it wanted since.
func (d *desk) decided() wire.ApprovalDecideParams {
	d.t.Helper()
	out := d.done()
	if len(out) == 1 {
		if e, ok := out[0].(inbox.Decide); ok {
			return e.Params
		}
	}
	d.t.Fatalf("it wanted %+v done, want one decision", out)
	return wire.ApprovalDecideParams{}
}

// idle checks that it wanted nothing done.
func (d *desk) idle() {
	d.t.Helper()
	if out := d.done(); len(out) > 0 {
		d.t.Fatalf("it wanted %+v done, want nothing", out)
	}
}

// screen is what is seen.
func (d *desk) screen() string {
	var b strings.Builder
	for _, l := range d.m.View().Lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func (d *desk) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.screen(), text) {
			d.t.Errorf("it does not show %q:\n%s", text, d.screen())
		}
	}
}

func (d *desk) seesNo(text string) {
	d.t.Helper()
	if strings.Contains(d.screen(), text) {
		d.t.Errorf("it shows %q:\n%s", text, d.screen())
	}
}
