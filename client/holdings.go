package client

import (
	"maps"
	"slices"
)

// attach has the session resumed on every later link and reports whether it was
// attached before.
func (c *Client) attach(sessionID string) (had bool) {
	c.mu.Lock()
	had = c.attached[sessionID]
	c.attached[sessionID] = true
	c.mu.Unlock()
	c.claimTurn(sessionID)
	return had
}

func (c *Client) detach(sessionID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.attached, sessionID)
}

// current is the link of this moment, or nil.
func (c *Client) current() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cur
}

// holdings are the sessions and subscriptions to restore, in a fixed order.
func (c *Client) holdings() ([]string, []*Subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sessions := slices.Sorted(maps.Keys(c.attached))
	var subs []*Subscription
	for _, id := range slices.Sorted(maps.Keys(c.subs)) {
		subs = append(subs, c.subs[id])
	}
	return sessions, subs
}
