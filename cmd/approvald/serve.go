package main

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// serving is what the flags of serve say.
type serving struct {
	dirs          *directories
	stdio         bool
	stdioRole     string
	mode, ceiling string
	policy        string
	ephemeral     bool
	noSockets     bool
	linger        bool
	noRelay       bool
	notify        notifying
	agentCmd      string
	logLevel      string
	detach        bool
	http          httpServing
}

func newServeCommand(dirs *directories) *cobra.Command {
	s := serving{dirs: dirs}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon in the foreground until SIGTERM or SIGINT: it takes no more work, finishes what it
has, and exits 0. What is pending stays pending in the log. One daemon has a state directory at
a time; another exits 3 and names it.

The policy is read at the start, and again when its files change (approvald policy check). At the
start a bad one is refused, exit code 2; later the last good one stays in force.

With --stdio one client speaks on standard input and output; the daemon ends with its input. Where
a daemon has the state directory already, that one serves this client too: what it says is relayed
until its input ends.

With --agent-cmd a turn (turn/start) for which no agent is attached to its session starts a program,
which speaks the protocol on its standard input and output as an agent of that session: in the
session's workspace, without a shell, without approvald's variables. The text is cut into words at
blanks; quote what holds one, and what a shell would act on. What the program says on its standard
error is in the daemon's log. It ends with its session or the daemon.

With --notify-desktop and --notify-exec people who look at no inbox are told of what policy left for
them, and that it is settled. The program, cut into words as above, is run once for each, with one
line of JSON on its standard input: event (requested or settled), kind (approval or userInput),
sessionId, id, and of what waits toolName, title, text and expiresAt; of what is settled its outcome.
It has ten seconds; what goes wrong is in the daemon's log, and holds up nobody.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.stdio, "stdio", false, "serve one client on standard input and output")
	flags.StringVar(&s.stdioRole, "stdio-role", string(wire.RoleBoth), "its role: agent, reviewer or both")
	flags.StringVar(&s.policy, "policy", "", "the policy file to use for yours (default $XDG_CONFIG_HOME/approvald/policy.toml)")
	flags.StringVar(&s.mode, "mode", "", "the mode of sessions that ask for none: "+modeNames()+" (default: the policy's, else "+string(approval.PromptUnmatched)+")")
	flags.StringVar(&s.ceiling, "ceiling", "", "the widest mode that anyone may choose (default: the managed policy's, else the mode)")
	flags.BoolVar(&s.ephemeral, "ephemeral", false, "write nothing: what is pending ends with the daemon")
	flags.BoolVar(&s.noSockets, "no-sockets", false, "open no sockets (with --stdio)")
	flags.BoolVar(&s.linger, "linger", false, "when standard input ends, serve the clients on the sockets until they are gone (with --stdio)")
	flags.BoolVar(&s.noRelay, "no-relay", false, "where another daemon has the state directory, exit 3 (with --stdio)")
	flags.StringVar(&s.agentCmd, "agent-cmd", "", "the program, with its arguments, that carries out turns where no agent is attached")
	flags.BoolVar(&s.notify.desktop, "notify-desktop", false, "show a desktop notification of what waits for a person (D-Bus)")
	flags.StringVar(&s.notify.program, "notify-exec", "", "a program, with its arguments, that is given a line of JSON of what waits for a person")
	flags.StringVar(&s.logLevel, "log-level", "info", "what goes to standard error: debug, info, warn or error")
	flags.BoolVar(&s.detach, "detach", false, "serve in the background and return when the sockets answer")
	if err := flags.MarkHidden("detach"); err != nil { // it is how exec starts a daemon
		panic(err)
	}
	s.http.flags(flags)
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
	case !s.stdio && (s.linger || s.noRelay || s.stdioRole != string(wire.RoleBoth)):
		return level, exitf(exitUsage, "--linger, --no-relay and --stdio-role are about the client on standard input: give them with --stdio")
	case !slices.Contains(roles, wire.Role(s.stdioRole)):
		return level, exitf(exitUsage, "--stdio-role %s is no role: give agent, reviewer or both", s.stdioRole)
	case s.mode != "" && s.ceiling != "" && !approval.Mode(s.mode).Within(approval.Mode(s.ceiling)):
		return level, exitf(exitUsage, "--mode %s is above, or not comparable with, --ceiling %s: lower the one or raise the other", s.mode, s.ceiling)
	case s.noSockets && !s.stdio:
		return level, exitf(exitUsage, "with --no-sockets and without --stdio nobody could reach the daemon: leave one of them out or add the other")
	case s.detach && (s.stdio || s.noSockets):
		return level, exitf(exitUsage, "--detach goes with sockets and without --stdio")
	}
	return level, s.http.check(s)
}
