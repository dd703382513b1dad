package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// stream is a connection in memory. The daemon has its io.ReadWriteCloser, the player the other
// methods. Neither side ever waits for the other to take what it is sent. It is safe for
// concurrent use.
type stream struct {
	moves *atomic.Uint64 // counts whatever happens on any stream of the run

	mu      sync.Mutex
	arrived *sync.Cond // sent or ended changed; shares mu
	sent    []byte     // by the client and not read yet
	said    []byte     // by the daemon and not taken yet
	waiting bool       // the daemon is in Read and has nothing to read
	ended   bool       // by either side
}

func newStream(moves *atomic.Uint64) *stream {
	s := &stream{moves: moves}
	s.arrived = sync.NewCond(&s.mu)
	return s
}

// Read implements io.Reader for the daemon.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moves.Add(1)
	for len(s.sent) == 0 && !s.ended {
		s.waiting = true
		s.arrived.Wait()
	}
	s.waiting = false
	s.moves.Add(1)
	if len(s.sent) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.sent)
	s.sent = s.sent[n:]
	return n, nil
}

// Write implements io.Writer for the daemon.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, io.ErrClosedPipe
	}
	s.moves.Add(1)
	s.said = append(s.said, p...)
	return len(p), nil
}

// Close ends the connection for both sides, whichever calls it. What was said can still be taken.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.moves.Add(1)
	s.arrived.Broadcast()
	return nil
}

// errEnded says that the daemon has closed the connection.
var errEnded = errors.New("the daemon has closed this connection")

// send hands the daemon bytes of its client.
func (s *stream) send(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errEnded
	}
	s.sent = append(s.sent, p...)
	s.arrived.Broadcast()
	return nil
}

// drained reports whether the daemon has read everything and waits for more.
func (s *stream) drained() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting && len(s.sent) == 0 && !s.ended
}

// take removes and returns the lines that the daemon has said, without their newlines.
func (s *stream) take() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.said) == 0 {
		return nil, nil
	}
	text, whole := bytes.CutSuffix(s.said, []byte("\n"))
	if !whole {
		return nil, fmt.Errorf("the daemon said half a line: %.200q", s.said)
	}
	var lines []string
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		lines = append(lines, string(line))
	}
	s.said = nil
	return lines, nil
}
