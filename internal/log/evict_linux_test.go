package log_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/internal/log"
)

// evict takes a file out of the page cache, and reports whether it is out.
func evict(t *testing.T, path string) bool {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	before := log.Cached(file)
	if err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	return before && !log.Cached(file)
}
