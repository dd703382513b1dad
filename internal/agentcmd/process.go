package agentcmd

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a program that was started. Its methods are safe for concurrent use, but
// Read and Write each for one caller at a time.
type Process struct {
	cmd      *exec.Cmd
	in, out  *os.File // our ends of its standard input and output
	patience time.Duration

	close  sync.Once
	exited chan struct{} // closed when it has been waited for
	state  *os.ProcessState
}

// Start starts the program in a directory; "" is that of the daemon. It is the leader of
// a process group of its own, so that a Ctrl-C at the daemon's terminal is the daemon's.
func (c *Command) Start(dir string) (*Process, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe: %w", err), stdin.Close(), in.Close())
	}
	logger := cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	cmd := exec.Command(c.Program, c.Args...)
	cmd.Dir, cmd.Env = dir, c.Env
	cmd.Stdin, cmd.Stdout = stdin, stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said := &stderr{log: logger}
	cmd.Stderr = said
	cmd.WaitDelay = cmp.Or(c.Patience, DefaultPatience) // for who has inherited its standard error
	err = cmd.Start()
	_, _ = stdin.Close(), stdout.Close() // the program has them
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	p := &Process{cmd: cmd, in: in, out: out, patience: cmd.WaitDelay, exited: make(chan struct{})}
	said.pid.Store(int64(cmd.Process.Pid))
	go p.wait(said)
	return p, nil
}

// wait reaps the program. What it has written is still read, for a while, also where a
// child of it holds the pipe open.
func (p *Process) wait(said *stderr) {
	_ = p.cmd.Wait() // what it says is in the state
	p.state = p.cmd.ProcessState
	said.flush()
	_ = p.out.SetReadDeadline(time.Now().Add(p.patience)) // closed already: nobody reads
	close(p.exited)
}

// Identity is its process id and the file of its program.
func (p *Process) Identity() (pid int, executable string) { return p.cmd.Process.Pid, p.cmd.Path }

// Read reads what it writes to its standard output.
func (p *Process) Read(b []byte) (int, error) { return p.out.Read(b) }

// Write writes to its standard input.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends its standard input, which tells it to end, and reads no more.
func (p *Process) Close() (err error) {
	p.close.Do(func() { err = errors.Join(p.in.Close(), p.out.Close()) })
	return err
}

// End waits until the program is gone: by itself once its input has ended, else by
// SIGTERM, else killed, with its process group. It says in a sentence how it ended.
func (p *Process) End() string {
	_ = p.Close()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if p.gone(p.patience) {
			break
		}
		_ = syscall.Kill(-p.cmd.Process.Pid, signal) // it may have gone this instant
	}
	<-p.exited
	return ending(p.state)
}

// gone waits for the end for a while.
func (p *Process) gone(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ending says how a program ended.
func ending(s *os.ProcessState) string {
	status, _ := s.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return fmt.Sprintf("The agent was ended by a signal: %s.", status.Signal())
	}
	return fmt.Sprintf("The agent ended with exit code %d.", s.ExitCode())
}
