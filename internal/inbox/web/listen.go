package web

import (
	"net"
	"sync"
)

// mostConnections is how many browsers may be connected at once. Anybody on the machine
// can connect, and each takes a file descriptor that the daemon needs for agents as well.
const mostConnections = 256

// Bounded is a listener that accepts so many connections at once. Those that come then
// wait for one to end.
func Bounded(l net.Listener) *BoundedListener {
	return &BoundedListener{Listener: l, seats: make(chan struct{}, mostConnections), closed: make(chan struct{})}
}

// BoundedListener is a net.Listener.
type BoundedListener struct {
	net.Listener
	seats  chan struct{} // one for each that is connected
	closed chan struct{}
	once   sync.Once
}

// Accept implements net.Listener.
func (b *BoundedListener) Accept() (net.Conn, error) {
	select {
	case b.seats <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.seats
		return nil, err
	}
	return &seated{Conn: c, rise: sync.OnceFunc(func() { <-b.seats })}, nil
}

// Close implements net.Listener.
func (b *BoundedListener) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// seated is a connection that gives its seat up when it is closed.
type seated struct {
	net.Conn
	rise func()
}

// Close implements net.Conn.
func (s *seated) Close() error {
	defer s.rise()
	return s.Conn.Close()
}
