package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
)

// Who follows a log, a piece at a time, is told the lines that a reader of the whole is.
func TestFollowingALogTellsTheLinesOfALog(t *testing.T) {
	path, values := writtenLog(t, 200)
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := audit.Filter{Events: []audit.Event{audit.ModeSet}}
	var want, got []*audit.Line
	if err := audit.Lines(r, f, nil, func(l *audit.Line) error { want = append(want, l); return nil }); err != nil {
		t.Fatal(err)
	}
	live, next := new(log.Memory), uint64(1)
	for len(values) > 0 {
		n := min(len(values), 33)
		if _, err := live.Append(values[:n]); err != nil {
			t.Fatal(err)
		}
		values = values[n:]
		if next, err = audit.Follow(live, next, f, func(l *audit.Line) error { got = append(got, l); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(audit.Line{})); d != "" || next != 201 || len(got) != 196 {
		t.Errorf("%d lines, and on from %d (-want +got):\n%s", len(got), next, d)
	}
}

// What cannot be read ends it there, and what is before it was told.
func TestFollowingEndsAtWhatCannotBeRead(t *testing.T) {
	values := records(t, 10)
	values[7] = append([]byte(nil), values[7]...)
	values[7][len(values[7])-2] ^= 1
	live := new(log.Memory)
	if _, err := live.Append(values); err != nil {
		t.Fatal(err)
	}
	told := 0
	next, err := audit.Follow(live, 1, audit.Filter{}, func(*audit.Line) error { told++; return nil })
	if err == nil || next != 8 || told != 7 {
		t.Errorf("%d were told, and on from %d: %v", told, next, err)
	}
}
