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

// find is the approval or prompt whose id begins with prefix, in the given session or
// ("") in any. Pending ones come first: a prefix that names one of them is not
// ambiguous because of what was settled long ago.
func find(ctx context.Context, c *client.Client, prefix, session string) (approvalRef, error) {
	if prefix == "" {
		return approvalRef{}, exitf(exitUsage, "an approval has no empty id: `approvald list` shows the ids")
	}
	found, err := findPending(ctx, c, prefix, session)
	if err == nil && len(found) == 0 {
		found, err = findSettled(ctx, c, prefix, session)
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

func findPending(ctx context.Context, c *client.Client, prefix, session string) (found []approvalRef, err error) {
	for w, err := range waitingOf(ctx, c, session) {
		switch {
		case err != nil:
			return nil, err
		case !strings.HasPrefix(w.id(), prefix):
		case w.prompt != nil:
			found = append(found, approvalRef{session: w.prompt.SessionID, prompt: w.prompt.UserInputID})
		default:
			found = append(found, approvalRef{session: w.approval.SessionID, approval: w.approval.ApprovalID})
		}
	}
	return found, nil
}

// findSettled reads the events of the sessions, because the protocol names an
// approval by its session and no method finds it without.
func findSettled(ctx context.Context, c *client.Client, prefix, session string) (found []approvalRef, err error) {
	if session != "" {
		return openedIn(ctx, c, prefix, session)
	}
	for s, err := range sessionsOf(ctx, c) {
		if err != nil {
			return nil, err
		}
		more, err := openedIn(ctx, c, prefix, s.SessionID)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
		if len(found) > 0 && len(prefix) == fullID {
			break
		}
	}
	return found, nil
}

// openedIn are the approvals and prompts of a session whose ids begin with prefix,
// each once, however many requirements it had.
func openedIn(ctx context.Context, c *client.Client, prefix, session string) (found []approvalRef, err error) {
	seen := make(map[string]bool)
	for e, err := range eventsOf(ctx, c, session) {
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
		if strings.HasPrefix(ref.id(), prefix) && !seen[ref.id()] {
			seen[ref.id()] = true
			found = append(found, ref)
		}
	}
	return found, nil
}
