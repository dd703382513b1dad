package corpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// hook is the agent's hook, which cannot be started: approvald is there, and the program that
// `approvald hook` becomes is not.
type hook struct {
	Result string `json:"result"` // what an interpreter does then
}

// hookFault is what the reason says.
const hookFault = "hook failed to start"

const hookEvent = `{"session_id":"S1","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"ls"}}`

func (h *hook) do(ctx context.Context, r *run) (_ seen, err error) {
	if r.program == "" {
		return seen{}, &missingError{need: "the program approvald"}
	}
	if h.Result != "exit 2 because the script file is missing" {
		return seen{}, fmt.Errorf("result is %q; a hook that cannot be started is the one there is", h.Result)
	}
	dir, err := os.MkdirTemp("", "approvald-alone")
	if err != nil {
		return seen{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, "approvald")
	if err := copyProgram(program, r.program); err != nil {
		return seen{}, err
	}
	cmd := exec.CommandContext(ctx, program, "hook")
	cmd.Stdin = strings.NewReader(hookEvent)
	cmd.Env = append(os.Environ(), "APPROVALD_RUNTIME_DIR="+dir)
	told, err := cmd.Output()
	if exit, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return seen{}, fmt.Errorf("start approvald hook: %w", err)
	} else if !ended || exit.ExitCode() != 2 {
		return seen{}, fmt.Errorf("approvald hook ended with %w, not the exit code 2: %s", err, told)
	}
	var answer struct {
		Output struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(told, &answer); err != nil {
		return seen{}, fmt.Errorf("approvald hook said %q: %w", told, err)
	}
	word := map[string]word{"allow": allowed, "deny": denied}[answer.Output.Decision]
	return seen{word: word, detail: answer.Output.Reason}, nil
}

// copyProgram gives a program another place.
func copyProgram(to, from string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// told reports whether a step brought a text with these words.
func (r *run) told(words string) bool {
	return slices.ContainsFunc(all(r.seen), func(s seen) bool { return strings.Contains(s.detail, words) })
}
