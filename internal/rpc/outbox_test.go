package rpc

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// script is a peer that takes what its steps say, and then everything.
type script struct {
	mu       sync.Mutex
	took     strings.Builder
	steps    []step
	deadline time.Time
}

type step struct {
	n   int // bytes that it takes
	err error
}

func (s *script) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := step{n: len(b)}
	if len(s.steps) > 0 {
		next, s.steps = s.steps[0], s.steps[1:]
	}
	s.took.Write(b[:next.n])
	return next.n, next.err
}

func (s *script) SetWriteDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = at
	return nil
}

func (s *script) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took.String()
}

// runOutbox runs an outbox in a bubble; it must end by itself or by closing.
func runOutbox(o *outbox, pull func() []byte) (ended chan error) {
	ended = make(chan error, 1)
	go func() { ended <- o.run(pull) }()
	return ended
}

func nothing() []byte { return nil }

// The events that pull finds may be those of a command whose ack was sent
// while pull was running: the ack goes first.
func TestWhatIsSentDuringAPullGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := new(script)
		o := newOutbox(peer, nil, time.Minute, func() {})
		pulled := false
		ended := runOutbox(o, func() []byte {
			if pulled {
				return nil
			}
			pulled = true
			o.send([]byte("ack\n"))
			return []byte("event\n")
		})
		o.poke()
		synctest.Wait()
		if got := peer.text(); got != "ack\nevent\n" {
			t.Errorf("sent %q", got)
		}
		o.close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A frame for an idle connection is written without the writer. No deadline of
// an earlier write may be in its way, however long the connection was quiet.
func TestQuietConnectionTakesADirectWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := new(script)
		direct := func(b []byte) (int, error) {
			if at := peer.deadline; !at.IsZero() && !time.Now().Before(at) {
				return 0, os.ErrDeadlineExceeded
			}
			return peer.Write(b)
		}
		o := newOutbox(peer, direct, time.Second, func() {})
		events := [][]byte{[]byte("event\n")}
		ended := runOutbox(o, func() (frames []byte) {
			if len(events) > 0 {
				frames, events = events[0], nil
			}
			return frames
		})
		o.poke() // the writer writes, with a deadline
		time.Sleep(time.Hour)
		o.send([]byte("answer\n"))
		synctest.Wait()
		if got := peer.text(); got != "event\nanswer\n" {
			t.Errorf("sent %q", got)
		}
		o.close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestWriter(t *testing.T) {
	slow := step{1, os.ErrDeadlineExceeded} // one byte within the whole stall time-out
	cases := map[string]struct {
		steps []step
		want  string // what the peer has taken of "abcdef"
		err   error
	}{
		"a peer that takes everything":                    {nil, "abcdef", nil},
		"a short write goes on":                           {[]step{{2, nil}, {1, nil}}, "abcdef", nil},
		"a slow peer shows progress and is kept":          {[]step{slow, slow, slow}, "abcdef", nil},
		"a peer that takes nothing is let go":             {[]step{{2, nil}, {0, os.ErrDeadlineExceeded}}, "ab", os.ErrDeadlineExceeded},
		"a slow peer that stops taking anything likewise": {[]step{slow, {0, os.ErrDeadlineExceeded}}, "a", os.ErrDeadlineExceeded},
		"a peer that is gone":                             {[]step{{3, io.ErrClosedPipe}}, "abc", io.ErrClosedPipe},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			peer := &script{steps: c.steps}
			o := newOutbox(peer, nil, time.Minute, func() {})
			o.send([]byte("abcdef"))
			o.close()
			if err := o.run(nothing); !errors.Is(err, c.err) {
				t.Errorf("the writer ended with %v, want %v", err, c.err)
			}
			if got := peer.text(); got != c.want {
				t.Errorf("the peer took %q, want %q", got, c.want)
			}
		})
	}
}

// What was owed when the outbox was closed is still sent, what can be pulled
// included; what comes later is not.
func TestClosedOutboxSendsWhatItOwes(t *testing.T) {
	peer := new(script)
	o := newOutbox(peer, nil, time.Minute, func() {})
	o.send([]byte("owed\n"))
	o.poke()
	o.close()
	o.send([]byte("too late\n"))
	pulls := 0
	err := o.run(func() []byte {
		if pulls++; pulls > 2 {
			return nil
		}
		return []byte("event\n")
	})
	if want := "owed\nevent\nevent\n"; err != nil || peer.text() != want {
		t.Errorf("sent %q and ended with %v, want %q", peer.text(), err, want)
	}
}

// A direct write takes what the kernel takes; the rest follows in order.
func TestPartOfADirectWriteIsFollowedByTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := new(script)
		room := 3
		o := newOutbox(peer, func(b []byte) (int, error) {
			n := min(room, len(b))
			room -= n
			return peer.Write(b[:n])
		}, time.Minute, func() {})
		ended := runOutbox(o, nothing)
		synctest.Wait()
		o.send([]byte("first\n"))
		o.send([]byte("second\n"))
		synctest.Wait()
		if got := peer.text(); got != "first\nsecond\n" {
			t.Errorf("sent %q", got)
		}
		o.breakOff()
		o.send([]byte("nobody is there\n"))
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := o.owed(); got != 0 {
			t.Errorf("%d bytes are kept for a peer that is gone", got)
		}
	})
}
