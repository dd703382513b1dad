// Package scenario plays recorded conversations with a daemon and compares every byte that the
// daemon says (protocol §10). A scenario is documentation that fails when it lies.
//
// # The file
//
// A scenario is NDJSON: one object a line, told apart by the member "dir". The first line is the
// header:
//
//	{"dir":"header","title":"One sentence: what this proves.","clock":"2026-01-02T03:04:05.000Z",
//	 "seed":1,"ids":["0198f0ac-7777-7000-8000-0000000000e1"],"vars":{…},"files":{…},"serve":{…}}
//
// title, clock and seed must be there. The clock stands still at that instant until a control line
// moves it. The ids that the daemon mints come from ids, in order, and after them from a source
// seeded with seed. museHome, version, platform, fingerprint and the user's home (/home/user) are
// always the same, so that a scenario does not age with the build. serve configures the
// daemon: mode, ceiling, ephemeral, policy, the text of the user's policy file, and agentCmd. No file
// of the machine is read, and no process is started: agentCmd names the connection that is the program
// of --agent-cmd. The daemon opens it, for a turn for which nobody is attached, and its client frames,
// which have no role, are what the program says; a disconnect is its end. A recording has one such
// connection: while it is open the program does not start for another session.
//
// A frame of a client, and one of the daemon:
//
//	{"dir":"client","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,…}"}
//	{"dir":"server","conn":"rev","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,…}"}
//
// raw is the exact frame without its newline. conn names the connection, "main" where it is absent.
// A connection is opened by its first client frame, which may say by "role" what it connects to:
// agent (agent.sock), reviewer (reviewer.sock), both or host (host.sock), stdio. Without a role,
// main is stdio; any other connection must have one. After a restart, a crash or a disconnect the
// next client frame opens the connection again, at the same door.
//
// Frames that are no text, or too long to write down, have a spelling of their own: "base64" instead
// of "raw" gives the bytes, and "pad" appends that many spaces.
//
// A control line makes something else happen:
//
//	{"dir":"control","op":"restart"}                  the daemon ends in order and starts again
//	{"dir":"control","op":"crash","ms":2000}          it ends as if killed and starts again; either
//	                                                  takes ms, for which the daemon is down, and
//	                                                  text, the policy file that the next one finds
//	{"dir":"control","op":"advance","ms":1500}        the clock moves; what falls due happens in order
//	{"dir":"control","op":"disconnect","conn":"rev"}  the peer is gone
//	{"dir":"control","op":"files","files":{…}}        the file tree changes
//	{"dir":"control","op":"policy","text":"…"}        the policy file changes, and is read again
//
// Client and control lines are the steps of the scenario. The server lines behind a step are all
// that the daemon says because of it: before the next step the player waits until the daemon is
// quiet, so that a line too many is found as well as one that is missing. Order counts within a
// connection; lines of different connections may interleave.
//
// # The file tree
//
// files is what the daemon sees of the outside; there is nothing else. Names are absolute, parent
// directories are there by themselves, and an entry is one of
//
//	"/srv/app/main.go": "package main\n"             a regular file and its content
//	"/usr/bin/make":    {"text":"","mode":"0755"}    the same as an object
//	"/srv/app/docs":    {"dir":true}                 a directory
//	"/srv/app/etc":     {"link":"/etc"}              a symbolic link
//	"/srv/app/twin":    {"hardLink":"/srv/app/x"}    another name of a file of the same list
//	"/srv/app/pipe":    {"fifo":true}                also "socket" and "device"
//	"/srv/app/old":     null                         gone, with all below it (control lines only)
//
// An object may have mode, an octal text (0644, and 0755 for a directory, where it is absent), uid
// and gid (0). A directory may have "folds":true: names below it are the same in upper and lower
// case. A file that is given again is another file under the old name.
//
// # Placeholders
//
// vars lists strings that stand for what a daemon minted where a recording was made elsewhere, each
// with a word on what it is:
//
//	"vars":{"$APPROVAL":"the approval that main opens"}
//
// A placeholder is a whole JSON string. In a server frame its first use binds it to the string that
// the daemon says there; from then on it stands for that string in both directions.
package scenario
