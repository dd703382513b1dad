package log_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/approvald/approvald/internal/log"
)

// Both outcomes of a failed commit look the same until the file is opened
// again: nothing of it is seen, and nothing more is written.
func TestFailedAppend(t *testing.T) {
	for _, c := range []struct {
		persisted bool
		after     []string // what a reopened log holds
	}{
		{false, []string{"a", "b"}},
		{true, []string{"a", "b", "lost", "lost too"}},
	} {
		failed := func(t *testing.T) *log.Log {
			l := openLog(t)
			mustAppend(t, l, "a", "b")
			log.FailCommit(l, c.persisted)
			first, err := l.Append([][]byte{[]byte("lost"), []byte("lost too")})
			if first != 0 || !errors.Is(err, log.ErrInjected) || errors.Is(err, log.ErrFailed) {
				t.Fatalf("Append = %d, %v, want 0 and the injected cause alone", first, err)
			}
			return l
		}
		name := fmt.Sprintf("persisted=%v/", c.persisted)
		t.Run(name+"every later Append is ErrFailed with the first cause", func(t *testing.T) {
			l := failed(t)
			for _, values := range [][][]byte{{[]byte("c")}, nil} {
				_, err := l.Append(values)
				if !errors.Is(err, log.ErrFailed) || !errors.Is(err, log.ErrInjected) {
					t.Errorf("Append of %d values: %v, want ErrFailed with the injected cause", len(values), err)
				}
			}
		})
		t.Run(name+"readers go on and do not see it", func(t *testing.T) {
			l := failed(t)
			if l.Head() != 2 {
				t.Errorf("Head() = %d, want 2", l.Head())
			}
			if v, err := l.Get(3); !errors.Is(err, log.ErrNotFound) {
				t.Errorf("Get(3) = %q, %v, want ErrNotFound", v, err)
			}
			if err := l.Walk(3, prev, nil); !errors.Is(err, log.ErrNotFound) {
				t.Errorf("Walk(3): %v, want ErrNotFound", err)
			}
			if diff := cmp.Diff([]string{"a", "b"}, scan(t, l, 1)); diff != "" {
				t.Errorf("scanned (-want +got):\n%s", diff)
			}
		})
		t.Run(name+"opening again shows what reached the disk and takes values", func(t *testing.T) {
			l := reopen(t, failed(t))
			mustAppend(t, l, "c")
			if diff := cmp.Diff(append(c.after, "c"), scan(t, l, 1)); diff != "" {
				t.Errorf("scanned (-want +got):\n%s", diff)
			}
		})
	}
}

// A limit on the size of the file is the nearest that bbolt has to a full disk:
// the transaction fails half-way and is rolled back.
func TestAppendToFullDiskFailsTheLog(t *testing.T) {
	l := openLog(t)
	mustAppend(t, l, "a", "b")
	log.DB(l).MaxSize = 64 << 10
	if _, err := l.Append([][]byte{make([]byte, 1<<20)}); !errors.Is(err, berrors.ErrMaxSizeReached) {
		t.Fatalf("Append: %v, want ErrMaxSizeReached", err)
	}
	if _, err := l.Append([][]byte{[]byte("small")}); !errors.Is(err, log.ErrFailed) {
		t.Errorf("Append: %v, want ErrFailed although the value would fit", err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, scan(t, l, 1)); diff != "" {
		t.Errorf("scanned (-want +got):\n%s", diff)
	}
}

func TestAppendToClosedFileFailsTheLog(t *testing.T) {
	l := openLog(t)
	if err := log.DB(l).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append([][]byte{[]byte("a")}); !errors.Is(err, berrors.ErrDatabaseNotOpen) {
		t.Errorf("Append: %v, want ErrDatabaseNotOpen", err)
	}
	if _, err := l.Append([][]byte{[]byte("a")}); !errors.Is(err, log.ErrFailed) {
		t.Errorf("second Append: %v, want ErrFailed", err)
	}
}

func TestPanicInCommitFailsTheLog(t *testing.T) {
	l := openLog(t)
	log.PanicInCommit(l)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Append swallowed the panic")
			}
		}()
		_, _ = l.Append([][]byte{[]byte("a")})
	}()
	if _, err := l.Append([][]byte{[]byte("a")}); !errors.Is(err, log.ErrFailed) {
		t.Errorf("Append: %v, want ErrFailed", err)
	}
}

// Append keys are ascending, so that the file has little but values.
func TestPagesAreFilled(t *testing.T) {
	l := openLog(t)
	const records, size = 2000, 512
	for range records / 100 {
		group := make([][]byte, 100)
		for i := range group {
			group[i] = make([]byte, size)
		}
		if _, err := l.Append(group); err != nil {
			t.Fatal(err)
		}
	}
	if live := liveBytes(t, l); live > records*size*125/100 {
		t.Errorf("%d records of %d bytes take %d bytes of pages, want at most a quarter more",
			records, size, live)
	}
}
