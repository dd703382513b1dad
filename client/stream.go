package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/approvald/approvald/wire"
)

// writeTimeout bounds one write to a peer that does not read, where the
// transport has deadlines. It is the daemon's own bound (protocol §5).
const writeTimeout = 30 * time.Second

// stream is the jsonrpc2.ObjectStream of protocol §1: one JSON object a line, at
// most [wire.MaxFrame] bytes. Where the library would guess, it is strict: a
// frame that is no JSON-RPC 2.0 object ends the connection with an error that
// shows it. One over the cap ends the client with it ([ErrFrameTooLarge]).
//
// Of what a frame says the library is shown no more than it needs to match
// answers with questions (frame.outline): it takes names in any case, fails on
// numbers beyond a float64, and loses the order of members. The stream keeps the
// bytes of the last frame read; the handler, which the library calls before it
// reads on, takes them from there.
type stream struct {
	rwc io.ReadWriteCloser
	in  *bufio.Reader

	line []byte // owned by the reader, reused
	last frame  // owned by the reader, the last frame read

	writing sync.Mutex // one frame at a time: the library's, and receipts

	endOnce sync.Once
	ended   chan struct{} // closed when the reader has stopped
	endErr  error         // why; to be read after ended
}

func newStream(rwc io.ReadWriteCloser) *stream {
	return &stream{
		rwc:   rwc,
		in:    bufio.NewReaderSize(rwc, 64<<10),
		ended: make(chan struct{}),
	}
}

// ReadObject reads the next frame into v. After an error it is not called again.
func (s *stream) ReadObject(v any) error {
	err := s.read(v)
	if err != nil {
		s.endOnce.Do(func() {
			s.endErr = err
			close(s.ended)
		})
	}
	return err
}

func (s *stream) read(v any) error {
	line, err := s.readLine()
	if err != nil {
		return err
	}
	if line[0] != '{' {
		return fmt.Errorf("the server sent a frame that is no JSON object: %s", excerpt(line))
	}
	s.last = nil
	if err := decode(line, &s.last); err != nil {
		return fmt.Errorf("the server sent a frame that is no JSON-RPC message: %w: %s", err, excerpt(line))
	}
	if s.last.text("jsonrpc") != wire.Version {
		return fmt.Errorf("the server sent a frame that is not JSON-RPC %s: %s", wire.Version, excerpt(line))
	}
	if s.last.has("error") && !s.last.has("id") {
		return fmt.Errorf("the server could not read a frame of this client: %s", excerpt(line))
	}
	outline, err := s.last.outline()
	if err == nil {
		err = json.Unmarshal(outline, v)
	}
	if err != nil {
		return fmt.Errorf("the server sent a frame that is neither request nor response: %w: %s", err, excerpt(line))
	}
	return nil
}

// readLine reads the next line that is not empty, without its line end. It is
// valid until the next call.
func (s *stream) readLine() ([]byte, error) {
	for {
		s.line = s.line[:0]
		for {
			part, err := s.in.ReadSlice('\n')
			s.line = append(s.line, part...)
			if len(s.line) > wire.MaxFrame+len("\r\n") {
				return nil, tooLarge(s.line)
			}
			if err == nil {
				break
			}
			if errors.Is(err, io.EOF) && len(s.line) > 0 {
				return nil, fmt.Errorf("the connection ended within a frame: %w", io.ErrUnexpectedEOF)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, err
			}
		}
		line := bytes.TrimSuffix(bytes.TrimSuffix(s.line, []byte("\n")), []byte("\r"))
		if len(line) > wire.MaxFrame {
			return nil, tooLarge(line)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// WriteObject writes one frame. A frame over the cap is refused as the daemon
// would, without writing; any other failure closes the transport, since nobody
// knows how much of the frame is on it.
func (s *stream) WriteObject(obj any) error {
	line, err := wire.Marshal(obj)
	if err != nil {
		return err
	}
	if len(line) > wire.MaxFrame {
		return wire.NewError(wire.CodeInputTooLarge,
			fmt.Sprintf("a frame of %d bytes is over the limit of %d", len(line), wire.MaxFrame),
			func(d *wire.ErrorData) { d.LimitBytes = wire.MaxFrame })
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if w, ok := s.rwc.(interface{ SetWriteDeadline(time.Time) error }); ok {
		// Pipes may lack deadlines; then the write waits as long as the peer does.
		_ = w.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	if _, err := s.rwc.Write(append(line, '\n')); err != nil {
		return errors.Join(err, s.rwc.Close())
	}
	return nil
}

// Close closes the transport, which stops the reader.
func (s *stream) Close() error { return s.rwc.Close() }

// cause says why the reader stopped, nil while it runs.
func (s *stream) cause() error {
	select {
	case <-s.ended:
		return s.endErr
	default:
		return nil
	}
}

// tooLarge is the error for a frame over the cap, of which line is the beginning.
func tooLarge(line []byte) error {
	return fmt.Errorf("%w of %d bytes; it begins with %s", ErrFrameTooLarge, wire.MaxFrame, excerpt(line))
}

// excerpt quotes the beginning of a frame for an error.
func excerpt(line []byte) string {
	const most = 80
	if len(line) > most {
		return fmt.Sprintf("%q…", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
