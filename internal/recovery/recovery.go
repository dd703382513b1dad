// Package recovery is how a daemon comes to know what its log holds, and what
// a restart owes the approvals that were pending. There is no other way into
// serving: an ordinary start takes it as well (design: "fatal means restart").
package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Log is what is replayed: internal/log's Log and Memory.
type Log interface {
	Scan(from uint64, fn func(seq uint64, value []byte) error) error
}

// Replayed is what a log holds.
type Replayed struct {
	State *fold.State
	Chain record.Chain // the link that the next record carries
}

// Replay folds the whole log. It holds every record against a Checker and stops
// at the first that it refuses, with a RecordError: serving a part of a log as
// if it were the log would lose decisions silently.
func Replay(l Log) (Replayed, error) {
	state := new(fold.State)
	var checker Checker
	err := l.Scan(1, func(seq uint64, value []byte) error {
		r, err := checker.Next(seq, value)
		if err != nil {
			return err
		}
		state.Apply(r)
		return nil
	})
	if err != nil {
		return Replayed{}, fmt.Errorf("replay the log: %w", err)
	}
	return Replayed{State: state, Chain: checker.Chain()}, nil
}

// Plan is what a restart must do before it answers anything that names a
// pending approval: one command for each session that a restart owes something,
// in the order in which the sessions began.
func Plan(s *fold.State) []decide.Command {
	var plan []decide.Command
	for _, id := range owed(s) {
		plan = append(plan, decide.Recover{Session: id})
	}
	return plan
}

func owed(s *fold.State) []approval.ID {
	var sessions []*fold.Session
	for session := range s.Sessions() {
		if decide.NeedsRecovery(session) {
			sessions = append(sessions, session)
		}
	}
	slices.SortFunc(sessions, func(a, b *fold.Session) int { return cmp.Compare(a.First, b.First) })
	ids := make([]approval.ID, len(sessions))
	for i, session := range sessions {
		ids[i] = session.ID
	}
	return ids
}
