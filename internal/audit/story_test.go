package audit_test

import (
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
)

// story makes a log record by record, with the links that a log has.
type story struct {
	t      testing.TB
	at     time.Time
	chain  record.Chain
	last   map[approval.ID]uint64
	values [][]byte
	prompt opening // the last
}

func newStory(t testing.TB) *story {
	return &story{t: t, at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), last: map[approval.ID]uint64{}}
}

// add appends a record, a second after the one before it, and returns its
// sequence.
func (s *story) add(session, about approval.ID, command approval.CommandID, body record.Body) uint64 {
	s.t.Helper()
	h := record.Header{At: s.at, Session: session, Approval: about, Command: command, Prev: s.last[session]}
	v, err := record.Encode(h, body, s.chain)
	if err != nil {
		s.t.Fatal(err)
	}
	s.at, s.chain, s.values = s.at.Add(time.Second), record.ChainOf(v), append(s.values, v)
	seq := uint64(len(s.values))
	if !session.IsZero() {
		s.last[session] = seq
	}
	return seq
}

// path writes the log.
func (s *story) path() string {
	path := filepath.Join(s.t.TempDir(), "sessions.db")
	write(s.t, path, s.values)
	return path
}

func id(kind byte, n uint64) (id approval.ID) {
	id[0], id[6], id[8] = kind, 0x70, 0x80
	binary.BigEndian.PutUint32(id[12:], uint32(n))
	return id
}

func command(t testing.TB, text string) approval.CommandID {
	c, err := approval.ParseCommandID(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// subjects of every kind, and one that is not known.
var subjects = []string{
	`{"kind":"shell","command":"make test","cwd":"/srv/app","shell":"bash","stages":[]}`,
	`{"kind":"fileAccess","toolName":"write","path":"/srv/app/a.txt","requestedPath":"a.txt","access":"write","exists":true}`,
	`{"kind":"fileAccess","toolName":"read","path":"/srv/application","requestedPath":"../application","access":"read","exists":false}`,
	`{"kind":"network","host":"example.com","port":443,"protocol":"https"}`,
	`{"kind":"process","action":"signal","target":"make"}`,
	`{"kind":"tool","toolName":"send","serverName":"mail","arguments":{"to":"you"}}`,
	`{"kind":"teleport","to":"\u001b[2J"}`,
}

// opening is an approval and the sequence that opened it.
type opening struct {
	id  approval.ID
	seq uint64
}

// anyRecord appends a record of any kind that fits what is there.
func (s *story) anyRecord(t *rapid.T, open *[]opening) {
	session := id('s', rapid.Uint64Range(1, 3).Draw(t, "session"))
	var about approval.ID
	var opened uint64
	if len(*open) > 0 {
		one := rapid.SampledFrom(*open).Draw(t, "approval")
		about, opened = one.id, one.seq
	}
	word := rapid.SampledFrom([]string{"", "Why", "make"}).Draw(t, "word")
	by := record.Party{Client: word, PID: 1}
	kinds := []record.Body{
		&record.SessionStarted{Mode: "promptUnmatched", Name: word, By: by},
		&record.ModeSet{Mode: "allowAll", By: by},
		&record.SessionClosed{Reason: word, By: by},
		&record.Recovered{Pending: 2},
		&record.CommandSettled{By: by, Command: &record.Intake{Refusal: json.RawMessage(`{"code":-32051}`)}},
		&record.CommandSettled{By: by, Command: &record.Intake{Ack: json.RawMessage(`{}`)}},
		&record.GrantRevoked{GrantID: id('g', 1), By: by},
		&record.CatalogOpened{CatalogID: id('c', 1), ServerName: "mail", Tools: []record.Tool{{Name: "send", Digest: "sha256:01"}}, By: by},
		&record.CatalogChanged{CatalogID: id('c', 1), Tools: []record.Tool{}, Grants: []approval.ID{id('g', 1)}, By: by},
		&record.CatalogClosed{CatalogID: id('c', 1), Reason: word, By: &by},
		&record.TurnEnded{TurnID: "t1", Terminal: "completed", Reason: word, By: by},
		&record.TurnStarted{Input: json.RawMessage(`[{"text":"` + word + `"}]`), Hosted: word == "make", By: by},
		&record.GrantAdded{GrantID: id('g', 1), Scope: "session", RulePreview: word, By: by},
		&record.ApprovalOpened{
			ToolName: rapid.SampledFrom([]string{"bash", "write"}).Draw(t, "tool"), Reason: word, RawArgs: "{}",
			Subject: json.RawMessage(rapid.SampledFrom(subjects).Draw(t, "subject")),
			Menu:    json.RawMessage(`[]`), Policy: json.RawMessage(`{"source":"rule","rule":"user rule 1","explanation":"why not"}`), By: by,
		},
	}
	if opened != 0 {
		kinds = append(kinds,
			&record.StageSettled{Opened: opened, Menu: json.RawMessage(`[]`), Asks: true},
			&record.ApprovalSettled{
				Opened: opened, Outcome: rapid.SampledFrom([]string{"rejected", "allowedOnce"}).Draw(t, "outcome"),
				Source: rapid.SampledFrom([]string{"rule", "reviewer"}).Draw(t, "source"), Feedback: word,
			},
			&record.ApprovalConsumed{Opened: opened, By: by},
			&record.PermitVoided{Opened: opened, Reason: word},
			&record.PolicyPersisted{GrantID: id('g', 1), Status: record.Persisted, Opened: opened, Menu: json.RawMessage(`[]`)},
		)
	}
	if about := s.prompt; about.seq != 0 {
		kinds = append(kinds, &record.InputEngaged{Opened: about.seq, By: by}, &record.InputSettled{
			Opened: about.seq, Outcome: "answered", Source: "reviewer", Answers: json.RawMessage(`[{"questionId":"q","freeText":"` + word + `"}]`),
		})
	}
	kinds = append(kinds, &record.InputOpened{ToolName: "bash", Questions: json.RawMessage(`[{"id":"q","question":"` + word + `"}]`), By: by})
	body := rapid.SampledFrom(kinds).Draw(t, "body")
	switch body.(type) {
	case *record.ApprovalOpened:
		about = id('a', uint64(len(s.values)))
		*open = append(*open, opening{about, s.add(session, about, approval.CommandID{}, body)})
		return
	case *record.InputOpened:
		about = id('p', uint64(len(s.values)))
		s.prompt = opening{about, s.add(session, about, approval.CommandID{}, body)}
		return
	case *record.InputEngaged, *record.InputSettled:
		about = s.prompt.id
	case *record.StageSettled, *record.ApprovalSettled, *record.ApprovalConsumed, *record.PermitVoided, *record.PolicyPersisted:
	default:
		about = approval.ID{}
	}
	s.add(session, about, approval.CommandID{}, body)
}

// linesOf are the lines that a filter lets through.
func linesOf(t interface {
	Helper()
	Fatal(args ...any)
}, path string, f audit.Filter,
) (lines []*audit.Line) {
	t.Helper()
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := audit.Lines(r, f, nil, func(l *audit.Line) error { lines = append(lines, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return lines
}
