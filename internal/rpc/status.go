package rpc

import (
	"slices"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// statusShown is the part of a session that session/statusChanged tells.
type statusShown struct {
	status           wire.SessionStatus
	approval, prompt bool // one waits in it, or below it
}

// touched is a session whose status a group of records may have changed, with
// the last record that may have.
type touched struct {
	session approval.ID
	seq     uint64
	at      time.Time
}

// touchedBy are the sessions of the records and those above them, whose
// attention covers what is below (protocol §4 "Children"): each once.
func touchedBy(records []record.Record, lineages [][]approval.ID) []touched {
	var out []touched
	place := make(map[approval.ID]int, len(records))
	for i, r := range records {
		for _, id := range slices.Backward(lineages[i]) {
			at, known := place[id]
			if !known {
				at = len(out)
				place[id], out = at, append(out, touched{session: id})
			}
			out[at].seq, out[at].at = r.Seq, r.At
		}
	}
	return out
}

// tellStatus tells every connection that may see them of the sessions whose
// status changed with these records. Called with mu held.
func (s *Server) tellStatus(records []record.Record, lineages [][]approval.ID) {
	s.seq.View(func(state *fold.State) {
		for _, by := range touchedBy(records, lineages) {
			session, ok := state.Session(by.session)
			if !ok {
				continue
			}
			now := statusShown{session.Status(), session.Pending+session.Below > 0, session.Prompts+session.PromptsBelow > 0}
			before, told := s.status[session.ID]
			if !told {
				before = statusShown{status: wire.SessionIdle}
			}
			if now == before {
				continue
			}
			s.status[session.ID] = now
			n := notice{
				noticeKey: noticeKey{session.ID, wire.MethodSessionStatusChanged},
				after:     by.seq, frame: statusFrame(session, by.at),
			}
			for c := range s.conns {
				if c.sees(session.Lineage) {
					c.pump.tell(n)
				}
			}
		}
	})
}

// takeUpStatus notes which sessions a restart has left waiting for an answer to a
// prompt, which it does not open anew, and which are running: they are told of when
// that changes.
func (s *Server) takeUpStatus() {
	s.seq.View(func(state *fold.State) {
		for session := range state.Sessions() {
			if prompt := session.Prompts+session.PromptsBelow > 0; prompt || session.Running() {
				s.status[session.ID] = statusShown{status: session.Status(), prompt: prompt}
			}
		}
	})
}

func statusFrame(session *fold.Session, at time.Time) []byte {
	cursor := session.Head().Text(session.ID)
	return mustNotification(wire.MethodSessionStatusChanged, wire.SessionStatusChanged{
		SessionID: session.ID.String(), Status: session.Status(),
		Attention: session.Attention(), ViewCursor: &cursor, SubagentOrigin: fold.Origin(session.Lineage),
	}, at.UnixMilli())
}
