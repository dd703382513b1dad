package recovery

import (
	"fmt"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Replayed is a log with every session of it loaded.
type Replayed struct {
	State *fold.State
	Chain record.Chain // the link that the next record carries
}

// Replay folds every record of a log, as Outline does their headers. It is what
// Outline and the loading of sessions must come to, and what tests hold them
// against; a daemon has no use for it.
func Replay(l Log) (Replayed, error) {
	state := new(fold.State)
	var checker Checker
	err := l.Each(func(seq uint64, value []byte) error {
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
