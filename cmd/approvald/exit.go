package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// The exit codes, all of them. What is not here was passed through: once exec
// runs its command, the exit code is the command's.
const (
	exitOK      = 0
	exitFailure = 1 // what was asked for was not done; the sentence says why
	exitUsage   = 2 // the command line, a mode above the ceiling, or a policy that cannot be read
	exitHeld    = 3 // serve: another daemon has the state or runtime directory
	exitNobody  = 4 // no daemon is running where one was looked for, or the one that a pipe was relayed to is gone
	exitSettled = 5 // decide: the approval was settled before; another decision won
	exitDamaged = 6 // serve, audit, verify, backup, salvage: the log is damaged

	// exec, in the manner of env, timeout and the shells.
	exitExec     = 125 // exec itself failed, its command line included; nothing was run
	exitDenied   = 126 // not allowed, or no program that can be executed; nothing was run
	exitNotFound = 127 // there is no such program; nobody was asked
	exitSignal   = 128 // plus the signal that ended the wait: 130 for Ctrl-C; nothing was run
)

// exitError is an error that has settled on an exit code.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string { return e.cause.Error() }
func (e *exitError) Unwrap() error { return e.cause }

// exitf is a sentence with its exit code.
func exitf(code int, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// together is one error of several that have settled on exit codes, with the sentence of
// each and the code of the first; nil where there is none.
func together(errs []error) error {
	var sentences []string
	code := exitOK
	for _, err := range errs {
		if err == nil {
			continue
		}
		sentence, c := explain(err)
		sentences, code = append(sentences, sentence), cmp.Or(code, c)
	}
	if code == exitOK {
		return nil
	}
	return exitf(code, "%s", strings.Join(sentences, "\n"))
}

// settledOn reports whether an error has an exit code already.
func settledOn(err error) bool {
	_, ok := errors.AsType[*exitError](err)
	return ok
}
