// Package hook is what stands between the hooks of an agent and approvald: it reads what the
// agent says on standard input, makes an approval of the call, and says what became of that in
// the form that the agent reads. It computes only; internal/hook/gate speaks with the daemon.
//
// The one agent is Claude Code. Its hooks let a call through unless they are told otherwise, so
// everything here fails closed: what cannot be read, is of another agent, or is unknown, is a
// denial with a sentence of its own ([Broken]), which is told from what somebody decided.
//
// # Which approval a call has
//
// A call is known by what it does: the tool, the arguments and the subject, who in the session
// makes it. approval/prepare finds the approval of such a call that nobody has consumed, or
// opens one, so a call that is made again after its wait ran out gets the decision that was
// taken meanwhile; and approval/consume takes it exactly once, so that one permission is one
// execution. The commandIds are derived from the agent's own id of the call: what is delivered
// twice is one command (protocol §3).
package hook
