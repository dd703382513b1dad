package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// fullID is the length of an id that is not cut short.
const fullID = len("0198f0ac-7777-7000-8000-0000000000e1")

// approvalRef is an approval, or a prompt, and the session it is in.
type approvalRef struct{ session, approval, prompt string }

func (r approvalRef) id() string { return r.approval + r.prompt }

// finder finds what ids mean, in the given session or ("") in any. What it has read it
// keeps, so that a thousand ids cost hardly more than one: what it finds is what there was
// when the first was looked for.
type finder struct {
	c       *client.Client
	session string

	waiting *[]approvalRef           // what waits; nil: not listed yet
	opened  map[string][]approvalRef // all that was ever opened, by session, as far as it was read
}

func newFinder(c *client.Client, session string) *finder {
	return &finder{c: c, session: session, opened: make(map[string][]approvalRef)}
}

// find is the approval or prompt whose id begins with prefix. Pending ones come first: a
// prefix that names one of them is not ambiguous because of what was settled long ago.
func (f *finder) find(ctx context.Context, prefix string) (approvalRef, error) {
	if prefix == "" {
		return approvalRef{}, exitf(exitUsage, "an approval has no empty id: `approvald list` shows the ids")
	}
	found, err := f.findPending(ctx, prefix)
	if err == nil && len(found) == 0 {
		found, err = f.findSettled(ctx, prefix)
	}
	switch {
	case err != nil:
		return approvalRef{}, err
	case len(found) == 0:
		return approvalRef{}, exitf(exitFailure, "there is no approval %s: `approvald list` shows what is pending", prefix)
	case len(found) > 1:
		return approvalRef{}, exitf(exitFailure, "%s is the beginning of %d ids, %s and %s among them: give more of it",
			prefix, len(found), found[0].id(), found[1].id())
	}
	return found[0], nil
}

// thoseOf are the references whose ids begin with prefix.
func thoseOf(refs []approvalRef, prefix string) (found []approvalRef) {
	for _, r := range refs {
		if strings.HasPrefix(r.id(), prefix) {
			found = append(found, r)
		}
	}
	return found
}

func (f *finder) findPending(ctx context.Context, prefix string) ([]approvalRef, error) {
	if f.waiting == nil {
		refs := []approvalRef{}
		for w, err := range waitingOf(ctx, f.c, f.session) {
			switch {
			case err != nil:
				return nil, err
			case w.prompt != nil:
				refs = append(refs, approvalRef{session: w.prompt.SessionID, prompt: w.prompt.UserInputID})
			default:
				refs = append(refs, approvalRef{session: w.approval.SessionID, approval: w.approval.ApprovalID})
			}
		}
		f.waiting = &refs
	}
	return thoseOf(*f.waiting, prefix), nil
}

// findSettled reads the events of the sessions, because the protocol names an
// approval by its session and no method finds it without.
func (f *finder) findSettled(ctx context.Context, prefix string) (found []approvalRef, err error) {
	if f.session != "" {
		refs, err := f.openedIn(ctx, f.session)
		return thoseOf(refs, prefix), err
	}
	for s, err := range sessionsOf(ctx, f.c) {
		if err != nil {
			return nil, err
		}
		refs, err := f.openedIn(ctx, s.SessionID)
		if err != nil {
			return nil, err
		}
		found = append(found, thoseOf(refs, prefix)...)
		if len(found) > 0 && len(prefix) == fullID {
			break
		}
	}
	return found, nil
}

// openedIn are the approvals and prompts of a session, each once, however many
// requirements it had.
func (f *finder) openedIn(ctx context.Context, session string) ([]approvalRef, error) {
	if refs, read := f.opened[session]; read {
		return refs, nil
	}
	var refs []approvalRef
	seen := make(map[approvalRef]bool)
	for e, err := range eventsOf(ctx, f.c, session) {
		if err != nil {
			return nil, err
		}
		if e.Method != wire.MethodApprovalRequested && e.Method != wire.MethodUserInputRequested {
			continue
		}
		var r struct {
			ApprovalID  string `json:"approvalId"`
			UserInputID string `json:"userInputId"`
		}
		if err := json.Unmarshal(e.Params, &r); err != nil {
			return nil, fmt.Errorf("read an event of session %s: %w", session, err)
		}
		ref := approvalRef{session: session, approval: r.ApprovalID, prompt: r.UserInputID}
		if !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	f.opened[session] = refs
	return refs, nil
}
