package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/approvald/approvald/wire"
)

// A subscription keeps this much of what arrives while nobody reads; beyond
// that it forgets it and reads it again from pages.
const (
	bufferEvents = 256
	bufferBytes  = 1 << 20
)

// pageLimit is how many events a subscription reads at once; the daemon bounds
// the bytes (protocol §5).
const pageLimit = 1000

// Subscription is a position in a session's view that moves with [Next]: every
// durable event of the session behind its beginning, once and in order,
// whatever happens to the connection. Events of descendants and those that are
// not durable go to OnNotification only, and are not made up for after a
// reconnect; what a descendant waits for is asked again then.
//
// A reader that is slow or absent costs bounded memory and delays nobody. What
// it missed is paged, as after a reconnect: live events collect in the buffer
// while pages are read up to them, and the overlap is dropped by position. (The
// alternative, view/subscribe with `after`, replays at the reader's pace through
// the one connection that everything else uses.)
type Subscription struct {
	client    *Client
	sessionID string
	owned     bool // Close ends the connection's subscription
	wake      chan struct{}

	// Owned by the reader.
	at     place
	paging bool    // pages are to be read before the buffer
	paged  []Event // rest of the page being read
	page   string  // cursor of the next page

	mu     sync.Mutex
	buffer []Event
	bytes  int
	behind bool  // something was not buffered: read pages
	failed error // ends the subscription
}

// Subscribe subscribes to a session from a position on. A client has at most one
// subscription to a session.
func (c *Client) Subscribe(ctx context.Context, sessionID string, from Position) (*Subscription, error) {
	s := &Subscription{
		client:    c,
		sessionID: sessionID,
		wake:      make(chan struct{}, 1),
		at:        place{cursor: from.cursor},
		behind:    !from.head,
	}
	if err := c.register(s); err != nil {
		return nil, err
	}
	var r wire.ViewSubscribeResult
	if _, err := c.call(ctx, wire.MethodViewSubscribe, wire.ViewSubscribeParams{SessionID: sessionID}, &r); err != nil {
		c.unregister(s)
		return nil, err
	}
	if from.head {
		s.at.cursor = r.ViewCursor
	}
	return s, nil
}

// Next waits for the next event. An error that is not ctx's ends the
// subscription.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		e, ok, err := s.next()
		if err != nil {
			return Event{}, err
		}
		if ok {
			if s.at.advance(e) {
				return e, nil
			}
			continue
		}
		if s.paging {
			if err := s.readPage(ctx); err != nil {
				return Event{}, err
			}
			continue
		}
		if err := s.wait(ctx); err != nil {
			return Event{}, err
		}
	}
}

// Events is Next as an iterator. It ends after the first error.
func (s *Subscription) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := s.Next(ctx)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Cursor is that of the last event that Next returned, or of the beginning. A
// later subscription can continue with [After].
func (s *Subscription) Cursor() string { return s.at.cursor }

// Close ends the subscription, and the connection's where nothing else of the
// client wants it: a session that it started or resumed, or AllSessions, does.
func (s *Subscription) Close(ctx context.Context) error {
	s.end(ErrClosed)
	if !s.owned {
		return nil
	}
	return s.client.Unsubscribe(ctx, s.sessionID)
}

// next takes what is at hand. Pages come before the buffer, and both before
// another round of pages.
func (s *Subscription) next() (e Event, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return Event{}, false, s.failed
	case len(s.paged) > 0:
		e, s.paged = s.paged[0], s.paged[1:]
		return e, true, nil
	case s.paging:
		return Event{}, false, nil
	case s.behind:
		// From here on the buffer collects again, so that what is not in the pages
		// that are now read is in the buffer.
		s.behind, s.paging, s.page = false, true, s.at.cursor
		return Event{}, false, nil
	case len(s.buffer) > 0 && s.at.unplaced():
		// The connection may have had the session before, and be late with it: only
		// pages tell what is behind the cursor.
		s.forget()
		s.behind, s.paging, s.page = false, true, s.at.cursor
		return Event{}, false, nil
	case len(s.buffer) > 0:
		e, s.buffer = s.buffer[0], s.buffer[1:]
		s.bytes -= len(e.Params)
		return e, true, nil
	}
	return Event{}, false, nil
}

// readPage reads the next page.
func (s *Subscription) readPage(ctx context.Context) error {
	page, err := s.client.Page(ctx, wire.ViewPageParams{SessionID: s.sessionID, Limit: pageLimit, Cursor: s.page})
	if err != nil {
		if _, refused := errors.AsType[*wire.Error](err); refused {
			s.end(err)
		}
		return err
	}
	for _, v := range page.Events {
		e, err := newEvent(v.Method, v.Params, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", wire.MethodViewPage, err)
		}
		s.paged = append(s.paged, e)
	}
	s.paging = page.NextCursor != nil && len(page.Events) > 0
	if s.paging {
		s.page = *page.NextCursor
	}
	return nil
}

// wait returns when there may be something new.
func (s *Subscription) wait(ctx context.Context) error {
	s.client.mu.Lock()
	failed, changed := s.client.failed, s.client.changed
	s.client.mu.Unlock()
	if failed != nil {
		return failed
	}
	select {
	case <-s.wake:
	case <-changed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
