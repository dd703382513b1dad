package faults

import (
	"os"
	"testing"
)

// memory is a directory in memory, where the system has such: what a sync does is
// decided by the tests, and a disk would only take its time.
func memory(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/dev/shm"); err == nil {
		return directory(t, "/dev/shm")
	}
	return directory(t, "/tmp")
}

// directory is a new one with a path that is short enough for sockets.
func directory(t *testing.T, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "af") //nolint:usetesting // see above
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
