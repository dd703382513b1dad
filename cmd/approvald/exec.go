package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// execution is one run of exec.
type execution struct {
	dirs       *directories
	cwd        string // of the command; "" for this process's
	reason     string
	unattended string

	// person is set where a terminal belongs to somebody who may decide.
	person bool
	client *client.Client
	asked  *asked
}

func newExecCommand(dirs *directories) *cobra.Command {
	e := &execution{dirs: dirs}
	cmd := &cobra.Command{
		Use:   "exec [flags] [--] COMMAND [ARGUMENT…]",
		Short: "Run a command once it is allowed",
		Long: `Ask whether COMMAND may run, and become it when the answer is yes: what runs is exactly the words
that were shown, never a shell, and its exit code is the command's. Otherwise nothing is run, and
the exit code is 126.

On a terminal the choices are offered here, and any other reviewer may be quicker. Without one, or
below an agent, exec asks as an agent does: it waits where a reviewer is connected, and is refused
where none is (--unattended park waits all the same).

Where no daemon is running, one is started in the background.`,
		Example: `  approvald exec -- rm -r build
  approvald exec --reason 'clear the cache' --cwd /srv/app -- ./clean --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			return e.usage(cmd, cobra.MinimumNArgs(1)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, argv []string) error {
			err := e.run(cmd, argv)
			if err == nil || settledOn(err) {
				return err
			}
			return &exitError{exitExec, err}
		},
	}
	cmd.SetFlagErrorFunc(e.usage)
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the command's name is the command's
	flags.StringVar(&e.cwd, "cwd", "", "run the command in this directory")
	flags.StringVar(&e.reason, "reason", "Asked by approvald exec.", "what the reviewer is told")
	flags.StringVar(&e.unattended, "unattended", "", "without a reviewer: park (wait for one) or refuse (default: park on a terminal, else refuse)")
	completeWith(cmd, "unattended", string(wire.UnattendedPark), string(wire.UnattendedRefuse))
	return cmd
}

// usage gives an error of the command line the exit code that is exec's own.
func (e *execution) usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitExec, &usageError{cmd.CommandPath(), err}}
}

// run does not return where the command ran.
func (e *execution) run(cmd *cobra.Command, argv []string) error {
	switch wire.Unattended(e.unattended) {
	case "", wire.UnattendedPark, wire.UnattendedRefuse:
	default:
		return exitf(exitExec, "--unattended %s: give park or refuse", e.unattended)
	}
	p, err := findProgram(argv, e.cwd)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	e.person = isTerminal(os.Stdin) && isTerminal(os.Stderr)
	if err := e.connect(ctx); err != nil {
		return interrupted(ctx, err)
	}
	r, err := e.ask(ctx, p)
	if err != nil {
		return interrupted(ctx, err)
	}
	if r.PolicyResult != wire.PolicyAllow { // whatever else it may be is no permission
		return denied(r)
	}
	if err := context.Cause(ctx); err != nil {
		return interrupted(ctx, err)
	}
	return p.become()
}

// denied is the error of a command that was not allowed.
func denied(r *wire.Resolution) error {
	if r.Denial != nil && r.Denial.Message != "" {
		return exitf(exitDenied, "%s", r.Denial.Message)
	}
	return exitf(exitDenied, "The command was not run: %s.", card.OutcomeText(r.Outcome, r.ResolvedBy))
}

// signalError says which signal ended the wait.
type signalError struct{ signal syscall.Signal }

func (e *signalError) Error() string {
	return "cancelled by " + e.signal.String() + "; nothing was run"
}

// untilSignal is a context that a signal ends, with a *signalError as its
// cause. A signal that this process was started to ignore is ignored.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			if s, ok := s.(syscall.Signal); ok {
				cancel(&signalError{s})
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// interrupted is err, or what a signal makes of it.
func interrupted(ctx context.Context, err error) error {
	if s, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		return &exitError{exitSignal + int(s.signal), s}
	}
	return err
}
