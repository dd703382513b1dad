package screen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/internal/inbox/feed"
)

// dialTimeout bounds the handshake with a daemon on the same machine.
const dialTimeout = 10 * time.Second

// Main is the program: it draws the inbox on the terminal of this process, for the daemon
// at the socket that args name.
func Main(args []string) error {
	flags := flag.NewFlagSet("approvald-inbox", flag.ContinueOnError)
	socket := flags.String("socket", "", "the daemon's socket for hosts or reviewers")
	version := flags.String("client-version", "dev", "what the log records as the version")
	if err := flags.Parse(args); err != nil || *socket == "" || flags.NArg() > 0 {
		return errors.New("approvald-inbox is started by `approvald inbox`, which says where the daemon is")
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("the inbox needs a terminal: `approvald inbox --plain` does without")
	}
	// A terminal that is gone sends SIGHUP: with it goes whoever could decide.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	return Run(ctx, Options{
		In: os.Stdin, Out: os.Stdout, Environ: os.Environ(), Now: time.Now,
		Connect: func(send func(inbox.Msg)) (Outside, error) {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			f, err := feed.Open(ctx, *socket, feed.Options{Version: *version, Interactive: true}, send)
			if err != nil {
				return nil, fmt.Errorf("connect to the daemon: %w", err)
			}
			return f, nil
		},
	})
}
