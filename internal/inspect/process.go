package inspect

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Process is a running process as /proc of Linux shows it.
type Process struct {
	// StartedAt tells two processes that had the same pid apart. It is in UTC with a resolution of
	// 10 ms, counted from the boot time in /proc/stat, and so moves when the system's clock is set.
	StartedAt time.Time

	// Argv is what the process shows as its arguments, which it may have changed; invalid UTF-8 is
	// replaced, and what is beyond 64 KiB cut off. It is empty for a kernel thread and a zombie.
	Argv []string
}

// Process looks a process up by its pid. It is false where there is none, where it may not be seen,
// and on systems without /proc.
func (i *Inspector) Process(pid int) (Process, bool) {
	if pid <= 0 {
		return Process{}, false
	}
	stat, ok := i.readHead(fmt.Sprintf("proc/%d/stat", pid), 4<<10)
	if !ok {
		return Process{}, false
	}
	system, ok := i.readHead("proc/stat", 1<<20)
	if !ok {
		return Process{}, false
	}
	boot, ok := bootTime(system)
	if !ok {
		return Process{}, false
	}
	sinceBoot, ok := startTime(stat)
	if !ok {
		return Process{}, false
	}
	cmdline, ok := i.readHead(fmt.Sprintf("proc/%d/cmdline", pid), 64<<10)
	if !ok {
		return Process{}, false
	}
	return Process{StartedAt: boot.Add(sinceBoot), Argv: arguments(cmdline)}, true
}

// bootTime finds the line "btime SECONDS" of /proc/stat (proc_stat(5)).
func bootTime(system []byte) (time.Time, bool) {
	for line := range bytes.Lines(system) {
		if seconds, found := bytes.CutPrefix(line, []byte("btime ")); found {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(seconds)), 10, 64)
			return time.Unix(n, 0).UTC(), err == nil
		}
	}
	return time.Time{}, false
}

// startTime reads field 22 of /proc/PID/stat, in ticks since boot (proc_pid_stat(5)). The name in
// field 2 may hold spaces and parentheses, so fields are counted from the last parenthesis.
func startTime(stat []byte) (time.Duration, bool) {
	const (
		afterName = 22 - 3                // the first field behind the name is number 3
		tick      = 10 * time.Millisecond // USER_HZ is 100 on every Linux that Go runs on
		maxTicks  = math.MaxInt64 / int64(tick)
	)
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= afterName {
		return 0, false
	}
	ticks, err := strconv.ParseInt(string(fields[afterName]), 10, 64)
	if err != nil || ticks < 0 || ticks > maxTicks {
		return 0, false
	}
	return time.Duration(ticks) * tick, true
}

// arguments splits /proc/PID/cmdline, where each argument ends in a NUL.
func arguments(cmdline []byte) []string {
	if len(cmdline) == 0 {
		return nil
	}
	text := strings.ToValidUTF8(strings.TrimSuffix(string(cmdline), "\x00"), "\uFFFD")
	return strings.Split(text, "\x00")
}

// readHead reads the first limit bytes of a file; false says that it cannot be read.
func (i *Inspector) readHead(name string, limit int64) ([]byte, bool) {
	file, err := i.fsys.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	return data, err == nil
}
