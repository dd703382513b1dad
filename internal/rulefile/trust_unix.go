//go:build unix

package rulefile

import (
	"io/fs"
	"syscall"
)

// nonblocking keeps open(2) from waiting for the other end of a FIFO.
const nonblocking = syscall.O_NONBLOCK

// ownerOf is the user id that a file belongs to; -1, nobody's, where the
// system does not say.
func ownerOf(info fs.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}
