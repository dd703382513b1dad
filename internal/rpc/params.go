package rpc

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// The bounds on members of params (protocol §1), in bytes but where a name
// says characters.
const (
	maxName               = 128
	maxRawArgs            = 1 << 20
	maxCommand            = 256 << 10
	maxContentAndDiff     = 4 << 20
	maxPublishedDiff      = 256 << 10
	maxReason             = 4 << 10
	maxFeedback           = 16 << 10
	maxPathLength         = 4 << 10
	maxJustificationChars = 240
)

// name checks an id or a name: 1 to 128 printable characters.
func name(member, value string) *wire.Error {
	if n := utf8.RuneCountInString(value); n < 1 || n > maxName {
		return invalid("%s must be 1 to %d characters long, not %d", member, maxName, n)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return invalid("%s must hold printable characters only", member)
	}
	return nil
}

// optionalName checks a name that may be left out.
func optionalName(member, value string) *wire.Error {
	if value == "" {
		return nil
	}
	return name(member, value)
}

// bounded checks the length of a text.
func bounded(member, value string, most int) *wire.Error {
	if len(value) > most {
		return invalid("%s must be at most %d bytes long, not %d", member, most, len(value))
	}
	return nil
}

// first is the first error of a list of checks.
func first(checks ...*wire.Error) *wire.Error {
	for _, e := range checks {
		if e != nil {
			return e
		}
	}
	return nil
}

// identity reads an id of approvald's own.
func identity(member, value string) (approval.ID, *wire.Error) {
	id, err := approval.ParseID(value)
	if err != nil {
		return id, invalid("%s: %v", member, err)
	}
	return id, nil
}

// session reads a sessionId and checks that this connection may see it. An
// agent is told the same of a session that does not exist and of one that is
// not its own.
func (r *request) session(value string) (approval.ID, *wire.Error) {
	id, e := identity("sessionId", value)
	if e != nil {
		return id, e
	}
	if !r.sees(id) {
		return id, decide.SessionNotFound(id)
	}
	return id, nil
}

// sees reports whether this connection may see a session, if there is one.
func (r *request) sees(session approval.ID) bool {
	if r.conn.sees(r.conn.srv.lineage(session)) {
		return true
	}
	r.conn.settle() // a session/start that was sent before may be under way
	return r.conn.sees(r.conn.srv.lineage(session))
}

// inSession reads a sessionId and calls fn with the session as it is durable.
// fn must not block or keep the session.
func (r *request) inSession(value string, fn func(*fold.State, *fold.Session) *wire.Error) *wire.Error {
	id, e := r.session(value)
	if e != nil {
		return e
	}
	if notThere := r.conn.srv.inSession(id, func(state *fold.State, session *fold.Session) {
		e = fn(state, session)
	}); notThere != nil {
		return notThere
	}
	return e
}

// inSession calls fn with a session as it is durable, and waits until it is
// loaded; not on the writer's goroutine, unless it is known to be. fn must not
// block or keep the session.
func (s *Server) inSession(id approval.ID, fn func(*fold.State, *fold.Session)) *wire.Error {
	found, err := s.seq.ViewSession(id, fn)
	if err == nil && !found {
		return decide.SessionNotFound(id)
	}
	return readError(err)
}

// readError is what a client is told of an error of reading a session; nil for
// none.
func readError(err error) *wire.Error {
	if err == nil {
		return nil
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return refusal
	}
	return shuttingDown() // the writer has ended
}

// instant reads a time.
func instant(member string, value wire.Time) (time.Time, *wire.Error) {
	at, err := value.Parse()
	if err != nil {
		return at, invalid("%s must be an RFC 3339 time, such as 2026-01-02T03:04:05.678Z", member)
	}
	return at, nil
}

// limit reads an optional count.
func limit(member string, value *int, most, otherwise int) (int, *wire.Error) {
	switch {
	case value == nil:
		return otherwise, nil
	case *value < 1 || *value > most:
		return 0, invalid("%s must be 1 to %d, not %d", member, most, *value)
	}
	return *value, nil
}

// existing reads the id of a session that is there and that this connection
// may see.
func (r *request) existing(value string) (approval.ID, *wire.Error) {
	id, e := r.session(value)
	if e != nil {
		return id, e
	}
	r.conn.srv.seq.View(func(state *fold.State) {
		if _, ok := state.Session(id); !ok {
			e = decide.SessionNotFound(id)
		}
	})
	return id, e
}
