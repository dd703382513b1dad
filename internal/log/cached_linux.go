package log

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// cached reports whether all that is allocated of a file is in the page cache;
// false where the kernel is older than 6.5 and does not tell.
func cached(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	var pages unix.Cachestat_t
	whole := unix.CachestatRange{Len: uint64(info.Size())} //nolint:gosec // a size is not negative
	if unix.Cachestat(uint(file.Fd()), &whole, &pages, 0) != nil {
		return false
	}
	return int64(pages.Cache)*int64(os.Getpagesize()) >= stat.Blocks*512 //nolint:gosec // pages of a file
}
