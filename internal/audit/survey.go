package audit

import (
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Survey is what a line does not say because it came later: what became of each
// permit, and which approvals and prompts are still pending. It takes two bits a record, and
// what waits.
type Survey struct {
	consumed, voided set
	waits            map[approval.ID]uint64 // the sequence that opened it
}

// Fate is what became of what was decided: of the permit of an allowed approval,
// of the denial of another.
type Fate string

// The fates.
const (
	FateConsumed Fate = "consumed" // the agent took it
	FateVoided   Fate = "voided"   // what it was for had ended
	FateOpen     Fate = "open"     // neither
)

// NewSurvey reads a log for a Survey. After an error it is one of the records
// that hold; the error is Verify's.
func NewSurvey(r *log.Reader, progress Progress) (*Survey, error) {
	s := &Survey{waits: map[approval.ID]uint64{}}
	return s, checked(r, new(recovery.Checker), false, progress, s.add)
}

func (s *Survey) add(seq uint64, h record.Header, value []byte) error {
	switch h.Kind {
	case record.KindApprovalOpened, record.KindInputOpened:
		s.waits[h.Approval] = seq
		return nil
	case record.KindApprovalSettled, record.KindInputSettled:
		delete(s.waits, h.Approval)
		return nil
	case record.KindApprovalConsumed, record.KindPermitVoided:
	default:
		return nil
	}
	r, err := record.DecodeBody(seq, h, value)
	if err != nil {
		return &recovery.RecordError{Seq: seq, Kind: h.Kind, Err: err}
	}
	switch body := r.Body.(type) {
	case *record.ApprovalConsumed:
		s.consumed.add(body.Opened, seq)
	case *record.PermitVoided:
		s.voided.add(body.Opened, seq)
	}
	return nil
}

// Fate is what became of the approval that the record at a sequence opened.
func (s *Survey) Fate(opened uint64) Fate {
	switch {
	case s.consumed.has(opened):
		return FateConsumed
	case s.voided.has(opened):
		return FateVoided
	}
	return FateOpen
}

func (s *Survey) pending() []uint64 { return slices.Sorted(maps.Values(s.waits)) }

// set is a set of sequences, a bit each.
type set []uint64

// add adds a sequence that is before another.
func (s *set) add(seq, before uint64) {
	if seq >= before {
		return // no record of an approval names itself; Lines says so
	}
	for seq/64 >= uint64(len(*s)) {
		*s = append(*s, 0)
	}
	(*s)[seq/64] |= 1 << (seq % 64)
}

func (s set) has(seq uint64) bool {
	return seq/64 < uint64(len(s)) && s[seq/64]&(1<<(seq%64)) != 0
}
