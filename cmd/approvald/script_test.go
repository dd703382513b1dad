package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// TestScripts runs the real program. Each script has directories of its own;
// its commands beside testscript's are those of commands below. With
// UPDATE_SCRIPTS set, what a script compares with is rewritten: look at the
// difference before it is committed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                commands,
		Setup:               setup,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

func setup(env *testscript.Env) error {
	// The path of a socket is short on every system, that of a test is not.
	runtime, err := os.MkdirTemp("/tmp", "approvald-test")
	if err != nil {
		return err
	}
	env.Defer(func() {
		killHolder(filepath.Join(env.WorkDir, "state", "approvald"))
		_ = os.RemoveAll(runtime)
	})
	env.Setenv("GORACE", os.Getenv("GORACE"))
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("XDG_RUNTIME_DIR", runtime)
	env.Setenv("STATE", filepath.Join(env.WorkDir, "state", "approvald"))
	env.Setenv("RUNTIME", filepath.Join(runtime, "approvald"))
	return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
}

var commands = map[string]func(*testscript.TestScript, bool, []string){
	"serving":     awaitServing,
	"pending":     awaitPending,
	"expect":      awaitLine,
	"kill-daemon": killDaemon,
	"perm":        checkMode,
	"session":     startSession,
	"open":        openApproval,
	"ask":         openPrompt,
	"answer":      answerPrompt,
	"alter":       alterFile,
	"tale":        makeTale,
	"fetch":       fetchPage,
}

// eventually calls fn until it reports true. The bound is there to fail a test
// that would hang, on the slowest machine.
func eventually(what string, fn func() bool) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(time.Minute)
	for !fn() {
		select {
		case <-ticker.C:
		case <-timeout:
			return fmt.Errorf("it did not happen: %s", what)
		}
	}
	return nil
}

// serving waits for the daemon's socket to answer.
func awaitServing(ts *testscript.TestScript, neg bool, args []string) {
	runtime := ts.Getenv("RUNTIME")
	if len(args) == 1 {
		runtime = ts.MkAbs(args[0])
	}
	ts.Check(eventually("a daemon serves", func() bool {
		return answers(context.Background(), rpc.SocketPath(runtime, "host")) != neg
	}))
}

// pending N waits until N approvals are pending, and sets ID1 to IDN.
func awaitPending(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	dial := func(ctx context.Context) (*client.Client, error) {
		return client.Dial(ctx, rpc.SocketPath(ts.Getenv("RUNTIME"), "host"), client.Options{Role: wire.RoleReviewer})
	}
	ts.Check(eventually(args[0]+" approvals are pending", func() bool {
		c, err := dial(context.Background())
		if err != nil {
			return false
		}
		defer c.Close()
		page, err := c.ListPending(context.Background(), wire.ApprovalListPendingParams{})
		if err != nil || len(page.Approvals) != want {
			return false
		}
		for i, r := range page.Approvals {
			ts.Setenv(fmt.Sprintf("ID%d", i+1), r.ApprovalID)
		}
		return true
	}))
}

// expect FILE REGEXP waits until the file has a line that matches.
func awaitLine(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[1])
	ts.Check(eventually(args[0]+" has "+args[1], func() bool {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && pattern.Match(text)
	}))
}

// kill-daemon kills the daemon that has the state directory as kill -9 does.
func killDaemon(ts *testscript.TestScript, _ bool, _ []string) {
	if !killHolder(ts.Getenv("STATE")) {
		ts.Fatalf("no daemon has %s", ts.Getenv("STATE"))
	}
	ts.Check(eventually("the daemon is gone", func() bool {
		_, held := log.ReadHolder(ts.Getenv("STATE"))
		return !held
	}))
}

func killHolder(dir string) bool {
	holder, held := log.ReadHolder(dir)
	return held && holder.PID > 0 && syscall.Kill(holder.PID, syscall.SIGKILL) == nil
}

// perm MODE PATH… checks the permissions of files and directories.
func checkMode(ts *testscript.TestScript, _ bool, args []string) {
	for _, path := range args[1:] {
		info, err := os.Stat(ts.MkAbs(path))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", path, got, args[0])
		}
	}
}
