package rulefile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/rulefile"
)

// said is one call of a watch.
type said struct {
	mode approval.Mode
	err  error
}

// watching starts a watch of a room that ends with the test, and must then have
// returned nil.
func watching(r *room, since *rulefile.Loaded, after func(time.Duration) <-chan time.Time) <-chan said {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls, ended := make(chan said, 64), make(chan error, 1)
	go func() {
		ended <- rulefile.WatchWith(ctx, r.Files, r.options(), since, func(l *rulefile.Loaded, err error) {
			s := said{err: err}
			if l != nil {
				s.mode = l.Mode
			}
			calls <- s
		}, after)
	}()
	r.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Errorf("the watch ended with: %v", err)
		}
	})
	return calls
}

// await takes calls until one is as wanted. What comes before may be a moment
// in between, as a file that was created and not yet written.
func await(t *testing.T, calls <-chan said, what string, wanted func(said) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		select {
		case s := <-calls:
			if wanted(s) {
				return
			}
		case <-ctx.Done():
			t.Fatalf("nothing was said of %s", what)
		}
	}
}

func modeIs(m approval.Mode) func(said) bool {
	return func(s said) bool { return s.err == nil && s.mode == m }
}

const (
	ask    = `mode = "promptUnmatched"` + "\n"
	denies = `mode = "denyUnmatched"` + "\n"
	bad    = "mode = 3\n"
)

func TestAChangeIsSaidHoweverItComesAbout(t *testing.T) {
	for _, c := range []struct {
		name           string
		before, change func(r *room)
	}{
		{"written in place", func(r *room) { r.write(r.User, ask) }, func(r *room) { r.write(r.User, denies) }},
		{"renamed to", func(r *room) { r.write(r.User, ask) }, func(r *room) { r.swap(r.User, denies) }},
		{"the first file", func(r *room) { r.write(r.User+".other", "") }, func(r *room) { r.write(r.User, denies) }},
		{"directories that appear", func(*room) {}, func(r *room) { r.write(r.User, denies) }},
		{"the managed file", func(*room) {}, func(r *room) { r.write(r.Managed, denies) }},
		{"a directory that is replaced", func(r *room) { r.write(r.User, ask) }, func(r *room) {
			dir := filepath.Dir(r.User)
			r.write(filepath.Join(dir+".new", "policy.toml"), denies)
			if err := os.Rename(dir, dir+".old"); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Rename(dir+".new", dir); err != nil {
				r.t.Fatal(err)
			}
		}},
		{"what a link leads to", func(r *room) {
			linked := filepath.Join(r.dir, "dotfiles", "policy.toml")
			r.write(linked, ask)
			r.write(r.User+".other", "")
			if err := os.Symlink(linked, r.User); err != nil {
				r.t.Fatal(err)
			}
		}, func(r *room) { r.swap(filepath.Join(r.dir, "dotfiles", "policy.toml"), denies) }},
		{"a link to a directory that leads elsewhere now", func(r *room) {
			r.write(filepath.Join(r.dir, "a", "policy.toml"), ask)
			r.write(filepath.Join(r.dir, "b", "policy.toml"), denies)
			must(r.t, os.Mkdir(filepath.Join(r.dir, "home"), 0o700))
			must(r.t, os.Symlink(filepath.Join(r.dir, "a"), filepath.Dir(r.User)))
		}, func(r *room) {
			must(r.t, os.Symlink(filepath.Join(r.dir, "b"), filepath.Dir(r.User)+".new"))
			must(r.t, os.Rename(filepath.Dir(r.User)+".new", filepath.Dir(r.User)))
		}},
		{"a directory that was removed and comes again", func(r *room) { r.write(r.User, ask) }, func(r *room) {
			if err := os.RemoveAll(filepath.Dir(r.User)); err != nil {
				r.t.Fatal(err)
			}
			r.write(r.User, denies)
		}},
		{"rights that are taken away and given back", func(r *room) {
			r.write(r.User, denies)
			if err := os.Chmod(r.User, 0o666); err != nil {
				r.t.Fatal(err)
			}
		}, func(r *room) {
			if err := os.Chmod(r.User, 0o600); err != nil {
				r.t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t)
			c.before(r)
			calls := watching(r, nil, time.After)
			await(t, calls, "what was there at first", func(said) bool { return true })
			c.change(r)
			await(t, calls, "the change", modeIs(approval.DenyUnmatched))
		})
	}
}

func TestAFileThatIsRemovedSaysNothingAnyMore(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, denies)
	calls := watching(r, r.load(), time.After)
	if err := os.Remove(r.User); err != nil {
		t.Fatal(err)
	}
	await(t, calls, "its end", modeIs(""))
}

func TestAStoreThatIsWrittenIsSaid(t *testing.T) {
	r := newRoom(t)
	calls := watching(r, r.load(), time.After)
	store := rulefile.NewStore(r.Stores)
	must(t, store.Add(root, words("ls"), grantID(1), noon))
	await(t, calls, "the first grant", modeIs(""))
	must(t, store.Add(root, words("cat"), grantID(2), noon))
	await(t, calls, "the second", modeIs(""))
}

func TestABadChangeIsSaidOnceAndAGoodOneEndsIt(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, ask)
	calls := watching(r, r.load(), time.After)
	r.swap(r.User, bad)
	await(t, calls, "the fault", func(s said) bool { return s.err != nil && strings.Contains(s.err.Error(), r.User+":1: ") })
	r.swap(r.User, ask)
	await(t, calls, "its end", modeIs(approval.PromptUnmatched))
	if len(calls) > 0 {
		t.Errorf("and said more: %v", <-calls)
	}
}

func TestAWatchSaysNothingOfWhatWasLoaded(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, ask)
	calls := watching(r, r.load(), time.After)
	r.swap(r.User, denies)
	next(t, calls, approval.DenyUnmatched)
}

func TestADirectoryThatOthersMayWriteNowIsSaid(t *testing.T) {
	r := newRoom(t)
	r.write(r.User+".other", "")
	calls := watching(r, r.load(), time.After)
	must(t, os.Chmod(filepath.Dir(r.User), 0o777))
	await(t, calls, "the fault", func(s said) bool { return s.err != nil })
}

func TestWhatChangedBeforeTheWatchBeganIsSaid(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, ask)
	loaded := r.load()
	r.swap(r.User, denies)
	await(t, watching(r, loaded, time.After), "the change", modeIs(approval.DenyUnmatched))
}

// byHand is a watch whose timer the test fires, past what it says at first.
func byHand(r *room) (calls <-chan said, fire chan<- time.Time) {
	r.t.Helper()
	timer := make(chan time.Time)
	calls = watching(r, nil, func(time.Duration) <-chan time.Time { return timer })
	await(r.t, calls, "what was there at first", func(said) bool { return true })
	return calls, timer
}

// next takes the next call, which must be of a good policy in that mode.
func next(t *testing.T, calls <-chan said, mode approval.Mode) {
	t.Helper()
	await(t, calls, "the change", func(s said) bool {
		if !modeIs(mode)(s) {
			t.Errorf("said %+v, want %s", s, mode)
		}
		return true
	})
}

func TestWhatPassesBeforeTheFilesAreLeftAloneIsNotSaid(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, ask)
	calls, fire := byHand(r)
	for _, text := range []string{"", bad, denies} {
		r.write(r.User, text)
	}
	fire <- time.Time{} // is taken once the watch has noticed at least the first
	next(t, calls, approval.DenyUnmatched)
	r.write(r.User, ask)
	fire <- time.Time{}
	next(t, calls, approval.PromptUnmatched)
}

func TestAWatchSaysNothingOfWhatEndsWhereItBegan(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, ask)
	calls, fire := byHand(r)
	r.write(r.User, denies)
	r.write(r.User, ask)
	fire <- time.Time{}
	r.swap(r.User, ask) // another file that says the same
	fire <- time.Time{}
	r.swap(r.User, denies)
	fire <- time.Time{}
	next(t, calls, approval.DenyUnmatched)
}
