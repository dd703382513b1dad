package faults

import (
	"os"
	"testing"
)

// memory is a directory with a short path, for sockets. Where the system has one
// in memory it is there: what a sync does is decided by the tests, and a disk
// would only take its time.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "af") //nolint:usetesting // see above
	if err != nil {
		dir, err = os.MkdirTemp("/tmp", "af") //nolint:usetesting // see above
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
