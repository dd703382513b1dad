package log_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/approvald/approvald/internal/log"
)

// openLog opens a new log that is closed when the test ends.
func openLog(t testing.TB) *log.Log {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "log.db"))
}

func openAt(t testing.TB, path string) *log.Log {
	t.Helper()
	l, err := log.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func reopen(t testing.TB, l *log.Log) *log.Log {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return openAt(t, l.Path())
}

// errRolledBack makes edit change nothing.
var errRolledBack = errors.New("rolled back")

// edit changes the file of a closed log behind its back.
func edit(t *testing.T, path string, fn func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(fn); err != nil && !errors.Is(err, errRolledBack) {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// liveBytes is the size of the pages that hold values.
func liveBytes(t *testing.T, l *log.Log) (n int) {
	t.Helper()
	err := log.DB(l).View(func(tx *bbolt.Tx) error {
		n = tx.Bucket(log.LogBucket).Stats().LeafAlloc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestReopenedLogHoldsWhatWasAppended(t *testing.T) {
	l := openLog(t)
	mustAppend(t, l, "a", "b")
	l = reopen(t, l)
	if first := mustAppend(t, l, "c"); first != 3 {
		t.Errorf("Append = %d, want 3", first)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, scan(t, l, 1)); diff != "" {
		t.Errorf("scanned (-want +got):\n%s", diff)
	}
}

// Through the map alone a cold file is read page by page (perf, fact 9); and
// bbolt makes it 16 MiB long at once, of which most is a hole.
func TestOpenReadsWhatIsInTheFileOnce(t *testing.T) {
	path := closedLog(t, 2000)
	before := ioCounter("rchar")
	if before == 0 {
		t.Skip("the system does not count bytes read")
	}
	l := openAt(t, path)
	got := ioCounter("rchar") - before

	var used int64
	if err := log.DB(l).View(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Skip("the system does not say how much of a file is allocated")
	}
	allocated := stat.Blocks * 512
	if got < used || got > allocated+2*log.WarmBuffer {
		t.Errorf("Open read %d bytes of a file of %d, of which %d are allocated and %d used", got, info.Size(), allocated, used)
	}
}

func TestCreatedFilesAreTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	root := t.TempDir()
	openAt(t, filepath.Join(root, "state", "approvald", "log.db"))
	for name, want := range map[string]fs.FileMode{
		"state":                  fs.ModeDir | 0o700,
		"state/approvald":        fs.ModeDir | 0o700,
		"state/approvald/log.db": 0o600,
	} {
		if got := mode(t, filepath.Join(root, name)); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestCreatedFileNamesFormatAndTime(t *testing.T) {
	l := openLog(t)
	err := log.DB(l).View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(log.MetaBucket)
		if got := string(meta.Get(log.FormatKey)); got != "1" {
			t.Errorf("format = %q, want 1", got)
		}
		if got := string(meta.Get([]byte("created"))); !strings.HasSuffix(got, "Z") || len(got) != len("2026-01-02T03:04:05.678Z") {
			t.Errorf("created = %q, want RFC 3339 UTC with milliseconds", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenFileIsInUse(t *testing.T) {
	l := openLog(t)
	_, err := log.Open(l.Path())
	inUse, ok := errors.AsType[*log.InUseError](err)
	if !ok || inUse.Path != l.Path() {
		t.Errorf("second Open: %v, want InUseError", err)
	}
}

// A first start may be cut short after bbolt made the file and before the
// buckets are in it.
func TestUnfinishedCreationIsFinished(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, path string){
		"empty file": func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"no buckets": func(t *testing.T, path string) {
			edit(t, path, func(*bbolt.Tx) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.db")
			leave(t, path)
			l := openAt(t, path)
			mustAppend(t, l, "a")
			if diff := cmp.Diff([]string{"a"}, scan(t, reopen(t, l), 1)); diff != "" {
				t.Errorf("scanned (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownFormatIsRefusedAndLeftAlone(t *testing.T) {
	l := openLog(t)
	mustAppend(t, l, "a")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	edit(t, l.Path(), func(tx *bbolt.Tx) error {
		return tx.Bucket(log.MetaBucket).Put(log.FormatKey, []byte("2"))
	})
	before, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.Open(l.Path())
	unknown, ok := errors.AsType[*log.FormatError](err)
	if !ok || unknown.Format != "2" {
		t.Fatalf("Open: %v, want FormatError of 2", err)
	}
	want := `has format "2" and this approvald reads format "1" only: use the version of approvald that wrote it`
	if !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Open: %v, want a sentence ending in %s", err, want)
	}
	after, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("Open changed the file")
	}
}
