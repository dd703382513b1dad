//go:build unix

package rpc

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// directWriter writes to a socket what the kernel takes right now. It must not
// be used while a Write of the same socket is under way, which would make it
// wait. nil for a stream that is no socket.
func directWriter(rw io.ReadWriteCloser) func([]byte) (int, error) {
	socket, ok := rw.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return func(frames []byte) (n int, err error) {
		ctlErr := raw.Write(func(fd uintptr) bool {
			n, err = syscall.Write(int(fd), frames)
			return true // never wait for the socket
		})
		n = max(n, 0)
		switch {
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
			return n, nil
		case err != nil:
			return n, err
		}
		return n, ctlErr
	}
}
