package inspect

import (
	"strings"
	"testing"
	"testing/fstest"
)

// What lies below a process's entry of /proc is another thing for the agent
// than for the daemon, which looks.
func TestDirLeadsThroughNoProcess(t *testing.T) {
	look := New(fstest.MapFS{"proc/self/root/srv/f": {}, "proc/4711/root/srv/f": {}, "proc/sys/kernel/f": {}})
	for path, refused := range map[string]bool{
		"/proc/self/root/srv": true, "/proc/4711/root/srv": true, "/proc/sys/kernel": false,
	} {
		_, err := look.Dir(path, "")
		if got := err != nil && strings.Contains(err.Error(), "/proc"); got != refused {
			t.Errorf("Dir(%s): %v, want refused %t", path, err, refused)
		}
	}
}
