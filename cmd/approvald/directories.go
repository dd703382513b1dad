package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/approvald/approvald/internal/runtimedir"
)

// directories says where things are. Each directory is the flag's, else that
// of the environment (APPROVALD_STATE_DIR, APPROVALD_RUNTIME_DIR), else the
// XDG base directory's, else XDG's default:
//
//	state    $XDG_STATE_HOME/approvald, ~/.local/state/approvald
//	runtime  $XDG_RUNTIME_DIR/approvald, /tmp/approvald-<uid>
//	config   $XDG_CONFIG_HOME/approvald, ~/.config/approvald
//
// internal/runtimedir says why the runtime directory has no other default.
type directories struct {
	stateFlag, runtimeFlag string // of the command line; "" for none
}

// state is the absolute state directory. It need not exist.
func (d *directories) state() (string, error) {
	if dir := d.chosen(d.stateFlag, "APPROVALD_STATE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir, ok := base("XDG_STATE_HOME", ".local/state"); ok {
		return dir, nil
	}
	return "", errors.New("there is no place for the log, because HOME is not set: " +
		"set it or XDG_STATE_HOME, or give --state-dir")
}

// runtime is the absolute runtime directory. It need not exist; if it does, it
// is this user's alone to change, so what answers on a socket in it is too.
func (d *directories) runtime() (string, error) { return runtimedir.Find(d.runtimeFlag) }

// config is the absolute directory of the user's policy, "" where there is
// none because HOME is not set.
func (d *directories) config() string {
	dir, _ := base("XDG_CONFIG_HOME", ".config")
	return dir
}

// socket is the path of the socket named agent, reviewer or host.
func (d *directories) socket(name string) (string, error) {
	return runtimedir.FindSocket(d.runtimeFlag, name)
}

// hint is a command line for a person to type, for the same directories.
func (d *directories) hint(args string) string {
	words := []string{"approvald"}
	if strings.ContainsRune(os.Args[0], filepath.Separator) {
		words[0] = shellWords([]string{os.Args[0]}) // it was not found on the PATH
	}
	if d.stateFlag != "" {
		words = append(words, "--state-dir", shellWords([]string{d.stateFlag}))
	}
	if d.runtimeFlag != "" {
		words = append(words, "--runtime-dir", shellWords([]string{d.runtimeFlag}))
	}
	return strings.Join(append(words, args), " ")
}

func (d *directories) chosen(flag, variable string) string {
	if flag != "" {
		return flag
	}
	return os.Getenv(variable)
}

// base is approvald's directory below an XDG base directory, which counts only
// where it is absolute (XDG Base Directory Specification, "Basics").
func base(variable, underHome string) (string, bool) {
	if root := os.Getenv(variable); filepath.IsAbs(root) {
		return filepath.Join(root, "approvald"), true
	}
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, underHome, "approvald"), true
	}
	return "", false
}

// absDir is a directory of the command line, made absolute; "" is the working
// directory.
func absDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir) // of "", the working directory
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return abs, nil
}
