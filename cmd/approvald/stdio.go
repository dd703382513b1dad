package main

import (
	"errors"
	"io"
	"os"
	"sync"
)

// stdio is standard input and output as one stream. Its Close ends a Read and a
// Write that wait, which closing the files would not; what they leave behind is
// a goroutine in a system call, which ends with the process.
type stdio struct {
	in     *io.PipeReader
	out    io.WriteCloser
	closed chan struct{}
	once   sync.Once
}

func newStdio(in io.Reader, out io.WriteCloser) *stdio {
	pr, pw := io.Pipe()
	go func() {
		_, err := io.Copy(pw, in)
		pw.CloseWithError(err) // nil is the end of input
	}()
	return &stdio{in: pr, out: out, closed: make(chan struct{})}
}

// Read implements io.Reader.
func (s *stdio) Read(p []byte) (int, error) { return s.in.Read(p) }

// Write implements io.Writer. After an error p must not be changed: it may
// still be on its way.
func (s *stdio) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	written := make(chan result, 1)
	go func() {
		n, err := s.out.Write(p)
		written <- result{n, err}
	}()
	select {
	case r := <-written:
		return r.n, r.err
	case <-s.closed:
		return 0, os.ErrClosed
	}
}

// Close implements io.Closer. The peer sees the end of output, also where the
// daemon lives on.
func (s *stdio) Close() (err error) {
	s.once.Do(func() {
		close(s.closed)
		err = errors.Join(s.in.Close(), s.out.Close())
	})
	return err
}
