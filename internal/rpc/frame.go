package rpc

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/approvald/approvald/wire"
)

const (
	// windowSize is how much of a connection is read ahead, and all that an idle one pins.
	windowSize = 32 << 10
	// prefixSize is how much of an oversized frame is kept, so that its id may be recovered.
	prefixSize = 64 << 10
)

// frame is one line of a connection without its line ending. The line is the reader's no more:
// it has just the size it needs and belongs to whom next returned it.
type frame struct {
	line      []byte
	oversized bool // the frame exceeds wire.MaxFrame, and line is its first prefixSize bytes
}

// lineReader cuts a byte stream into frames (protocol §1): one a line, ended by LF or CR LF, empty
// lines skipped. It holds at most wire.MaxFrame bytes and one window of an unfinished line, and
// gives that memory up with the line. It is for one goroutine.
type lineReader struct {
	r          io.Reader
	window     []byte
	start, end int   // window[start:end] is read and not yet returned
	err        error // what ended the stream; returned when the window is empty
	skipping   bool  // the rest of an oversized line is being thrown away
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: r, window: make([]byte, windowSize)}
}

// next returns the next frame, or the error that ended the stream, io.EOF at its orderly end.
//
// An oversized frame is reported as soon as it is known to be one, before its end has come. At EOF
// a last line without LF is a frame like any other: an object says itself where it ends, so a
// whole one may be served (printf '{…}' | approvald serve --stdio), and what was cut off is no
// valid JSON and is answered as that. After any other error it is dropped: the peer is gone.
func (l *lineReader) next() (frame, error) {
	for {
		f, err := l.readLine()
		if err != nil || len(f.line) > 0 {
			return f, err
		}
	}
}

// readLine returns the next line, which may be empty.
func (l *lineReader) readLine() (frame, error) {
	if err := l.skip(); err != nil {
		return frame{}, err
	}
	var full [][]byte // the windows that the line has filled
	size := 0         // of all of them
	searched := 0     // bytes of the current window known to hold no LF
	for {
		unread := l.window[l.start:l.end]
		if i := bytes.IndexByte(unread[searched:], '\n'); i >= 0 {
			i += searched
			l.start += i + 1
			return cutLine(full, unread[:i]), nil
		}
		searched = len(unread)
		switch {
		case size+len(unread) > wire.MaxFrame+len("\r"):
			l.start, l.skipping = l.end, true
			return oversizedFrame(full, unread), nil
		case errors.Is(l.err, io.EOF):
			l.start = l.end
			if size+len(unread) == 0 {
				return frame{}, io.EOF
			}
			return cutLine(full, unread), nil
		case l.err != nil:
			return frame{}, l.err
		case len(unread) == len(l.window):
			// Windows are handed over, not copied into a growing buffer: growing would need up
			// to twice the line's memory, and for a line that may be thrown away.
			full, size = append(full, l.window), size+len(l.window)
			l.window, l.start, l.end, searched = make([]byte, windowSize), 0, 0, 0
		}
		l.fill()
	}
}

// skip throws away what is left of an oversized line.
func (l *lineReader) skip() error {
	for l.skipping {
		if i := bytes.IndexByte(l.window[l.start:l.end], '\n'); i >= 0 {
			l.start += i + 1
			l.skipping = false
			return nil
		}
		if l.start = l.end; l.err != nil {
			return l.err
		}
		l.fill()
	}
	return nil
}

// maxEmptyReads is how often a reader may return nothing and no error, as in package bufio.
const maxEmptyReads = 100

// fill reads once into the free part of the window, which must not be full of unread bytes.
// Afterwards there are more of those, or l.err is set.
func (l *lineReader) fill() {
	if l.start > 0 {
		l.end = copy(l.window, l.window[l.start:l.end])
		l.start = 0
	}
	for range maxEmptyReads {
		var n int
		n, l.err = l.r.Read(l.window[l.end:])
		l.end += n
		if n > 0 || l.err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// cutLine makes a frame of a line: the windows that it filled, then tail. A CR at its end is not part
// of the frame.
func cutLine(full [][]byte, tail []byte) frame {
	last := tail
	if len(tail) == 0 && len(full) > 0 {
		last = full[len(full)-1]
	}
	size := len(full)*windowSize + len(tail)
	if bytes.HasSuffix(last, []byte{'\r'}) {
		size--
	}
	if size > wire.MaxFrame {
		return oversizedFrame(full, tail)
	}
	if len(full) == 0 {
		return frame{line: bytes.Clone(tail[:size])}
	}
	return frame{line: slices.Concat(append(full, tail)...)[:size]}
}

// oversizedFrame makes the frame that reports an oversized line.
func oversizedFrame(full [][]byte, tail []byte) frame {
	prefix := make([]byte, 0, prefixSize)
	for _, part := range append(full, tail) {
		prefix = append(prefix, part[:min(len(part), prefixSize-len(prefix))]...)
	}
	return frame{line: prefix, oversized: true}
}
