package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/agentcmd"
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// run serves, in this process or, with --detach, in one of its own.
func (s *serving) run(cmd *cobra.Command) error {
	level, err := s.check()
	if err != nil {
		return err
	}
	if s.detach {
		return s.background(cmd)
	}
	syscall.Umask(0o077)
	signal.Ignore(syscall.SIGPIPE) // a client that reads no more is not the end of the others
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal is not waited for

	config, err := s.config(slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level})))
	if err != nil {
		return err
	}
	d, to, err := s.openOrJoin(ctx, config)
	switch {
	case errors.Is(err, context.Canceled):
		return nil // told to end before it had begun
	case err != nil:
		return s.dirs.mend(err)
	case to != nil:
		return s.relayTo(ctx, to, cmd)
	}
	err = s.serve(ctx, d, cmd, config)
	closed := d.Close()
	return ending(err, closed, d.Err())
}

// ending is the one error of a daemon that has ended: what went wrong while it
// served, while it closed, or for good with its log.
func ending(served, closed, failed error) error {
	switch {
	case failed != nil:
		return fmt.Errorf("the log can no longer be written, so the daemon ended; "+
			"start it again, and what was acknowledged is there: %w", failed)
	case served != nil:
		return served
	case closed != nil:
		return fmt.Errorf("the daemon did not end cleanly: %w", closed)
	}
	return nil
}

// config is the sealed configuration of the daemon.
func (s *serving) config(logger *slog.Logger) (daemon.Config, error) {
	clock := sequencer.SystemClock{}
	config := daemon.Config{
		ConfigDir: s.dirs.config(),
		Ephemeral: s.ephemeral,
		Mode:      approval.Mode(s.mode),
		Ceiling:   approval.Mode(s.ceiling),
		NewID:     daemon.Minter(rand.Reader, clock),
		Clock:     clock,

		SocketsWait: lockWait,
		Logger:      logger,
	}
	var err error
	if config.AgentCommand, err = s.agentCommand(logger); err != nil {
		return config, err
	}
	if config.StateDir, err = s.dirs.state(); err != nil {
		if !s.ephemeral { // which has no use for one
			return config, err
		}
		config.StateDir = "/"
	}
	if !s.noSockets {
		if config.RuntimeDir, err = s.dirs.runtime(); err != nil {
			return config, err
		}
		if err := makePrivate(config.RuntimeDir); err != nil {
			return config, err
		}
	}
	if config.Policy, err = s.dirs.policyFiles(s.policy); err != nil {
		return config, err
	}
	if s.ephemeral {
		config.Policy.Stores = "" // what is written for good belongs to a daemon that keeps a log
	}
	config.Identity = identity(config.StateDir)
	return config, nil
}

// agentCommand starts the program of --agent-cmd; nil where there is none.
func (s *serving) agentCommand(logger *slog.Logger) (daemon.AgentCommand, error) {
	if s.agentCmd == "" {
		return nil, nil //nolint:nilnil // no program is no error
	}
	command, err := agentcmd.Parse(s.agentCmd)
	if err != nil {
		return nil, exitf(exitUsage, "--agent-cmd: %v", err)
	}
	command.Logger = logger
	return func(dir string) (daemon.AgentProcess, error) { return command.Start(dir) }, nil
}

// serve returns when there is nothing more to serve: a signal came, standard
// input ended, or the daemon failed. The caller closes the daemon.
func (s *serving) serve(ctx context.Context, d *daemon.Daemon, cmd *cobra.Command, config daemon.Config) (err error) {
	var sockets []string
	if !s.noSockets {
		if sockets, err = d.Listen(); err != nil {
			return err
		}
	}
	inbox, err := s.http.open(ctx, d, config)
	if err != nil {
		return err
	}
	defer inbox.close() // before the daemon, of which it is a client
	quiet, err := s.notify.start(ctx, d, inbox.links(), config.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, quiet()) }()
	s.welcome(cmd.ErrOrStderr(), d, config, sockets)
	inbox.welcome(cmd.ErrOrStderr(), s.dirs)
	var inputEnded <-chan struct{} // never, without stdio
	if s.stdio {
		inputEnded = s.serveStdio(d, newStdio(os.Stdin, os.Stdout))
	}
	select {
	case <-ctx.Done():
		return nil
	case <-d.Ended():
		return nil // with the error that Err has
	case <-inputEnded:
	}
	if s.linger {
		s.untilDeserted(ctx, d)
	}
	return nil
}

// serveStdio serves the client on standard input and output. The channel is
// closed when it is gone.
func (s *serving) serveStdio(d *daemon.Daemon, stream io.ReadWriteCloser) <-chan struct{} {
	gone := make(chan struct{})
	stays := func() bool { return s.linger && d.Connections() > 1 }
	go func() {
		defer close(gone)
		d.ServeStdio(wire.Role(s.stdioRole), stream, stays)
	}()
	return gone
}

// untilDeserted waits for the last client to leave, ctx, or the daemon's end.
func (s *serving) untilDeserted(ctx context.Context, d *daemon.Daemon) {
	const look = time.Second
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for d.Connections() > 0 {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		case <-d.Ended():
			return
		}
	}
}
