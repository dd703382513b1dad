package sequencer_test

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/sequencer"
)

// describe is what readers see of a writer's state, in a form that compares.
func describe(s *sequencer.Sequencer) (lines []string) {
	s.View(func(state *fold.State) {
		for session := range state.Sessions() {
			o := session.Object(fold.Profile{})
			lines = append(lines, fmt.Sprintf("session %s %s %v head %d", o.SessionID, o.ApprovalMode.Mode, o.Attention, session.Head()))
			for _, a := range session.PendingApprovals() {
				full, err := a.Full(s.Record)
				if err != nil {
					panic(err)
				}
				lines = append(lines, fmt.Sprintf("session %s waits for %s, asked at %d: %+v", o.SessionID, a.ID, a.Asked, full.Params(session.Lineage)))
			}
			for seq := range session.Records(0) {
				lines = append(lines, fmt.Sprintf("session %s has record %d", o.SessionID, seq))
			}
		}
		lines = append(lines, fmt.Sprintf("head %d", state.Head()))
	})
	slices.Sort(lines)
	return lines
}
