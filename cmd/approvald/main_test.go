package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/approvald/approvald/internal/hook/gate"
	inboxscreen "github.com/approvald/approvald/internal/inbox/screen"
)

// The test binary is approvald itself when it is called by that name, so that
// scripts and terminal tests run the real program in processes of its own.
func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		// With the race detector each process would sleep for a second at its end.
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(tidy{m}, map[string]func(){"approvald": main, "approvald-inbox": inboxMain, "approvald-hook": hookMain, "exits": exits})
}

// inboxMain is cmd/approvald-inbox.
func inboxMain() {
	if err := inboxscreen.Main(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "approvald:", err)
		os.Exit(1)
	}
}

// hookMain is cmd/approvald-hook.
func hookMain() { os.Exit(gate.Main(os.Args[1:], "test")) }

// tidy runs the tests, and fails where a goroutine is left when all have ended
// what they started.
type tidy struct{ *testing.M }

func (m tidy) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// exits CODE PROGRAM [ARGUMENT…] succeeds if the program ends with the code, or
// by the signal CODE - 128.
func exits() {
	want, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, syscall.SIGINT) // what a script that fails sends, and sends us alone
	err = cmd.Start()
	if err == nil {
		go func() { _ = cmd.Process.Signal(<-interrupts) }()
		err = cmd.Wait()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		panic(exit)
	}
	got := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		got = 128 + int(status.Signal())
	}
	if got != want {
		fmt.Fprintf(os.Stderr, "exits: %v: exit code %d, want %d\n", os.Args[2:], got, want)
		os.Exit(1)
	}
}
