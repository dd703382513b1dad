package crash

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// crashed is what a crash left.
type crashed struct {
	head    uint64
	pending []pending // in opening order
}

type pending struct {
	session, id approval.ID
	opened      uint64
}

// successor is the identity under which a restart opens it again.
func (p pending) successor() approval.ID { return approval.Successor(p.session, p.id, p.opened) }

// account is the log as a list of facts.
type account struct {
	head     uint64
	intakes  map[string]*record.Intake // by command
	opened   map[approval.ID]uint64
	settled  map[approval.ID]*record.ApprovalSettled
	previous map[approval.ID]uint64 // last record of each session
	faults   []string
}

func (a *account) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// compare holds the log that a crash left against what was said.
func (w *world) compare(path string, before crashed) (after crashed) {
	w.t.Helper()
	l, err := log.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return before // it was killed before it had made one
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	replayed, err := recovery.Replay(l) // sequence, checksums and chain
	if err != nil {
		w.t.Fatal(err)
	}
	a := read(l)
	a.holdAgainst(w)
	for _, p := range before.pending {
		a.checkSuccessor(p)
	}
	for _, fault := range a.faults {
		w.t.Error(fault)
	}
	if a.head < before.head || replayed.State.Head() != a.head {
		w.t.Errorf("the log ends at %d, its replay at %d; it ended at %d before", a.head, replayed.State.Head(), before.head)
	}
	return leftBy(replayed.State, a.head)
}

// read lists the facts and checks what holds of any log.
func read(l *log.Log) *account {
	a := &account{
		intakes: map[string]*record.Intake{}, opened: map[approval.ID]uint64{},
		settled: map[approval.ID]*record.ApprovalSettled{}, previous: map[approval.ID]uint64{},
	}
	err := l.Scan(1, func(seq uint64, value []byte) error {
		r, err := record.Decode(seq, value)
		if err != nil {
			return err
		}
		if seq != a.head+1 {
			a.fault("record %d follows %d", seq, a.head)
		}
		if r.Prev != a.previous[r.Session] {
			a.fault("record %d says that its session's last is %d, it is %d", seq, r.Prev, a.previous[r.Session])
		}
		a.head, a.previous[r.Session] = seq, seq
		a.take(r)
		return nil
	})
	if err != nil {
		a.fault("%v", err)
	}
	return a
}

func (a *account) take(r record.Record) {
	if intake := r.Intake(); intake != nil {
		if _, twice := a.intakes[r.Command.String()]; twice {
			a.fault("command %s is in the log twice", r.Command)
		}
		a.intakes[r.Command.String()] = intake
	}
	switch body := r.Body.(type) {
	case *record.ApprovalOpened:
		if _, twice := a.opened[r.Approval]; twice {
			a.fault("approval %s was opened twice", r.Approval)
		}
		a.opened[r.Approval] = r.Seq
	case *record.ApprovalSettled:
		if _, twice := a.settled[r.Approval]; twice {
			a.fault("approval %s was settled twice", r.Approval)
		}
		if a.opened[r.Approval] != body.Opened {
			a.fault("approval %s was settled as opened at %d, and was at %d", r.Approval, body.Opened, a.opened[r.Approval])
		}
		a.settled[r.Approval] = body
	}
}

// holdAgainst: what was acknowledged is in the log as it was said, and the log
// holds no command that was not sent. What is in the log and was not answered
// is what the next repetition must be answered.
func (a *account) holdAgainst(w *world) {
	for _, c := range w.commands {
		intake, there := a.intakes[c.id]
		switch {
		case c.answer == "" && there:
			c.answer = text(intake)
		case c.answer != "" && !there:
			a.fault("command %s (%s) was acknowledged and is not in the log", c.id, c.method)
		case there && text(intake) != c.answer:
			a.fault("command %s (%s) was answered\n%s\nand in the log it is\n%s", c.id, c.method, c.answer, text(intake))
		}
	}
	for id := range a.intakes {
		if _, sent := w.byID[id]; !sent {
			a.fault("the log holds command %s, which nobody sent", id)
		}
	}
}

func text(i *record.Intake) string {
	if i.Ack != nil {
		return string(i.Ack)
	}
	return string(i.Refusal)
}

// checkSuccessor: what was pending at a crash is pending still, where the
// daemon was killed before it had recovered, or was superseded by the one
// successor that follows from the log.
func (a *account) checkSuccessor(p pending) {
	settled, ok := a.settled[p.id]
	_, opened := a.opened[p.successor()]
	switch {
	case !ok && opened:
		a.fault("approval %s is pending, and its successor was opened", p.id)
	case ok && (settled.Successor == nil || *settled.Successor != p.successor() || !opened):
		a.fault("approval %s was pending at a crash; it was settled as %+v, and its successor was opened: %t", p.id, settled, opened)
	}
}

// leftBy lists what is pending.
func leftBy(s *fold.State, head uint64) crashed {
	after := crashed{head: head}
	for session := range s.Sessions() {
		for _, a := range session.PendingApprovals() {
			after.pending = append(after.pending, pending{session.ID, a.ID, a.Opened})
		}
	}
	slices.SortFunc(after.pending, func(a, b pending) int { return cmp.Compare(a.opened, b.opened) })
	return after
}
