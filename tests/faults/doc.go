// Package faults runs the real binary over a file system that fails where a
// test says so, and holds against each other what callers heard, what the log
// holds and what the next start does (protocol §3 and §8).
//
// The faults lie below the binary, which knows nothing of them: the kernel hands
// each system call that touches a file of the daemon's to the test before it is
// carried out (seccomp, user notification), in one order for the whole process.
// The test lets it pass, or has it fail in one of these ways:
//
//   - it is not carried out, and the daemon is told that it failed;
//   - it is carried out, and the daemon is told that it failed;
//   - a write is carried out to its half, and the daemon is told that it failed;
//   - the daemon is killed before it, in the middle of it, or right after it.
//
// What a power cut leaves of pages that were not synced is no matter of system
// calls: TestWhatAPowerCutLeavesOfACommit makes every such file from two states
// of a log, page by page and sector by sector.
package faults
