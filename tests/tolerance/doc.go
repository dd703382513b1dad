// Package tolerance is a list of promises to programs that nobody here wrote: what a daemon takes
// from clients, and what the client of package client takes from servers. Each promise is a row of a
// table or a test of its own, named for what is promised.
//
// What the two sides of one wire are held to differs with where it matters. Bytes and connections
// go to the real binary by each of its transports, and in pieces of any size to a daemon in this
// process, which reads from a pipe without a buffer, so that what was written in two pieces is read
// in two. What frames say goes to a daemon in this process alone.
//
//	frames_test.go     envelopes, ids, JSON: what is a message, and how the rest is refused
//	pieces_test.go     the same bytes in any pieces; frames at the limit
//	members_test.go    members, methods, kinds and values that one side does not know
//	handshake_test.go  what comes before, between and instead of initialize and initialized
//	receipts_test.go   answers to approval/request, and answers to nothing
//	ends_test.go       half closed, broken off, out of input, told to end
//	slow_test.go       peers that do not read
//	crowd_test.go      many connections at once
//	walk_test.go       every recorded scenario with its frames spelt otherwise, and among hostile ones
//	server_*_test.go   what the Go client takes from servers
package tolerance
