package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
)

// logFile is the name of the log in a state directory.
const logFile = "sessions.db"

// logPath is the log that a command reads: the one of the state directory, or
// the file that was named.
func (d *directories) logPath(args []string) (string, error) {
	if len(args) > 0 {
		return filepath.Abs(args[0])
	}
	dir, err := d.state()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, logFile), nil
}

// reading is a log that is open for reading: the file itself, or a copy of it
// where a daemon writes the file.
type reading struct {
	*log.Reader
	writer *log.Holder // the process that writes the log; nil where none does
	copied string      // the directory of the copy; "" for none
}

// openLog opens a log for reading. A log that a daemon writes is copied to a
// directory for temporary files ($TMPDIR), private to this user, and the copy is
// read: it is the log as of now.
func openLog(ctx context.Context, path string, p *progress) (*reading, error) {
	holder, held := log.ReadHolder(filepath.Dir(path))
	if !held {
		r, err := log.OpenReader(path)
		if _, inUse := errors.AsType[*log.InUseError](err); !inUse {
			return &reading{Reader: r}, noLog(path, err)
		}
	}
	dir, err := os.MkdirTemp("", "approvald-")
	if err != nil {
		return nil, fmt.Errorf("make room for a copy of the log: %w", err)
	}
	r, err := openCopy(path, filepath.Join(dir, logFile), p)
	if err != nil {
		return nil, errors.Join(noLog(path, err), os.RemoveAll(dir))
	}
	out := &reading{Reader: r, writer: &holder, copied: dir}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, out.close())
	}
	return out, nil
}

func openCopy(path, to string, p *progress) (*log.Reader, error) {
	if err := log.Snapshot(path, to, p.of("copying the log, which a daemon writes")); err != nil {
		return nil, err
	}
	return log.OpenReader(to)
}

// noLog names a log that is not there by its place.
func noLog(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no log at %s", path)
	}
	return err
}

func (r *reading) close() error {
	err := r.Close()
	if r.copied != "" {
		err = errors.Join(err, os.RemoveAll(r.copied))
	}
	return err
}

// mend says, of a log that is damaged, how to go on from here.
func (d *directories) mend(err error) error {
	_, _, damaged := audit.Damage(err)
	if !damaged {
		return err
	}
	if file, ok := errors.AsType[*log.DamagedError](err); ok && file.NoLog {
		return &exitError{exitDamaged, err}
	}
	return exitf(exitDamaged, "%w; `%s` says what holds, and `%s` copies that into a new state directory",
		err, d.hint("verify"), d.hint("salvage --to DIR"))
}
