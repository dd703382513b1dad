package daemon

import (
	"errors"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

var errEphemeral = errors.New("an ephemeral daemon writes no policy; the rule holds for the session")

// change is something that a store owes the log.
type change struct {
	grant   approval.Grant
	revoked bool // the rule is to go; otherwise it is to come
}

// keeper carries out changes on a goroutine of its own, in order, all that have
// queued at once, so that the writer, which finds them in the records it has
// committed, does not wait for a disk.
type keeper struct {
	do func([]change)

	mu      sync.Mutex
	changed *sync.Cond
	queue   []change
	busy    bool // some are being carried out
	closed  bool
	ended   chan struct{}
}

func newKeeper(do func([]change)) *keeper {
	k := &keeper{do: do, ended: make(chan struct{})}
	k.changed = sync.NewCond(&k.mu)
	go k.run()
	return k
}

func (k *keeper) run() {
	defer close(k.ended)
	for {
		changes := k.next()
		if changes == nil {
			return
		}
		k.do(changes)
	}
}

// next waits for changes; nil: there will be none any more.
func (k *keeper) next() []change {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.busy = false
	for len(k.queue) == 0 {
		if k.closed {
			return nil
		}
		k.changed.Wait()
	}
	changes := k.queue
	k.queue, k.busy = nil, true
	return changes
}

// put queues a change. It never blocks.
func (k *keeper) put(c change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.queue = append(k.queue, c)
		k.changed.Signal()
	}
}

// idle reports whether nothing is left to do.
func (k *keeper) idle() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.queue) == 0 && !k.busy
}

// close waits until everything queued is done; abandon leaves it for the next
// start. What is put later is never done. Either may be called again.
func (k *keeper) close()   { k.end(false) }
func (k *keeper) abandon() { k.end(true) }

func (k *keeper) end(abandon bool) {
	k.mu.Lock()
	k.closed = true
	if abandon {
		k.queue = nil
	}
	k.changed.Signal()
	k.mu.Unlock()
	<-k.ended
}

// keep finds in records that were just committed what the stores owe them.
func (r *rules) keep(records []record.Record) {
	for _, rec := range records {
		switch body := rec.Body.(type) {
		case *record.GrantAdded:
			r.owe(body.GrantID)
		case *record.GrantRevoked:
			r.owe(body.GrantID)
		}
	}
}

// owe queues what the store owes a grant, if it is one for a store.
func (r *rules) owe(id approval.ID) {
	r.seq.View(func(state *fold.State) {
		if g, ok := state.Grant(id); ok && g.Scope == approval.ScopeLocalPersistent {
			r.keeper.put(change{grant: g, revoked: g.Revoked})
		}
	})
}

// catchUp queues what an earlier daemon owed the stores when it ended: rules
// that no record says were stored, and rules of grants that were revoked.
func (r *rules) catchUp() {
	r.seq.View(func(state *fold.State) {
		for _, g := range state.Grants(func(g approval.Grant) bool { return g.Scope == approval.ScopeLocalPersistent }) {
			if _, there := r.stored(g.ID); g.Revoked && there || !g.Revoked && !g.Persisted {
				r.keeper.put(change{grant: g, revoked: g.Revoked})
			}
		}
	})
}

// idle reports whether no change is on its way.
func (r *rules) idle() bool { return r.keeper.idle() }

// close ends the watching and finishes what is queued. It may be called again,
// and on rules that were never attached.
func (r *rules) close() {
	if r.watched != nil {
		r.unwatch()
		<-r.watched
	}
	if r.keeper != nil {
		r.keeper.close()
	}
}
