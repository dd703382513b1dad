package rpc

import (
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// coverage is what a connection is subscribed to: sessions by name, each with
// the sessions below it (protocol §4 "Children"), or all of them. A session may
// be covered more than once, by its own name, by an ancestor's and by all; its
// events come once. A lineage is the ids from the root session to the one that
// is meant, as fold.Session has it.
type coverage struct {
	named   map[approval.ID]named
	all     bool   // every session, present and future …
	allFrom uint64 // … from here on
}

// named is a session that is subscribed to by name: records above from are live.
type named struct {
	lineage []approval.ID
	from    uint64
}

// of is where the live records of a session begin, for one that is covered.
// Of several subscriptions it is the latest that says: whoever subscribes takes
// over what is still owed (pump.subscribe).
func (c *coverage) of(lineage []approval.ID) (from uint64, ok bool) {
	from, ok = c.allFrom, c.all
	for _, id := range lineage {
		if at, here := c.named[id]; here {
			from, ok = max(from, at.from), true
		}
	}
	return from, ok
}

// add subscribes to a session by name.
func (c *coverage) add(lineage []approval.ID, from uint64) {
	if c.named == nil {
		c.named = make(map[approval.ID]named)
	}
	c.named[last(lineage)] = named{lineage, from}
}

// drop ends the subscription to a session by name. Those below it that are
// subscribed to by their own names go on where it stood.
func (c *coverage) drop(session approval.ID) {
	gone, here := c.named[session]
	if !here {
		return
	}
	delete(c.named, session)
	for id, at := range c.named {
		if at.from < gone.from && slices.Contains(at.lineage, session) {
			c.named[id] = named{at.lineage, gone.from}
		}
	}
}

// around is the part that says anything about a session or one below it.
func (c *coverage) around(lineage []approval.ID) coverage {
	part := coverage{all: c.all, allFrom: c.allFrom}
	for id, at := range c.named {
		if slices.Contains(lineage, id) || slices.Contains(at.lineage, last(lineage)) {
			part.add(at.lineage, at.from)
		}
	}
	return part
}

// last is the session that a lineage leads to.
func last(lineage []approval.ID) approval.ID { return lineage[len(lineage)-1] }
