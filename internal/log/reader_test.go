package log_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/log"
)

func openReader(t testing.TB, path string) *log.Reader {
	t.Helper()
	r, err := log.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// readAll returns the values that a reader delivers, and what ends them.
func readAll(r *log.Reader) (values []string, err error) {
	err = r.Scan(func(_ uint64, v []byte) error {
		values = append(values, string(v))
		return nil
	})
	return values, err
}

// A log of any shape is read as it was written: without a bucket, in one page,
// in many, with values that are longer than a page, or empty.
func TestReaderReadsWhatWasAppended(t *testing.T) {
	for name, values := range map[string][]string{
		"nothing":                         nil,
		"one value":                       {"a"},
		"values in a page inside another": {"a", "", "c"},
		"values in pages of their own":    texts(1, 1000),
		"values longer than a page":       {strings.Repeat("a", 5000), "b", strings.Repeat("c", 300_000), "d"},
		"more pages than one branch has":  texts(1, 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t)
			for rest := values; len(rest) > 0; {
				n := min(len(rest), 997)
				mustAppend(t, l, rest[:n]...)
				rest = rest[n:]
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			r := openReader(t, l.Path())
			for range 2 { // a scan leaves nothing behind
				got, err := readAll(r)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(values, got); diff != "" {
					t.Errorf("read (-want +got):\n%s", diff)
				}
				if err := r.CheckStructure(); err != nil {
					t.Errorf("CheckStructure: %v", err)
				}
			}
			if got := r.Last(); got != uint64(len(values)) {
				t.Errorf("Last() = %d, want %d", got, len(values))
			}
			if r.Headers() != 2 {
				t.Errorf("%d header pages hold, want 2", r.Headers())
			}
		})
	}
}

func TestReaderRefusesWhatIsNoLog(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"an empty file": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "it is empty"},
		"a text": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("text\n"), 10000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "it does not begin as a bbolt file"},
		"a file of another program": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("theirs"))
				return err
			})
		}, "it is a bbolt file of some other program"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.db")
			c.make(t, path)
			_, err := log.OpenReader(path)
			damaged, ok := errors.AsType[*log.DamagedError](err)
			if !ok || !damaged.NoLog || !strings.Contains(err.Error(), c.says) {
				t.Errorf("OpenReader: %v, want a DamagedError of no log that says %s", err, c.says)
			}
		})
	}
	t.Run("a file that is not there", func(t *testing.T) {
		if _, err := log.OpenReader(filepath.Join(t.TempDir(), "log.db")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("OpenReader: %v, want fs.ErrNotExist", err)
		}
	})
	t.Run("a log of another format", func(t *testing.T) {
		path := closedLog(t, 1)
		edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(log.MetaBucket).Put(log.FormatKey, []byte("2")) })
		_, err := log.OpenReader(path)
		if unknown, ok := errors.AsType[*log.FormatError](err); !ok || unknown.Format != "2" {
			t.Errorf("OpenReader: %v, want FormatError of 2", err)
		}
	})
	t.Run("a log that is being written", func(t *testing.T) {
		_, err := log.OpenReader(openLog(t).Path())
		if _, ok := errors.AsType[*log.InUseError](err); !ok {
			t.Errorf("OpenReader: %v, want InUseError", err)
		}
	})
}

// What is before the damage is delivered, and the first sequence behind it
// named, where Open would not even begin.
func TestReaderReadsUpToTheDamage(t *testing.T) {
	const last = 2000
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		says   string
	}{
		"a hole": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(log.LogBucket).Delete(log.Key(500)) })
		}, "there is no such value"},
		"a bucket where a value should be": {func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error {
				if err := tx.Bucket(log.LogBucket).Delete(log.Key(500)); err != nil {
					return err
				}
				_, err := tx.Bucket(log.LogBucket).CreateBucket(log.Key(500))
				return err
			})
		}, "is not a value"},
		"pages overwritten": {func(t *testing.T, path string) { overwrite(t, path, 4096*122, 4096*20) }, "page 12"},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedLog(t, last)
			c.damage(t, path)
			r := openReader(t, path)
			got, err := readAll(r)
			damaged, ok := errors.AsType[*log.DamagedError](err)
			if !ok || damaged.Seq != uint64(len(got))+1 || len(got) < 400 || !strings.Contains(err.Error(), c.says) {
				t.Errorf("after %d values: %v, want a DamagedError at the next that says %s", len(got), err, c.says)
			}
			for i, v := range got {
				if v != link(uint64(i), strings.Repeat("x", 500)) {
					t.Fatalf("value %d is not what was appended", i+1)
				}
			}
		})
	}
}

// A file that was cut short has lost the root of its tree, and the values that
// are left in it are found all the same.
func TestRescueFindsWhatNothingRefersTo(t *testing.T) {
	for _, size := range []int64{100_000, 500_000, 1_000_000} {
		path := closedLog(t, 2000)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		r := openReader(t, path)
		got, err := readAll(r)
		damaged, ok := errors.AsType[*log.DamagedError](err)
		if !ok || damaged.Seq != 1 || !damaged.Pages || len(got) > 0 || !strings.Contains(err.Error(), fmt.Sprintf("the file has %d bytes of ", size)) {
			t.Fatalf("Scan: %v, want that pages are lost from sequence 1 on", err)
		}
		rescued := uint64(0)
		if err := r.Rescue(1, func(seq uint64, v []byte) error {
			if rescued++; seq != rescued || string(v) != link(seq-1, strings.Repeat("x", 500)) {
				t.Fatalf("sequence %d is not what was appended as %d", seq, rescued)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if least := uint64(size) * 6 / 10 / 508; rescued < least {
			t.Errorf("%d values were found in %d bytes, want at least %d", rescued, size, least)
		}
	}
}

// Every value may hold although the pages contradict each other.
func TestStructureIsCheckedBehindTheValues(t *testing.T) {
	for name, c := range map[string]struct {
		at    int64 // in the page that lists the free pages
		bytes []byte
		says  string
	}{
		"a page that is not in the file is free": {16, bytes.Repeat([]byte{0xff}, 8), "is listed as free and not in the file"},
		"a page is in use and free":              {16, []byte{3, 0, 0, 0, 0, 0, 0, 0}, "is listed as free and in use"},
		"a page is lost":                         {10, []byte{0, 0}, "is neither in use nor free"},
		"a list is longer than its page":         {10, []byte{0xfe, 0xff}, "is not the list of free pages"},
		"a list is something else":               {8, []byte{2, 0}, "is not the list of free pages"},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedLog(t, 2000)
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket(log.MetaBucket).Put([]byte("more"), nil) })
			r := openReader(t, path)
			free := log.FreelistOffset(r)
			if c.says == "is listed as free and in use" {
				c.bytes[0] = byte(log.RootOffset(r) / 4096)
				c.bytes[1] = byte(log.RootOffset(r) / 4096 >> 8)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			writeOver(t, path, free+c.at, c.bytes)
			r = openReader(t, path)
			if _, err := readAll(r); err != nil {
				t.Fatalf("reading: %v", err)
			}
			err := r.CheckStructure()
			wantDamage(t, err, 0)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("CheckStructure: %v, want that it %s", err, c.says)
			}
			if c.says != "is neither in use nor free" { // which does no harm
				wantRefused(t, path, c.says)
			}
		})
	}
}

// What a page says of itself is not believed.
func TestReaderBelievesNoPage(t *testing.T) {
	for name, c := range map[string]struct {
		at    int64 // in the root of the values
		bytes []byte
		says  string
	}{
		"that it is longer than the file":   {12, []byte{0xff, 0xff, 0xff, 0xff}, "is longer than the file"},
		"that it is another":                {0, []byte{9}, "says that it is another"},
		"that it is neither":                {8, []byte{7}, "is neither a branch nor a leaf"},
		"that it has more than it can hold": {10, []byte{0xff, 0x7f}, "has no sound element"},
		"that a key is outside of it":       {16, []byte{0xff, 0xff, 0xff}, "has no sound element 0"},
		"that a child is outside the file":  {16 + 8, []byte{0xff, 0xff, 0xff}, "is not in the file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := closedLog(t, 2000)
			r := openReader(t, path)
			root := log.RootOffset(r)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			writeOver(t, path, root+c.at, c.bytes)
			_, err := readAll(openReader(t, path))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Scan: %v, want that a page %s", err, c.says)
			}
			wantRefused(t, path, c.says)
		})
	}
}

// overwrite puts ones over a part of a file.
func overwrite(t *testing.T, path string, at int64, n int) {
	t.Helper()
	writeOver(t, path, at, bytes.Repeat([]byte{0xff}, n))
}

func writeOver(t *testing.T, path string, at int64, data []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(data, at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// A header page that does not hold may be the one of the last commit.
func TestReaderTellsOfAHeaderPageThatDoesNotHold(t *testing.T) {
	t.Run("where the other was written over it", func(t *testing.T) {
		path := closedLog(t, 10)
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeOver(t, path, 4096, file[:4096])
		if r := openReader(t, path); r.Headers() != 1 {
			t.Errorf("%d header pages hold, want 1", r.Headers())
		}
	})
	for _, page := range []int64{0, 1} {
		path := closedLog(t, 10)
		overwrite(t, path, page*4096+30, 1)
		if r := openReader(t, path); r.Headers() != 1 {
			t.Errorf("%d header pages hold without page %d, want 1", r.Headers(), page)
		}
	}
}

// Reading checks what is read: a page is in the tree once, so that no loop is
// followed, and no deeper than a tree is.
func TestReaderFollowsNoLoop(t *testing.T) {
	path := closedLog(t, 2000)
	r := openReader(t, path)
	root := log.RootOffset(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// The second child of the root of the log is the root.
	writeOver(t, path, root+16+16+8, []byte{byte(root / 4096), byte(root / 4096 >> 8)})
	got, err := readAll(openReader(t, path))
	if err == nil || !strings.Contains(err.Error(), "in use twice") || len(got) == 0 {
		t.Errorf("after %d values: %v, want a page that is in use twice after those of the first child", len(got), err)
	}
	wantRefused(t, path, "in use twice")
}

// wantRefused wants Open to refuse a copy of a file for what a page is: bbolt
// would follow it.
func wantRefused(t *testing.T, path, says string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := log.Open(path)
	if err == nil {
		_ = l.Close()
	}
	wantDamage(t, err, 0)
	if err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("Open: %v, want that a page %s", err, says)
	}
}
