package fold_test

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// What a run is given when it names its call again: the oldest approval that is
// pending or can be consumed.
func TestARunFindsWhatItCanStillConsume(t *testing.T) {
	first, second, third := approval.ID{15: 0xb1}, approval.ID{15: 0xb2}, approval.ID{15: 0xb3}
	open := func(run string) *record.ApprovalOpened {
		return &record.ApprovalOpened{ToolCallID: "call", RunID: run, Subject: []byte(`{"kind":"x"}`), Command: accepted()}
	}
	for name, c := range map[string]struct {
		records []record.Record
		want    approval.ID // zero: nothing
	}{
		"nothing": {nil, approval.ID{}},
		"no run":  {[]record.Record{about(first, opened, open(""))}, approval.ID{}},
		"another": {[]record.Record{about(first, opened, open("another"))}, approval.ID{}},
		"pending": {[]record.Record{about(first, opened, open("run"))}, first},
		"decided": {[]record.Record{about(first, opened, open("run")), about(first, decided, settled(2, approval.ByReviewerAbort))}, first},
		"taken": {[]record.Record{
			about(first, opened, open("run")), about(first, decided, settled(2, approval.ByReviewerOnce)),
			about(first, decided, &record.ApprovalConsumed{Opened: 2, Command: accepted()}),
		}, approval.ID{}},
		"voided": {[]record.Record{
			about(first, opened, open("run")), about(first, decided, settled(2, approval.ByReviewerOnce)),
			about(first, decided, &record.PermitVoided{Opened: 2, Reason: "callEnded"}),
		}, approval.ID{}},
		"superseded": {[]record.Record{
			about(first, opened, open("run")), about(first, approval.CommandID{}, settled(2, approval.ByRestart)),
			about(second, approval.CommandID{}, open("run")),
		}, second},
		"the older of two": {[]record.Record{about(first, opened, open("run")), about(second, opened, open("run"))}, first},
		"the other of two": {[]record.Record{
			about(first, opened, open("run")), about(second, opened, open("run")), about(first, decided, settled(2, approval.ByReviewerOnce)),
			about(first, decided, &record.ApprovalConsumed{Opened: 2, Command: accepted()}),
		}, second},
		"the last, when the one between went first": {[]record.Record{
			about(first, opened, open("run")), about(second, opened, open("run")), about(third, opened, open("run")),
			about(second, approval.CommandID{}, settled(3, approval.ByRestart)),
			about(first, decided, settled(2, approval.ByReviewerOnce)),
			about(first, decided, &record.ApprovalConsumed{Opened: 2, Command: accepted()}),
		}, third},
		"another, when all were taken": {[]record.Record{
			about(first, opened, open("run")), about(first, decided, settled(2, approval.ByReviewerOnce)),
			about(first, decided, &record.ApprovalConsumed{Opened: 2, Command: accepted()}), about(second, opened, open("run")),
		}, second},
		"of a closed session": {[]record.Record{
			about(first, opened, open("run")), about(first, decided, settled(2, approval.BySessionClose)),
			about(approval.ID{}, decided, &record.SessionClosed{Reason: "done"}),
		}, approval.ID{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := told(1)
			for i, r := range c.records {
				r.Seq = uint64(2 + i)
				s.Apply(r)
			}
			in, _ := s.Session(session)
			a, ok := in.Prepared("run", "call")
			if ok == c.want.IsZero() || ok && a.ID != c.want {
				t.Errorf("found %v %+v, want %s", ok, a, c.want)
			}
			if overlay, _ := s.Over().Session(session); ok {
				if same, _ := overlay.Prepared("run", "call"); same != a {
					t.Errorf("an overlay finds %+v", same)
				}
			}
		})
	}
}
