package main

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// managedPolicy is the administrator's policy file (policy.md "Files").
const managedPolicy = "/etc/approvald/policy.toml"

// policyFiles are the places of the policy. user is the file of --policy, which
// must be there, or "" for the one in the configuration directory, which need
// not be. Where there is no state directory there are no stores.
func (d *directories) policyFiles(user string) (rulefile.Files, error) {
	files := rulefile.Files{Managed: managedPolicy}
	if state, err := d.state(); err == nil {
		files.Stores = filepath.Join(state, "workspaces")
	}
	if user == "" {
		if dir := d.config(); dir != "" {
			files.User = filepath.Join(dir, "policy.toml")
		}
		return files, nil
	}
	abs, err := filepath.Abs(user)
	if err != nil {
		return files, err
	}
	if _, err := os.Stat(abs); err != nil {
		return files, exitf(exitUsage, "--policy %s: %w", user, unwrapPath(err))
	}
	files.User = abs
	return files, nil
}

// unwrapPath is the cause of an error of the file system, without the path.
func unwrapPath(err error) error {
	if in, ok := err.(*fs.PathError); ok { //nolint:errorlint // the one that os returns, not one deep inside
		return in.Err
	}
	return err
}

// trialConfig is the configuration of a daemon that lives in this process, for
// a moment, to say what the real one would: it reads the same files and writes
// nothing. Its ceiling is the managed policy's, else as wide as the question
// needs.
func (d *directories) trialConfig(files rulefile.Files) (daemon.Config, error) {
	clock := sequencer.SystemClock{}
	config := daemon.Config{
		Ephemeral: true,
		ConfigDir: d.config(),
		Policy:    files,
		NewID:     daemon.Minter(rand.Reader, clock),
		Clock:     clock,
		Logger:    slog.New(slog.DiscardHandler),
	}
	var err error
	if config.StateDir, err = d.state(); err != nil {
		return config, err
	}
	if config.RuntimeDir, err = d.runtime(); err != nil {
		return config, fmt.Errorf("find the daemon's directories, which no agent may touch: %w", err)
	}
	config.Identity = identity(config.StateDir)
	return config, nil
}

// identity is how this build of approvald names itself.
func identity(home string) rpc.Identity {
	return rpc.Identity{
		Version: buildVersion(), Home: home, OS: platformOS(), Arch: runtime.GOARCH, Fingerprint: wire.Fingerprint,
	}
}
