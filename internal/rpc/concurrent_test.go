package rpc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// crowd is a host with several clients that send random commands at once, and
// several that watch in different ways. Whatever the interleaving, every
// connection must see one consistent story.
type crowd struct {
	*host
	t        *testing.T
	sessions []string           // a child after its parent
	family   []string           // the first of them and those below it
	agents   []*client          // send commands; subscribed to what they started
	watchers map[string]*client // to everything, from the start
	opened   *shared            // approvals that may be decided
	asked    *shared            // prompts that may be settled
}

// shared is a set of approvals that the agents tell each other of.
type shared struct {
	mu  sync.Mutex
	ids [][2]string // session and approval
}

func (s *shared) add(session, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = append(s.ids, [2]string{session, id})
}

func (s *shared) any(r *rand.Rand) (session, id string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) == 0 {
		return "", "", false
	}
	one := s.ids[r.IntN(len(s.ids))]
	return one[0], one[1], true
}

// newCrowd assembles one; connect makes a connection of a role.
func newCrowd(t *testing.T, h *host, connect func(role wire.Role, capabilities ...string) *client) *crowd {
	t.Helper()
	c := &crowd{host: h, t: t, watchers: map[string]*client{}, opened: &shared{}, asked: &shared{}}
	h.ring.mostRecords = 8 // so that some read from the log
	for i := range 3 {
		agent := connect(wire.RoleBoth, fmt.Sprintf(`"interactive":%t`, i > 0))
		c.agents = append(c.agents, agent)
		c.sessions = append(c.sessions, agent.start())
	}
	child := c.agents[1].start(fmt.Sprintf(`"parentSessionId":%q`, c.sessions[0]))
	grandchild := c.agents[2].start(fmt.Sprintf(`"parentSessionId":%q`, child))
	c.sessions = append(c.sessions, child, grandchild)
	c.family = []string{c.sessions[0], child, grandchild}
	c.watchers["of all sessions"] = connect(wire.RoleReviewer, `"allSessions":true`)
	c.watchers["of all sessions, not interactive"] = connect(wire.RoleBoth, `"allSessions":true`, `"interactive":false`)
	byName := connect(wire.RoleReviewer)
	for _, session := range c.sessions {
		byName.subscribe(session)
	}
	c.watchers["by name"] = byName
	ofTheFamily := connect(wire.RoleReviewer)
	ofTheFamily.subscribe(c.sessions[0])
	c.watchers["of the family"] = ofTheFamily
	for _, w := range c.watchers {
		w.must(wire.MethodSessionList, `{}`, nil) // its initialized has been seen
	}
	return c
}

// run has every agent send that many bursts of random commands.
func (c *crowd) run(seed uint64, bursts int) {
	var wg sync.WaitGroup
	for i, agent := range c.agents {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for range bursts {
				c.burst(agent, r)
			}
		})
	}
	wg.Wait()
}

// burst sends a few requests in one write and waits for all of their answers.
func (c *crowd) burst(agent *client, r *rand.Rand) {
	var lines []string
	var waits []func()
	for range 1 + r.IntN(12) {
		method, params, then := c.command(r)
		id, line := agent.line(method, params)
		lines = append(lines, line)
		waits = append(waits, func() {
			if f := agent.answer(id); f.Error == nil && then != nil {
				then(f)
			}
		})
	}
	agent.write(lines...)
	for _, wait := range waits {
		wait()
	}
}

// command makes one up. then is called with an answer that is no refusal.
func (c *crowd) command(r *rand.Rand) (method, params string, then func(received)) {
	session := c.sessions[r.IntN(len(c.sessions))]
	n := r.IntN(20)
	pending, id, some := c.opened.any(r)
	if r.IntN(5) == 0 {
		return c.prompt(session, r)
	}
	switch {
	case n < 8 || !some:
		return wire.MethodApprovalOpen, randomOpening(session, r), func(f received) {
			var result wire.ApprovalOpenResult
			if err := json.Unmarshal(f.Result, &result); err == nil {
				c.opened.add(session, result.ApprovalID)
			}
		}
	case n < 15:
		choice := []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowAllOnce, wire.ChoiceAbort}[r.IntN(3)]
		params := decideParams(pending, id, choice)
		return wire.MethodApprovalDecide, strings.Replace(params, `"sourceIndex":0`, fmt.Sprintf(`"sourceIndex":%d`, r.IntN(3)), 1), nil
	case n < 16:
		return wire.MethodApprovalCancel, inSession(pending, fmt.Sprintf(`"commandId":%q,"approvalId":%q`, command(), id)), nil
	case n < 17:
		modes := []wire.Mode{wire.ModePromptUnmatched, wire.ModeDenyUnmatched, wire.ModePromptUnmatched}
		return wire.MethodSessionSetApprovalMode, inSession(session, fmt.Sprintf(`"commandId":%q,"mode":%q`, command(), modes[r.IntN(len(modes))])), nil
	case n < 18:
		return wire.MethodViewSubscribe, inSession(session), nil // again, or of another's
	case n < 19:
		return wire.MethodSessionResume, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil
	default:
		return wire.MethodSessionList, `{}`, nil
	}
}

// prompt makes up a command about a prompt.
func (c *crowd) prompt(session string, r *rand.Rand) (method, params string, then func(received)) {
	waits, id, some := c.asked.any(r)
	if !some || r.IntN(2) == 0 {
		return wire.MethodUserInputOpen, askParams(session), func(f received) {
			var result wire.UserInputOpenResult
			if err := json.Unmarshal(f.Result, &result); err == nil {
				c.asked.add(session, result.UserInputID)
			}
		}
	}
	switch r.IntN(4) {
	case 0:
		return wire.MethodUserInputCancel, toPrompt(waits, id), nil
	case 1:
		return wire.MethodUserInputInterrupt, toPrompt(waits, id), nil
	case 2:
		return wire.MethodUserInputAnswer, toPrompt(waits, id), nil // does not fit
	default:
		return wire.MethodUserInputAnswer, toPrompt(waits, id, answersA), nil
	}
}

func randomOpening(session string, r *rand.Rand) string {
	params := openParams(session)
	if r.IntN(3) == 0 {
		return strings.Replace(params, `{"kind":"tool"}`, `{"kind":"shell","command":"make a && make b && make c","cwd":"/"}`, 1)
	}
	return params
}

// check holds what every connection was sent against the pages.
func (c *crowd) check() {
	c.t.Helper()
	paged := map[string][]wire.ViewEvent{}
	for _, session := range c.sessions {
		paged[session] = c.agents[0].page(session, 37)
	}
	for name, w := range c.watchers {
		c.whole(name, w, paged, c.watchedBy(name))
	}
	for i, a := range c.agents {
		name := fmt.Sprintf("agent %d", i)
		c.ascending(name, a)
		c.acksFirst(name, a)
		c.once(name, a)
	}
	for name, w := range c.watchers {
		c.ascending(name, w)
		c.once(name, w)
	}
	c.behindTheirEvents("of all sessions", c.watchers["of all sessions"])
	c.behindTheirEvents("of the family", c.watchers["of the family"])
	c.lastStatus("of all sessions", c.watchers["of all sessions"])
}

// watchedBy are the sessions that a watcher is sent everything of.
func (c *crowd) watchedBy(name string) []string {
	if name == "of the family" {
		return c.family
	}
	return c.sessions
}

// whole: one who was there from the start was sent exactly what the pages
// hold, byte for byte.
func (c *crowd) whole(name string, w *client, paged map[string][]wire.ViewEvent, sessions []string) {
	c.t.Helper()
	for _, session := range sessions {
		var want, got []string
		for _, e := range paged[session] {
			want = append(want, e.Method+" "+string(e.Params))
		}
		for _, f := range w.all() {
			if e, ok := eventOf(f); ok && e.session == session {
				got = append(got, f.Method+" "+string(f.Params))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.t.Errorf("%s: events of session %s (-paged +sent):\n%s", name, session, diff)
		}
	}
}

// ascending: the cursors of each session only ever grow.
func (c *crowd) ascending(name string, who *client) {
	c.t.Helper()
	last := map[string]uint64{}
	for _, f := range who.all() {
		e, ok := eventOf(f)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(e.cursor[strings.LastIndexByte(e.cursor, ':')+1:], 10, 64)
		if err != nil || n <= last[e.session] {
			c.t.Errorf("%s: cursor %s after %d", name, e.cursor, last[e.session])
		}
		last[e.session] = n
	}
}

// acksFirst: on the connection that sent a command, its ack precedes every
// event that it caused.
func (c *crowd) acksFirst(name string, who *client) {
	c.t.Helper()
	acked := map[string]int{} // commands and approvals opened here, to the place of the ack
	caused := map[string]int{}
	for i, f := range who.all() {
		var body struct {
			CommandID           string   `json:"commandId"`
			ApprovalID          string   `json:"approvalId"`
			ToolCallID          string   `json:"toolCallId"`
			Cancelled           []string `json:"cancelled"`
			DecidedByCommandID  string   `json:"decidedByCommandId"`
			SuccessorApprovalID string   `json:"successorApprovalId"`
		}
		raw := f.Params
		if f.Method == "" {
			raw = f.Result
		}
		if raw == nil {
			continue
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case f.Method == "":
			acked[body.CommandID] = i
			if body.ToolCallID != "" {
				acked[body.ApprovalID] = i
			}
			for _, id := range body.Cancelled {
				acked["cancel "+id] = i
			}
		case f.Method == wire.MethodApprovalRequested && caused[body.ApprovalID] == 0:
			caused[body.ApprovalID] = i
		case body.DecidedByCommandID != "":
			caused[body.DecidedByCommandID] = i
		case f.Method == wire.MethodApprovalResolved:
			caused["cancel "+body.ApprovalID] = i
		case f.Method == wire.MethodSessionApprovalModeChanged:
			caused[body.CommandID] = i
		}
	}
	for what, event := range caused {
		if ack, here := acked[what]; here && ack > event {
			c.t.Errorf("%s: the ack for %s is frame %d, behind its event, frame %d", name, what, ack, event)
		}
	}
}

// once: an approval or prompt is first requested, then settled, each once where the
// connection saw it from the start; and nothing is asked about twice.
func (c *crowd) once(name string, who *client) {
	c.t.Helper()
	resolved, asked := map[string]int{}, map[string]int{}
	requests := int64(0)
	for _, f := range who.all() {
		var params struct {
			ApprovalID           string             `json:"approvalId"`
			UserInputID          string             `json:"userInputId"`
			CurrentRequirementID wire.RequirementID `json:"currentRequirementId"`
		}
		if f.Method == "" {
			continue
		}
		if err := json.Unmarshal(f.Params, &params); err != nil {
			c.t.Fatal(err)
		}
		id := params.ApprovalID + params.UserInputID
		switch f.Method {
		case wire.MethodApprovalResolved, wire.MethodUserInputSettled:
			if resolved[id]++; resolved[id] > 1 {
				c.t.Errorf("%s: approval %s is resolved for the %d. time", name, id, resolved[id])
			}
		case wire.MethodApprovalRequested, wire.MethodApprovalUpdated, wire.MethodUserInputRequested:
			if resolved[id] > 0 {
				c.t.Errorf("%s: %s about approval %s, which was resolved before", name, f.Method, id)
			}
		case wire.MethodApprovalRequest, wire.MethodUserInputRequest:
			if requests++; string(f.ID) != fmt.Sprint(requests) {
				c.t.Errorf("%s: the %d. request has the id %s", name, requests, f.ID)
			}
			if resolved[id] > 0 {
				c.t.Errorf("%s: a request for approval %s, which was resolved before", name, id)
			}
			requirement := fmt.Sprintf("%s %d", id, params.CurrentRequirementID.SourceIndex)
			if asked[requirement]++; asked[requirement] > 1 {
				c.t.Errorf("%s: requirement %s is asked about again", name, requirement)
			}
		}
	}
}

// behindTheirEvents: to one who was there from the start a request comes right
// behind its event, with the same params.
func (c *crowd) behindTheirEvents(name string, who *client) {
	c.t.Helper()
	frames := who.all()
	for i, f := range frames {
		if f.Method != wire.MethodApprovalRequest && f.Method != wire.MethodUserInputRequest {
			continue
		}
		before := frames[i-1]
		if before.Method != f.Method+"ed" || string(before.Params) != string(f.Params) {
			c.t.Errorf("%s: %.200s is not right behind its event but behind %.200s", name, f.raw, before.raw)
		}
	}
}

// lastStatus: the last status of each session is how it is.
func (c *crowd) lastStatus(name string, who *client) {
	c.t.Helper()
	last := map[string]bool{}
	for _, f := range who.all() {
		if f.Method == wire.MethodSessionStatusChanged {
			var params wire.SessionStatusChanged
			if err := json.Unmarshal(f.Params, &params); err != nil {
				c.t.Fatal(err)
			}
			last[params.SessionID] = len(params.Attention) > 0
		}
	}
	var list wire.SessionListResult
	c.agents[0].must(wire.MethodSessionList, `{}`, &list)
	for _, session := range list.Sessions {
		if want := len(session.Attention) > 0; last[session.SessionID] != want {
			c.t.Errorf("%s: session %s was last said to wait: %t", name, session.SessionID, !want)
		}
	}
}

func TestEveryConnectionSeesOneStory(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("in memory, seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				c := newCrowd(t, h, h.as)
				c.run(seed, 12)
				h.settle()
				c.check()
			})
		})
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("over sockets, seed ", seed), func(t *testing.T) {
			h := newHost(t)
			dir := h.listen()
			c := newCrowd(t, h, func(role wire.Role, capabilities ...string) *client {
				return h.dialAs(dir, role, capabilities...)
			})
			c.run(seed, 12)
			c.catchUp()
			c.check()
		})
	}
}

// catchUp waits, where time is real, until every connection has been sent the
// last event of each session and its last status. Closing is both.
func (c *crowd) catchUp() {
	c.t.Helper()
	for _, session := range slices.Backward(c.sessions) { // closing a parent closes its children
		c.agents[0].must(wire.MethodSessionClose, inSession(session, fmt.Sprintf(`"commandId":%q`, command())), nil)
		itself := fmt.Sprintf(`"params":{"sessionId":%q`, session) // and not one below it, whose path names it
		for name, w := range c.watchers {
			if slices.Contains(c.watchedBy(name), session) {
				w.event(wire.MethodSessionClosed, itself)
			}
			w.event(wire.MethodSessionStatusChanged, itself, string(wire.SessionNotLoaded))
		}
	}
}
