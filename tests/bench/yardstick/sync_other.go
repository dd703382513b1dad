//go:build !linux

package yardstick

import "os"

// fdatasync is what bbolt does where the system has no fdatasync.
func fdatasync(f *os.File) error { return f.Sync() }
