package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/internal/inbox/feed"
	"github.com/approvald/approvald/wire"
)

// Options say where the inbox is and whom it serves.
type Options struct {
	Socket, Version string
	In              io.Reader
	Out             io.Writer
	Interactive     bool // a person is there
}

// width is where long lines are broken: a reader of lines has no columns.
const width = 1 << 20

// longest is the longest line that is taken.
const longest = 64 << 10

// Run asks and answers until the input ends, the person leaves, or ctx ends. dial bounds
// the handshake.
func Run(ctx, dial context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages := make(chan inbox.Msg, 64)
	f, err := feed.Open(dial, o.Socket, feed.Options{Version: o.Version, Interactive: o.Interactive}, func(msg inbox.Msg) {
		select {
		case messages <- msg:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- f.Run(ctx) }()
	l := &loop{ctx: ctx, out: o.Out, do: f.Do, model: inbox.New(), numbers: make(map[string]int), told: make(map[string]wire.RequirementID)}
	err = l.run(messages, linesOf(ctx, o.In), failed)
	cancel()
	return errors.Join(err, f.Close())
}

// linesOf are the lines of the input, until it ends. The reader of a terminal cannot be
// woken, so the goroutine may outlive the loop; the process ends with that.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, longest)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// loop is a conversation. One goroutine has it.
type loop struct {
	ctx   context.Context //nolint:containedctx // the conversation's life
	out   io.Writer
	do    func(context.Context, inbox.Effect) inbox.Msg
	model inbox.Model

	ready   bool
	numbers map[string]int                // of rows, in the order in which they came up; never given twice
	told    map[string]wire.RequirementID // what was said of each row
	over    map[string]bool
	read    wire.RequirementID // the card that was read last
	menu    []wire.Choice      // and its choices
	said    string             // the last notice
	grants  []wire.Grant
	known   []wire.Session
}

// errLeft ends the loop as asked.
var errLeft = errors.New("the person left")

func (l *loop) run(messages <-chan inbox.Msg, lines <-chan string, failed <-chan error) error {
	l.over = make(map[string]bool)
	// Lines are taken once what waits is known, so that a script means what it sees.
	var taken <-chan string
	for {
		if l.ready {
			taken = lines
		}
		select {
		case msg := <-messages:
			l.take(msg)
		case line, more := <-taken:
			if !more {
				return nil
			}
			if err := l.command(line); err != nil {
				if errors.Is(err, errLeft) {
					return nil
				}
				return err
			}
		case err := <-failed:
			return err
		case <-l.ctx.Done():
			return nil
		}
	}
}

// take takes a message, carries out what it makes the inbox want, and tells what is new.
func (l *loop) take(msg inbox.Msg) {
	todo := []inbox.Msg{msg}
	for len(todo) > 0 {
		var effects []inbox.Effect
		l.model, effects = l.model.Update(todo[0], time.Now())
		todo = todo[1:]
		for _, e := range effects {
			if answer := l.do(l.ctx, e); answer != nil {
				todo = append(todo, answer)
			}
		}
	}
	if _, first := msg.(inbox.Snapshot); first && !l.ready {
		l.ready = true
		l.list(false)
		l.say("Type help for the commands.")
	}
	l.news()
}

// news tells what has changed since it was last told.
func (l *loop) news() {
	if text, _ := l.model.Notice(); text != l.said {
		l.said = text
		if text != "" {
			l.say("%s", text)
		}
	}
	if !l.ready {
		return
	}
	seen := make(map[string]bool)
	for _, r := range l.model.Rows() {
		seen[r.ID] = true
		before, known := l.told[r.ID]
		switch {
		case r.Over && !l.over[r.ID]:
			l.over[r.ID] = true
			l.say("Settled: %d: %s: %s", l.number(r.ID), orElse(r.Ending, "by you"), r.Headline)
		case r.Over:
		case !known:
			l.say("New: %d: %s: %s", l.number(r.ID), r.Tool, r.Headline)
		case before != r.Requirement:
			l.say("Next stage: %d: %s: read it again.", l.number(r.ID), r.Headline)
		}
		l.told[r.ID] = r.Requirement
	}
	for id := range l.told {
		if seen[id] {
			continue
		}
		if words, mine := l.model.Ending(id); !mine && !l.over[id] {
			l.say("Settled: %d: %s.", l.number(id), orElse(words, "it is not known how"))
		}
		delete(l.told, id)
		delete(l.over, id)
	}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// number is that of a row, which it keeps.
func (l *loop) number(id string) int {
	n, ok := l.numbers[id]
	if !ok {
		n = len(l.numbers) + 1
		l.numbers[id] = n
	}
	return n
}

func (l *loop) say(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }
