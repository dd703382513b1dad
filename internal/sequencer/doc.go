// Package sequencer is the one writer. It takes commands in one order,
// decides each against the state the ones before it leave, makes their
// records durable in groups, and only then lets anybody hear of them.
//
// One goroutine, Run, owns the order, the overlay and the deadlines:
//
//	take     one command, and all that queued while the last group was synced
//	decide   each against ahead, an overlay of the view
//	append   every record of the group in one transaction
//	apply    the records to the view, which is what readers see
//	answer   each command, refusals included
//	wake     those who await a settled approval
//	publish  the records to subscribers
//
// Group commit is what this loop does, not a feature with a knob: there is no
// timer, and a lone command waits for nobody. To decide the next group while one
// is being written was built and measured: of as many callers two make groups of
// half the size, each with its syncs, so that a decision took a third more of the
// processor and came no sooner, and a lone one had to be handed over.
//
// A failed append ends Run. What reached the disk is then unknown, so every
// caller of the group is told so, nothing more is written (invariant 8), and
// the process is started again: recovery is the only code that works out what
// is there.
package sequencer
