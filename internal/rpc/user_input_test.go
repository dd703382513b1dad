package rpc

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/wire"
)

// ask opens a prompt of one question.
func (c *client) ask(session string, members ...string) (id string) {
	c.t.Helper()
	var result wire.UserInputOpenResult
	c.must(wire.MethodUserInputOpen, askParams(session, members...), &result)
	return result.UserInputID
}

func askParams(session string, members ...string) string {
	return inSession(session, append([]string{fmt.Sprintf(`"commandId":%q`, command()),
		`"toolCallId":"call","toolName":"ask","questions":[{"id":"q","header":"","question":"Why?","options":[{"label":"a"}],"selection":{"mode":"single"}}]`}, members...)...)
}

// toPrompt are the params of a command about a prompt.
func toPrompt(session, id string, members ...string) string {
	return inSession(session, append([]string{fmt.Sprintf(`"commandId":%q,"userInputId":%q`, command(), id)}, members...)...)
}

const answersA = `"answers":[{"questionId":"q","selectedLabel":"a"}]`

func (c *client) engage(session, id string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"userInput/engaged","params":{"sessionId":%q,"userInputId":%q}}`, session, id))
}

// The first settlement is durable before anybody hears of it, every other is told how
// the prompt ended and where, and everybody sees that one end.
func TestHundredAnswerersOfOnePrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		reviewers := make([]*client, 20)
		for i := range reviewers {
			reviewers[i] = h.as(wire.RoleReviewer, `"allSessions":true`)
		}
		h.settle() // until each is subscribed
		id := agent.ask(session)
		methods := []string{wire.MethodUserInputAnswer, wire.MethodUserInputCancel, wire.MethodUserInputClarify, wire.MethodUserInputInterrupt, wire.MethodUserInputAnswer}
		members := []string{answersA, `"reason":"no"`, `"clarification":{"format":"text","content":"what?"}`, `"answers":[]`, answersA}
		var mu sync.Mutex
		var won []string
		lost := map[string]int{}
		var wg sync.WaitGroup
		for _, r := range reviewers {
			wg.Go(func() {
				for i, method := range methods {
					f := r.call(method, toPrompt(session, id, members[i]))
					mu.Lock()
					if f.Error == nil {
						won = append(won, method)
					} else {
						lost[fmt.Sprint(f.Error.Code, f.Error.Data.UserInputID == id, *f.Error.Data.Settlement)]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		h.settle()
		if len(won) != 1 || len(lost) != 1 {
			t.Fatalf("%v were accepted, the others heard %v", won, lost)
		}
		settled := agent.event(wire.MethodUserInputSettled, id)
		for text, n := range lost {
			if n != 99 || !strings.HasPrefix(text, "-32056 true") {
				t.Errorf("%d heard %s", n, text)
			}
		}
		for _, r := range reviewers {
			if n := r.heard(wire.MethodUserInputSettled, id); n != 1 {
				t.Errorf("a reviewer heard %d times of the end", n)
			}
			if got := r.event(wire.MethodUserInputSettled, id); string(got.Params) != string(settled.Params) {
				t.Errorf("a reviewer heard %s, the agent %s", got.Params, settled.Params)
			}
		}
	})
}

// userInput/requested goes before userInput/request, with the same bytes, which a page
// has as well; the ack goes before both, the status after them.
func TestOrderOfAPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		c := h.as(wire.RoleBoth)
		session := c.start()
		id := c.ask(session, `"autoResolutionMs":60000`)
		h.settle()
		c.must(wire.MethodUserInputAnswer, toPrompt(session, id, answersA), nil)
		h.settle()
		var got []string
		for _, f := range c.all() {
			switch {
			case f.Method == "":
				got = append(got, "answer")
			case f.ID != nil:
				got = append(got, f.Method+" "+string(f.ID))
			default:
				got = append(got, f.Method)
			}
		}
		want := []string{
			"answer", "session/started", "answer", // the handshake and the start
			"answer", "userInput/requested", "userInput/request 1", "session/statusChanged",
			"answer", "userInput/settled", "session/statusChanged",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("frames (-want +got):\n%s", diff)
		}
		event, request := c.event(wire.MethodUserInputRequested), c.event(wire.MethodUserInputRequest)
		page := c.page(session, 1)
		if string(event.Params) != string(request.Params) || string(event.Params) != string(page[0].Params) {
			t.Errorf("event\n%s, request\n%s, page\n%s", event.Params, request.Params, page[0].Params)
		}
	})
}

func TestASettledPromptIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleBoth, `"interactive":false`), h.as(wire.RoleReviewer, `"allSessions":true`)
		session := agent.start()
		reviewer.pipe.deafen()
		id := reviewer.send(wire.MethodSessionList, `{}`) // the writer waits for the peer
		h.settle()
		settled, waits := agent.ask(session), agent.ask(session)
		agent.must(wire.MethodUserInputCancel, toPrompt(session, settled), nil)
		reviewer.pipe.listen()
		reviewer.answer(id)
		h.settle()
		if n := reviewer.heard(wire.MethodUserInputRequest, settled); n != 0 {
			t.Error("a request was sent for a prompt that is settled")
		}
		if n := reviewer.heard(wire.MethodUserInputRequest, waits); n != 1 {
			t.Errorf("%d requests for the prompt that waits", n)
		}
	})
}

// Each prompt is put once to a connection, however often it subscribes; to one that
// shows none, or is not interactive, or an agent, never.
func TestWhoIsAskedAPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleAgent)
		session := agent.start()
		first := agent.ask(session)
		reviewer := h.as(wire.RoleReviewer)
		reviewer.subscribe(session)
		reviewer.subscribe(session)
		everywhere := h.as(wire.RoleReviewer, `"allSessions":true`)
		silent := h.as(wire.RoleReviewer, `"allSessions":true`, `"interactive":false`)
		mute := h.connect("mute", wire.RoleReviewer)
		mute.greet(`{"userInputDialogs":false,"approvald":{"allSessions":true}}`)
		h.settle()
		second := agent.ask(session)
		agent.open(session)
		h.settle()
		for name, c := range map[string]struct {
			*client
			asked, told, approvals int
		}{
			"a reviewer":             {reviewer, 1, 1, 1},
			"of all sessions":        {everywhere, 1, 1, 1},
			"not interactive":        {silent, 0, 1, 0},
			"one that shows none":    {mute, 0, 1, 1},
			"the agent of the asker": {agent, 0, 1, 0},
		} {
			for _, id := range []string{first, second} {
				if n := c.heard(wire.MethodUserInputRequest, id); n != c.asked {
					t.Errorf("%s was asked %d times", name, n)
				}
			}
			if n := c.heard(wire.MethodUserInputRequested, second); n != c.told {
				t.Errorf("%s was told %d times", name, n)
			}
			if n := c.heard(wire.MethodApprovalRequest); n != c.approvals {
				t.Errorf("%s was asked about %d approvals", name, n)
			}
		}
		// An error as receipt changes nothing, and what is forgotten is asked again.
		ask := reviewer.event(wire.MethodUserInputRequest, first)
		reviewer.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, ask.ID))
		reviewer.must(wire.MethodViewUnsubscribe, inSession(session), nil)
		reviewer.subscribe(session)
		h.settle()
		if n := reviewer.heard(wire.MethodUserInputRequest, first); n != 2 {
			t.Errorf("after a new subscription it was asked %d times", n)
		}
	})
}

// The first to engage removes the deadline for good: for the daemon, in the lists, and
// in what is asked after it; and for the daemon after this one.
func TestEngagedRemovesTheDeadlineForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(log.Memory)
		h := newHostOver(t, l)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session := agent.start()
		engaged, counts := agent.ask(session, `"autoResolutionMs":60000`), agent.ask(session, `"autoResolutionMs":60000`)
		agent.engage(session, counts) // which is not its part
		reviewer.engage(session, engaged)
		reviewer.engage(session, engaged)
		reviewer.engage(session, session)
		var page wire.ApprovalListPendingResult
		reviewer.must(wire.MethodApprovalListPending, inSession(session), &page) // sees what was sent before it
		if p := page.UserInputs; len(p) != 2 || p[0].ExpiresAt != nil || p[0].AutoResolutionMs != nil || p[1].ExpiresAt == nil {
			t.Errorf("pending %+v", p)
		}
		head := l.Head()
		time.Sleep(time.Hour)
		h.settle()
		var result wire.UserInputAwaitResult
		agent.must(wire.MethodUserInputAwait, inSession(session, fmt.Sprintf(`"userInputIds":[%q,%q],"waitMs":0`, engaged, counts)), &result)
		if r := result.Results; r[0].State != wire.UserInputPending || r[1].Settlement == nil || r[1].Settlement.Outcome != wire.UserInputTimedOut {
			t.Errorf("an hour later %+v", r)
		}
		if l.Head() != head+1 {
			t.Errorf("%d records, want the one that times out", l.Head()-head)
		}
		h.close()
		again := newHostOver(t, l)
		time.Sleep(time.Hour)
		reviewer = again.as(wire.RoleReviewer)
		reviewer.subscribe(session)
		if r := reviewer.event(wire.MethodUserInputRequest, engaged); !strings.Contains(string(r.Params), `"expiresAt":null`) {
			t.Errorf("asked again with its deadline: %s", r.Params)
		}
	})
}

// What an agent awaits is answered once, when all are settled, at waitMs, or at the end
// of the daemon.
func TestAwaitingPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent, reviewer := h.as(wire.RoleAgent), h.as(wire.RoleReviewer)
		session := agent.start()
		first, second := agent.ask(session), agent.ask(session)
		both := func(members string) string {
			return inSession(session, fmt.Sprintf(`"userInputIds":[%q,%q]%s`, second, first, members))
		}
		all, some := agent.send(wire.MethodUserInputAwait, both("")), agent.send(wire.MethodUserInputAwait, both(`,"waitMs":1000`))
		reviewer.must(wire.MethodUserInputAnswer, toPrompt(session, first, answersA), nil)
		time.Sleep(time.Second)
		var result wire.UserInputAwaitResult
		agent.decode(agent.answer(some), &result)
		if r := result.Results; r[0].UserInputID != second || r[0].State != wire.UserInputPending || r[1].State != wire.UserInputSettled {
			t.Errorf("at waitMs %+v", r)
		}
		reviewer.must(wire.MethodUserInputCancel, toPrompt(session, second, `"reason":"no"`), nil)
		agent.decode(agent.answer(all), &result)
		if r := result.Results; *r[0].Settlement.Reason != "no" || *r[1].Settlement.Answers[0].SelectedLabel != "a" {
			t.Errorf("when all are settled %+v", r)
		}
	})
}

// session/statusChanged tells approvals and prompts apart, and after a restart of what
// waits still, once that changes.
func TestStatusTellsPromptsFromApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(log.Memory)
		h := newHostOver(t, l)
		c := h.as(wire.RoleBoth)
		session := c.start()
		prompt := c.ask(session)
		h.settle() // statuses that nobody has read yet coalesce
		approvalID := c.open(session)
		h.settle()
		c.choose(session, approvalID, wire.ChoiceAbort)
		h.settle()
		attention := func(c *client) (got []string) {
			for _, f := range c.all() {
				if f.Method == wire.MethodSessionStatusChanged {
					_, rest, _ := strings.Cut(string(f.Params), `"attention":`)
					list, _, _ := strings.Cut(rest, "]")
					got = append(got, list)
				}
			}
			return got
		}
		want := []string{`["inputPending"`, `["approvalPending","inputPending"`, `["inputPending"`}
		if diff := cmp.Diff(want, attention(c)); diff != "" {
			t.Errorf("attention (-want +got):\n%s", diff)
		}
		h.close()
		h = newHostOver(t, l)
		c = h.as(wire.RoleBoth)
		c.must(wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		second := c.ask(session)
		h.settle()
		c.must(wire.MethodUserInputCancel, toPrompt(session, second), nil)
		h.settle()
		if got := attention(c); got != nil {
			t.Errorf("what waited on is told as a change: %v", got)
		}
		c.must(wire.MethodUserInputCancel, toPrompt(session, prompt), nil)
		h.settle()
		if diff := cmp.Diff([]string{""}, attention(c)); diff != "" {
			t.Errorf("attention at the end (-want +got):\n%s", diff)
		}
	})
}

// A restart leaves no record of a prompt that waits on. A reviewer of all sessions
// who is there before its session was read is asked all the same, and once.
func TestAPromptOfASessionThatIsReadLaterIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		agent := h.as(wire.RoleBoth)
		parent, mixed := agent.start(), agent.start()
		child := agent.start(fmt.Sprintf(`"parentSessionId":%q`, parent))
		ids := []string{agent.ask(parent), agent.ask(child), agent.ask(mixed)}
		agent.open(mixed)
		h.shutDown(time.Minute)

		disk := newGate()
		disk.close()
		again := newHostOver(t, h.log.Memory, func(h *host, _ *Config) {
			h.reads = func(uint64) error { disk.pass(); return nil }
		})
		early := again.as(wire.RoleReviewer, `"allSessions":true`)
		early.must(wire.MethodSessionList, `{}`, nil)
		again.settle()
		if n := early.heard(wire.MethodUserInputRequest); n != 0 {
			t.Fatalf("%d prompts were asked before their sessions were read", n)
		}
		list := early.send(wire.MethodApprovalListPending, `{}`)
		disk.open()
		early.answer(list)
		again.settle()
		late := again.as(wire.RoleReviewer, `"allSessions":true`)
		again.settle()
		for name, c := range map[string]*client{"early": early, "late": late} {
			for _, id := range ids {
				if n := c.heard(wire.MethodUserInputRequest, id); n != 1 {
					t.Errorf("%s: prompt %s was asked %d times", name, id, n)
				}
			}
			if n := c.heard(wire.MethodApprovalRequest); n != 1 {
				t.Errorf("%s: the approval was asked about %d times", name, n)
			}
		}
	})
}
