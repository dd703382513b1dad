package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine is the line that says where the figures were taken.
func machine(cpu string) string {
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	return fmt.Sprintf("%s, %d cores, %s, %s on %s, %s",
		cpu, runtime.NumCPU(), kernel(), os.TempDir(), fileSystem(os.TempDir()), runtime.Version())
}

func kernel() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return runtime.GOOS
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
}

// fileSystem is the type of the file system that holds dir, where the system lists its mounts: on
// one in memory a sync costs nothing, and no ratio to it means anything.
func fileSystem(dir string) string {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "an unknown file system"
	}
	return mountedAt(dir, string(mounts))
}

// mountedAt finds the type of the innermost mount over dir.
func mountedAt(dir, mounts string) string {
	longest, kind := -1, "an unknown file system"
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		at := strings.TrimSuffix(fields[1], "/")
		if (dir == at || strings.HasPrefix(dir, at+"/")) && len(at) >= longest {
			longest, kind = len(at), fields[2]
		}
	}
	return kind
}
