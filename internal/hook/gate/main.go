package gate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/approvald/approvald/internal/hook"
	"github.com/approvald/approvald/internal/runtimedir"
	"github.com/approvald/approvald/wire"
)

// DefaultTimeout is a little under the 600 seconds after which Claude Code gives a hook up, and
// lets the call through where its settings do not say otherwise.
const DefaultTimeout = 590 * time.Second

// The events that ask nothing are not worth the wait: Claude Code gives SessionEnd 1.5 seconds.
const (
	startTimeout = 5 * time.Second
	endTimeout   = time.Second
)

// patience is how long a hook runs before it looks after signals. To do so from the start costs a
// tenth of the time of one that waits for nobody.
const patience = 20 * time.Millisecond

// AgentClaude is the one agent that is known.
const AgentClaude = "claude"

// Main is the program approvald-hook: it answers one event and returns the exit code.
func Main(args []string, version string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	late := time.AfterFunc(patience, func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		<-signals // or the end of the program
		cancel()
	})
	defer late.Stop()
	return Leave(answerTo(ctx, args, version))
}

// Leave writes an answer where the agent reads it, and returns the exit code.
func Leave(answer hook.Answer) int {
	_, err := os.Stdout.Write(answer.Stdout)
	if err == nil && len(answer.Stdout) > 0 && isNowhere(os.Stdout) {
		err = errors.New("standard output is closed, or leads to " + os.DevNull)
	}
	if err != nil && answer.Code == hook.ExitAnswered {
		answer = hook.Broken("", fmt.Sprintf("the answer could not be written (%v).", err))
	}
	_, _ = io.WriteString(os.Stderr, answer.Stderr) // there is no other place to complain
	return answer.Code
}

// isNowhere reports whether nobody reads what is written to a file: a denial that is not heard lets
// the call through. What was closed when the program began is that, too: the runtime sees to it.
func isNowhere(f *os.File) bool {
	is, err := f.Stat()
	nowhere, errNowhere := os.Stat(os.DevNull)
	return err != nil || errNowhere == nil && os.SameFile(is, nowhere)
}

func answerTo(ctx context.Context, args []string, version string) hook.Answer {
	flags := flag.NewFlagSet("approvald-hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	agent := flags.String("agent", AgentClaude, "")
	timeout := flags.Duration("timeout", DefaultTimeout, "")
	runtime := flags.String("runtime-dir", "", "")
	usage := flags.Parse(args)
	if usage == nil && *timeout <= 0 {
		usage = errors.New("--timeout must be positive, as 590s")
	}
	if usage == nil && flags.NArg() > 0 {
		usage = fmt.Errorf("unexpected argument %.200q", flags.Arg(0))
	}
	if usage != nil {
		*timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	text, err := ReadEvent(ctx, os.Stdin)
	switch {
	case err != nil:
		return hook.Broken("", err.Error()+".")
	case usage != nil:
		return hook.Broken(hook.KindOf(text), "its command line in the agent's settings is wrong: "+usage.Error()+".")
	case *agent != AgentClaude:
		return hook.Broken(hook.KindOf(text), fmt.Sprintf("the agent %.100q is not known; approvald hook knows %s only, and answers no other.", *agent, AgentClaude))
	}
	return ask(ctx, text, *timeout, *runtime, version)
}

func ask(ctx context.Context, text []byte, timeout time.Duration, runtime, version string) hook.Answer {
	event, err := hook.Parse(text, surroundings())
	if err != nil {
		return hook.Broken(event.Kind, err.Error()+".")
	}
	socket, err := runtimedir.FindSocket(runtime, "agent")
	if err != nil {
		return hook.Broken(event.Kind, "the sockets of approvald were not trusted: "+err.Error()+".")
	}
	if event.Call == nil {
		timeout = min(timeout, startTimeout)
	}
	if event.Kind == hook.SessionEnd {
		timeout = min(timeout, endTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	gate := Gate{
		Version: version, Place: socket,
		Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}
	return gate.Ask(ctx, &event, timeout.String())
}

func surroundings() hook.Surroundings {
	shell := os.Getenv("CLAUDE_CODE_SHELL")
	if shell == "" {
		shell = os.Getenv("SHELL")
	}
	return hook.Surroundings{
		Project: os.Getenv("CLAUDE_PROJECT_DIR"), Path: os.Getenv("PATH"), Shell: shell, Home: os.Getenv("HOME"),
		Real: func(dir string) string {
			if found, err := filepath.EvalSymlinks(dir); err == nil {
				return found
			}
			return dir // the daemon finds the difference
		},
		Nonce: strconv.Itoa(os.Getpid()) + "." + strconv.FormatInt(time.Now().UnixNano(), 10),
	}
}

// ReadEvent reads what the agent says on standard input, which ends with its end, until ctx
// ends. The error is a sentence.
func ReadEvent(ctx context.Context, in io.Reader) ([]byte, error) {
	type input struct {
		text []byte
		err  error
	}
	read := make(chan input, 1)
	go func() { // ends with the program, if the input does not
		text, err := io.ReadAll(io.LimitReader(in, wire.MaxFrame+1))
		read <- input{text, err}
	}()
	select {
	case got := <-read:
		switch {
		case got.err != nil:
			return nil, fmt.Errorf("standard input could not be read: %w", got.err)
		case len(got.text) > wire.MaxFrame:
			return nil, fmt.Errorf("the agent wrote more than %d bytes to standard input", wire.MaxFrame)
		}
		return got.text, nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, errors.New("the agent did not finish writing its call to standard input in time")
		}
		return nil, errors.New("it was ended by a signal while it read its standard input")
	}
}
