package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// explainQuery is what the flags of policy explain say.
type explainQuery struct {
	dirs      *directories
	shell     string
	cwd       string
	workspace string
	mode      string
	preset    string
	policy    string
	subject   string
	output    string
	requested bool
}

func newPolicyExplainCommand(dirs *directories) *cobra.Command {
	e := explainQuery{dirs: dirs}
	cmd := &cobra.Command{
		Use:   "explain [flags] [--] 'COMMAND LINE'",
		Short: "Say what becomes of an action, and why",
		Long: `Say what the policy makes of a command line, or with --json of any action, part by part: whether it
is allowed, asked about or denied, by which rule in which file, or why nothing covers it; and what
a reviewer would be offered. Nothing is run, recorded or granted.

The answer is that of a daemon that starts with the files as they are now. What was granted for a
session counts in that session alone, and not here.`,
		Example: `  approvald policy explain -- 'git add . && git commit -m "x; y" | tee out'
  approvald policy explain --json '{"kind":"fileAccess","path":"src/main.go","access":"write"}'
  approvald policy explain --preset read-only --output json -- 'make test'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if e.subject != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := e.inquiry(cmd.InOrStdin(), args)
			if err != nil {
				return err
			}
			return e.run(cmd, q)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // a command line may begin with a dash
	flags.StringVar(&e.shell, "shell", "", "the shell that reads the command line: bash, sh or zsh (default bash)")
	flags.StringVar(&e.cwd, "cwd", "", "the directory that the action starts in (default: this one)")
	flags.StringVar(&e.workspace, "workspace", "", "the workspace of the session (default: the directory that it starts in)")
	flags.StringVar(&e.mode, "mode", "", "the mode of the session: "+modeNames()+" (default: the policy's)")
	flags.StringVar(&e.preset, "preset", "", "the preset of the session: "+presetNames())
	flags.StringVar(&e.policy, "policy", "", "use this file in the place of your policy")
	flags.StringVar(&e.subject, "json", "", "the action as approval/open takes it, a JSON object (-: on standard input)")
	flags.StringVar(&e.output, "output", "text", "text or json")
	flags.BoolVar(&e.requested, "requested", false, "the agent asks to be asked, which the mode onRequest heeds")
	completeWith(cmd, "shell", "bash", "sh", "zsh")
	completeWith(cmd, "mode", modes()...)
	completeWith(cmd, "preset", presets()...)
	completeWith(cmd, "output", "text", "json")
	return cmd
}

func presets() []string {
	names := make([]string, len(approval.Presets))
	for i, p := range approval.Presets {
		names[i] = string(p)
	}
	return names
}

func presetNames() string { return strings.Join(presets(), ", ") }

// check finds what flags cannot say for themselves.
func (e *explainQuery) check() error {
	switch {
	case e.output != "text" && e.output != "json":
		return exitf(exitUsage, "--output %s: give text or json", e.output)
	case e.mode != "" && !approval.Mode(e.mode).Known():
		return exitf(exitUsage, "--mode %s is no mode: give one of %s", e.mode, modeNames())
	case e.preset != "" && !slices.Contains(presets(), e.preset):
		return exitf(exitUsage, "--preset %s is no preset: give one of %s", e.preset, presetNames())
	case e.preset != "" && e.mode != "":
		return exitf(exitUsage, "a preset brings its own mode: give --preset or --mode")
	case e.subject != "" && e.shell != "":
		return exitf(exitUsage, "--shell is about a command line; with --json, say it in the object")
	}
	return nil
}

// inquiry is what the command line asks.
func (e *explainQuery) inquiry(stdin io.Reader, args []string) (inquiry, error) {
	q := inquiry{toolName: "explain", mode: e.mode, preset: e.preset, requested: e.requested}
	if err := e.check(); err != nil {
		return q, err
	}
	cwd, err := absDir(e.cwd)
	if err != nil {
		return q, err
	}
	q.workspace = cwd
	if e.workspace != "" {
		if q.workspace, err = absDir(e.workspace); err != nil {
			return q, err
		}
	}
	if e.subject != "" {
		return q, q.ofJSON(stdin, e.subject, cwd)
	}
	q.subject, err = wire.Marshal(wire.OpenShell{
		Kind: wire.SubjectShell, Command: strings.Join(args, " "), Cwd: cwd, Shell: e.shell, Path: os.Getenv("PATH"),
	})
	q.rawArgs = "{}"
	return q, err
}

// ofJSON takes the action from JSON. Paths in it are taken from its own cwd,
// else from cwd; a shell finds its programs on this process's PATH unless it
// says another.
func (q *inquiry) ofJSON(stdin io.Reader, text, cwd string) error {
	if text == "-" {
		all, err := io.ReadAll(stdin)
		if err != nil {
			return fmt.Errorf("read the action: %w", err)
		}
		text = string(all)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		return exitf(exitUsage, "--json holds no JSON object: %w", err)
	}
	var kind wire.SubjectKind
	_ = json.Unmarshal(members["kind"], &kind) // what is none is refused where the action is opened
	q.subject, q.rawArgs = json.RawMessage(text), "{}"
	if kind == wire.SubjectTool {
		_ = json.Unmarshal(members["toolName"], &q.toolName) // likewise
		if arguments := members["arguments"]; len(arguments) > 0 {
			q.rawArgs = string(arguments)
		}
	}
	for _, d := range []struct {
		kind        wire.SubjectKind
		name, value string
	}{
		{wire.SubjectShell, "cwd", cwd},
		{wire.SubjectShell, "path", os.Getenv("PATH")},
		{wire.SubjectFile, "cwd", cwd},
	} {
		if _, given := members[d.name]; given || d.kind != kind {
			continue
		}
		encoded, err := wire.Marshal(d.value)
		if err != nil {
			return err
		}
		q.subject = withMember(q.subject, d.name, encoded)
	}
	return nil
}

// withMember is a JSON object with one more member, the others as they were
// written: a name that is there twice is for the daemon to refuse.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	rest := strings.TrimSpace(strings.TrimSpace(string(object))[1:])
	comma := ","
	if strings.HasPrefix(rest, "}") {
		comma = ""
	}
	return json.RawMessage(fmt.Sprintf("{%q:%s%s%s", name, value, comma, rest))
}

// run asks and prints the answer.
func (e *explainQuery) run(cmd *cobra.Command, q inquiry) error {
	files, err := e.dirs.policyFiles(e.policy)
	if err != nil {
		return err
	}
	a, err := e.dirs.ask(cmd.Context(), files, q)
	if wire.IsKind(err, wire.KindInvalidParams) && e.workspace == "" && q.workspace != "" {
		// The directory may be no workspace (a home directory, protocol §2).
		q.workspace = ""
		if again, other := e.dirs.ask(cmd.Context(), files, q); other == nil {
			a, err = again, nil
		}
	}
	if err != nil {
		return err
	}
	if e.output == "json" {
		return printJSON(cmd.OutOrStdout(), explanationOf(a))
	}
	explainText(cmd.OutOrStdout(), a)
	return nil
}
