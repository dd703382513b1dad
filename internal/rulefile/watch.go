package rulefile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A file that is written in place is empty, then partly there, then whole, and
// nothing tells a whole file from one that goes on. So the files are read once
// they have been left alone for settle; one that is never left alone is read
// every patience. Whether anything is then said depends on what was read alone.
const (
	settle   = 100 * time.Millisecond
	patience = 2 * time.Second
)

// Watch calls changed each time that the files have come to say something else
// than since was loaded from: with the policy, or with the error of Load, in
// which case what is in force had better stay so. nil for since means that
// nothing was loaded. Files and directories may come, go and be replaced; a
// change that ends where it began is none.
//
// Watch returns when ctx is done, with nil, or when changes can be noticed no
// longer, with a sentence. changed is called on the caller's goroutine and
// holds up the watch, not the system: nothing is lost meanwhile. That a link
// within a rule's pattern leads elsewhere is no change of the files.
func Watch(ctx context.Context, files Files, opts Options, since *Loaded, changed func(*Loaded, error)) error {
	return watch(ctx, files, opts, since, changed, time.After)
}

// errClosed is the end of a watch that the system ended.
var errClosed = errors.New("changes of the policy files cannot be noticed any more; restart approvald after changing them")

func watch(ctx context.Context, files Files, opts Options, since *Loaded, changed func(*Loaded, error), after func(time.Duration) <-chan time.Time) error {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the policy files cannot be noticed: %w", err)
	}
	defer notify.Close()
	at := ground{files: files.clean(), notify: notify, names: map[string]bool{}}
	var last state
	if since != nil {
		last = since.state
	}
	look := func() error {
		// First the watches, then the files: what changes in between is read, and
		// what changes after is noticed.
		if err := at.follow(); err != nil {
			return err
		}
		s := read(files, opts)
		if now := s.state(); now != last {
			last = now
			changed(s.load(opts))
		}
		return nil
	}
	var settled, overdue <-chan time.Time
	for err := look(); ; {
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-notify.Events:
			if !open {
				return errClosed
			}
			if !at.concerns(event.Name) {
				continue
			}
		case _, open := <-notify.Errors: // events were lost: what they were about is looked at
			if !open {
				return errClosed
			}
		case <-settled:
			settled, overdue = nil, nil
			err = look()
			continue
		case <-overdue:
			settled, overdue = nil, nil
			err = look()
			continue
		}
		settled = after(settle)
		if overdue == nil {
			overdue = after(patience)
		}
	}
}
