package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/wire"
)

// usageError says that the command line was not understood.
type usageError struct {
	command string
	cause   error
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v (see %s --help)", e.cause, e.command)
}
func (e *usageError) Unwrap() error { return e.cause }

// noDaemonError says that nobody answers on a socket.
type noDaemonError struct {
	socket string
	holder log.Holder // of the state directory; zero where nobody holds it
	cause  error
}

func (e *noDaemonError) Error() string {
	if e.holder.PID != 0 {
		return fmt.Sprintf("nobody answers at %s, although %s has the state directory: "+
			"it may be starting, or have another --runtime-dir", e.socket, e.holder)
	}
	return fmt.Sprintf("no daemon is running at %s: start one with `approvald serve`", e.socket)
}
func (e *noDaemonError) Unwrap() error { return e.cause }

// nobodyThere reports whether a dial failed because nobody listens.
func nobodyThere(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// tell writes the sentence of an error and returns its exit code.
func tell(w io.Writer, err error) int {
	sentence, code := explain(err)
	lines := visibleLines(strings.ReplaceAll(sentence, "\t", "  "))
	fmt.Fprintf(w, "approvald: %s\n", lines[0])
	for _, line := range lines[1:] { // of somebody else's text, or of several errors
		fmt.Fprintf(w, "    | %s\n", line)
	}
	return code
}

// explain turns an error into a sentence for a person and an exit code.
func explain(err error) (sentence string, code int) {
	if settled, ok := errors.AsType[*exitError](err); ok {
		sentence, _ = explain(settled.cause)
		return sentence, settled.code
	}
	if nobody, ok := errors.AsType[*noDaemonError](err); ok {
		return nobody.Error(), exitNobody // not with what the client says about the socket
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return explainRefusal(refusal)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("the daemon does not answer (%v)", err), exitFailure
	}
	return err.Error(), codeOf(err)
}

// codeOf is the exit code of an error that is a sentence already.
func codeOf(err error) int {
	_, usage := errors.AsType[*usageError](err)
	_, policy := errors.AsType[*rulefile.Fault](err)
	if usage || policy || errors.Is(err, daemon.ErrModes) {
		return exitUsage
	}
	_, state := errors.AsType[*log.HeldError](err)
	_, runtime := errors.AsType[*daemon.SocketsHeldError](err)
	if state || runtime {
		return exitHeld
	}
	return exitFailure
}

// explainRefusal is explain for what the daemon refused. The daemon's messages
// are sentences; what is added is what to do here.
func explainRefusal(e *wire.Error) (string, int) {
	switch e.Data.Kind {
	case wire.KindApprovalAlreadyResolved:
		if r := e.Data.Resolution; r != nil {
			return fmt.Sprintf("approval %s was settled before: %s", e.Data.ApprovalID, card.OutcomeText(r.Outcome, r.ResolvedBy)), exitSettled
		}
		return e.Message, exitSettled
	case wire.KindApprovalRequirementStale:
		return e.Message + " Look at it again with `approvald show`.", exitFailure
	case wire.KindApprovalReviewerUnavailable:
		return e.Message + " Keep `approvald watch` open in a terminal, then decide.", exitFailure
	case wire.KindRoleForbidden:
		return e.Message + " Use a shell of your own.", exitFailure
	default:
		if e.Data.Retryable {
			return e.Message + " Try again.", exitFailure
		}
		return e.Message, exitFailure
	}
}
