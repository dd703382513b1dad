package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
)

// How long a daemon may take until its socket answers: it replays its log
// first. One that found the directory taken is not the one that will answer.
const (
	startTimeout = 30 * time.Second
	yieldTimeout = 5 * time.Second
	startLook    = 10 * time.Millisecond
)

// background starts the daemon in a process, session and process group of its
// own and returns when its socket answers. Since this process then ends, the
// daemon is nobody's child: exec becomes its command, which must not find a
// child that it did not start.
func (s *serving) background(cmd *cobra.Command) error {
	runtime, err := s.dirs.runtime()
	if err != nil {
		return err
	}
	socket := rpc.SocketPath(runtime, "host")
	daemon, logPath, err := s.start()
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	timeout := time.After(startTimeout)
	ticker := time.NewTicker(startLook)
	defer ticker.Stop()
	for !answers(cmd.Context(), socket) {
		select {
		case err := <-ended:
			exit, ok := errors.AsType[*exec.ExitError](err)
			switch {
			case ok && exit.ExitCode() == exitUsage:
				return exitf(exitUsage, "the daemon would not start: %s says why, and so does `approvald policy check`", logPath)
			case !ok || exit.ExitCode() != exitHeld:
				return exitf(exitFailure, "the daemon ended while it started (%v): %s says why", err, logPath)
			}
			timeout = time.After(yieldTimeout) // another one was quicker
		case <-timeout:
			return &noDaemonError{socket: socket, holder: s.dirs.holder()}
		case <-ticker.C:
		}
	}
	if holder, _ := log.ReadHolder(runtime); holder.PID == daemon.Process.Pid {
		fmt.Fprintf(cmd.ErrOrStderr(), "approvald: started a daemon; `kill %d` stops it, its log is %s\n",
			daemon.Process.Pid, visible(logPath))
	}
	return nil
}

// start starts the daemon with what this command line says and its standard
// error in daemon.log of the state directory.
func (s *serving) start() (daemon *exec.Cmd, logPath string, err error) {
	state, err := s.dirs.state()
	if err != nil {
		return nil, "", err
	}
	runtime, err := s.dirs.runtime()
	if err != nil {
		return nil, "", err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, "", fmt.Errorf("find the program to start as a daemon: %w", err)
	}
	if err := log.MakeDirs(state); err != nil {
		return nil, "", fmt.Errorf("create the state directory: %w", err)
	}
	if err := keepDescriptors(); err != nil {
		return nil, "", err
	}
	logPath = filepath.Join(state, "daemon.log")
	output, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("open the daemon's log: %w", err)
	}
	defer output.Close()
	policy := ""
	if s.policy != "" {
		files, err := s.dirs.policyFiles(s.policy)
		if err != nil {
			return nil, "", err
		}
		policy = files.User // absolute
	}
	daemon = &exec.Cmd{
		Path: program,
		Args: []string{
			os.Args[0], "serve", "--state-dir", state, "--runtime-dir", runtime,
			"--mode", s.mode, "--ceiling", s.ceiling, "--policy", policy, "--log-level", s.logLevel,
			fmt.Sprintf("--ephemeral=%t", s.ephemeral),
		},
		Dir:         "/", // no directory is held for it
		Stdout:      output,
		Stderr:      output,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := daemon.Start(); err != nil {
		return nil, "", fmt.Errorf("start the daemon: %w", err)
	}
	return daemon, logPath, nil
}

// keepDescriptors keeps what this process was started with from the daemon, but
// for the standard streams: a lock or a pipe of whoever called exec would
// otherwise stay open for as long as the daemon runs.
func keepDescriptors() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("list the open files: %w", err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// answers reports whether somebody listens on a socket.
func answers(ctx context.Context, socket string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
