package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/internal/sequencer"
)

// Config is a daemon's sealed configuration. StateDir, Identity, NewID and
// Clock are required; Defaults fills the rest.
type Config struct {
	StateDir   string // absolute; the log, the lock and daemon.json are in it
	RuntimeDir string // absolute; the sockets are under it; "" for none
	// ConfigDir is where the user's policy is; no workspace may hold it.
	ConfigDir string
	// Policy are the policy files; Stores is filled with a directory of StateDir.
	// Where PolicyText is not nil, it is the policy instead, and nothing is
	// watched.
	Policy     rulefile.Files
	PolicyText []rulefile.Source
	// Homes are the home directories, which no workspace may be; nil: the one of
	// this user.
	Homes     []string
	Ephemeral bool          // nothing is written, approvals end with the process
	Mode      approval.Mode // "": the policy's, else promptUnmatched
	Ceiling   approval.Mode // "": the managed policy's, else Mode
	Identity  rpc.Identity
	NewID     func() approval.ID
	Clock     sequencer.Clock
	FS        inspect.FS // what inspection sees; nil: the machine's
	// AgentCommand starts the program that carries out turns where no agent is
	// attached; nil: there is none.
	AgentCommand AgentCommand
	Logger       *slog.Logger
	// MaxPending bounds the approvals that wait in a session; 0: the policy's,
	// else the default.
	MaxPending int
	// SocketsWait is how long a predecessor that is ending, and has given up the
	// state directory, may take to give up the runtime directory.
	SocketsWait time.Duration
	// IdleWindow is how long sessions that nobody needs stay in memory at least; 0
	// is sequencer.DefaultIdleWindow.
	IdleWindow time.Duration
}

// ErrModes says that the configured mode is above, or not comparable with, the
// ceiling (policy.md "Ceilings").
var ErrModes = errors.New("the mode is above the ceiling")

// settle fills what was left open and does not depend on the policy.
func (c *Config) settle() {
	if c.Homes == nil {
		c.Homes = homes()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Policy.Stores == "" && !c.Ephemeral {
		c.Policy.Stores = filepath.Join(c.StateDir, "workspaces")
	}
}

// seal fills what the policy says where the configuration does not, and checks
// the modes: from here on neither changes (policy.md "Ceilings").
func (c *Config) seal(p *rulefile.Loaded) error {
	c.Mode = cmp.Or(c.Mode, p.Mode, approval.PromptUnmatched)
	if c.Ceiling != "" && p.Ceiling != "" && !c.Ceiling.Within(p.Ceiling) {
		return fmt.Errorf("%w: the managed policy sets the ceiling %s, and --ceiling %s is above it; lower it", ErrModes, p.Ceiling, c.Ceiling)
	}
	c.Ceiling = cmp.Or(c.Ceiling, p.Ceiling, c.Mode)
	c.MaxPending = cmp.Or(c.MaxPending, p.MaxPending, decide.DefaultMaxPending)
	for _, m := range []approval.Mode{c.Mode, c.Ceiling} {
		if !m.Known() {
			return fmt.Errorf("%q is no mode; give one of %v", m, approval.Modes)
		}
	}
	if !c.Mode.Within(c.Ceiling) {
		return fmt.Errorf("%w: %s is above, or not comparable with, %s; lower --mode or raise --ceiling", ErrModes, c.Mode, c.Ceiling)
	}
	return nil
}

// logPath is where the session log is.
func (c *Config) logPath() string { return filepath.Join(c.StateDir, "sessions.db") }

// own are the directories that hold what approvald itself must be able to
// trust. Where FS is not the machine's, the state directory is there by the
// name that clients know it by.
func (c *Config) own() []string {
	state := c.StateDir
	if c.FS != nil {
		state = c.Identity.Home
	}
	var dirs []string
	for _, dir := range []string{state, c.RuntimeDir, c.ConfigDir} {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// homes are the home directories that no workspace may be: the one that the
// environment names, first, and the one of the user's entry.
func homes() (dirs []string) {
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, home)
	}
	if me, err := user.Current(); err == nil && me.HomeDir != "" && !slices.Contains(dirs, me.HomeDir) {
		dirs = append(dirs, me.HomeDir)
	}
	return dirs
}
