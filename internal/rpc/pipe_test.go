package rpc

import (
	"io"
	"os"
	"sync"
	"time"
)

// pipe is a connection in memory whose client can stop taking what the server
// sends. It has write deadlines like a socket, and buffers what the client
// sends without bound.
type pipe struct {
	mu      sync.Mutex
	changed *sync.Cond

	toServer, toClient []byte
	deaf               bool // the client takes no more: the server's writes wait
	broken             bool // closed, by either side
	closed             bool // by the server

	deadline time.Time
	alarm    *time.Timer
}

type (
	serverEnd struct{ *pipe }
	clientEnd struct{ *pipe }
)

func newPipe() *pipe {
	p := &pipe{}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// unread is how much the client has sent that the server has not taken.
func (p *pipe) unread() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.toServer)
}

func (p *pipe) deafen() { p.change(func() { p.deaf = true }) }
func (p *pipe) listen() { p.change(func() { p.deaf = false }) }

func (e clientEnd) Close() error { e.change(func() { e.broken = true }); return nil }
func (e serverEnd) Close() error { e.change(func() { e.broken, e.closed = true, true }); return nil }

// Read gives what the client sent before it closed, like a socket.
func (e serverEnd) Read(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.toServer) == 0 && !e.broken {
		e.changed.Wait()
	}
	switch {
	case e.closed:
		return 0, io.ErrClosedPipe
	case len(e.toServer) == 0:
		return 0, io.EOF
	}
	n := copy(b, e.toServer)
	e.toServer = e.toServer[n:]
	return n, nil
}

func (e serverEnd) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.deaf && !e.broken && !e.late() {
		e.changed.Wait()
	}
	switch {
	case e.broken:
		return 0, io.ErrClosedPipe
	case e.late():
		return 0, os.ErrDeadlineExceeded
	}
	e.toClient = append(e.toClient, b...)
	e.changed.Broadcast()
	return len(b), nil
}

func (e serverEnd) late() bool { return !e.deadline.IsZero() && !time.Now().Before(e.deadline) }

// SetWriteDeadline is that of a net.Conn.
func (e serverEnd) SetWriteDeadline(at time.Time) error {
	e.change(func() {
		if e.alarm != nil {
			e.alarm.Stop()
		}
		if e.deadline = at; !at.IsZero() {
			e.alarm = time.AfterFunc(time.Until(at), func() { e.change(func() {}) })
		}
	})
	return nil
}

func (e clientEnd) Read(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.toClient) == 0 && !e.broken {
		e.changed.Wait()
	}
	if len(e.toClient) == 0 {
		return 0, io.EOF
	}
	n := copy(b, e.toClient)
	e.toClient = e.toClient[n:]
	return n, nil
}

func (e clientEnd) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken {
		return 0, io.ErrClosedPipe
	}
	e.toServer = append(e.toServer, b...)
	e.changed.Broadcast()
	return len(b), nil
}
