package main

import (
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// meant reports whether an approval or a prompt is one to be shown, and remembers those
// that are not until their end: what follows of one does not say what it is about.
func (w *watcher) meant(r waiting) bool {
	if w.only.waiting(r, time.Time{}) { // without an age, so at no time
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left[r.id()] = true
	return false
}

// leaves reports whether an approval or prompt is not to be shown, and forgets it at its
// end.
func (w *watcher) leaves(id string, ended bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.left[id]
	if ended {
		delete(w.left, id)
	}
	return left
}

// eventMeant reports whether a notification is to be shown under a filter.
func (w *watcher) eventMeant(e client.Event, params any) bool {
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		return w.meant(waiting{approval: p})
	case *wire.UserInputRequest:
		return w.meant(waiting{prompt: p})
	case *wire.ApprovalUpdated:
		return !w.leaves(p.ApprovalID, false)
	case *wire.ApprovalResolved:
		return !w.leaves(p.ApprovalID, true)
	case *wire.UserInputSettledEvent:
		return !w.leaves(p.UserInputID, true)
	}
	only := w.only
	only.session = ""
	return !only.set() && e.SessionID != "" && w.only.inSession(e.SessionID, originOf(e.Params))
}
