//go:build unix

package rulefile

import (
	"io/fs"
	"syscall"
)

// nonblocking keeps open(2) from waiting for the other end of a FIFO.
const nonblocking = syscall.O_NONBLOCK

// ownersOf are the ids of the user and the group that a file belongs to; -1 and
// -2, nobody's, where the system does not say.
func ownersOf(info fs.FileInfo) (user, group int) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -2
	}
	return int(stat.Uid), int(stat.Gid)
}
