package agentcmd

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Command is what is started for an agent. It may be started any number of times, also
// at once.
type Command struct {
	Program string   // absolute
	Args    []string // without the program's name
	Env     []string
	Logger  *slog.Logger
	// Patience is how long a program whose input has ended may take to end itself, and
	// then, after SIGTERM, once more, before it is killed; 0 is DefaultPatience.
	Patience time.Duration
}

// DefaultPatience is what a program that ends in order needs many times over.
const DefaultPatience = 2 * time.Second

// Parse reads the flag: the program is looked up once, on the daemon's PATH and from its
// directory, so that nothing in a session's workspace is taken for it.
func Parse(flag string) (*Command, error) {
	words, err := Split(flag)
	if err != nil {
		return nil, err
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("its program %q cannot be started: %w", words[0], unwrap(err))
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("find its program: %w", err)
	}
	return &Command{Program: program, Args: words[1:], Env: Environment(os.Environ())}, nil
}

// unwrap is the cause of a program that was not found, which names it already.
func unwrap(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// own is the prefix of approvald's own variables, those that lead to the sockets of
// reviewers and hosts among them.
const own = "APPROVALD_"

// Environment is that of the daemon, without approvald's own variables: an agent speaks
// on the stream that it is given.
func Environment(daemons []string) []string {
	return slices.DeleteFunc(slices.Clone(daemons), func(v string) bool { return strings.HasPrefix(v, own) })
}
