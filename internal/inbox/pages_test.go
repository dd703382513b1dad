package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

func TestThePastIsFilteredAndSearched(t *testing.T) {
	d := sit(t)
	d.press("h")
	if _, ok := d.done()[0].(inbox.LoadPast); !ok {
		t.Fatal("the past is not read")
	}
	d.tell(past())
	d.press("t")
	d.sees("by people", "make test", "--force")
	d.seesNo("rm -rf")
	d.press("t", "t")
	d.sees("refused", "rm -rf", "--force")
	d.seesNo("make test")
	d.press("t", "/")
	d.write("bash FORCE")
	d.press("enter")
	d.sees("with bash FORCE", "· 1 decided", "▸  23m  bash       git push --force")
	d.seesNo("rm -rf")
	d.press("enter")
	if read, ok := d.done()[0].(inbox.Read); !ok || read.ApprovalID != id(23) {
		t.Errorf("it opened %+v", read)
	}
	d.sees("Run a command", "■ rejected by ide (stdio)")
	d.press("esc", "esc", "h", "/") // a person is found as well
	d.write("command line")
	d.press("enter")
	d.sees("make test", "allowed once by the command line")
}

func TestWhatIsDecidedNowJoinsThePast(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make one"))...)
	d.press("h")
	d.tell(past())
	d.press("down")
	d.tell(inbox.Event{Params: resolved(1, wire.OutcomeAllowedOnce)})
	opened := shell(2, 0, "git status") // settled by policy: nobody was asked
	opened.AvailableChoices = nil
	d.asked(opened)
	d.tell(inbox.Event{Params: resolved(2, wire.OutcomeAllowedOnce)})
	d.sees("make one", "git status", "· 6 decided", "▸  22m  bash       rm -rf /") // what is selected stays so
}

func TestAGrantIsTakenBackOnlyWhenThatIsConfirmed(t *testing.T) {
	d := sit(t)
	d.press("g")
	d.tell(grants())
	d.done()
	d.press("down", "x", "y") // too early
	d.idle()
	d.wait(time.Second)
	d.press("n")
	d.idle()
	d.sees("Nothing was changed")
	d.press("x")
	d.wait(time.Second)
	d.press("y")
	if r, ok := d.done()[0].(inbox.Revoke); !ok || r.Grant.GrantID != id(32) {
		t.Errorf("it took back %+v", r)
	}
	d.tell(inbox.Revoked{})
	d.sees("Taken back")
	d.press("down", "x")
	d.sees("in force no more")
}

func TestAModeIsSwitchedAndARefusalIsTold(t *testing.T) {
	d := sit(t, approvals(shell(1, time.Minute, "make"))...)
	d.tell(sessions())
	d.press("m")
	d.wait(time.Second)
	d.press("4")
	if e, ok := d.done()[0].(inbox.SetMode); !ok || e.Mode != wire.ModeAllowAll || e.SessionID != aSession {
		t.Errorf("it wanted %+v", e)
	}
	d.tell(inbox.ModeSet{SessionID: aSession, Err: errors.New("above \x1bthe ceiling")})
	d.sees("The mode stays as it is: above <U+001B>the ceiling")
	d.tell(inbox.ModeSet{SessionID: aSession, Mode: wire.ModeDenyUnmatched})
	d.press("s")
	d.tell(inbox.Resized{Width: 120, Height: 40})
	d.tell(sessions())
	d.tell(inbox.Event{Params: &wire.SessionApprovalModeChanged{SessionID: aSession, Mode: wire.ModeOnRequest}}) // by another
	d.sees("onRequest")
}

// However narrow, no line is wider than the screen, and there are as many as it has.
func TestEveryScreenFits(t *testing.T) {
	for _, size := range []inbox.Resized{{Width: 200, Height: 60}, {Width: 120, Height: 40}, {Width: 110, Height: 12}, {Width: 80, Height: 24}, {Width: 40, Height: 12}, {Width: 20, Height: 5}, {Width: 1, Height: 1}, {}} {
		d := sit(t, many()...)
		d.tell(size, sessions(), past(), grants())
		for key := range strings.FieldsSeq("down space v v x a esc down down down down down down pgup f ? x h enter esc g x n s m 1 p esc") {
			d.press(key)
			lines := strings.Split(strings.TrimSuffix(d.screen(), "\n"), "\n")
			if len(lines) != max(1, size.Height) {
				t.Errorf("%v has %d lines after %s", size, len(lines), key)
			}
			for _, line := range lines {
				if len([]rune(line)) > size.Width {
					t.Errorf("%v has a line too wide after %s: %q", size, key, line)
				}
			}
			if c := d.m.View().Cursor; c != nil && (c.X >= size.Width || c.Y >= size.Height) {
				t.Errorf("%v has its cursor at %v", size, *c)
			}
		}
	}
}

// What the agent sent and what was left to the daemon: none of it reaches the screen as
// it is where it would act on a terminal.
func TestNoTextOfOthersActsOnTheTerminal(t *testing.T) {
	hostile := "a\x1b]52;c;aGk=\x07\x1b[2J\r\n\t\u202e\u2066\u200b\x9b31m\xff"
	r := shell(1, time.Minute, hostile)
	r.ToolName, r.Reason, r.Justification, r.RawArgs, r.ToolCallID = hostile, hostile, hostile, hostile, hostile
	r.Policy.Explanation, r.Policy.Rule = hostile, hostile
	r.SubagentOrigin = &wire.SubagentOrigin{Path: []string{hostile}}
	for i := range r.AvailableChoices {
		r.AvailableChoices[i].Label, r.AvailableChoices[i].RulePreview = hostile, hostile
	}
	p := prompt(2)
	p.ToolName, p.Questions[0].Question, p.Questions[0].Header, p.Questions[0].Options[0].Label = hostile, hostile, hostile, hostile
	p.Questions[0].Options[0].Preview = &wire.OptionPreview{Content: hostile}
	d := sit(t, inbox.Waiting{Approval: &r}, inbox.Waiting{Prompt: &p})
	root := hostile
	d.tell(inbox.Resized{Width: 120, Height: 400},
		inbox.Sessions{Sessions: []wire.Session{{SessionID: aSession, Name: hostile, WorkspaceRoot: &root, CreatedByClient: &wire.ClientInfo{Name: hostile}, ApprovalMode: wire.ModeState{Mode: wire.Mode(hostile)}}}},
		inbox.Granted{Grants: []wire.Grant{{RulePreview: hostile, WorkspaceRoot: hostile, SessionID: hostile}}},
		inbox.Past{Entries: []inbox.Entry{inbox.Ended(&r, &wire.ApprovalResolved{Outcome: wire.Outcome(hostile), Source: wire.Source(hostile)})}})
	look := func() {
		for _, l := range d.m.View().Lines {
			if strings.ContainsFunc(l.String(), func(r rune) bool {
				return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x2066 || r == 0x200b
			}) {
				t.Errorf("a line acts on the terminal: %q", l.String())
			}
		}
	}
	for _, key := range []string{"f", "v", "v", "down", "m", "n", "h", "enter", "esc", "g", "x", "n", "s", "m", "n", "p"} {
		d.press(key)
		look()
	}
	d.wait(time.Second)
	d.press("up")
	d.wait(time.Second)
	d.press("1")
	for _, err := range []error{errors.New(hostile), nil} {
		d.tell(inbox.Decided{Params: wire.ApprovalDecideParams{ApprovalID: id(1)}, Err: err, Ack: wire.ApprovalDecideResult{}})
		look()
	}
}
