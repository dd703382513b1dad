package notify

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// Medium is a way to tell somebody. It is used by one goroutine.
type Medium interface {
	// Name is what the log calls it.
	Name() string
	// Tell tells a notice. An error means that it was not told, and is logged.
	Tell(ctx context.Context, n Notice) error
}

// Config is what a Notifier works with.
type Config struct {
	Media []Medium
	// Link is the address of an approval or a prompt in the web inbox; nil: there is
	// none.
	Link   func(sessionID, id string) string
	Logger *slog.Logger // nil: nothing is logged
}

// Notifier hands what waits for a person to media. Its methods are safe for
// concurrent use.
type Notifier struct {
	cfg    Config
	queues []*queue

	mu    sync.Mutex
	waits map[string]Kind // what was told and is not settled, by id
}

// New returns a Notifier. Nothing is told before Run.
func New(cfg Config) *Notifier {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	n := &Notifier{cfg: cfg, waits: make(map[string]Kind)}
	for range cfg.Media {
		n.queues = append(n.queues, newQueue())
	}
	return n
}

// Run tells what Event took, until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	var running sync.WaitGroup
	for i, medium := range n.cfg.Media {
		running.Go(func() { n.serve(ctx, medium, n.queues[i]) })
	}
	running.Wait()
}

func (n *Notifier) serve(ctx context.Context, medium Medium, from *queue) {
	for {
		notice, lost, err := from.next(ctx)
		if err != nil {
			return
		}
		if lost > 0 {
			n.cfg.Logger.Warn("notices were dropped: there were more than the medium could tell",
				slog.String("medium", medium.Name()), slog.Int("dropped", lost))
		}
		if err := medium.Tell(ctx, notice); err != nil && ctx.Err() == nil {
			n.cfg.Logger.Warn("a notice could not be told", slog.String("medium", medium.Name()),
				slog.String("id", notice.ID), slog.Any("cause", err))
		}
	}
}

// Event takes a notification of the daemon: it is a client's OnNotification. It
// does not block.
func (n *Notifier) Event(e client.Event) {
	params, err := e.Decode()
	if err != nil {
		return // of another version; a prompt that was missed is in every inbox
	}
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		// What policy has settled is requested too, with nothing to choose from.
		if len(p.AvailableChoices) > 0 {
			n.tell(requested(p))
		}
	case *wire.UserInputRequest:
		n.tell(asked(p))
	case *wire.ApprovalResolved:
		n.settle(p.SessionID, p.ApprovalID, string(p.Outcome))
	case *wire.UserInputSettledEvent:
		n.settle(p.SessionID, p.UserInputID, string(p.Outcome))
	}
}

// tell queues a notice of something that waits, once: who was told of the first
// stage of a command has the others before them.
func (n *Notifier) tell(notice Notice) {
	n.mu.Lock()
	_, known := n.waits[notice.ID]
	n.waits[notice.ID] = notice.Kind
	n.mu.Unlock()
	if known {
		return
	}
	if n.cfg.Link != nil {
		notice.Link = n.cfg.Link(notice.SessionID, notice.ID)
	}
	for _, q := range n.queues {
		q.add(notice)
	}
}

func (n *Notifier) settle(session, id, outcome string) {
	n.mu.Lock()
	kind, known := n.waits[id]
	delete(n.waits, id)
	n.mu.Unlock()
	if !known {
		return
	}
	for _, q := range n.queues {
		q.add(Notice{Event: Settled, Kind: kind, SessionID: session, ID: id, Outcome: outcome})
	}
}
