package decide_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	split "github.com/approvald/approvald/internal/policy/shell"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// world is a daemon without a shell: a state, a clock that a test moves, ids
// that count, and the records so far. Every command is decided, recorded and
// applied at once, and memory lets go of what it opened: the core must do with what
// it reads again. The model holds both.
type world struct {
	t        rapid.TB
	state    fold.State
	log      []record.Record
	now      time.Time
	minted   int
	commands int
	attended bool
	owned    bool
	owners   map[approval.ID]bool // of single sessions, beside owned
	agent    *record.Party        // attached to every session; nil: nobody
	hosts    bool                 // there is a program of --agent-cmd
	limits   decide.Limits
	policy   *policy.Policy
}

func newWorld(t rapid.TB) *world {
	return &world{
		t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), attended: true, policy: new(policy.Policy),
		limits: decide.Limits{
			Mode: approval.PromptUnmatched, Ceiling: approval.AllowAll,
			MaxPending: decide.DefaultMaxPending, MaxRefusals: decide.DefaultMaxRefusals,
		},
	}
}

func (w *world) env() decide.Env {
	return decide.Env{
		Policy: w.policy,
		Now:    w.now,
		NewID: func() approval.ID {
			w.minted++
			return mintedID(w.minted)
		},
		Attended: func(approval.ID) bool { return w.attended },
		Owned:    func(id approval.ID) bool { return w.owned || w.owners[id] },
		Agent:    func(approval.ID) *record.Party { return w.agent }, AgentCommand: w.hosts,
		Read:    w.read,
		Limits:  w.limits,
		Profile: fold.Profile{LogPath: "/state/log"},
	}
}

// rules puts a policy of these rules in force.
func (w *world) rules(rules ...policy.Rule) {
	w.t.Helper()
	for i := range rules {
		rules[i].Ref = policy.Ref{Layer: "user", Index: i + 1}
	}
	compiled, err := policy.Compile(policy.Setup{Layers: []policy.Layer{{Rules: rules}}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.policy = compiled
}

// mintedID is the nth identity that a world mints.
func mintedID(n int) approval.ID {
	return approval.ID{0x01, 0x98, 0xf0, 0xac, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, byte(n >> 8), byte(n)}
}

// do carries a command out.
func (w *world) do(c decide.Command) decide.Result {
	w.t.Helper()
	result := decide.Next(w.state.Over(), c, w.env())
	for _, r := range result.Records {
		w.state.Apply(r)
		w.log = append(w.log, r)
		w.state.LetGo(r.Session, r.Approval)
	}
	return result
}

// intent is a new command of a client, with a payload of its own.
func (w *world) intent() decide.Intent {
	w.commands++
	return decide.Intent{
		Command: commandID(w.t, w.commands), Payload: sha256.Sum256(fmt.Append(nil, w.commands)),
		By: record.Party{Client: "tester", Version: "1.0", Role: "both"},
	}
}

func commandID(t rapid.TB, n int) approval.CommandID {
	t.Helper()
	id, err := approval.ParseCommandID(fmt.Sprintf("018f6a2a-0000-7000-8000-%012x", n))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// The things that happen in nearly every test.

// start starts a session in a mode; more fills in the rest of the command.
func (w *world) start(mode approval.Mode, more ...func(*decide.StartSession)) approval.ID {
	w.t.Helper()
	c := decide.StartSession{Intent: w.intent(), Mode: mode, Unattended: approval.Park, WorkspaceRoot: "/srv/app"}
	for _, m := range more {
		m(&c)
	}
	if r := w.do(c); r.Refusal != nil {
		w.t.Fatalf("session/start: %v", r.Refusal)
	}
	return w.log[len(w.log)-1].Session
}

// open opens an approval and gives its id.
func (w *world) open(session approval.ID, s approval.Subject, more ...func(*decide.Open)) approval.ID {
	w.t.Helper()
	r := w.do(w.opening(session, s, more...))
	if r.Refusal != nil {
		w.t.Fatalf("approval/open: %v", r.Refusal)
	}
	return r.Records[0].Approval
}

// opening is the command that open carries out.
func (w *world) opening(session approval.ID, s approval.Subject, more ...func(*decide.Open)) decide.Open {
	c := decide.Open{Intent: w.intent(), Session: session, Action: approval.Action{
		ToolCallID: fmt.Sprintf("call_%d", w.commands), ToolName: "tool", RawArgs: `{}`, ArgsDigest: "sha256:aa", Reason: "why", Subject: s,
		Found: found(s),
	}}
	for _, m := range more {
		m(&c)
	}
	return c
}

// found is what inspection would have learned of a subject whose files are
// regular ones, where they are said to be.
func found(s approval.Subject) (f approval.Found) {
	switch s := s.(type) {
	case approval.File:
		f.File = &approval.Target{
			Access: approval.Access(s.Access), Text: s.RequestedPath, Written: s.Path, Path: s.Path, Type: approval.TargetRegular, Links: 1,
		}
	case approval.Shell:
		for _, stage := range split.Stages(s.Command, s.Shell, s.Cwd) {
			f.Parts = append(f.Parts, approval.Part{Words: stage.Words, Dynamic: stage.Dynamic})
		}
	}
	return f
}

// choice is the command that selects choice for the requirement.
func (w *world) choice(session, id approval.ID, requirement int, choice wire.ChoiceID) decide.Decide {
	return decide.Decide{Intent: w.intent(), Session: session, Approval: id, Requirement: requirement, Choice: choice}
}

// choose carries choice out and says whether it ended the approval.
func (w *world) choose(session, id approval.ID, requirement int, choice wire.ChoiceID) (terminal bool) {
	w.t.Helper()
	r := w.do(w.choice(session, id, requirement, choice))
	if r.Refusal != nil {
		w.t.Fatalf("approval/decide %s: %v", choice, r.Refusal)
	}
	return decoded[wire.ApprovalDecideResult](w.t, r.Ack).Terminal
}

// session is the session as it stands.
func (w *world) session(id approval.ID) *fold.Session {
	w.t.Helper()
	s, ok := w.state.Session(id)
	if !ok {
		w.t.Fatalf("there is no session %s", id)
	}
	return s
}

// approval is an approval as it stands.
func (w *world) approval(session, id approval.ID) *fold.Approval {
	w.t.Helper()
	a, ok := w.session(session).Approval(id)
	if !ok {
		w.t.Fatalf("there is no approval %s", id)
	}
	return a
}

// full is a pending approval with what its records say.
func (w *world) full(session, id approval.ID) fold.Full {
	w.t.Helper()
	full, err := w.approval(session, id).Full(w.read)
	if err != nil {
		w.t.Fatal(err)
	}
	return full
}

func (w *world) read(seq uint64) (record.Record, error) { return w.log[seq-1], nil }

// endedAs reports an error unless the approval ended so.
func (w *world) endedAs(session, id approval.ID, want approval.Resolution) {
	w.t.Helper()
	a := w.approval(session, id)
	if a.Pending() {
		w.t.Errorf("%s is pending, want %+v", id, want)
		return
	}
	s := a.Settled
	got := approval.Resolution{
		Outcome: approval.Outcome(s.Outcome), Decision: s.Decision, PolicyResult: s.PolicyResult, ResolvedBy: s.ResolvedBy, Source: s.Source,
	}
	if got != want {
		w.t.Errorf("%s ended as %+v, want %+v", id, got, want)
	}
}

// isPending reports an error unless the approval waits for the requirement.
func (w *world) isPending(session, id approval.ID, requirement int) {
	w.t.Helper()
	a := w.approval(session, id)
	if !a.Pending() || a.Requirement != requirement {
		w.t.Errorf("%s: pending %v, requirement %d; want pending, %d", id, a.Pending(), a.Requirement, requirement)
	}
}

// Subjects of each kind.
var (
	file     = approval.File{ToolName: "write", Path: "/srv/app/a.txt", RequestedPath: "a.txt", Access: "write"}
	network  = approval.Network{Host: "example.org", Port: 443, Protocol: "https"}
	process  = approval.Process{Action: "signal", Target: "SIGTERM", Argv: []string{"sleep", "1 2"}}
	tool     = approval.Tool{ServerName: "github", ToolName: "create_issue"}
	teleport = approval.Unknown{Name: "teleport", Raw: []byte(`{"kind":"teleport","to":"a && b"}`)}
)

func shell(command string) approval.Shell { return shellIn(command, "/srv/app") }

// shellIn is a command as it is opened: split into stages.
func shellIn(command, cwd string) approval.Shell {
	return approval.Shell{
		Command: command, Cwd: cwd, Shell: "bash",
		Stages: policy.Stages(approval.ID{}, split.Stages(command, "bash", cwd)),
	}
}

// isRefused reports an error unless r is the refusal whose error object is
// want, and recorded says whether it has left a record.
func isRefused(t *testing.T, r decide.Result, recorded bool, want string) {
	t.Helper()
	if r.Refusal == nil {
		t.Fatalf("it was accepted: %s", r.Ack)
	}
	if got := encoded(t, r.Refusal); got != want {
		t.Errorf("refusal\n%s, want\n%s", got, want)
	}
	if r.Ack != nil {
		t.Errorf("beside the refusal there is the ack %s", r.Ack)
	}
	if got := len(r.Records); recorded && got != 1 || !recorded && got != 0 {
		t.Errorf("it left %d records, recorded: %v", got, recorded)
	}
	for _, rec := range r.Records {
		if rec.Body.Kind() != record.KindCommandSettled || string(rec.Intake().Refusal) != want {
			t.Errorf("it was recorded as a %s with %s", rec.Body.Kind(), rec.Intake().Refusal)
		}
	}
}

// isAcked reports an error unless r is the ack want, in bytes.
func isAcked(t *testing.T, r decide.Result, want string) {
	t.Helper()
	if r.Refusal != nil {
		t.Fatalf("it was refused: %v", r.Refusal)
	}
	if got := string(r.Ack); got != want {
		t.Errorf("ack\n%s, want\n%s", got, want)
	}
}

func encoded(t rapid.TB, v any) string {
	t.Helper()
	b, err := wire.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
