package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// serving is what the flags of serve say.
type serving struct {
	dirs          *directories
	stdio         bool
	stdioRole     string
	mode, ceiling string
	ephemeral     bool
	noSockets     bool
	linger        bool
	logLevel      string
	detach        bool
}

func newServeCommand(dirs *directories) *cobra.Command {
	s := serving{dirs: dirs}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon in the foreground until SIGTERM or SIGINT: it takes no more work, finishes what it
has, and exits 0. What is pending stays pending in the log. One daemon has a state directory at
a time; another exits 3 and names it.

With --stdio one client speaks on standard input and output; the daemon ends with its input.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.stdio, "stdio", false, "serve one client on standard input and output")
	flags.StringVar(&s.stdioRole, "stdio-role", string(wire.RoleBoth), "its role: agent, reviewer or both")
	flags.StringVar(&s.mode, "mode", string(approval.PromptUnmatched), "the mode of sessions that ask for none: "+modeNames())
	flags.StringVar(&s.ceiling, "ceiling", "", "the widest mode that anyone may choose (default: the mode)")
	flags.BoolVar(&s.ephemeral, "ephemeral", false, "write nothing: what is pending ends with the daemon")
	flags.BoolVar(&s.noSockets, "no-sockets", false, "open no sockets (with --stdio)")
	flags.BoolVar(&s.linger, "linger", false, "when standard input ends, serve the clients on the sockets until they are gone (with --stdio)")
	flags.StringVar(&s.logLevel, "log-level", "info", "what goes to standard error: debug, info, warn or error")
	flags.BoolVar(&s.detach, "detach", false, "serve in the background and return when the sockets answer")
	completeWith(cmd, "stdio-role", string(wire.RoleAgent), string(wire.RoleReviewer), string(wire.RoleBoth))
	completeWith(cmd, "mode", modes()...)
	completeWith(cmd, "ceiling", modes()...)
	completeWith(cmd, "log-level", "debug", "info", "warn", "error")
	return cmd
}

func modes() []string {
	names := make([]string, len(approval.Modes))
	for i, m := range approval.Modes {
		names[i] = string(m)
	}
	return names
}

func modeNames() string { return strings.Join(modes(), ", ") }

// check finds what flags cannot say for themselves.
func (s *serving) check() (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return level, exitf(exitUsage, "--log-level %s is none of debug, info, warn and error", s.logLevel)
	}
	for _, flag := range []struct{ name, value string }{{"mode", s.mode}, {"ceiling", s.ceiling}} {
		if flag.value != "" && !approval.Mode(flag.value).Known() {
			return level, exitf(exitUsage, "--%s %s is no mode: give one of %s", flag.name, flag.value, modeNames())
		}
	}
	roles := []wire.Role{wire.RoleAgent, wire.RoleReviewer, wire.RoleBoth}
	switch {
	case !slices.Contains(roles, wire.Role(s.stdioRole)):
		return level, exitf(exitUsage, "--stdio-role %s is no role: give agent, reviewer or both", s.stdioRole)
	case s.noSockets && !s.stdio:
		return level, exitf(exitUsage, "with --no-sockets and without --stdio nobody could reach the daemon: leave one of them out or add the other")
	case s.detach && (s.stdio || s.noSockets):
		return level, exitf(exitUsage, "--detach goes with sockets and without --stdio")
	}
	return level, nil
}

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
	d, err := daemon.Open(config)
	if err != nil {
		return err
	}
	err = s.serve(ctx, d, cmd, config)
	if closed := d.Close(); err == nil && closed != nil {
		err = fmt.Errorf("the daemon did not end cleanly: %w", closed)
	}
	if failed := d.Err(); failed != nil {
		return fmt.Errorf("the log can no longer be written, so the daemon ended; "+
			"start it again, and what was acknowledged is there: %w", failed)
	}
	return err
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
		Logger:    logger,
	}
	var err error
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
	config.Identity = rpc.Identity{
		Version: buildVersion(), Home: config.StateDir, OS: platformOS(), Arch: runtime.GOARCH,
		Fingerprint: wire.Fingerprint(),
	}
	return config, nil
}

// serve returns when there is nothing more to serve: a signal came, standard
// input ended, or the daemon failed. The caller closes the daemon.
func (s *serving) serve(ctx context.Context, d *daemon.Daemon, cmd *cobra.Command, config daemon.Config) error {
	var sockets []string
	if !s.noSockets {
		var err error
		if sockets, err = d.Listen(); err != nil {
			return err
		}
	}
	s.welcome(cmd.ErrOrStderr(), config, sockets)
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

// welcome tells whoever started the daemon where it is and what to type next.
func (s *serving) welcome(w io.Writer, config daemon.Config, sockets []string) {
	fmt.Fprintf(w, "approvald %s, mode %s\n", config.Identity.Version, config.Mode)
	if s.ephemeral {
		fmt.Fprintln(w, "  log       none (--ephemeral): what is pending ends with this process")
	} else {
		fmt.Fprintf(w, "  log       %s\n", visible(config.StateDir))
	}
	for i, name := range []string{"agents", "reviewers", "hosts"} {
		if i < len(sockets) {
			fmt.Fprintf(w, "  %-9s %s\n", name, visible(sockets[i]))
		}
	}
	if s.stdio || len(sockets) == 0 {
		return
	}
	fmt.Fprintf(w, "In another terminal, have a command asked about before it runs:\n  %s\n", s.dirs.hint("exec -- ls -l"))
	fmt.Fprintf(w, "and look on, or decide, from a third:\n  %s\n  %s\n", s.dirs.hint("watch"), s.dirs.hint("decide ID allow_once"))
}
