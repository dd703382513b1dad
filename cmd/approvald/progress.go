package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// When progress is shown: not for what is over at once, and not more often than
// a person reads.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progress shows on a terminal how far something is that takes a while.
type progress struct {
	ctx      context.Context //nolint:containedctx // of the one command whose progress this is
	w        io.Writer
	terminal bool
	now      func() time.Time
	began    time.Time
	next     time.Time // when it is shown again
	shown    bool
}

func newProgress(ctx context.Context, w io.Writer) *progress {
	p := &progress{ctx: ctx, w: w, terminal: isTerminal(w), now: time.Now}
	p.begin()
	return p
}

func (p *progress) begin() { p.began = p.now(); p.next = p.began.Add(progressAfter) }

// of is the progress of a step, such as "copying". Its error is that the
// command was interrupted.
func (p *progress) of(step string) func(done, of int64) error {
	return func(done, of int64) error {
		if p.terminal {
			if now := p.now(); !now.Before(p.next) {
				p.next, p.shown = now.Add(progressEvery), true
				fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d MiB (%d %%)", step, done>>20, of>>20, percent(done, of))
			}
		}
		if err := p.ctx.Err(); err != nil {
			return fmt.Errorf("interrupted while %s: %w", step, err)
		}
		return nil
	}
}

// percent is never more than 100: the bytes of records are counted, and those
// of a file are the whole.
func percent(done, of int64) int64 { return min(100, 100*done/max(1, of)) }

// end takes the line away.
func (p *progress) end() {
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
