package hook

import (
	"fmt"
	"strconv"

	"github.com/approvald/approvald/wire"
)

// ClientName is the hook's name in the log.
const ClientName = "approvald_hook"

// run is the runId of all approvals of hooks: they are found by session and call.
const run = "hook"

// SessionID is the id of the approvald session for one of the agent's. A session that is closed
// takes no more calls, and the agent may take its own up again: the generation counts how
// often it has.
func (e *Event) SessionID(generation int) string {
	return derived("session", "claude", e.Session, strconv.Itoa(generation))
}

// Start is the params that start the session, in its workspace or, where that cannot be one
// (a home directory), without.
func (e *Event) Start(session string, rooted bool) wire.SessionStartParams {
	p := wire.SessionStartParams{SessionID: session, Name: "Claude Code"}
	if rooted {
		p.WorkspaceRoot = e.Root
	}
	p.CommandID = derived("start", session, p.WorkspaceRoot)
	return p
}

// Resume is the params that take the session up.
func (e *Event) Resume(session string) wire.SessionResumeParams {
	return wire.SessionResumeParams{CommandID: derived("resume", session), SessionID: session, ExcludeItems: true}
}

// Close is the params that close the session.
func (e *Event) Close(session string) wire.SessionCloseParams {
	return wire.SessionCloseParams{CommandID: derived("close", session), SessionID: session}
}

// Prepare is the params that find or open the approval of the call. A further attempt is made
// where the approval was another delivery's to take.
func (e *Event) Prepare(session string, attempt int) (wire.ApprovalPrepareParams, error) {
	p := wire.ApprovalPrepareParams{SessionID: session, RunID: run, Requests: wire.List[wire.ApprovalPrepareRequest]{e.Call.request}}
	text, err := wire.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("the call cannot be written down: %w", err)
	}
	p.CommandID = derived("prepare", e.Call.delivery, strconv.Itoa(attempt), string(text))
	return p, nil
}

// Consume is the params that take what was decided.
func (e *Event) Consume(session, approval string) wire.ApprovalConsumeParams {
	return wire.ApprovalConsumeParams{
		CommandID: derived("consume", session, approval, e.Call.delivery), SessionID: session, ApprovalID: approval,
		ToolCallID: e.Call.request.ToolCallID, ArgsDigest: e.Call.ArgsDigest,
	}
}

// Void is the params that withdraw an approval that permits nothing any more, so that it is not
// found again.
func (e *Event) Void(session, approval string) wire.ApprovalCancelParams {
	return wire.ApprovalCancelParams{
		CommandID: derived("void", session, approval), SessionID: session, ApprovalID: approval,
		Reason: "its permit does not fit any more, and the call is asked about again",
	}
}

// Generations finds the generation of a session that is open: those before it are closed, those
// behind it were never started. The zero value begins.
type Generations struct {
	closed  int // so many from the first on are closed
	missing int // this one was never started; 0: none is known
}

// Next is the generation to try.
func (g *Generations) Next() int {
	switch {
	case g.missing > 0:
		return (g.closed + g.missing) / 2
	case g.closed < 4:
		return g.closed
	}
	return 2 * g.closed
}

// Closed notes that a generation is closed.
func (g *Generations) Closed(n int) { g.closed = max(g.closed, n+1) }

// Missing notes that a generation was never started, and reports whether it is the one to start.
func (g *Generations) Missing(n int) bool {
	if n > g.closed {
		g.missing = n
		return false
	}
	return true
}
