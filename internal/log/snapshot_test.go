package log_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/log"
)

// snapshot copies an open log and returns what the copy holds.
func snapshot(t *testing.T, l *log.Log, copied func(done, of int64) error) ([]string, error) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := log.Snapshot(l.Path(), to, copied); err != nil {
		if _, left := os.Lstat(to); !errors.Is(left, fs.ErrNotExist) {
			t.Errorf("a copy that failed was left behind: %v", left)
		}
		return nil, err
	}
	if got := mode(t, to); got != 0o600 {
		t.Errorf("the copy has mode %v, want 0600", got)
	}
	r := openReader(t, to)
	values, err := readAll(r)
	if err != nil {
		t.Errorf("the copy does not hold: %v", err)
	}
	if err := r.CheckStructure(); err != nil {
		t.Errorf("the copy does not hold: %v", err)
	}
	if r.Headers() != 2 {
		t.Errorf("%d header pages of the copy hold, want 2", r.Headers())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, openAt(t, to), "more") // it is a log like any other
	return values, nil
}

func TestSnapshotOfALogThatIsOpen(t *testing.T) {
	l := openLog(t)
	want := texts(1, 3000)
	mustAppend(t, l, want...)
	got, err := snapshot(t, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("copied (-want +got):\n%s", diff)
	}
}

// A commit that goes by while pages are copied may have used those that the
// copy needs: the copy is made again, and has that commit.
func TestSnapshotBeginsAnewWhenACommitGoesBy(t *testing.T) {
	for _, commits := range []int{1, 2, 3, log.SnapshotTries - 1} {
		t.Run(fmt.Sprint(commits, " commits"), func(t *testing.T) {
			l := openLog(t)
			want := texts(1, 3000)
			mustAppend(t, l, want...)
			left := commits
			got, err := snapshot(t, l, func(done, of int64) error {
				if left > 0 {
					left--
					mustAppend(t, l, text(len(want)+1))
					want = append(want, text(len(want)+1))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("copied (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSnapshotOfALogThatIsNeverQuiet(t *testing.T) {
	l := openLog(t)
	mustAppend(t, l, texts(1, 3000)...)
	_, err := snapshot(t, l, func(int64, int64) error { mustAppend(t, l, "more"); return nil })
	if !errors.Is(err, log.ErrBusy) {
		t.Errorf("Snapshot: %v, want ErrBusy", err)
	}
}

// Copies that are made while a writer runs hold whole groups, and nothing that
// was not appended.
func TestSnapshotsWhileAWriterAppends(t *testing.T) {
	const group, groups = 50, 200
	l := openLog(t)
	mustAppend(t, l, texts(1, group)...)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := 1; i < groups; i++ {
			mustAppend(t, l, texts(i*group+1, group)...)
		}
	}()
	made := 0
	for last := false; !last; {
		select {
		case <-written:
			last = true
		default:
		}
		got, err := snapshot(t, l, nil)
		if errors.Is(err, log.ErrBusy) && !last {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		if len(got)%group != 0 || last && len(got) != group*groups {
			t.Fatalf("a copy has %d values, which are not whole groups, or not the last", len(got))
		}
		if diff := cmp.Diff(texts(1, len(got)), got); diff != "" {
			t.Fatalf("copied (-want +got):\n%s", diff)
		}
	}
	t.Logf("%d copies", made)
}

func TestSnapshotThatIsRefused(t *testing.T) {
	stop := errors.New("stop")
	for name, c := range map[string]struct {
		prepare func(t *testing.T, l *log.Log, to string)
		copied  func(done, of int64) error
		want    func(error) bool
	}{
		"a file that exists is left alone": {func(t *testing.T, _ *log.Log, to string) {
			if err := os.WriteFile(to, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil, func(err error) bool { return errors.Is(err, fs.ErrExist) }},
		"the caller ends it": {nil, func(int64, int64) error { return stop }, func(err error) bool { return errors.Is(err, stop) }},
		"the file has lost its end": {func(t *testing.T, l *log.Log, _ string) {
			if err := os.Truncate(l.Path(), 100_000); err != nil {
				t.Fatal(err)
			}
		}, nil, func(err error) bool { return err != nil && strings.Contains(err.Error(), "cut short") }},
		"the file has lost its header pages": {func(t *testing.T, l *log.Log, _ string) { overwrite(t, l.Path(), 0, 8192) }, nil, func(err error) bool {
			damaged, ok := errors.AsType[*log.DamagedError](err)
			return ok && damaged.NoLog
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t)
			mustAppend(t, l, texts(1, 10_000)...)
			to := filepath.Join(t.TempDir(), "copy.db")
			if c.prepare != nil {
				c.prepare(t, l, to)
			}
			before, _ := os.ReadFile(to)
			if err := log.Snapshot(l.Path(), to, c.copied); !c.want(err) {
				t.Errorf("Snapshot: %v", err)
			}
			if after, _ := os.ReadFile(to); string(before) != string(after) {
				t.Errorf("there is a file with %d bytes, and before it had %d", len(after), len(before))
			}
		})
	}
}

func TestRenameAndVacant(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	vacant := func(want bool) {
		t.Helper()
		if got, err := log.Vacant(dir); err != nil || got != want {
			t.Errorf("Vacant = %v, %v, want %v", got, err, want)
		}
	}
	vacant(true) // it does not exist
	if err := acquire(t, dir).Release(); err != nil {
		t.Fatal(err)
	}
	vacant(true) // there is a lock
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	vacant(false)
	if err := log.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(got) != "a" {
		t.Errorf("renamed file: %q, %v", got, err)
	}
}
