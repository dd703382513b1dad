// Package log keeps approvald's records: an append-only, durable, totally
// ordered sequence of byte values. It does not know what the bytes mean
// (design §3, §4); checksums and the chain over predecessors are part of the
// value and belong to package record.
//
// [Log] keeps the values in a bbolt file, [Memory] keeps them in memory for an
// ephemeral daemon (protocol §8). Both pass one conformance suite. [Lock] makes
// sure that one daemon at a time uses a state directory (protocol §1).
//
// [Reader] reads a file that may be damaged, without bbolt and without a daemon;
// [Snapshot] copies one that a daemon writes.
//
// # What is promised
//
//   - Sequences start at 1 and have no holes. A sequence is never used for
//     another value.
//   - When Append has returned nil, its values are there after the process is
//     killed, the kernel panics or the power fails.
//   - Append is atomic. After a crash all of its values are there or none, and
//     of Appends that had not returned only the last can be there: acked ⊆ log
//     ⊆ acked + one group.
//   - A reader never sees a value whose Append has not returned nil, although
//     bbolt shows it to new transactions between the write of its header page
//     and the sync of that page. Reads stop at Head for this reason.
//   - After an Append has failed nothing more is written. Which half of that
//     commit reached the disk is unknown until the file is opened again, and a
//     second commit on top of a failed sync can lose the first.
//   - Damage that a read meets is an error that names the file, not a crash of
//     the process. Damage that a commit meets may be a panic of bbolt, since a
//     commit that cannot be finished ends the process anyway (design,
//     decision 1).
//
// # What is assumed
//
//  1. The file system is local. Locks are flock(2), which network file systems
//     emulate or ignore, and the file is read through a memory map.
//  2. A sync that returned nil has reached stable storage. bbolt calls
//     fdatasync on Linux and F_FULLFSYNC on macOS, twice a commit: pages first,
//     then the header page that refers to them.
//  3. A write may be torn at any byte. bbolt never overwrites a page that the
//     last commit refers to and alternates between two checksummed header
//     pages, so that a torn commit leaves the previous one in force.
//  4. After a failed sync the page cache proves nothing: the kernel may have
//     marked pages clean that never reached the disk. Open syncs the file before
//     it reads it, and has the header pages read from the disk.
//  5. A directory entry is durable once its directory is synced. Open gives a new
//     log its name when the log is durable, and syncs the directory before the
//     first append; it and Acquire sync the parents of the directories that they
//     made. Neither lock nor daemon.json has to outlive the machine.
//  6. Storage returns what was written or an error. Bit rot inside a value is
//     for the reader of the value to find; Open finds it in what pages say of
//     themselves and of one another.
//  7. No other program writes to the file. bbolt's own lock keeps out programs
//     that ask; nothing keeps out those that do not.
//
// # What was rejected
//
// perf.md §2 holds the measurements. db.Batch waits for a timer and may run
// its function twice. NoFreelistSync makes opening scan the file. NoSync with
// one sync a group loses the order of pages before header. A bucket or an
// index for each session costs 6 to 14 times the throughput, so that a session
// is found by walking from each record to its predecessor ([Log.Walk]). A read
// transaction held across a slow peer makes the file grow without bound, so
// that callbacks always run outside of transactions.
package log
