package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// connect connects to the daemon, which it starts where there is none.
func (e *execution) connect(ctx context.Context) error {
	e.asked = newAsked()
	err := e.dial(ctx)
	if _, nobody := errors.AsType[*noDaemonError](err); nobody {
		if err := e.startDaemon(ctx); err != nil {
			return err
		}
		err = e.dial(ctx)
	}
	return err
}

// dial speaks as both on a terminal, since a person's shell holds the person's
// authority, and as an agent otherwise, as below an agent, where the host's
// socket refuses (protocol §2).
func (e *execution) dial(ctx context.Context) (err error) {
	if e.person {
		e.client, err = e.dirs.connect(ctx, "host", client.Options{
			Name: nameOfExec, Role: wire.RoleBoth, Reconnect: true,
			Interactive: true, OnRequest: e.asked.request, OnNotification: e.asked.notification,
			OnConnection: e.connected,
		})
		if !wire.IsKind(err, wire.KindRoleForbidden) {
			return err
		}
		e.person = false
	}
	e.client, err = e.dirs.connect(ctx, "agent", client.Options{
		Name: nameOfExec, Role: wire.RoleAgent, Reconnect: true, OnConnection: e.connected,
	})
	return err
}

// connected tells whoever waits that the daemon is not there, or there again.
func (e *execution) connected(lost error) {
	if lost == nil {
		fmt.Fprintln(os.Stderr, "approvald: the daemon is back")
		return
	}
	if e.person {
		fmt.Fprintln(os.Stderr) // leave the line of the prompt
	}
	fmt.Fprintln(os.Stderr, "approvald: the daemon is gone; waiting for it to come back")
}

// startDaemon has serve start the daemon, so that it is no child of the command
// that this process becomes.
func (e *execution) startDaemon(ctx context.Context) error {
	state, err := e.dirs.state()
	if err != nil {
		return err
	}
	runtime, err := e.dirs.runtime()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program to start as a daemon: %w", err)
	}
	starter := exec.CommandContext(ctx, program, "serve", "--detach", "--state-dir", state, "--runtime-dir", runtime)
	starter.Args[0] = os.Args[0]
	starter.Stderr = os.Stderr
	if err := starter.Run(); err != nil {
		return fmt.Errorf("no daemon is running, and none could be started: %w", err)
	}
	return nil
}
