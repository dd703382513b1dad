package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/internal/hook/gate"
)

// hookProgram answers hooks. It lies beside approvald and links little, since it runs in front
// of every call of a tool.
const hookProgram = "approvald-hook"

func newHookCommand(dirs *directories) *cobra.Command {
	var agent string
	var timeout time.Duration
	var settings bool
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Answer a hook of an agent (Claude Code)",
		Long: `Read one event of Claude Code on standard input, have the call that it is about approved, and
say on standard output what became of that. A call goes ahead only where exactly it was allowed.

Exit code 0: standard output says what was decided, or that nobody has decided within the
timeout; the approval then waits on, and the same call, made again, takes it up. Exit code 2:
the gate itself failed, nothing was decided, and the call is blocked; standard error says why.

--print-settings prints what .claude/settings.json needs. It names the program approvald-hook,
which ` + "`approvald hook`" + ` becomes. docs/HOOKS.md has the rest.`,
		Example: `  approvald hook --print-settings
  approvald hook --agent claude < event.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			argv := []string{"--agent", agent, "--timeout", timeout.String()}
			if dirs.runtimeFlag != "" {
				argv = append(argv, "--runtime-dir", dirs.runtimeFlag)
			}
			if settings {
				return printHookSettings(cmd.OutOrStdout(), agent, timeout, argv)
			}
			return becomeHook(cmd.Context(), argv)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", gate.AgentClaude, "the agent whose hook it is; claude is the one there is")
	cmd.Flags().DurationVar(&timeout, "timeout", gate.DefaultTimeout, "how long to wait for a decision; less than the hook's timeout in the agent's settings")
	cmd.Flags().BoolVar(&settings, "print-settings", false, "print the settings for the agent, and do nothing else")
	return cmd
}

// becomeHook has the program that answers take the place of this one. Where it cannot, this one
// answers that the hook failed to start.
func becomeHook(ctx context.Context, args []string) error {
	program, err := findHook()
	if err == nil {
		err = fmt.Errorf("it cannot be executed (%w)", syscall.Exec(program, append([]string{hookProgram}, args...), os.Environ()))
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, gate.DefaultTimeout)
	defer cancel()
	kind := hook.Kind("")
	if text, unread := gate.ReadEvent(ctx, os.Stdin); unread == nil {
		kind = hook.KindOf(text)
	}
	os.Exit(gate.Leave(hook.NotStarted(kind, program, err.Error())))
	return nil
}

// findHook is the program beside this one, and no other: the PATH of an agent may lead into
// what the agent can write.
func findHook() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return hookProgram, fmt.Errorf("the place of approvald itself is not known (%w)", err)
	}
	program := filepath.Join(filepath.Dir(self), hookProgram)
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return program, fmt.Errorf("it is not there (%w)", err)
	case !info.Mode().IsRegular():
		return program, errors.New("it is no file")
	}
	return program, nil
}

// margin is how much later than the hook itself the agent gives it up.
const margin = 10 * time.Second

// maxHookTimeout is longer than anybody waits, and counts in an agent's seconds.
const maxHookTimeout = 365 * 24 * time.Hour

// printHookSettings prints the settings of Claude Code that put every call of a tool before
// approvald.
func printHookSettings(out io.Writer, agent string, timeout time.Duration, args []string) error {
	if agent != gate.AgentClaude {
		return exitf(exitUsage, "the agent %q is not known: claude is the one there is", agent)
	}
	if timeout <= 0 || timeout > maxHookTimeout {
		return exitf(exitUsage, "--timeout must be positive, as 590s, and at most %s", maxHookTimeout)
	}
	program, err := findHook()
	if err != nil {
		return fmt.Errorf("%s: %w: install it there, beside approvald", program, err)
	}
	type handler struct {
		Type      string   `json:"type"`
		Command   string   `json:"command"`
		Args      []string `json:"args"`
		Timeout   int      `json:"timeout"`
		OnFailure string   `json:"onFailure,omitempty"`
	}
	type matcher struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}
	gated := handler{"command", program, args, int((timeout + margin) / time.Second), "block"}
	told := handler{"command", program, args, int(margin / time.Second), ""}
	var settings struct {
		Hooks struct {
			PreToolUse   []matcher
			SessionStart []matcher
			SessionEnd   []matcher
		} `json:"hooks"`
	}
	settings.Hooks.PreToolUse = []matcher{{"*", []handler{gated}}}
	settings.Hooks.SessionStart = []matcher{{"", []handler{told}}}
	settings.Hooks.SessionEnd = []matcher{{"", []handler{told}}}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(settings)
}
