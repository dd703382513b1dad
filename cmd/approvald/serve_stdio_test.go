package main

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// owner is the process that started a daemon with --stdio.
type owner struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stderr *bytes.Buffer // complete when the process has ended
}

// maxLine is more than the longest line of a daemon's.
const maxLine = wire.MaxFrame + 1

func (p place) owned(t *testing.T, flags ...string) *owner {
	t.Helper()
	cmd := p.command(t, append([]string{"serve", "--stdio"}, flags...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.awaitSocket(t)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxLine)
	return &owner{t, cmd, stdin, lines, stderr}
}

// asks sends a line and returns the next one of the daemon's.
func (o *owner) asks(line string) string {
	o.t.Helper()
	if _, err := io.WriteString(o.stdin, line+"\n"); err != nil {
		o.t.Fatal(err)
	}
	return o.hears()
}

func (o *owner) hears() string {
	o.t.Helper()
	if !o.lines.Scan() {
		o.t.Fatalf("the daemon says nothing more: %v", o.lines.Err())
	}
	return o.lines.Text()
}

func (o *owner) leaves() {
	o.t.Helper()
	if err := o.stdin.Close(); err != nil {
		o.t.Fatal(err)
	}
}

func (o *owner) endsWell() {
	o.t.Helper()
	for o.lines.Scan() { // to the end of its output
	}
	if err := o.cmd.Wait(); err != nil {
		o.t.Fatalf("the daemon ended with %v, want exit code 0", err)
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"owner","version":"1"}}}`

func TestEndOfInputEndsTheDaemonWithItsOtherClients(t *testing.T) {
	p := newPlace(t)
	o := p.owned(t)
	lost := make(chan error, 1)
	p.dial(t, "host", client.Options{Reconnect: true, OnConnection: func(err error) { lost <- err }})
	o.leaves()
	o.endsWell()
	if err := <-lost; err == nil {
		t.Error("the client was connected again, to whom?")
	}
}

func TestLingeringDaemonServesTheOthersUntilTheyAreGone(t *testing.T) {
	p := newPlace(t)
	o := p.owned(t, "--linger")
	c := p.dial(t, "host", client.Options{})
	if got := o.asks(hello); !strings.Contains(got, `"role":"both"`) {
		t.Fatalf("hello is answered %s", got)
	}
	o.leaves()
	for o.lines.Scan() { // the owner's connection ends
	}
	if _, err := c.ListSessions(t.Context(), wire.SessionListParams{}); err != nil {
		t.Fatalf("the daemon does not serve the other client any more: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	o.endsWell()
}

func TestLingeringDaemonAloneEndsWithItsInput(t *testing.T) {
	o := newPlace(t).owned(t, "--linger")
	o.leaves()
	o.endsWell()
}

func TestSignalEndsTheDaemonWhileItsInputIsOpen(t *testing.T) {
	o := newPlace(t).owned(t)
	o.asks(hello)
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o.endsWell()
}

func TestOwnerThatReadsNoMoreIsNotTheEndOfTheOthers(t *testing.T) {
	p := newPlace(t)
	cmd := p.command(t, "serve", "--stdio", "--linger")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.awaitSocket(t)
	c := p.dial(t, "host", client.Options{})
	if err := stdout.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, hello+"\n"); err != nil { // its answer cannot be written
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, strings.Repeat(hello+"\n", 100)); err != nil && !strings.Contains(err.Error(), "broken pipe") {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := c.ListSessions(t.Context(), wire.SessionListParams{}); err != nil {
			t.Fatalf("the daemon does not serve the other client any more: %v", err)
		}
	}
}
