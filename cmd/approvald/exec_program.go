package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/policy/shell"
)

// program is what exec asks about and then becomes. What it is was settled
// before anyone was asked: the file that is executed and the directory it runs
// in are not looked up again.
type program struct {
	argv []string
	path string   // of the executable
	cwd  string   // real path of dir
	dir  *os.File // the directory itself, wherever it is moved meanwhile
	env  []string
}

// findProgram looks the program up as a shell in the directory cwd ("" is this
// process's) would, except that a PATH that names no absolute directory finds
// nothing.
func findProgram(argv []string, cwd string) (*program, error) {
	p := &program{argv: argv, env: os.Environ()}
	if err := p.enter(cwd); err != nil {
		return nil, err
	}
	for _, text := range append([]string{p.cwd}, argv...) {
		if !utf8.ValidString(text) {
			return nil, exitf(exitExec, "%s is not UTF-8 text, so no reviewer could be shown it as it is", text)
		}
	}
	name := argv[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(p.cwd, name)
	}
	path, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, exitf(exitNotFound, "there is no program %s", argv[0])
	case err != nil:
		return nil, exitf(exitDenied, "%s cannot be executed: %w", argv[0], err)
	}
	p.path = path
	if named := shell.Stages(shellWords(argv), "bash", ""); len(named) == 1 && named[0].KnownSafe {
		// The name is that of a builtin, which needs no approval because it is one.
		// What runs is a file, and is asked about as one.
		p.argv = append([]string{path}, argv[1:]...)
	}
	return p, nil
}

func (p *program) enter(cwd string) (err error) {
	if cwd == "" {
		if cwd, err = os.Getwd(); err != nil {
			return fmt.Errorf("find the working directory: %w", err)
		}
	}
	if cwd, err = filepath.Abs(cwd); err != nil {
		return err
	}
	if p.cwd, err = filepath.EvalSymlinks(cwd); err != nil {
		return fmt.Errorf("--cwd: %w", err)
	}
	if p.dir, err = os.Open(p.cwd); err != nil {
		return fmt.Errorf("--cwd: %w", err)
	}
	p.env = append(p.env, "PWD="+p.cwd)
	return nil
}

// become replaces this process, so that signals, the terminal, the exit code
// and death by a signal are the program's own. It returns only an error.
func (p *program) become() error {
	if err := p.dir.Chdir(); err != nil {
		return fmt.Errorf("go to %s: %w", p.cwd, err)
	}
	err := syscall.Exec(p.path, p.argv, p.env)
	return exitf(exitDenied, "%s cannot be executed: %w", p.argv[0], err)
}
