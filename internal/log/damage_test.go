package log_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/log"
)

// closedLog returns the path of a log of n links, each after the one before.
func closedLog(t *testing.T, n int) string {
	t.Helper()
	l := openLog(t)
	var chain []string
	for i := range n {
		chain = append(chain, link(uint64(i), strings.Repeat("x", 500)))
	}
	mustAppend(t, l, chain...)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Path()
}

func wantDamage(t *testing.T, err error, seq uint64) {
	t.Helper()
	damaged, ok := errors.AsType[*log.DamagedError](err)
	if !ok || damaged.Seq != seq {
		t.Errorf("got %v, want DamagedError at %d", err, seq)
	}
}

func TestMissingSequence(t *testing.T) {
	const missing, last = 5, 2000
	path := closedLog(t, last)
	edit(t, path, func(tx *bbolt.Tx) error {
		return tx.Bucket(log.LogBucket).Delete(log.Key(missing))
	})
	l := openAt(t, path)
	t.Run("Scan delivers what comes before and names it", func(t *testing.T) {
		delivered := uint64(0)
		err := l.Scan(1, func(seq uint64, _ []byte) error { delivered = seq; return nil })
		wantDamage(t, err, missing)
		if delivered != missing-1 {
			t.Errorf("delivered up to %d, want %d", delivered, missing-1)
		}
		if !strings.Contains(err.Error(), "sequence 5") {
			t.Errorf("%v does not name the sequence", err)
		}
	})
	t.Run("Scan from it names it", func(t *testing.T) {
		err := l.Scan(missing, func(uint64, []byte) error { t.Error("delivered a value"); return nil })
		wantDamage(t, err, missing)
	})
	t.Run("Get names it", func(t *testing.T) {
		_, err := l.Get(missing)
		wantDamage(t, err, missing)
	})
	t.Run("Walk delivers what comes before in the chain and names it", func(t *testing.T) {
		delivered := uint64(0)
		err := l.Walk(last, prev, func(seq uint64, _ []byte) error { delivered = seq; return nil })
		wantDamage(t, err, missing)
		if delivered != missing+1 {
			t.Errorf("delivered down to %d, want %d", delivered, missing+1)
		}
	})
}

func TestOpenRefusesDamage(t *testing.T) {
	for name, c := range map[string]struct {
		seq    uint64
		damage func(t *testing.T, path string)
	}{
		"sequence 1 is missing": {1, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(log.LogBucket).Delete(log.Key(1)) })
		}},
		"a key that is not a sequence": {0, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(log.LogBucket).Put([]byte{0xff}, nil) })
		}},
		"no bucket log": {0, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket(log.LogBucket) })
		}},
		"no bucket meta": {0, func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket(log.MetaBucket) })
		}},
		"no bbolt file": {0, func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("text\n"), 10000), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		"cut short by one byte": {0, func(t *testing.T, path string) {
			var size int64
			edit(t, path, func(tx *bbolt.Tx) error { size = tx.Size(); return errRolledBack })
			if err := os.Truncate(path, size-1); err != nil {
				t.Fatal(err)
			}
		}},
		"cut short": {0, func(t *testing.T, path string) {
			if err := os.Truncate(path, 64<<10); err != nil {
				t.Fatal(err)
			}
		}},
		"cut short after the header": {0, func(t *testing.T, path string) {
			if err := os.Truncate(path, 8<<10); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedLog(t, 2000)
			c.damage(t, path)
			for range 2 { // the second finds the file unlocked
				l, err := log.Open(path)
				if err == nil {
					_ = l.Close()
				}
				wantDamage(t, err, c.seq)
			}
		})
	}
}

// Pages that make no sense any more are an error of the read, and the log stays
// usable. Open refuses a file in which they make none already.
func TestOverwrittenPagesAreAnErrorOfTheRead(t *testing.T) {
	path := closedLog(t, 2000)
	l := openAt(t, path)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Half of the file: the leaves in it, but neither header nor root.
	junk := bytes.Repeat([]byte{0xff}, 400<<10)
	if _, err := file.WriteAt(junk, 100<<10); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, l.Scan(1, func(uint64, []byte) error { return nil }), 0)
	if n := log.OpenTransactions(l); n != 0 {
		t.Errorf("%d transactions are open after the error", n)
	}
	if _, err := l.Get(l.Head()); err != nil {
		t.Errorf("Get of an undamaged value: %v", err)
	}
}

// The file can lose its end under an open log; what is left is read.
func TestFileCutShortWhileOpenIsAnErrorOfTheRead(t *testing.T) {
	const last = 2000
	l := openAt(t, closedLog(t, last))
	if err := os.Truncate(l.Path(), 64<<10); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, l.Scan(1, func(uint64, []byte) error { return nil }), 0)
	_, err := l.Get(last)
	wantDamage(t, err, 0)
	if n := log.OpenTransactions(l); n != 0 {
		t.Errorf("%d transactions are open after the errors", n)
	}
}

func TestUnreadableFileIsAnErrorThatNamesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := log.Open(path)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Open of a directory: %v, want an error that names it", err)
	}
}
