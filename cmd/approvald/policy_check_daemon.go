package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// daemonAnswer is what the running daemon says about its policy files.
type daemonAnswer struct {
	Running bool `json:"running"`
	// Error is what it found wrong when it read them last; the policy before them
	// is in force there. "" where it found nothing.
	Error string `json:"error,omitzero"`
	// Unknown is why it could not be asked; "" where it could.
	Unknown string `json:"unknown,omitzero"`
}

// sentence says it to people; good is whether the files are.
func (a *daemonAnswer) sentence(good bool) string {
	switch {
	case a.Unknown != "":
		return "what the running daemon has in force is not known: " + a.Unknown
	case !a.Running:
		return "no daemon is running; the next one takes the files as they are then"
	case a.Error != "":
		return "the running daemon has the policy from before in force, since the files were bad when it read them last: " + oneLine(a.Error)
	case !good:
		return "the running daemon has the last good policy in force"
	}
	return "the running daemon has its policy files in force as they are"
}

// oneLine puts the sentences of several errors into one line.
func oneLine(errors string) string { return strings.ReplaceAll(errors, "\n", "; ") }

// noticeGrace is how long a daemon that has answered may take to say what it
// says of its own accord: the two travel apart, on one machine.
const noticeGrace = 300 * time.Millisecond

// askDaemon asks the running daemon. No method does: a daemon that found its
// files bad says so to every reviewer right behind the handshake, and one that
// is silent found them good.
func askDaemon(ctx context.Context, dirs *directories) *daemonAnswer {
	told := make(chan string, 1)
	c, err := dirs.connect(ctx, "reviewer", client.Options{
		Role: wire.RoleReviewer,
		OnNotification: func(e client.Event) {
			if params, err := e.Decode(); err == nil {
				if changed, ok := params.(*wire.PolicyChanged); ok {
					select {
					case told <- changed.Error:
					default: // the files are changing right now; the first answer will do
					}
				}
			}
		},
	})
	if _, nobody := errors.AsType[*noDaemonError](err); nobody {
		return &daemonAnswer{}
	}
	if err != nil {
		return &daemonAnswer{Running: true, Unknown: err.Error()}
	}
	defer c.Close()
	one := 1
	if _, err := c.ListSessions(ctx, wire.SessionListParams{Limit: &one}); err != nil {
		return &daemonAnswer{Running: true, Unknown: err.Error()}
	}
	select {
	case fault := <-told:
		return &daemonAnswer{Running: true, Error: fault}
	case <-time.After(noticeGrace):
		return &daemonAnswer{Running: true}
	case <-ctx.Done():
		return &daemonAnswer{Running: true, Unknown: ctx.Err().Error()}
	}
}
