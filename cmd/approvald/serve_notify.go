package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/agentcmd"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/notify"
	"github.com/approvald/approvald/wire"
)

// notifying is what the flags of serve say about notices.
type notifying struct {
	desktop bool
	program string
}

// media are those that the flags ask for, and end lets go of them.
func (n *notifying) media() (media []notify.Medium, end func() error, err error) {
	end = func() error { return nil }
	if n.program != "" {
		command, err := agentcmd.Parse(n.program)
		if err != nil {
			return nil, nil, exitf(exitUsage, "--notify-exec: %v", err)
		}
		media = append(media, notify.NewProgram(append([]string{command.Program}, command.Args...)))
	}
	if n.desktop {
		desktop := notify.NewDesktop()
		media, end = append(media, desktop), desktop.Close
	}
	return media, end, nil
}

// start tells what waits for a person, until stop, as a client of the daemon that
// nobody lingers for and that is not there to be asked. link is the address of an
// approval or a prompt in the web inbox; nil where there is none.
func (n *notifying) start(ctx context.Context, d *daemon.Daemon, link func(session, id string) string, logger *slog.Logger) (stop func() error, err error) {
	media, end, err := n.media()
	if err != nil || len(media) == 0 {
		return func() error { return nil }, err
	}
	ctx, cancel := context.WithCancel(ctx)
	notifier := notify.New(notify.Config{Media: media, Link: link, Logger: logger})
	var running sync.WaitGroup
	ours, theirs := net.Pipe()
	running.Go(func() { d.ServeOwn("notify", wire.RoleReviewer, theirs) })
	c, err := client.New(ctx, ours, client.Options{
		Name: "approvald_notify", Version: version, Role: wire.RoleReviewer, AllSessions: true,
		OptOut:         []string{wire.MethodApprovalUpdated, wire.MethodSessionStatusChanged},
		OnNotification: notifier.Event, Logger: logger,
	})
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("notices: %w", err), ours.Close(), end())
	}
	running.Go(func() { notifier.Run(ctx) })
	return func() error {
		cancel()
		closed := c.Close()
		running.Wait()
		return errors.Join(closed, end())
	}, nil
}
