package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

// tale is a log that is the same each time: what two sessions asked on a morning.
type tale struct {
	at     time.Time
	chain  record.Chain
	last   map[approval.ID]uint64
	values [][]byte
	err    error
}

func (s *tale) add(session, about approval.ID, body record.Body) uint64 {
	s.at = s.at.Add(7 * time.Second)
	h := record.Header{At: s.at, Session: session, Approval: about, Prev: s.last[session]}
	v, err := record.Encode(h, body, s.chain)
	if err != nil {
		s.err = err
		return 0
	}
	s.chain, s.values = record.ChainOf(v), append(s.values, v)
	s.last[session] = uint64(len(s.values))
	return s.last[session]
}

// fixedID is an id that was minted n milliseconds into the morning.
func fixedID(n byte) approval.ID {
	return approval.ID{0x01, 0x9b, 0x7c, 0xc5, 0xa0, n, 0x70, 0, 0x80, 15: n}
}

func writeTale(path string) error {
	s := &tale{at: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), last: map[approval.ID]uint64{}}
	agent := record.Party{Client: "coder", Version: "1.0", Role: "agent", Transport: "agent", PID: 4711, Executable: "/usr/bin/coder"}
	person := record.Party{Client: "inbox", Version: "2.1", Role: "reviewer", Transport: "reviewer", PID: 4712, Executable: "/usr/bin/inbox"}
	ack := &record.Intake{Payload: "00", Ack: json.RawMessage(`{}`)}
	open := func(session, about approval.ID, tool, reason, subject, menu, policy string) uint64 {
		return s.add(session, about, &record.ApprovalOpened{
			ToolCallID: fmt.Sprintf("call_%d", about[15]), ToolName: tool, RawArgs: `{}`, Reason: reason, TurnID: "t1", TaskID: "k1", ItemID: "i1",
			Subject: json.RawMessage(subject), Menu: json.RawMessage(menu), Policy: json.RawMessage(policy), Unattended: "park", By: agent, Command: ack,
		})
	}
	const menu, asks = `[{"choiceId":"allow_once","label":"Allow once"},{"choiceId":"abort","label":"Reject"}]`,
		`{"source":"mode","explanation":"Nothing in force covers it, and the mode promptUnmatched asks."}`
	one, two, none := fixedID(1), fixedID(2), approval.ID{}

	s.add(one, none, &record.SessionStarted{Mode: "promptUnmatched", WorkspaceRoot: "/srv/app", Unattended: "park", By: agent, Command: ack})
	push := open(one, fixedID(11), "bash", "to publish", `{"kind":"shell","command":"git push","cwd":"/srv/app","shell":"bash","stages":[]}`, menu, asks)
	s.add(one, fixedID(11), &record.ApprovalSettled{
		Opened: push, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "user", Source: "reviewer", ChoiceID: "allow_once", By: &person, Command: ack,
	})
	s.add(one, fixedID(11), &record.ApprovalConsumed{Opened: push, By: agent, Command: ack})
	write := open(one, fixedID(12), "write", "to configure", `{"kind":"fileAccess","toolName":"write","path":"/srv/app/.env","requestedPath":".env","access":"write","exists":true}`, menu, asks)
	s.add(one, fixedID(12), &record.ApprovalSettled{
		Opened: write, Outcome: "rejected", Decision: "abort", PolicyResult: "deny", ResolvedBy: "user", Source: "reviewer", ChoiceID: "abort",
		Feedback: "put it into .env.example", By: &person, Command: ack,
	})
	s.add(two, none, &record.SessionStarted{Mode: "promptUnmatched", WorkspaceRoot: "/srv/application", Unattended: "park", By: agent, Command: ack})
	test := open(two, fixedID(13), "bash", "to test", `{"kind":"shell","command":"make test","cwd":"/srv/application","shell":"bash","stages":[]}`, `[]`,
		`{"source":"rule","rule":"user rule 1 (policy.toml:1)","explanation":"User rule 1 allows it."}`)
	s.add(two, fixedID(13), &record.ApprovalSettled{
		Opened: test, Outcome: "allowedOnce", Decision: "approved", PolicyResult: "allow", ResolvedBy: "policy", Source: "rule", Rule: "user rule 1 (policy.toml:1)",
	})
	s.add(two, fixedID(13), &record.PermitVoided{Opened: test, Reason: "turnEnded"})
	s.add(one, none, &record.CommandSettled{By: person, Command: &record.Intake{Payload: "00", Refusal: json.RawMessage(`{"code":-32051,"message":"It was settled before."}`)}})
	open(two, fixedID(14), "fetch", "to read\u202e", `{"kind":"network","host":"example.com","port":443,"protocol":"https"}`, menu, asks)
	if s.err != nil {
		return s.err
	}
	if err := log.MakeDirs(filepath.Dir(path)); err != nil {
		return err
	}
	l, err := log.Open(path)
	if err != nil {
		return err
	}
	if _, err := l.Append(s.values); err != nil {
		return err
	}
	return l.Close()
}

// tale FILE writes a log that is the same each time.
func makeTale(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(writeTale(ts.MkAbs(args[0])))
}

// A log that is damaged is told of up to the damage, and the sentence is
// verify's.
func TestAuditTellsWhatIsBeforeTheDamage(t *testing.T) {
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			path := filepath.Join(p.state, "sessions.db")
			writeLog(t, path)
			c.damage(t, path)
			verified, code := p.says(t, "verify", "--bodies")
			told, got := p.says(t, "audit", "--json")
			lines, sentence := splitSaid(told)
			_, want := splitSaid(verified)
			if got != code || sentence != want {
				t.Errorf("audit exits %d and says %q, verify %d and %q", got, sentence, code, want)
			}
			if whole := 40; code == exitOK && lines != whole {
				t.Errorf("it tells %d lines of %d", lines, whole)
			} else if code == exitDamaged && lines > c.kept {
				t.Errorf("it tells %d lines, and salvage keeps %d", lines, c.kept)
			}
			if told, got := p.says(t, "audit"); got != code {
				t.Errorf("the table exits %d and says\n%s", got, told)
			}
		})
	}
}
