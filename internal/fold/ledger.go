package fold

import (
	"encoding/hex"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// Entry is what the ledger keeps in memory of an admitted command: enough to
// know it again, and where its answer is. The answer stays in its record: few
// commands are repeated.
type Entry struct {
	Payload [32]byte // canon.Payload of the method and its params
	Seq     uint64   // of the record that has the answer
}

// entryOf is the entry of an intake. A payload that is none is that of no command.
func entryOf(seq uint64, intake *record.Intake) Entry {
	e := Entry{Seq: seq}
	if n, err := hex.Decode(e.Payload[:], []byte(intake.Payload)); err != nil || n != len(e.Payload) {
		e.Payload = [32]byte{}
	}
	return e
}

// Command returns the ledger's entry for a command of this session.
func (s *Session) Command(id approval.CommandID) (Entry, bool) { return s.full().commands.get(id) }

// Start returns the ledger's entry for a session/start command.
func (s *State) Start(id approval.CommandID) (Entry, bool) { return s.starts.get(id) }

// StartRefusals counts the recorded refusals of session/start since the last
// session that was started.
func (s *State) StartRefusals() int { return s.startRefusals }
