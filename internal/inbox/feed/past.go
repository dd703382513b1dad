package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

// How much of the past is read.
const (
	mostSessions = 50  // the latest
	mostEvents   = 500 // the latest of each
	mostEntries  = 500
)

// past is what was decided lately, the latest first.
func (f *Feed) past(ctx context.Context) ([]inbox.Entry, error) {
	most := mostSessions
	listed, err := f.client.ListSessions(ctx, wire.SessionListParams{Limit: &most})
	if err != nil {
		return nil, err
	}
	var all []inbox.Entry
	for _, s := range listed.Sessions {
		page, err := f.client.Page(ctx, wire.ViewPageParams{SessionID: s.SessionID, Limit: mostEvents, Direction: wire.DirectionBackward})
		if err != nil {
			return nil, err
		}
		entries, err := entriesOf(page.Events)
		if err != nil {
			return nil, fmt.Errorf("read the events of session %s: %w", s.SessionID, err)
		}
		all = append(all, entries...)
	}
	slices.SortStableFunc(all, func(a, b inbox.Entry) int { return b.At().Compare(a.At()) })
	all = all[:min(len(all), mostEntries)]
	for i := range all {
		e := &all[i]
		if e.Prompt != nil || e.Approval.Subject != nil {
			continue
		}
		read, err := f.client.ReadApproval(ctx, wire.ApprovalReadParams{SessionID: e.Approval.SessionID, ApprovalID: e.Approval.ApprovalID})
		if err != nil {
			return nil, err
		}
		e.Approval = &read.Request
	}
	return all, nil
}

// entriesOf are the ends among events, each with its beginning. Where that is not among
// them an approval has nothing but its ids, and is to be read; a prompt is left out.
func entriesOf(events []wire.ViewEvent) (entries []inbox.Entry, err error) {
	asked := make(map[string]*wire.ApprovalRequest)
	prompts := make(map[string]*wire.UserInputRequest)
	for _, e := range events {
		switch e.Method {
		case wire.MethodApprovalRequested:
			r := new(wire.ApprovalRequest)
			err = json.Unmarshal(e.Params, r)
			asked[r.ApprovalID] = r
		case wire.MethodUserInputRequested:
			r := new(wire.UserInputRequest)
			err = json.Unmarshal(e.Params, r)
			prompts[r.UserInputID] = r
		case wire.MethodApprovalResolved:
			var r wire.ApprovalResolved
			err = json.Unmarshal(e.Params, &r)
			a := asked[r.ApprovalID]
			if a == nil {
				a = &wire.ApprovalRequest{SessionID: r.SessionID, ApprovalID: r.ApprovalID}
			}
			if err == nil {
				entries = append(entries, inbox.Ended(a, &r))
			}
		case wire.MethodUserInputSettled:
			s := new(wire.UserInputSettledEvent)
			err = json.Unmarshal(e.Params, s)
			if p := prompts[s.UserInputID]; err == nil && p != nil {
				entries = append(entries, inbox.Entry{Prompt: p, Settlement: s})
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}
