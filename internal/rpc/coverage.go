package rpc

import (
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// coverage is what a connection is subscribed to: sessions by name, each with
// the sessions below it (protocol §4 "Children"), or all of them. A session may
// be covered more than once, by its own name, by an ancestor's and by all; its
// events come once. A lineage is the ids from the root session to the one that
// is meant, as fold.Session has it.
type coverage struct {
	named map[approval.ID]subtree
	// left are sessions that were subscribed to. What those subscriptions took
	// over is not owed to another that goes on.
	left    map[approval.ID]subtree
	all     bool   // every session, present and future …
	allFrom uint64 // … from here on
}

// subtree is a session and those below it: their records above from are live.
type subtree struct {
	lineage []approval.ID
	from    uint64
}

// of is where the live records of a session begin, for one that is covered.
// Of several subscriptions it is the latest that says: whoever subscribes takes
// over what is still owed (pump.subscribe).
func (c *coverage) of(lineage []approval.ID) (from uint64, ok bool) {
	from, ok = c.allFrom, c.all
	for _, id := range lineage {
		at, named := c.named[id]
		from, ok = max(from, at.from, c.left[id].from), ok || named
	}
	return from, ok
}

// add subscribes to a session by name.
func (c *coverage) add(lineage []approval.ID, from uint64) {
	if c.named == nil {
		c.named = make(map[approval.ID]subtree)
	}
	c.named[last(lineage)] = subtree{lineage, from}
}

// drop ends the subscription to a session by name. done is the last record that
// was considered: what was taken over up to there is nobody's any more.
func (c *coverage) drop(session approval.ID, done uint64) {
	gone, named := c.named[session]
	if !named {
		return
	}
	delete(c.named, session)
	if c.left == nil {
		c.left = make(map[approval.ID]subtree)
	}
	gone.from = max(gone.from, c.left[session].from)
	c.left[session] = gone
	maps.DeleteFunc(c.left, func(_ approval.ID, at subtree) bool { return at.from <= done })
}

// around is the part that says anything about a session or one below it.
func (c *coverage) around(lineage []approval.ID) coverage {
	part := func(whole map[approval.ID]subtree) map[approval.ID]subtree {
		near := make(map[approval.ID]subtree)
		for id, at := range whole {
			if slices.Contains(lineage, id) || slices.Contains(at.lineage, last(lineage)) {
				near[id] = at
			}
		}
		return near
	}
	return coverage{named: part(c.named), left: part(c.left), all: c.all, allFrom: c.allFrom}
}

// last is the session that a lineage leads to.
func last(lineage []approval.ID) approval.ID { return lineage[len(lineage)-1] }
