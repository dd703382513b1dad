package feed

import (
	"context"
	"fmt"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

// NameOfClient is under what the inbox appears in the log.
const NameOfClient = "approvald_inbox"

// Feed is a connection of an inbox to the daemon. It is made again when it is lost.
type Feed struct {
	send   func(inbox.Msg)
	wake   chan struct{} // a token for a snapshot that is to be taken
	client *client.Client
}

// Options say how a feed connects.
type Options struct {
	// Version is what sessions and decisions record of the program.
	Version string
	// Interactive says that a person is in front of the inbox: agents that must not wait
	// in an empty room wait for them.
	Interactive bool
}

// Open connects to the socket. send is called with every message, from several
// goroutines, until [Feed.Close] has returned; it may wait.
func Open(ctx context.Context, socket string, o Options, send func(inbox.Msg)) (*Feed, error) {
	f := &Feed{send: send, wake: make(chan struct{}, 1)}
	options := client.Options{
		Name: NameOfClient, Version: o.Version, Role: wire.RoleReviewer,
		Interactive: o.Interactive, AllSessions: true, Reconnect: true, DecidedBy: true,
		OnNotification: f.notified, OnConnection: f.connected,
	}
	if o.Interactive {
		options.OnRequest = func(r wire.ApprovalRequest) { f.send(inbox.Event{Params: &r}) }
		options.OnUserInput = func(r wire.UserInputRequest) { f.send(inbox.Event{Params: &r}) }
	}
	c, err := client.Dial(ctx, socket, options)
	if err != nil {
		return nil, err
	}
	f.client = c
	return f, nil
}

// Run brings what waits, now and after each reconnection, until ctx ends or the daemon
// refuses to go on.
func (f *Feed) Run(ctx context.Context) error {
	f.again()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.wake:
		}
		all, err := f.waiting(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it ended as asked
		case err != nil:
			return fmt.Errorf("read what waits: %w", err)
		}
		f.send(inbox.Linked{})
		f.send(inbox.Snapshot{Waiting: all})
	}
}

// Close ends the connection, which is when nobody counts as present any more.
func (f *Feed) Close() error {
	return f.client.Close()
}

func (f *Feed) notified(e client.Event) {
	params, err := e.Decode()
	if err != nil {
		return // of a newer daemon
	}
	f.send(inbox.Event{Params: params})
}

func (f *Feed) connected(lost error) {
	if lost != nil {
		f.send(inbox.Lost{})
		return
	}
	f.again()
}

// again has what waits read once more.
func (f *Feed) again() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// waiting is all that waits, in the order in which it was opened.
func (f *Feed) waiting(ctx context.Context) (all []inbox.Waiting, err error) {
	var ask wire.ApprovalListPendingParams
	for {
		page, err := f.client.ListPending(ctx, ask)
		if err != nil {
			return nil, err
		}
		prompts := page.UserInputs
		for i := range page.Approvals {
			for len(prompts) > 0 && prompts[0].CreatedAt < page.Approvals[i].CreatedAt {
				all, prompts = append(all, inbox.Waiting{Prompt: &prompts[0]}), prompts[1:]
			}
			all = append(all, inbox.Waiting{Approval: &page.Approvals[i]})
		}
		for i := range prompts {
			all = append(all, inbox.Waiting{Prompt: &prompts[i]})
		}
		if page.NextCursor == nil {
			return all, nil
		}
		ask.Cursor = *page.NextCursor
	}
}
