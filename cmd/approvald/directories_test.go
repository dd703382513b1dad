package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDirectoriesAreFound(t *testing.T) {
	tests := map[string]struct {
		env            map[string]string
		flags          directories
		state, runtime string // state "" for an error
	}{
		"XDG's defaults": {
			env:   map[string]string{"HOME": "/home/me"},
			state: "/home/me/.local/state/approvald", runtime: fmt.Sprintf("/tmp/approvald-%d", os.Getuid()),
		},
		"the base directories": {
			env:   map[string]string{"HOME": "/home/me", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"},
			state: "/s/approvald", runtime: "/r/approvald",
		},
		"a relative base directory does not count": {
			env:   map[string]string{"HOME": "/home/me", "XDG_STATE_HOME": "s", "XDG_RUNTIME_DIR": "r"},
			state: "/home/me/.local/state/approvald", runtime: fmt.Sprintf("/tmp/approvald-%d", os.Getuid()),
		},
		"the environment goes before the base directories": {
			env:   map[string]string{"XDG_STATE_HOME": "/s", "APPROVALD_STATE_DIR": "/es", "APPROVALD_RUNTIME_DIR": "/er"},
			state: "/es", runtime: "/er",
		},
		"flags go before the environment": {
			env:   map[string]string{"APPROVALD_STATE_DIR": "/es", "APPROVALD_RUNTIME_DIR": "/er"},
			flags: directories{stateFlag: "/fs", runtimeFlag: "/fr"},
			state: "/fs", runtime: "/fr",
		},
		"no home": {
			runtime: fmt.Sprintf("/tmp/approvald-%d", os.Getuid()),
		},
		"a home that is no place": {
			env:     map[string]string{"HOME": "nowhere"},
			runtime: fmt.Sprintf("/tmp/approvald-%d", os.Getuid()),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "APPROVALD_STATE_DIR", "APPROVALD_RUNTIME_DIR"} {
				t.Setenv(variable, tt.env[variable])
			}
			state, err := tt.flags.state()
			if state != tt.state || (err == nil) != (tt.state != "") {
				t.Errorf("state = %q, %v, want %q", state, err, tt.state)
			}
			if runtime, err := tt.flags.runtime(); runtime != tt.runtime {
				t.Errorf("runtime = %q, %v, want %q", runtime, err, tt.runtime)
			}
		})
	}
}

func TestRuntimeDirectoryIsOursAlone(t *testing.T) {
	tests := map[string]struct {
		make func(t *testing.T, dir string) error
		want string // in the error; "" for none
	}{
		"missing":               {func(*testing.T, string) error { return nil }, ""},
		"private":               {func(_ *testing.T, dir string) error { return os.Mkdir(dir, 0o700) }, ""},
		"readable by others":    {func(_ *testing.T, dir string) error { return os.Mkdir(dir, 0o755) }, ""},
		"a file":                {func(_ *testing.T, dir string) error { return os.WriteFile(dir, nil, 0o600) }, "is not a directory"},
		"a link":                {func(t *testing.T, dir string) error { return os.Symlink(t.TempDir(), dir) }, "is not a directory"},
		"writable by the group": {func(_ *testing.T, dir string) error { return mkdir(dir, 0o770) }, "others may write"},
		"writable by all":       {func(_ *testing.T, dir string) error { return mkdir(dir, 0o707) }, "others may write"},
		"of another user": {func(t *testing.T, dir string) error {
			if os.Getuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			const nobody = 65534
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, nobody, nobody)
		}, "belongs to another user"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := tt.make(t, dir); err != nil {
				t.Fatal(err)
			}
			_, err := (&directories{runtimeFlag: dir}).runtime()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// mkdir is os.Mkdir without the umask.
func mkdir(dir string, mode os.FileMode) error {
	if err := os.Mkdir(dir, mode); err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}
