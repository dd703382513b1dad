package decide_test

import (
	"slices"
	"strconv"
	"time"

	"github.com/approvald/approvald/internal/approval"
)

// twin is a daemon written from protocol.md and policy.md alone, as simply as
// can be: lists and words, no records, no overlays. It answers every operation
// with what the daemon must say, and holds what must then be true.
type twin struct {
	now      time.Time
	attended bool
	minted   int

	configured, ceiling     string
	maxPending, maxRefusals int
	attached                string // who may carry out turns: agent, hosted, or nobody
	hosts                   bool   // a program is started where nobody is attached

	sessions      []*twinSession
	grants        []*twinGrant      // all that were ever given, in order
	catalogs      []*twinCatalog    // all that were ever opened, in order
	starts        map[int]twinEntry // the daemon's ledger, by number of the command
	startRefusals int

	// openedAt is the sequence of the opening record of an approval, which
	// subscribers see and which the identity of a successor is made of.
	openedAt func(approval.ID) uint64
}

type twinSession struct {
	id                 approval.ID
	parent             *twinSession // nil for a root
	inherits           bool
	mode               string
	refuse             bool
	cancelOnDisconnect bool
	closed             bool
	approvals          []*twinApproval // in opening order
	prompts            []*twinPrompt   // in opening order
	ledger             map[int]twinEntry
	refusals           int
	ended              []string // turns
	begun              []string // turns that were started
	open               string   // the one that is open; "" for none
	hosted             bool     // it is a program's of --agent-cmd
}

type twinApproval struct {
	id                 approval.ID
	what               int // an index of the pool
	requested          bool
	call, parent, turn string
	stages             []byte // 'o' open, 's' safe, 'd' done; nil for other subjects
	refuse             bool
	deadline           time.Time // zero: none
	end                *ending
	run, odd           string // of a batch; what is odd about its request: args or tool
	taken              bool   // consumed
	void               string // why it can be consumed no more; "" where it can
	catalog            *twinCatalog
	digest             string // of the tool in the catalog, when it was opened
	hosted             bool   // by a program of --agent-cmd
}

// ending is a row of the table of causes (protocol §6), and the successor.
type ending struct {
	outcome, decision, result, by, source string
	successor                             approval.ID
}

func ended(outcome, decision, result, by, source string) *ending {
	return &ending{outcome: outcome, decision: decision, result: result, by: by, source: source}
}

// twinEntry is what the ledger keeps of a command.
type twinEntry struct {
	payload string
	answer  said
}

// said is an answer. code 0 is an ack, with what is particular to the command.
type said struct {
	code   int
	reason string
	wrote  bool // it left records

	id        approval.ID   // start, open
	call      string        // open
	end       *ending       // open: settled at once
	terminal  bool          // decide
	cancelled []approval.ID // cancel
	effect    string        // setMode: completed or noop
	permit    bool          // consume: it permits, and does not deny
	prepared  []prepared    // prepare
	taken     []taken       // consumeAll
	turn      string        // stop
}

// pool is what the operations are about. No entry is covered by a grant on
// another one.
var pool = []struct {
	subject approval.Subject
	stages  string // of a command line; "" for other subjects
	local   string // the choice that writes a rule; "" for none
	unknown bool
	guarded bool // a protected write
}{
	{subject: guarded, guarded: true},
	{subject: file, local: "allow_local_path"},
	{subject: approval.File{ToolName: "read", Path: file.Path, Access: "read"}, local: "allow_local_path"},
	{subject: network, local: "allow_local_network"},
	{subject: approval.Tool{ServerName: "a", ToolName: "b__c"}, local: "allow_local_mcp_tool"},
	{subject: approval.Tool{ServerName: "a__b", ToolName: "c"}, local: "allow_local_mcp_tool"},
	{subject: teleport, unknown: true},
	{subject: approval.Unknown{Name: "Shell", Raw: []byte(`{"kind":"Shell","command":"true"}`)}, unknown: true},
	{subject: shell("make"), stages: "o"},
	{subject: shell("true && test -f a"), stages: "ss"},
	{subject: shell("make && make test"), stages: "oo"},
	{subject: shell("true; make; :; make test"), stages: "soso"},
	{subject: shell("a | b | c"), stages: "ooo"},
	{subject: shell("make $(x)"), stages: "oo"},
	{subject: shell("make b >.git/hooks/pre-commit; true; make c"), stages: "oso", guarded: true},
}

// subjects are the indices of the pool, the commands of two stages more often.
var subjects = []int{0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 11, 11, 12, 13, 14, 14}

// guarded is a file that git runs.
var guarded = approval.File{ToolName: "write", Path: "/srv/app/.git/hooks/pre-commit", RequestedPath: ".git/hooks/pre-commit", Access: "write"}

func (t *twin) session(id approval.ID) *twinSession {
	for _, s := range t.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (s *twinSession) approval(id approval.ID) *twinApproval {
	for _, a := range s.approvals {
		if a.id == id {
			return a
		}
	}
	return nil
}

func (a *twinApproval) pending() bool { return a.end == nil }

func (s *twinSession) pending() (out []*twinApproval) {
	for _, a := range s.approvals {
		if a.pending() {
			out = append(out, a)
		}
	}
	return out
}

func (t *twin) mint() approval.ID {
	t.minted++
	return mintedID(t.minted)
}

// policy is the verdict of policy.md on what is about to be opened: nil where
// a person is asked.
func (t *twin) policy(s *twinSession, a *twinApproval) *ending {
	covered, what := t.covered(s, a), a.what
	deny, ask := s.unmatched(a.requested)
	switch {
	case covered != nil:
		return covered
	case pool[what].stages == "ss":
		return ended("allowedOnce", "approved", "allow", "policy", "builtin")
	case deny:
		return ended("rejected", "denied", "deny", "policy", "mode")
	case ask, pool[what].unknown, pool[what].guarded:
		return nil
	}
	return ended("allowedOnce", "approved", "allow", "policy", "mode")
}

// unmatched says what becomes of what nothing covers: the strictest mode of the
// family holds (policy.md "Sub-agents").
func (s *twinSession) unmatched(requested bool) (deny, ask bool) {
	for _, in := range s.lineage() {
		deny = deny || in.mode == "denyUnmatched"
		ask = ask || in.mode == "promptUnmatched" || in.mode == "onRequest" && requested
	}
	return deny, ask
}

// open adds an approval, settled at once where policy says so or nobody is
// there to be asked; one that a restart opens again waits for somebody to come
// back.
func (t *twin) open(s *twinSession, a *twinApproval, recovered bool) {
	a.stages = []byte(pool[a.what].stages)
	a.end = t.policy(s, a)
	if _, ask := s.unmatched(a.requested); !ask && pool[a.what].guarded {
		for i := 1; i < len(a.stages); i++ { // the first is what is protected
			a.stages[i] = 's'
		}
	}
	if a.end == nil && a.refuse && !t.attended && !recovered {
		a.end = ended("unavailable", "denied", "deny", "policy", "unattended")
	}
	s.approvals = append(s.approvals, a)
}

// current is the requirement that a decision must name.
func (a *twinApproval) current() int { return max(0, slices.Index(a.stages, 'o')) }

// openStages is how many stages wait.
func (a *twinApproval) openStages() (n int) {
	for _, s := range a.stages {
		if s == 'o' {
			n++
		}
	}
	return n
}

// menu is the menu of the current requirement (protocol §6).
func (a *twinApproval) menu() []string {
	menu := []string{"allow_once"}
	if pool[a.what].guarded {
		return append(menu, "abort")
	}
	if a.openStages() >= 2 {
		menu = append(menu, "allow_all_once")
	}
	if !pool[a.what].unknown {
		menu = append(menu, "allow_session")
	}
	if local := pool[a.what].local; local != "" {
		menu = append(menu, local)
	}
	return append(menu, "abort")
}

// calls are the tool call id and all that are nested in it, transitively.
func (s *twinSession) calls(id string) []string {
	in := []string{id}
	for grew := true; grew; {
		grew = false
		for _, a := range s.approvals {
			if slices.Contains(in, a.parent) && !slices.Contains(in, a.call) {
				in, grew = append(in, a.call), true
			}
		}
	}
	return in
}

// number is the id of a nested call that the agent did not name.
func (s *twinSession) number(parent string) string {
	n := 1
	for _, a := range s.approvals {
		if a.parent == parent {
			n++
		}
	}
	return parent + "/" + strconv.Itoa(n)
}

// within is the order of modes (policy.md "Ceilings").
func within(mode, ceiling string) bool {
	below := map[string][]string{
		"denyUnmatched":   {"denyUnmatched"},
		"promptUnmatched": {"denyUnmatched", "promptUnmatched"},
		"onRequest":       {"onRequest"},
		"allowAll":        {"denyUnmatched", "promptUnmatched", "onRequest", "allowAll"},
	}
	return slices.Contains(below[ceiling], mode)
}
