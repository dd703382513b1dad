// Package rpc is the edge: where bytes of any kind arrive, and where frames
// leave. It speaks protocol §1 to §7 over pipes and sockets and reaches the
// log only through the sequencer.
//
// A connection has three goroutines:
//
//  1. the reader cuts lines, decodes envelopes, answers faults, takes
//     receipts and queues requests; it never runs a handler, so a peer can
//     always be heard;
//  2. the dispatcher takes requests in the order sent, and admits commands in
//     that order; a command's answer comes later, from the writer of the log;
//  3. the writer sends what is owed and, when nothing is, renders the next
//     view events of the connection's subscriptions.
//
// A subscription covers a session and those below it (coverage.go), and is a
// position in the log. Nothing is queued for a slow peer: its writer stands
// where its socket stands, and goes on from the ring of recent records or,
// behind that, from the log. The writer of the log never waits for a peer; it
// only marks a position and wakes a goroutine.
package rpc
