package sequencer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// held reports for each approval whether memory holds what was asked.
func (r *rig) held(session approval.ID, ids []approval.ID) (held []bool) {
	r.t.Helper()
	errNotHeld := errors.New("it would have to be read")
	r.View(func(s *fold.State) {
		in, _ := s.Session(session)
		for _, id := range ids {
			a, ok := in.Approval(id)
			if !ok {
				r.t.Fatalf("approval %s is not known", id)
			}
			_, err := a.Full(func(uint64) (record.Record, error) { return record.Record{}, errNotHeld })
			held = append(held, err == nil)
		}
	})
	return held
}

func TestMemoryHoldsTheLatestRequestsAsFarAsTheyFit(t *testing.T) {
	r := start(t, newLog(), func(c *sequencer.Config) { c.RequestMemory = 8 << 10 })
	session := r.session()
	var ids []approval.ID
	for range 20 {
		ids = append(ids, r.open(session))
	}
	held := r.held(session, ids)
	first := 0
	for first < len(held) && !held[first] {
		first++
	}
	if n := len(held) - first; n < 3 || n > 8 { // of one to two KiB each
		t.Errorf("%d requests are held", n)
	}
	for i, is := range held {
		if is != (i >= first) {
			t.Errorf("request %d is held: %v, and the oldest that is is %d", i, is, first)
		}
	}
	for i, id := range ids {
		if reply := r.accepted(r.choose(session, id, wire.ChoiceAllowOnce)); len(reply.Records) != 1 {
			t.Errorf("approval %d, held %v, is settled by %d records", i, held[i], len(reply.Records))
		}
	}
	if large := r.accepted(r.opening(session, 0)); !r.held(session, []approval.ID{large.Records[0].Approval})[0] {
		t.Error("the requests that were settled take the place of those that wait")
	}
}

func TestARequestThatCannotBeReadIsNotDecidedAndNoOtherIsHeldUp(t *testing.T) {
	l := &lostRecords{heldLog: newLog()}
	r := start(t, l.heldLog, func(c *sequencer.Config) { c.Log, c.RequestMemory = l, -1 })
	session := r.session()
	lost, sound := r.open(session), r.open(session)
	l.lost = 2
	d := r.choose(session, lost, wire.ChoiceAllowOnce)
	if reply := r.do(d); code(reply) != wire.CodeInternal || !strings.Contains(reply.Refusal.Message, "approvald verify") {
		t.Errorf("the decision: %+v", reply)
	}
	r.accepted(r.choose(session, sound, wire.ChoiceAllowOnce))
	if !r.pending(session, lost) {
		t.Error("what cannot be read was settled")
	}
	l.lost = 0
	r.accepted(d)
}

// lostRecords is a log in which one record cannot be read; 0: all can. Between two
// commands the test may change which.
type lostRecords struct {
	*heldLog
	lost uint64
}

func (l *lostRecords) Get(seq uint64) ([]byte, error) {
	if seq == l.lost {
		return nil, errSector
	}
	return l.heldLog.Get(seq)
}
