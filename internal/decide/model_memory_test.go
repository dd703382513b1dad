package decide_test

import (
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// read is the fold.Reader of what was decided so far.
func (m *model) read(seq uint64) (record.Record, error) { return m.log[seq-1], nil }

// params are what reviewers are asked about a pending approval.
func (m *model) params(a *fold.Approval, lineage []approval.ID) *wire.ApprovalRequest {
	full, err := a.Full(m.read)
	if err != nil {
		m.t.Fatal(err)
	}
	return full.Params(lineage)
}

// letGo makes memory let go of some of what was asked.
func (m *model) letGo(t *rapid.T) {
	m.commit()
	for _, s := range m.twin.sessions {
		in, ok := m.view.Session(s.id)
		if !ok {
			continue
		}
		for _, a := range in.PendingApprovals() {
			if rapid.Bool().Draw(t, "let go") {
				m.view.LetGo(s.id, a.ID)
			}
		}
	}
	m.ahead = m.view.Over()
}
