package main

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lineInput reads single lines of a terminal, each only when it is wanted, and
// no byte beyond. What it never does is to read ahead, or to be stuck in a read
// when somebody else has decided and the input belongs to the command.
type lineInput struct {
	fd    int
	lines chan inputLine // buffered, so that the reader never waits for a taker

	wanted chan struct{} // a token for each line
	wake   *os.File      // readable when stop is closed
	stop   *os.File
	ended  chan struct{}
}

// inputLine is a line without its end, or why there is none.
type inputLine struct {
	text string
	err  error
}

var errStopped = errors.New("nobody waits for a line any more")

func newLineInput(fd int) (*lineInput, error) {
	wake, stop, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in := &lineInput{
		fd: fd, lines: make(chan inputLine, 1), wanted: make(chan struct{}, 1),
		wake: wake, stop: stop, ended: make(chan struct{}),
	}
	go in.run(int(wake.Fd()))
	return in, nil
}

// want asks for a line, which comes on lines. It must have been taken before
// the next is wanted.
func (in *lineInput) want() { in.wanted <- struct{}{} }

// close returns when nothing is read any more.
func (in *lineInput) close() {
	close(in.wanted)
	_ = in.stop.Close() // the end of a pipe without content
	<-in.ended
	_ = in.wake.Close()
}

func (in *lineInput) run(wake int) {
	defer close(in.ended)
	for range in.wanted {
		text, err := in.read(wake)
		if errors.Is(err, errStopped) {
			return
		}
		in.lines <- inputLine{text, err}
	}
}

// read reads byte by byte: a terminal in canonical mode gives no more than a
// line, but others do.
func (in *lineInput) read(wake int) (string, error) {
	var line []byte
	for {
		ready, stopped, err := poll(in.fd, wake)
		if err != nil {
			return "", err
		}
		if stopped && (!ready || len(line) == 0) {
			return "", errStopped // a line that was begun is read to its end first
		}
		var b [1]byte
		n, err := unix.Read(in.fd, b[:])
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case err != nil:
			return "", err
		case n == 0:
			return "", io.EOF
		case b[0] == '\n', b[0] == '\r': // the latter where the terminal is raw
			return string(line), nil
		default:
			line = append(line, b[0])
		}
	}
}

// poll waits until a read of one of the descriptors would not wait.
func poll(input, wake int) (ready, stopped bool, err error) {
	fds := []unix.PollFd{
		{Fd: int32(input), Events: unix.POLLIN}, //nolint:gosec // a descriptor
		{Fd: int32(wake), Events: unix.POLLIN},  //nolint:gosec // a descriptor
	}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return fds[0].Revents != 0, fds[1].Revents != 0, err
	}
}
