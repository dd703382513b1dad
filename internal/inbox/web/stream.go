package web

import (
	"fmt"
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

// message is one thing that tabs are told. It is rendered once, for all of them.
type message struct {
	name string // pending, settled, changed
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

// position reads the id of the last message that a tab has seen.
func (s *stream) position(id string) (at int, ok bool) {
	epoch, number, _ := strings.Cut(id, ":")
	at, err := strconv.Atoi(number)
	return at, err == nil && epoch == s.epoch
}

// cursor is the id of the position behind what has been told.
func (s *stream) cursor() string { return s.id(s.head()) }

func (s *stream) id(at int) string { return s.epoch + ":" + strconv.Itoa(at) }

// events is the stream of a tab. It begins behind the message that the tab has seen
// last, or behind the page that it shows (after); where that cannot be had, the tab is
// told to load its page again. With visible=1 a person is looking at it.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ visitor) {
	if r.FormValue("visible") == "1" {
		defer s.presence.come()()
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	send := func(id, name, data string) bool {
		if out.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil {
			return false
		}
		_, err := fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", id, name, data)
		return err == nil
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.FormValue("after")
	}
	at, ok := s.stream.position(last)
	if !ok {
		at = -1
	}
	if !send(last, "hello", "{}") {
		return
	}
	for {
		messages, more, closed, ok := s.stream.from(at)
		if !ok {
			at = s.stream.head()
			if !send(s.stream.id(at), "reset", "{}") {
				return
			}
			continue
		}
		for _, m := range messages {
			at++
			if !send(s.stream.id(at), m.name, m.data) {
				return
			}
		}
		if out.Flush() != nil || closed {
			return
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}
