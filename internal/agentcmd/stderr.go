package agentcmd

import (
	"bytes"
	"log/slog"
	"sync"
	"sync/atomic"
)

// The bounds on what a program's standard error leaves in the daemon's log. Lines are
// quoted by the log's handler where they hold anything but printable text.
const (
	longestLine = 1 << 10
	mostBytes   = 1 << 20 // of one program in its life
)

// stderr takes what a program writes to its standard error into the log, line by line.
type stderr struct {
	log *slog.Logger
	pid atomic.Int64

	mu   sync.Mutex
	line []byte // of which the end is still to come; at most longestLine
	cut  bool   // more of it came than is kept
	left int    // bytes that were written
}

// Write implements io.Writer. It never fails: a program must not be stopped by its log.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		room := longestLine - len(s.line)
		s.cut = s.cut || len(line) > room
		s.line = append(s.line, line[:min(len(line), room)]...)
		if whole {
			s.put()
		}
		rest = more
	}
	return len(p), nil
}

// flush writes a last line that has no end.
func (s *stderr) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.line) > 0 {
		s.put()
	}
}

// put writes the line. Called with mu held.
func (s *stderr) put() {
	text := string(s.line)
	if s.cut {
		text += "…"
	}
	s.line, s.cut = s.line[:0], false
	before := s.left
	s.left += len(text) + 1
	pid := slog.Int64("pid", s.pid.Load())
	switch {
	case s.left <= mostBytes:
		s.log.Info("an agent says", pid, slog.String("line", text))
	case before <= mostBytes:
		s.log.Warn("an agent has said as much as is kept of it; the rest is dropped", pid)
	}
}
