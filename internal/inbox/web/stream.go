package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/approvald/approvald/wire"
)

// kept is how many of the last messages a tab that comes back is told of. One that was
// away for longer loads its page again.
const kept = 1024

// writeTimeout is how long a browser may take no byte of its stream.
const writeTimeout = 30 * time.Second

// mostTabs is how many streams there are at most.
const mostTabs = 256

// message is one thing that tabs are told. It is rendered once, for all of them.
type message struct {
	name string // pending, settled, changed, sessions, reset
	data string // one line of JSON
}

// stream holds the last messages. A tab has a position in it and reads at its own pace:
// telling waits for nobody, and a tab that is too slow is told to load its page again.
type stream struct {
	epoch string // tells the messages of this daemon from those of another

	mu       sync.Mutex
	first    int // the number of messages[0]
	messages []message
	more     chan struct{} // closed and replaced when something is added
	closed   bool
	tabs     int
}

func newStream(epoch string) *stream {
	return &stream{epoch: epoch, more: make(chan struct{})}
}

// tell adds a message.
func (s *stream) tell(name string, about any) {
	data, err := wire.Marshal(about)
	if err != nil {
		return // of a struct of strings and numbers: there is no such error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, message{name, string(data)})
	if extra := len(s.messages) - kept; extra > 0 {
		s.messages = append([]message(nil), s.messages[extra:]...)
		s.first += extra
	}
	s.wake()
}

// wake wakes who waits. Called with mu held.
func (s *stream) wake() {
	close(s.more)
	s.more = make(chan struct{})
}

// nudge has every tab's stream look whether it may go on.
func (s *stream) nudge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake()
}

// join counts a tab in; false where there are too many.
func (s *stream) join() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tabs >= mostTabs {
		return false
	}
	s.tabs++
	return true
}

func (s *stream) part() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tabs--
}

// close ends every tab's stream.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// from are the messages from number at on, and what is closed when there are more; ok
// is false where some of them are gone.
func (s *stream) from(at int) (messages []message, more <-chan struct{}, closed, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at < s.first || at > s.first+len(s.messages) {
		return nil, s.more, s.closed, false
	}
	return s.messages[at-s.first:], s.more, s.closed, true
}

func (s *stream) head() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first + len(s.messages)
}

// position reads the id of the last message that a tab has seen; -1, where there is none,
// for what is no id of this stream.
func (s *stream) position(id string) int {
	epoch, number, _ := strings.Cut(id, ":")
	at, err := strconv.Atoi(number)
	if err != nil || epoch != s.epoch {
		return -1
	}
	return at
}

// cursor is the id of the position behind what has been told.
func (s *stream) cursor() string { return s.id(s.head()) }

func (s *stream) id(at int) string { return s.epoch + ":" + strconv.Itoa(at) }

// events is the stream of a tab. It begins behind the message that the tab has seen
// last, or behind the page that it shows (after); where that cannot be had, the tab is
// told to load its page again. With visible=1 a person is looking at it.
//
// It goes on as long as the session, and no longer than a page is believed to be there:
// then the tab is told to come again, which one that is gone does not.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v visitor) {
	if r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		refuse(w, http.StatusForbidden, "This is for pages of the inbox, and not to be looked at.")
		return
	}
	if !s.stream.join() {
		refuse(w, http.StatusServiceUnavailable, "Too many pages of the inbox are open.")
		return
	}
	defer s.stream.part()
	if r.FormValue("visible") == "1" {
		defer s.presence.come()()
	}
	t := eventWriter{out: w, deadlines: http.NewResponseController(w)}
	if t.deadlines.SetReadDeadline(time.Time{}) != nil { // or the stream would end with it
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.FormValue("after")
	}
	at := s.stream.position(last)
	t.send(s.stream.id(at), "hello")
	proof := time.NewTimer(s.cfg.Proof)
	defer proof.Stop()
	for s.visits.knows(v.token) {
		messages, more, closed, ok := s.stream.from(at)
		if !ok {
			at = s.stream.head()
			t.send(s.stream.id(at), "reset")
			continue
		}
		for _, m := range messages {
			at++
			t.write(s.stream.id(at), m)
		}
		if t.flush() != nil || closed {
			return
		}
		select {
		case <-more:
		case <-proof.C:
			t.send(s.stream.id(at), "again")
			_ = t.flush() // whoever is gone does not come again
			return
		case <-r.Context().Done():
			return
		}
	}
}

// eventWriter writes what a tab is told. Its first error stays.
type eventWriter struct {
	out       io.Writer
	deadlines *http.ResponseController
	err       error
}

// send writes a message about nothing else.
func (t *eventWriter) send(id, name string) { t.write(id, message{name, "{}"}) }

func (t *eventWriter) write(id string, m message) {
	if t.err == nil {
		t.err = t.deadlines.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, "id: %s\nevent: %s\ndata: %s\n\n", id, m.name, m.data)
	}
}

func (t *eventWriter) flush() error {
	if t.err == nil {
		t.err = t.deadlines.Flush()
	}
	return t.err
}
