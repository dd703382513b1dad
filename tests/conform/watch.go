package conform

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/approvald/approvald/wire"
)

// Watch is a client's end of a connection on which everything that the daemon says is held against
// the schema: what is not of it fails the test. Reading and writing are those of conn. A test's client
// may be as hostile as it likes: what it sends is looked at only to know what is answered.
func Watch(t testing.TB, conn io.ReadWriteCloser) io.ReadWriteCloser {
	return &watched{ReadWriteCloser: conn, t: t, sent: cutter{most: longest}, heard: cutter{most: wire.MaxFrame}}
}

// longest is the length of a request whose method is remembered: the answer to a longer one is held
// against no method's result.
const longest = 64 << 10

type watched struct {
	io.ReadWriteCloser
	t    testing.TB
	peer Peer

	writing, reading sync.Mutex
	sent, heard      cutter
}

// Write tells of a request before the daemon can answer it.
func (w *watched) Write(b []byte) (int, error) {
	w.writing.Lock()
	w.sent.add(b, w.peer.Sent)
	w.writing.Unlock()
	return w.ReadWriteCloser.Write(b)
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(b)
	w.reading.Lock()
	defer w.reading.Unlock()
	w.heard.add(b[:n], func(line []byte) {
		if fault := w.peer.Heard(line); fault != nil {
			w.t.Errorf("%v", fault)
		}
	})
	return n, err
}

// CloseWrite ends what the client sends, as that of a socket does.
func (w *watched) CloseWrite() error {
	half, ok := w.ReadWriteCloser.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// A cutter puts lines together from pieces. One that is longer than most is left out.
type cutter struct {
	most int
	line []byte
	over bool // the line is left out
}

// add calls fn for each line that b makes whole; fn must not keep it.
func (c *cutter) add(b []byte, fn func(line []byte)) {
	for {
		part, rest, whole := bytes.Cut(b, []byte("\n"))
		if c.over = c.over || len(c.line)+len(part) > c.most; !c.over {
			c.line = append(c.line, part...)
		}
		if !whole {
			return
		}
		if line := bytes.TrimSpace(c.line); !c.over && len(line) > 0 {
			fn(line)
		}
		c.line, c.over, b = c.line[:0], false, rest
	}
}
