package sequencer_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

const idleWindow = time.Second

// Two writers carry out the same commands at the same moments. One keeps every
// session and every request, the other lets go of each whenever it may: every
// answer, and in the end the log, are the same.
func TestSessionsThatComeAndGoAnswerAsThoseThatStay(t *testing.T) {
	unloaded := 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				what: rapid.IntRange(0, 21).Draw(rt, "what"), which: rapid.IntRange(0, 99).Draw(rt, "which"),
				how: rapid.IntRange(0, 99).Draw(rt, "how"),
			}
		}), 1, 60).Draw(rt, "steps")
		var fault string
		synctest.Test(t, func(t *testing.T) { fault = newPair(t).play(steps, &unloaded) })
		if fault != "" {
			rt.Fatal(fault)
		}
	})
	if unloaded == 0 {
		t.Error("no session was ever unloaded")
	}
}

// step is one command, of which which and how choose what it is about.
type step struct{ what, which, how int }

// pair are the two writers, and what there is in both of them.
type pair struct {
	t           *testing.T
	stays, goes *rig
	ids         uint64
	sessions    []approval.ID
	approvals   []decide.Open
	opened      []approval.ID
	catalogs    []approval.ID
	asked       []decide.OpenInput
	prompts     []approval.ID
	begun       []decide.StartTurn
	turns       []approval.ID
	done        []decide.Command
}

func newPair(t *testing.T) *pair {
	keep := func(window time.Duration, requests int) *rig {
		return restart(t, &readLog{heldLog: newLog()}, func(c *sequencer.Config) { c.IdleWindow, c.RequestMemory = window, requests })
	}
	return &pair{t: t, stays: keep(1000*time.Hour, 0), goes: keep(idleWindow, -1), ids: 1 << 40}
}

func (p *pair) play(steps []step, unloaded *int) string {
	for _, s := range steps {
		c := p.command(s)
		if c == nil {
			time.Sleep(2 * idleWindow)
			synctest.Wait()
			*unloaded += p.goes.notLoaded()
			continue
		}
		want, got := p.stays.do(c), p.goes.do(c)
		if diff := cmp.Diff(p.answer(want), p.answer(got)); diff != "" {
			return fmt.Sprintf("%+v is answered (-who keeps sessions +who does not):\n%s", c, diff)
		}
		p.done = append(p.done, c)
		switch c := c.(type) {
		case decide.StartSession:
			if len(got.Records) > 0 {
				p.sessions = append(p.sessions, got.Records[0].Session)
			}
		case decide.OpenCatalog:
			p.listed(got)
		case decide.StartTurn:
			if got.Ack != nil && len(got.Records) > 0 {
				p.begun, p.turns = append(p.begun, c), append(p.turns, got.Records[0].Approval)
			}
		case decide.OpenInput:
			if len(got.Records) > 0 {
				p.asked, p.prompts = append(p.asked, c), append(p.prompts, got.Records[0].Approval)
			}
		case decide.Open:
			if len(got.Records) > 0 {
				p.approvals, p.opened = append(p.approvals, c), append(p.opened, got.Records[0].Approval)
			}
		}
	}
	return cmp.Diff(p.log(p.stays), p.log(p.goes))
}

// command is what a step asks for; nil to let time pass.
func (p *pair) command(s step) decide.Command {
	if len(p.sessions) == 0 {
		return decide.StartSession{Intent: p.intent()}
	}
	session := p.sessions[s.which%len(p.sessions)]
	switch {
	case s.what == 0:
		return decide.StartSession{Intent: p.intent(), Parent: session}
	case s.what == 1:
		return decide.StartSession{Intent: p.intent()}
	case s.what <= 3:
		return decide.Open{Intent: p.intent(), Session: session, Action: write}
	case s.what == 4:
		return decide.Cancel{Intent: p.intent(), Session: session, All: true}
	case s.what == 5 && s.how < 10:
		return decide.CloseSession{Intent: p.intent(), Session: session}
	case s.what == 6 && len(p.done) > 0:
		return p.done[s.which%len(p.done)]
	case s.what <= 8 && len(p.opened) > 0:
		i := s.which % len(p.opened)
		choices := []wire.ChoiceID{wire.ChoiceAllowOnce, wire.ChoiceAllowOnce, wire.ChoiceAllowSession, wire.ChoiceAbort, "nonsense"}
		return decide.Decide{
			Intent: p.intent(), Session: p.approvals[i].Session, Approval: p.opened[i], Choice: choices[s.how%len(choices)],
		}
	case s.what == 9 && len(p.opened) > 0:
		i := s.which % len(p.opened)
		return decide.Consume{
			Intent: p.intent(), Session: p.approvals[i].Session, Approval: p.opened[i],
			ToolCall: "call", ArgsDigest: "sha256:00", Action: p.approvals[i].Action,
		}
	}
	return p.catalogCommand(s, session)
}

func (p *pair) intent() decide.Intent {
	p.ids++
	id := numbered(p.ids)
	i := decide.Intent{Command: approval.CommandIDFromBits(id, false)}
	copy(i.Payload[:], id[:])
	return i
}

// answer is a reply in a form that compares.
func (p *pair) answer(r sequencer.Reply) []string {
	refusal, err := json.Marshal(r.Refusal)
	if err != nil {
		p.t.Fatal(err)
	}
	return []string{string(r.Ack), string(refusal), fmt.Sprint(len(r.Records))}
}

func (p *pair) log(r *rig) (values []string) {
	if err := r.log.Scan(1, func(_ uint64, value []byte) error {
		values = append(values, string(value))
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return values
}

// notLoaded is how many sessions are not.
func (r *rig) notLoaded() (n int) {
	r.View(func(s *fold.State) {
		for session := range s.Sessions() {
			if !session.Loaded() {
				n++
			}
		}
	})
	return n
}

// Whoever looks at a session sees it, however soon it is unloaded again.
func TestASessionThatIsUnloadedAtOnceIsSeen(t *testing.T) {
	r := restart(t, &readLog{heldLog: newLog()}, func(c *sequencer.Config) { c.IdleWindow = time.Nanosecond })
	session := r.session()
	asked := r.accepted(decide.Open{Intent: r.intent(), Session: session, Action: write}).Records[0].Approval
	r.accepted(r.choose(session, asked, wire.ChoiceAllowOnce))
	for range 500 {
		seen := false
		found, err := r.ViewSession(session, func(_ *fold.State, in *fold.Session) { _, seen = in.Approval(asked) })
		if !found || err != nil || !seen {
			t.Fatalf("found %t, seen %t: %v", found, seen, err)
		}
		done := make(chan struct{})
		if _, unknown := r.Await(session, []approval.ID{asked}, false, func() { close(done) }); unknown != nil {
			t.Fatal("an approval that was settled is not known")
		}
		<-done
	}
}
