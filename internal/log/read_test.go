package log_test

import (
	"testing"

	"github.com/approvald/approvald/internal/log"
)

// A callback may wait for a peer; a transaction must not (perf §2.4).
func TestCallbacksRunOutsideOfTransactions(t *testing.T) {
	l := openLog(t)
	mustAppend(t, l, link(0, "a"), link(1, "b"))
	fn := func(uint64, []byte) error {
		if n := log.OpenTransactions(l); n != 0 {
			t.Errorf("%d transactions are open in a callback", n)
		}
		return nil
	}
	if err := l.Scan(1, fn); err != nil {
		t.Fatal(err)
	}
	if err := l.Walk(2, prev, fn); err != nil {
		t.Fatal(err)
	}
}

// A reader that stands still must cost the writer nothing: with a transaction
// held open these appends would make the file many times as large.
func TestStandingReaderDoesNotMakeTheFileGrow(t *testing.T) {
	const appends = 300
	pages := func(standing bool) int64 {
		l := openLog(t)
		mustAppend(t, l, "a")
		write := func(uint64, []byte) error {
			for range appends {
				mustAppend(t, l, "more")
			}
			return nil
		}
		var err error
		if standing {
			err = l.Scan(1, write)
		} else {
			err = write(0, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		tx, err := log.DB(l).Begin(false)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }() // it has only read
		return tx.Size()
	}
	if without, with := pages(false), pages(true); with != without {
		t.Errorf("the file refers to %d bytes with a standing reader and to %d without", with, without)
	}
}
