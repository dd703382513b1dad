package main

import (
	"fmt"
	"os"

	"github.com/approvald/approvald/internal/runtimedir"
)

// makePrivate creates a directory, mode 0700, or checks the one that is there.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the directory %s: %w", dir, err)
	}
	return runtimedir.CheckPrivate(dir)
}
