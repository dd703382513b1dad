package client

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/approvald/approvald/wire"
)

// Options say who the client is and what it is told. The zero value is a client
// with the widest role of its transport that is shown nothing and gives up with
// its connection.
type Options struct {
	// Name and Version are what decisions and sessions record of the client. Name
	// matches ^[a-z0-9_]+$ and defaults to "approvald_go", Version to "0".
	Name, Version string

	// Role narrows the role that the transport would give (protocol §2).
	Role wire.Role

	// Interactive makes a reviewer count as one who can be asked. It needs
	// OnRequest.
	Interactive bool

	// AllSessions subscribes a reviewer to every session, present and future.
	AllSessions bool

	// DecidedBy asks to be told which client a person decided with
	// (wire.CapabilityDecidedBy), which a server may not know of.
	DecidedBy bool

	// OptOut lists notifications that are not to be sent.
	OptOut []string

	// OnNotification is called for every notification, in the order of the wire.
	// While it runs, further ones wait; when 8 MiB wait and no call is in flight,
	// the client stops reading. It may call methods of the client except Close.
	OnNotification func(Event)

	// OnRequest is called for every approval/request, in order with
	// OnNotification and under the same rules, after its receipt has been sent.
	// Requests come again after a reconnect, and for each stage: key them by
	// approvalId and currentRequirementId. Nil answers the request with an error,
	// which tells the daemon that nobody is shown it.
	OnRequest func(wire.ApprovalRequest)

	// OnUserInput is called for every userInput/request, under the rules of OnRequest:
	// key them by userInputId. Nil has the daemon send none.
	OnUserInput func(wire.UserInputRequest)

	// OnTurn is called for every turn that is begun in a session which the client
	// started or resumed, or for which the daemon started this program (serve
	// --agent-cmd), under the rules of OnNotification: what takes long belongs into a
	// goroutine of its own. With it the client says that it carries out the turns of its
	// sessions, and is their attached agent. A turn that began while the connection was
	// lost comes when it has been made again; each comes once.
	OnTurn func(wire.TurnStarted)

	// Reconnect lets the client outlive its connection.
	Reconnect bool

	// OnConnection is called with the cause when a connection is lost that is to
	// be made again, and with nil when it has been and all is restored, under the
	// rules of OnNotification. What a new connection tells at once may come before
	// that nil.
	OnConnection func(lost error)

	// Backoff says how long to wait before attempt n (from 0) to reconnect, or to
	// repeat a call that the daemon asked to repeat. Nil doubles from 50 ms to 2 s.
	Backoff func(attempt int) time.Duration

	// Logger hears of lost connections and of frames that are dropped. Nil
	// discards.
	Logger *slog.Logger
}

// withDefaults fills what is unset, or says what cannot be.
func (o Options) withDefaults() (Options, error) {
	if o.Interactive && o.OnRequest == nil {
		return o, errors.New("client: an interactive reviewer needs OnRequest, or nobody would be shown what it is asked")
	}
	if o.OnTurn != nil && o.Role == wire.RoleReviewer {
		return o, errors.New("client: a reviewer carries out no turns; leave OnTurn or the role out")
	}
	o.Name = cmp.Or(o.Name, "approvald_go")
	o.Version = cmp.Or(o.Version, "0")
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Backoff == nil {
		o.Backoff = defaultBackoff
	}
	return o, nil
}

func defaultBackoff(attempt int) time.Duration {
	const least, most = 50 * time.Millisecond, 2 * time.Second
	return min(most, least<<min(attempt, 10))
}

// hello is the initialize request that these options make.
func (o Options) hello() wire.InitializeParams {
	dialogs := o.OnUserInput != nil
	var wanted []string
	if o.DecidedBy {
		wanted = append(wanted, wire.CapabilityDecidedBy)
	}
	return wire.InitializeParams{
		ClientInfo: wire.ClientInfo{Name: o.Name, Version: o.Version},
		Capabilities: &wire.ClientCapabilities{
			OptOutNotificationMethods: o.OptOut,
			RequestedCapabilities:     wanted,
			UserInputDialogs:          &dialogs,
			Approvald: &wire.ApprovaldRequested{
				Role:        o.Role,
				Interactive: &o.Interactive,
				AllSessions: o.AllSessions,
				Turns:       o.OnTurn != nil,
			},
		},
	}
}
