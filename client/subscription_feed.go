package client

import "fmt"

// This file is the other end of a subscription: what the reader of the
// connection and the supervisor do to it. None of it waits.

// push takes an event off the wire. It never waits.
func (s *Subscription) push(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.behind:
	case len(s.buffer) >= bufferEvents || s.bytes+len(e.Params) > bufferBytes:
		s.forget()
	default:
		s.buffer = append(s.buffer, e)
		s.bytes += len(e.Params)
	}
	s.signal()
}

// interrupted says that events may have been missed, and with err that the
// daemon refuses to go on.
func (s *Subscription) interrupted(err error) {
	if err != nil {
		s.end(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	s.signal()
}

// end makes err the answer of every Next.
func (s *Subscription) end(err error) {
	s.client.unregister(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	s.signal()
}

// forget drops the buffer for pages; mu is held.
func (s *Subscription) forget() {
	s.buffer, s.bytes, s.behind = nil, 0, true
}

// signal wakes the reader.
func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// register makes s the subscription of its session.
func (c *Client) register(s *Subscription) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subs[s.sessionID] != nil {
		return fmt.Errorf("client: session %s has a subscription already; share it or close it first", s.sessionID)
	}
	s.owned = !c.attached[s.sessionID] && !c.opts.AllSessions
	c.subs[s.sessionID] = s
	return nil
}

func (c *Client) unregister(s *Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subs[s.sessionID] == s {
		delete(c.subs, s.sessionID)
	}
}

// publish hands a durable event to its session's subscription.
func (c *Client) publish(e Event) {
	c.mu.Lock()
	s := c.subs[e.SessionID]
	c.mu.Unlock()
	if s != nil {
		s.push(e)
	}
}
