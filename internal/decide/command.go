package decide

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// Command is something that wants to change the state. The set is closed: the
// types of this package.
type Command interface {
	decide(s *fold.State, env Env) Result
	// concerns is the session that must be loaded, with all those of its tree, before
	// the command is decided; zero for none.
	concerns(s *fold.State) approval.ID
}

// Concerns is the session that c may ask for more than its outline: it, those
// above it and those below it must be loaded before Next. Zero is none; a session
// that is not there needs nothing.
func Concerns(s *fold.State, c Command) approval.ID { return c.concerns(s) }

// Env is what a decision may depend on besides state and command.
type Env struct {
	Now time.Time // whole milliseconds, UTC
	// NewID mints an identity. It is called only for something that will be
	// in a record, so that a refused or repeated command uses none.
	NewID func() approval.ID
	// Attended reports whether an interactive reviewer of the session is
	// connected. Presence is a fact of the moment, not of the log.
	Attended func(session approval.ID) bool
	// Owned reports whether a connection that started or resumed the session
	// is there.
	Owned func(session approval.ID) bool
	// Agent is the agent that is attached to the session: the newest connection that
	// owns it and carries out its turns; nil for none.
	Agent func(session approval.ID) *record.Party
	// AgentCommand says that there is a program that is started for a turn where no
	// agent is attached.
	AgentCommand bool
	// Read reads a record that made the state what it is: one of the log, or of a
	// command decided before this one that is not there yet.
	Read    fold.Reader
	Limits  Limits
	Profile fold.Profile
	Policy  *policy.Policy // what is in force now
}

// Limits are the daemon's sealed configuration, as far as decisions need it.
type Limits struct {
	Mode    approval.Mode // a session's mode where nobody names one; also the most an agent may ask for
	Ceiling approval.Mode // the most that anyone may set (policy.md "Ceilings")
	// MaxPending bounds the approvals that wait in one session.
	MaxPending int
	// MaxRefusals bounds the refusals recorded in a row without an accepted
	// command between.
	MaxRefusals int
}

// The limits of protocol §1 and §3 where nothing else is configured.
const (
	DefaultMaxPending  = 10_000
	DefaultMaxRefusals = 1_000
)

// Intent is what every command of a client carries.
type Intent struct {
	Command approval.CommandID
	Payload [32]byte // canon.Payload of the method and its params
	By      record.Party
}

// intake is the ledger's entry for an accepted intent.
func (i Intent) intake(ack json.RawMessage) *record.Intake {
	return &record.Intake{Payload: i.payloadText(), Ack: ack}
}

func (i Intent) payloadText() string { return hex.EncodeToString(i.Payload[:]) }

// Result is what a command comes to. Ack and Refusal are the answer for its
// client: exactly one is set for a client's command, neither for the daemon's
// own. Either may come with records, and neither may be said before they are
// durable; a repeated command has none.
type Result struct {
	Records []record.Record // complete but for version, kind and chain
	Ack     json.RawMessage
	Refusal *wire.Error
}

// UnreadableError is what Next panics with where Read fails: the state says that there
// is a record, and without it nothing can be decided. The command has made nothing
// then.
type UnreadableError struct{ Err error }

func (u UnreadableError) Error() string { return u.Err.Error() }

// Next decides one command and applies its records to s, which is an overlay
// (fold.State.Over): what is decided next is decided on them, and a caller that
// cannot use the records throws the overlay away.
func Next(s *fold.State, c Command, env Env) Result { return c.decide(s, env) }
