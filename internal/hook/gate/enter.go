package gate

import (
	"errors"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/wire"
)

// enter takes up the open session of the agent's, or starts it; SessionEnd starts none, and opened
// is false then. greeted is called once the daemon is to be heard.
func (a *asking) enter(l *link, greeted func() error) (opened bool, err error) {
	for started := 0; ; {
		n := a.generations.Next()
		session := a.event.SessionID(n)
		ids, err := l.send(request{wire.MethodSessionResume, a.event.Resume(session)})
		if err != nil {
			return false, err
		}
		if err := greeted(); err != nil {
			return false, err
		}
		greeted = func() error { return nil }
		var r wire.SessionResumeResult
		err = l.receive(ids[0], &r)
		switch {
		case err == nil && r.Session.Status == wire.SessionNotLoaded:
			a.generations.Closed(n)
			continue
		case err == nil:
			a.session = session
			return true, nil
		case !wire.IsKind(err, wire.KindSessionNotFound):
			return false, err
		case !a.generations.Missing(n):
			continue
		case a.event.Kind == hook.SessionEnd:
			return false, nil
		}
		err = a.start(l, session)
		if refusedFor(err, wire.ReasonSessionIDConflict, wire.ReasonCommandIDConflict) && started < 2 {
			started++ // another hook was first
			continue
		}
		a.session = session
		return err == nil, err
	}
}

// start starts the session in its workspace; where that cannot be one, without.
func (a *asking) start(l *link, session string) error {
	err := l.call(wire.MethodSessionStart, a.event.Start(session, true), nil)
	if wire.IsKind(err, wire.KindInvalidParams) {
		again := l.call(wire.MethodSessionStart, a.event.Start(session, false), nil)
		if wire.IsKind(again, wire.KindInvalidParams) {
			return errors.Join(err, again)
		}
		err = again
	}
	return err
}
