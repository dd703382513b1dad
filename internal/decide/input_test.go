package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

var (
	port = wire.Question{
		ID: "port", Question: "Which port?", Options: []wire.QuestionOption{{Label: "8080"}, {Label: "9090"}}, Selection: wire.Selection{Mode: wire.SelectSingle},
	}
	checks = wire.Question{
		ID: "checks", Question: "Which checks?", Options: []wire.QuestionOption{{Label: "vet"}, {Label: "lint"}, {Label: "test"}},
		Selection: wire.Selection{Mode: wire.SelectMultiple, MaxSelections: new(2)},
	}
	none = wire.Question{
		ID: "none", Question: "Anything?", Options: []wire.QuestionOption{{Label: "a"}}, Selection: wire.Selection{Mode: wire.SelectMultiple, MinSelections: new(0)},
	}
)

// asking is the command that opens a prompt about a port.
func (w *world) asking(session approval.ID, more ...func(*decide.OpenInput)) decide.OpenInput {
	c := decide.OpenInput{
		Intent: w.intent(), Session: session, ToolCall: fmt.Sprintf("call_%d", w.commands), ToolName: "ask_user", Questions: []wire.Question{port},
	}
	for _, m := range more {
		m(&c)
	}
	return c
}

// ask opens a prompt and gives its id.
func (w *world) ask(session approval.ID, more ...func(*decide.OpenInput)) approval.ID {
	w.t.Helper()
	r := w.do(w.asking(session, more...))
	if r.Refusal != nil {
		w.t.Fatalf("userInput/open: %v", r.Refusal)
	}
	return r.Records[0].Approval
}

// promptEnded reports an error unless the prompt ended so; "" is pending.
func (w *world) promptEnded(session, id approval.ID, want wire.UserInputOutcome, source wire.Source) {
	w.t.Helper()
	p, ok := w.session(session).Prompt(id)
	if !ok {
		w.t.Fatalf("there is no prompt %s", id)
	}
	switch {
	case p.Pending() && want != "":
		w.t.Errorf("%s is pending, want %s", id, want)
	case !p.Pending() && (p.Settled.Outcome != string(want) || p.Settled.Source != string(source)):
		w.t.Errorf("%s ended as %s by %s, want %s by %s", id, p.Settled.Outcome, p.Settled.Source, want, source)
	}
}

func until(d time.Duration) func(*decide.OpenInput) {
	return func(c *decide.OpenInput) { c.AutoResolution = d }
}

func inTurn(call, turn string) func(*decide.OpenInput) {
	return func(c *decide.OpenInput) { c.ToolCall, c.Turn = call, turn }
}

// settlers are the commands that settle a prompt, each as it would be accepted.
var settlers = map[string]func(i decide.Intent, session, id approval.ID) decide.Command{
	"answer": func(i decide.Intent, s, id approval.ID) decide.Command {
		return decide.AnswerInput{Intent: i, Session: s, Input: id, Answers: []wire.Answer{{QuestionID: "port", SelectedLabel: new("8080")}}}
	},
	"cancel": func(i decide.Intent, s, id approval.ID) decide.Command {
		return decide.CancelInput{Intent: i, Session: s, Input: id, Reason: "no"}
	},
	"clarify": func(i decide.Intent, s, id approval.ID) decide.Command {
		return decide.ClarifyInput{Intent: i, Session: s, Input: id, Clarification: wire.Clarification{Format: wire.ClarificationText, Content: "what?"}}
	},
	"interrupt": func(i decide.Intent, s, id approval.ID) decide.Command {
		return decide.InterruptInput{Intent: i, Session: s, Input: id}
	},
}

func init() { // each is one set of records and one ack, as the others are
	accepted["ask"] = func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
		c := w.asking(s, until(time.Minute))
		return &c, &c.Intent
	}
	for name, settle := range settlers {
		accepted[name+" a prompt"] = func(w *world, s, _ approval.ID) (decide.Command, *decide.Intent) {
			switch c := settle(w.intent(), s, w.ask(s)).(type) {
			case decide.AnswerInput:
				return &c, &c.Intent
			case decide.CancelInput:
				return &c, &c.Intent
			case decide.ClarifyInput:
				return &c, &c.Intent
			case decide.InterruptInput:
				return &c, &c.Intent
			}
			return nil, nil
		}
	}
}

// The order is replay, session, prompt, terminal, answers.
func TestChecksOfWhatSettlesAPromptAreMadeInTheirOrder(t *testing.T) {
	unknown := approval.ID{15: 0xff}
	for name, settle := range settlers {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session, closed := w.start(""), w.start("")
			gone := w.ask(closed)
			w.do(decide.CloseSession{Intent: w.intent(), Session: closed})
			id := w.ask(session)
			i := w.intent()
			isRefused(t, w.do(settle(i, seedSession, id)), false, encoded(t, decide.SessionNotFound(seedSession)))
			isRefused(t, w.do(settle(i, session, unknown)), false, encoded(t, decide.UserInputNotFound(unknown)))
			isRefused(t, w.do(settle(i, session, gone)), false, encoded(t, decide.UserInputNotFound(gone)))
			if r := w.do(settle(i, closed, unknown)); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonSessionClosed {
				t.Errorf("in a closed session an unknown prompt is %v", r.Refusal)
			}
			if r := w.do(settle(i, closed, gone)); r.Refusal == nil || r.Refusal.Data.Settlement == nil || r.Refusal.Data.Settlement.Outcome != wire.UserInputCancelled {
				t.Errorf("in a closed session a settled prompt is %v", r.Refusal)
			}
			isAcked(t, w.do(settle(i, session, id)), `{"commandId":"`+i.Command.String()+`","status":"accepted","userInputId":"`+id.String()+`"}`)
			late := w.do(settle(w.intent(), session, id))
			p, _ := w.session(session).Prompt(id)
			isRefused(t, late, false, `{"code":-32056,"message":"Prompt `+id.String()+` is settled already: `+p.Settled.Outcome+`.",`+
				`"data":{"kind":"userInputAlreadySettled","retryable":false,"userInputId":"`+id.String()+`",`+
				`"settlement":{"outcome":"`+p.Settled.Outcome+`","viewCursor":"`+encodedCursor(w, session, p.SettledSeq)+`"}}}`)
			isAcked(t, w.do(settle(i, session, id)), `{"commandId":"`+i.Command.String()+`","status":"accepted","userInputId":"`+id.String()+`"}`)
		})
	}
}

func encodedCursor(w *world, session approval.ID, seq uint64) string {
	return fmt.Sprintf("v:%s:%d", w.session(session).ID, 4*seq)
}

// A misfit is told before anything is recorded, and after it is known that the prompt
// waits.
func TestAnswersFitTheirQuestions(t *testing.T) {
	label := func(id, l string) wire.Answer { return wire.Answer{QuestionID: id, SelectedLabel: &l} }
	labels := func(id string, l ...string) wire.Answer {
		return wire.Answer{QuestionID: id, SelectedLabels: append([]string{}, l...)}
	}
	free := func(id, s string) wire.Answer { return wire.Answer{QuestionID: id, FreeText: &s} }
	noted := func(a wire.Answer, s string) wire.Answer { a.Note = &s; return a }
	with := func(a wire.Answer, attachments string) wire.Answer { a.Attachments = []byte(attachments); return a }
	long := strings.Repeat("ä", 500)
	for _, c := range []struct {
		name    string
		answers []wire.Answer
		want    string // "" is a fit
	}{
		{"each in its form", []wire.Answer{label("port", "9090"), labels("checks", "test", "vet"), labels("none")}, ""},
		{"in another order, in free text", []wire.Answer{free("none", ""), free("checks", "none of them"), free("port", "80")}, ""},
		{"as long as they may be", []wire.Answer{noted(free("port", long), long), labels("checks", "vet"), labels("none", "a")}, ""},
		{"attachments that are null", []wire.Answer{with(label("port", "8080"), "null"), labels("checks", "vet"), labels("none")}, ""},
		{"nothing", nil, `answers: question "port" has no answer.`},
		{"one is missing", []wire.Answer{label("port", "8080"), labels("none")}, `answers: question "checks" has no answer.`},
		{"one twice", []wire.Answer{label("port", "8080"), label("port", "9090")}, `answers[1]: question "port" is answered twice.`},
		{"another question", []wire.Answer{label("host", "8080")}, `answers[0]: questionId names no question of the prompt.`},
		{"no form", []wire.Answer{{QuestionID: "port"}}, `answers[0], question "port": give exactly one of selectedLabel, selectedLabels and freeText.`},
		{"two forms", []wire.Answer{{QuestionID: "port", SelectedLabel: new("8080"), FreeText: new("8080")}}, `answers[0], question "port": give exactly one of selectedLabel, selectedLabels and freeText.`},
		{"an empty list beside a text", []wire.Answer{{QuestionID: "port", SelectedLabels: []string{}, FreeText: new("8080")}}, `answers[0], question "port": give exactly one of selectedLabel, selectedLabels and freeText.`},
		{"attachments", []wire.Answer{with(label("port", "8080"), "[]")}, `answers[0], question "port": attachments are not taken.`},
		{"a note too long", []wire.Answer{noted(label("port", "8080"), long+"ä")}, `answers[0], question "port": note must be at most 500 characters long.`},
		{"a text too long", []wire.Answer{free("port", long+"ä")}, `answers[0], question "port": freeText must be at most 500 characters long.`},
		{"no option of it", []wire.Answer{label("port", "vet")}, `answers[0], question "port": selectedLabel is none of its options.`},
		{"an option in another case", []wire.Answer{labels("checks", "Vet")}, `answers[0], question "checks": selectedLabels[0] is none of its options.`},
		{"one where several", []wire.Answer{label("checks", "vet")}, `answers[0], question "checks": it takes several options: give selectedLabels.`},
		{"several where one", []wire.Answer{labels("port", "8080")}, `answers[0], question "port": it takes one option: give selectedLabel.`},
		{"selected twice", []wire.Answer{labels("checks", "vet", "vet")}, `answers[0], question "checks": selectedLabels[1] is selected twice.`},
		{"too few", []wire.Answer{labels("checks")}, `answers[0], question "checks": selectedLabels must name at least 1, not 0.`},
		{"too many", []wire.Answer{labels("checks", "vet", "lint", "test")}, `answers[0], question "checks": selectedLabels must name at most 2, not 3.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			id := w.ask(session, func(o *decide.OpenInput) { o.Questions = []wire.Question{port, checks, none} })
			answer := decide.AnswerInput{Intent: w.intent(), Session: session, Input: id, Answers: c.answers}
			r := w.do(answer)
			if c.want == "" {
				if r.Refusal != nil {
					t.Fatal(r.Refusal)
				}
				w.promptEnded(session, id, wire.UserInputAnswered, wire.SourceReviewer)
				return
			}
			want := encoded(t, wire.NewError(wire.CodeUserInputAnswerInvalid, c.want, func(d *wire.ErrorData) { d.UserInputID = id.String() }))
			isRefused(t, r, false, want)
			w.promptEnded(session, id, "", "")
			partial := w.do(decide.InterruptInput{Intent: w.intent(), Session: session, Input: id, Answers: c.answers})
			if missing := strings.HasSuffix(c.want, "has no answer."); missing != (partial.Refusal == nil) {
				t.Errorf("as far as they go they are %v", partial.Refusal)
			}
		})
	}
}

func TestAPromptWithoutATurnIsATurnOfItsOwn(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	c := w.asking(session, until(90*time.Second))
	r := w.do(c)
	body, ok := r.Records[0].Body.(*record.InputOpened)
	id := r.Records[0].Approval
	if !ok || body.TurnID != id.String() || body.ItemID != id.String() || *body.AutoResolutionMs != 90_000 || *body.ExpiresAt != w.now.Add(90*time.Second).UnixMilli() {
		t.Errorf("opened %+v", r.Records[0].Body)
	}
	isAcked(t, r, `{"commandId":"`+c.Command.String()+`","status":"accepted","userInputId":"`+id.String()+`"}`)
}

func TestAPromptIsRefusedWhereItCannotBe(t *testing.T) {
	w := newWorld(t)
	w.limits.MaxPending = 1
	session, closed := w.start(""), w.start("")
	w.do(decide.CloseSession{Intent: w.intent(), Session: closed})
	w.open(session, file) // approvals have a bound of their own
	w.ask(session)
	isRefused(t, w.do(w.asking(session)), false, `{"code":-32031,"message":"The session holds 1 pending prompts, as many as it may; wait until some are settled.",`+
		`"data":{"kind":"backpressured","retryable":true,"capacity":1}}`)
	isRefused(t, w.do(w.asking(seedSession)), false, encoded(t, decide.SessionNotFound(seedSession)))
	if r := w.do(w.asking(closed)); r.Refusal == nil || r.Refusal.Data.Reason != wire.ReasonSessionClosed {
		t.Errorf("in a closed session: %v", r.Refusal)
	}
}

func TestTheFirstToEngageRemovesTheDeadlineForGood(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id, never := w.ask(session, until(time.Second)), w.ask(session)
	engage := func(id approval.ID) int {
		return len(w.do(decide.EngageInput{Session: session, Input: id, By: record.Party{Client: "inbox"}}).Records)
	}
	if n := engage(id); n != 1 {
		t.Fatalf("%d records", n)
	}
	if n := engage(id) + engage(never) + engage(approval.ID{15: 0xff}); n != 0 {
		t.Errorf("what has no deadline left %d records", n)
	}
	w.now = w.now.Add(time.Hour)
	if r := w.do(decide.ExpireInput{Session: session, Input: id}); len(r.Records) != 0 {
		t.Error("the deadline came all the same")
	}
	if r := w.do(decide.Recover{Session: session}); len(r.Records) != 0 {
		t.Errorf("a restart left %+v", r.Records)
	}
	w.do(settlers["answer"](w.intent(), session, id))
	if n := engage(id); n != 0 {
		t.Error("what is settled is engaged with")
	}
	w.promptEnded(session, id, wire.UserInputAnswered, wire.SourceReviewer)
}

func TestAPromptTimesOutOnce(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	id := w.ask(session, until(time.Second))
	for _, want := range []int{1, 0} {
		if r := w.do(decide.ExpireInput{Session: session, Input: id}); len(r.Records) != want || r.Ack != nil || r.Refusal != nil {
			t.Errorf("%+v, want %d records", r, want)
		}
	}
	w.promptEnded(session, id, wire.UserInputTimedOut, wire.SourceDeadline)
}

func TestARestartKeepsPromptsAndTimesOutThoseThatAreLate(t *testing.T) {
	w := newWorld(t)
	session := w.start("")
	late, later, never := w.ask(session, until(time.Second)), w.ask(session, until(time.Hour)), w.ask(session)
	w.now = w.now.Add(time.Second)
	if !decide.NeedsRecovery(w.session(session)) {
		t.Error("nothing is owed")
	}
	r := w.do(decide.Recover{Session: session})
	if diff := cmp.Diff([]string{wire.MethodUserInputSettled}, w.tell(r)); diff != "" || len(r.Records) != 1 {
		t.Errorf("%d records, events (-want +got):\n%s", len(r.Records), diff)
	}
	w.promptEnded(session, late, wire.UserInputTimedOut, wire.SourceDeadline)
	w.promptEnded(session, later, "", "")
	w.promptEnded(session, never, "", "")
	if r := w.do(decide.Recover{Session: session}); len(r.Records) != 0 {
		t.Errorf("once more: %+v", r.Records)
	}
}

// What a restart owes besides is said first, and each of it is enough to say so.
func TestARestartTimesPromptsOutAfterEverythingElse(t *testing.T) {
	for name, c := range map[string]struct {
		owe  func(w *world, session approval.ID)
		want []string
	}{
		"an approval": {func(w *world, s approval.ID) { w.open(s, file) },
			[]string{"recovered", "approvalSettled", "approvalOpened", "inputSettled"}},
		"a catalog": {func(w *world, s approval.ID) {
			w.do(decide.OpenCatalog{Intent: w.intent(), Session: s, Server: "mail", Tools: []approval.ToolDefinition{{Name: "send", Digest: "1"}}})
		}, []string{"recovered", "catalogClosed", "inputSettled"}},
		"nothing": {func(*world, approval.ID) {}, []string{"inputSettled"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			late := w.ask(session, until(time.Second))
			c.owe(w, session)
			w.now = w.now.Add(time.Second)
			var got []string
			for _, rec := range w.do(decide.Recover{Session: session}).Records {
				got = append(got, rec.Body.Kind().String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			w.promptEnded(session, late, wire.UserInputTimedOut, wire.SourceDeadline)
		})
	}
}

func TestPromptsEndWithTheirCallTheirTurnAndEverything(t *testing.T) {
	for _, c := range []struct {
		name   string
		cancel decide.Cancel
		want   []string
	}{
		{"its call", decide.Cancel{ToolCall: "p"}, []string{"p"}},
		{"the call that its call is nested in", decide.Cancel{ToolCall: "a"}, []string{"b"}},
		{"its turn", decide.Cancel{Turn: "t2"}, []string{"p", "q"}},
		{"the turn of the call that its call is nested in", decide.Cancel{Turn: "t1"}, []string{"b"}},
		{"everything", decide.Cancel{All: true}, []string{"b", "p", "q"}},
		{"nothing", decide.Cancel{ToolCall: "nobody"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			session := w.start("")
			opened := func(call, parent, turn string) approval.ID {
				id := w.open(session, file, func(o *decide.Open) {
					o.Action.ToolCallID, o.Action.ParentToolCallID, o.Action.TurnID = call, parent, turn
				})
				w.choose(session, id, 0, wire.ChoiceAbort)
				return id
			}
			opened("a", "", "t1")
			opened("b", "a", "")
			ids := map[string]approval.ID{}
			for call, turn := range map[string]string{"b": "", "p": "t2", "q": "t2"} {
				ids[call] = w.ask(session, inTurn(call, turn))
			}
			c.cancel.Intent, c.cancel.Session, c.cancel.Reason = w.intent(), session, "known by now"
			ack := decoded[wire.ApprovalCancelResult](t, w.do(c.cancel).Ack)
			var want []string
			for call, id := range ids {
				if slices.Contains(c.want, call) {
					want = append(want, id.String())
					w.promptEnded(session, id, wire.UserInputCancelled, wire.SourceAgent)
					if p, _ := w.session(session).Prompt(id); p.Settled.Reason != "The agent withdrew it: known by now" || p.Settled.By != nil {
						t.Errorf("settled %+v", p.Settled)
					}
					continue
				}
				w.promptEnded(session, id, "", "")
			}
			slices.Sort(want)
			got := slices.Sorted(slices.Values(ack.Cancelled))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("cancelled (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPromptOfAChildIsWithdrawnWithAllOfItsParent(t *testing.T) {
	w := newWorld(t)
	parent := w.start("")
	child := w.start("", func(c *decide.StartSession) { c.Parent = parent })
	id := w.ask(child)
	r := w.do(decide.Cancel{Intent: w.intent(), Session: parent, All: true})
	w.promptEnded(child, id, wire.UserInputCancelled, wire.SourceAgent)
	if entry := r.Records[0]; entry.Session != parent || entry.Intake() == nil {
		t.Errorf("the ledger's entry is in %s", entry.Session)
	}
}

func TestPromptsEndWithTheirSessionAndWithAnAgentThatSaidSo(t *testing.T) {
	w := newWorld(t)
	session := w.start("", func(c *decide.StartSession) { c.CancelOnDisconnect = true })
	stays, child := w.start(""), w.start("", func(c *decide.StartSession) { c.Parent = session })
	gone, below, kept := w.ask(session), w.ask(child), w.ask(stays)
	w.do(decide.AgentGone{Session: session})
	w.do(decide.AgentGone{Session: stays})
	w.promptEnded(session, gone, wire.UserInputCancelled, wire.SourceAgent)
	w.promptEnded(child, below, wire.UserInputCancelled, wire.SourceAgent)
	w.promptEnded(stays, kept, "", "")
	if got := w.session(stays).Attention(); !slices.Equal(got, []wire.Attention{wire.AttentionInput}) {
		t.Errorf("attention %v", got)
	}
	w.attended = false // nobody there is no reason to end a prompt
	w.do(decide.ReviewersGone{Session: stays})
	w.promptEnded(stays, kept, "", "")
	w.do(decide.CloseSession{Intent: w.intent(), Session: stays})
	w.promptEnded(stays, kept, wire.UserInputCancelled, wire.SourceSession)
	if got := w.session(stays).Attention(); got != nil {
		t.Errorf("attention %v", got)
	}
}
