//go:build unix

package rpc

import (
	"os"
	"syscall"
)

// ownedByUs reports whether a file belongs to the user that we run as.
func ownedByUs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
