package gate

import (
	"cmp"
	"errors"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// enter shakes hands, and takes up the open session of the agent's or starts it; SessionEnd starts
// none, and opened is false then. What is asked first goes out with the handshake: a call of a
// session that is open, as nearly all are, is asked about in one round trip, and its answer is
// that of the request early.
func (a *asking) enter(l *link) (early string, opened bool, err error) {
	asks := []request{
		{wire.MethodInitialize, wire.InitializeParams{
			ClientInfo: wire.ClientInfo{Name: hook.ClientName, Version: a.gate.Version, Title: "Claude Code"},
			Capabilities: &wire.ClientCapabilities{
				OptOutNotificationMethods: quiet,
				Approvald:                 &wire.ApprovaldRequested{Role: wire.RoleAgent},
			},
		}},
		{wire.MethodInitialized, nil},
	}
	for started := 0; ; {
		n := a.generations.Next()
		session := a.event.SessionID(n)
		asks = append(asks, request{wire.MethodSessionResume, a.event.Resume(session)})
		if a.event.Call != nil {
			p, err := a.event.Prepare(session, a.attempt)
			if err != nil {
				return "", false, err
			}
			asks = append(asks, request{wire.MethodApprovalPrepare, p})
		}
		ids, err := l.send(asks...)
		if err != nil {
			return "", false, err
		}
		if asks[0].method == wire.MethodInitialize {
			_, err := l.receive(ids[0])
			a.reached = a.reached || !lost(err)
			if err != nil {
				return "", false, err
			}
			ids = ids[2:]
		}
		asks = nil
		resumed, err := l.receive(ids[0])
		var status wire.SessionStatus
		if err == nil {
			session := resumed.Inner("session")
			status = wire.SessionStatus(session.Text("status"))
			err = unread(cmp.Or(resumed.Err, session.Err))
		}
		switch {
		case err == nil && status == wire.SessionNotLoaded:
			a.generations.Closed(n)
			continue
		case err == nil:
			a.session = session
			return ids[len(ids)-1], true, nil
		case !wire.IsKind(err, wire.KindSessionNotFound):
			return "", false, err
		case !a.generations.Missing(n):
			continue
		case a.event.Kind == hook.SessionEnd:
			return "", false, nil
		}
		err = a.start(l, session)
		if refusedFor(err, wire.ReasonSessionIDConflict, wire.ReasonCommandIDConflict) && started < 2 {
			started++ // another hook was first
			continue
		}
		a.session = session
		return "", err == nil, err
	}
}

// start starts the session in its workspace; where that cannot be one, without.
func (a *asking) start(l *link, session string) error {
	_, err := l.call(wire.MethodSessionStart, a.event.Start(session, true))
	if wire.IsKind(err, wire.KindInvalidParams) {
		_, again := l.call(wire.MethodSessionStart, a.event.Start(session, false))
		if wire.IsKind(again, wire.KindInvalidParams) {
			return errors.Join(err, again)
		}
		err = again
	}
	return err
}
