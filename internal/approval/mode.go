package approval

// Mode is what a session does with an action that nothing else settles
// (policy.md "Verdict").
type Mode string

// The four modes. A client selects among them and can author none
// (seed 003 "Modes").
const (
	AllowAll        Mode = "allowAll"        // allow what is unmatched
	PromptUnmatched Mode = "promptUnmatched" // ask a person about what is unmatched
	OnRequest       Mode = "onRequest"       // ask only where the agent asked to be asked
	DenyUnmatched   Mode = "denyUnmatched"   // deny what is unmatched, with a denial the model can read
)

// Modes lists the four, from the least authority to the most.
var Modes = []Mode{DenyUnmatched, PromptUnmatched, OnRequest, AllowAll}

// Known reports whether m is one of the four.
func (m Mode) Known() bool {
	switch m {
	case AllowAll, PromptUnmatched, OnRequest, DenyUnmatched:
		return true
	}
	return false
}

// Within reports whether m is at or below ceiling in the order of authority
// denyUnmatched < promptUnmatched < allowAll, onRequest < allowAll, in which
// onRequest is incomparable with the other two: "not above" is not the test
// (policy.md "Ceilings", seed 003). Unknown modes are within nothing.
func (m Mode) Within(ceiling Mode) bool {
	switch {
	case !m.Known() || !ceiling.Known():
		return false
	case m == ceiling || ceiling == AllowAll:
		return true
	}
	return m == DenyUnmatched && ceiling == PromptUnmatched
}

// ModeSource says how a session came by its mode.
type ModeSource string

// The sources of a mode (msp-facts §3.5).
const (
	ModeAtStartup    ModeSource = "startup"             // given with session/start, or the daemon's own
	ModeReconfigured ModeSource = "approvalReconfigure" // by session/setApprovalMode
	ModeReplayed     ModeSource = "replay"              // read back from the log after a restart
)
