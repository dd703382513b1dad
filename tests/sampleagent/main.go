// Command sampleagent is an agent without a model: it does what the text of a turn says,
// and asks before each step. It is used in tests, and shows what an agent that others
// give work to has to do (docs/AGENTS.md).
//
// As the program of serve --agent-cmd it speaks on its standard input and output:
//
//	approvald serve --agent-cmd sampleagent
//
// With the path of an agent.sock it starts a session in its working directory, writes the
// session's id to its standard output, and carries out its turns:
//
//	sampleagent $XDG_RUNTIME_DIR/approvald/agent/agent.sock
//
// Each line of a turn's text is a step:
//
//	run COMMAND      a shell command, of which each stage is decided on its own
//	write PATH       a file
//	odd ANYTHING     an action of a kind that approvald does not know
//	ask QUESTION     a prompt
//	exit CODE        the end of the program, in the middle of its turn
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sampleagent:", err)
		os.Exit(1)
	}
}

// run serves until standard input ends, which is how a daemon ends the programs that it
// has started.
func run(ctx context.Context, args []string) error {
	in := &input{Reader: os.Stdin, ended: make(chan struct{})}
	a := &agent{stops: map[string]context.CancelFunc{}}
	options := client.Options{Name: "sample_agent", Version: "1", Role: wire.RoleAgent, OnTurn: a.begin, OnNotification: a.notified}
	var err error
	if len(args) == 0 {
		a.client, err = client.New(ctx, stdio{in, os.Stdout}, options)
	} else {
		go func() { _, _ = io.Copy(io.Discard, in) }()
		a.client, err = a.attach(ctx, args[0], options)
	}
	if err != nil {
		return err
	}
	a.ready()
	<-in.ended
	return a.client.Close()
}

// attach connects to a running daemon and starts a session there.
func (a *agent) attach(ctx context.Context, socket string, options client.Options) (*client.Client, error) {
	options.Reconnect = true
	c, err := client.Dial(ctx, socket, options)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	started, err := c.StartSession(ctx, wire.SessionStartParams{WorkspaceRoot: dir})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(os.Stdout, started.Session.SessionID); err != nil {
		return nil, err
	}
	return c, nil
}

// stdio is standard input and output as one stream.
type stdio struct {
	io.Reader
	io.WriteCloser
}

// input is a reader that tells when it has come to its end.
type input struct {
	io.Reader

	once  sync.Once
	ended chan struct{}
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if err != nil {
		i.once.Do(func() { close(i.ended) })
	}
	return n, err
}

// textOf is the text that a turn was given.
func textOf(parts []json.RawMessage) (text string) {
	for _, part := range parts {
		var p struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(part, &p) == nil {
			text += p.Text
		}
	}
	return text
}
