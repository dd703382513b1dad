package log

import (
	"os"

	"golang.org/x/sys/unix"
)

// headerFolio is as much as the kernel may keep in one piece of its cache.
const headerFolio = 2 << 20

// forgetHeader has the header pages read from the disk the next time. After a
// sync that failed the kernel may keep pages as clean that never reached the
// disk (assumption 4), and no later sync writes them. Of these only a header page
// can do harm: it is written when all that it names is durable, and what no
// header page names is written anew before one does. That the kernel does not do
// as it is asked is no error: it keeps pages that another process has mapped.
func forgetHeader(file *os.File) {
	_ = unix.Fadvise(int(file.Fd()), 0, headerFolio, unix.FADV_DONTNEED)
}
