// Package client speaks to an approvald daemon: it opens approvals and waits for
// them as an agent, or is shown them and decides as a reviewer; as an agent it can also put questions
// to a person, and as a reviewer answer them. Params, results
// and errors are those of package wire.
//
// [Dial] connects to one of the daemon's sockets, [New] takes a pipe (a daemon
// started with serve --stdio), [Connect] whatever a [Dialer] brings. With
// Options.Reconnect the client outlives its connection and the daemon's process:
// calls wait for the next connection, commands are sent again with the commandId
// they had (so they happen once, protocol §3), sessions are resumed,
// subscriptions go on behind the last event seen, and [Client.Await] follows an
// approval to its successor (protocol §8).
//
// An agent that is given work by others, with [Client.StartTurn], hears of it by
// Options.OnTurn and says with [Client.CompleteTurn] when it is done.
//
// [Client.Gate] runs a tool behind one approval, [Client.AskEach] makes a pass over
// the calls for which a run has paused.
//
// Refusals are *[wire.Error]; branch on them with [wire.IsKind]. Without a
// connection and without Reconnect the error is [ErrConnectionLost], after
// [Client.Close] it is [ErrClosed]. A frame over the cap of protocol §1 ends
// the client for good, with [ErrFrameTooLarge].
//
// # Concurrency
//
// Every method of a [Client] may be called by many goroutines at once, also from
// within the handlers of Options, except Close, which waits for those. A
// [Subscription] has one reader at a time. Values handed out belong to the
// caller; params handed in are not changed and not kept.
//
// # Goroutines
//
//  1. The supervisor, one per client, ends with Close, with what no other
//     connection would mend or, without Reconnect, with the connection. It alone
//     makes and replaces connections.
//  2. The dispatcher, one per client, ends with the supervisor. It calls the
//     handlers of Options, one at a time, in the order of the wire, and sends
//     receipts.
//  3. The reader and the closer of github.com/sourcegraph/jsonrpc2, two per
//     connection, end with it. The reader never runs code of the user and never
//     writes: it fills the dispatcher's queue and the subscriptions.
//
// Close returns when all of them have ended.
package client
