package web

import (
	"errors"
	"net"
	"testing"
)

// Strangers can hold no more of the daemon's file descriptors than so many; each that goes
// lets in one that waits.
func TestConnectionsHaveABound(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Bounded(plain)
	accepted := make(chan net.Conn)
	ended := make(chan error)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	connect := func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	var held []net.Conn
	for range mostConnections {
		connect()
		held = append(held, <-accepted)
	}
	connect()
	select {
	case <-accepted:
		t.Fatal("one more is accepted")
	default:
	}
	if err := held[0].Close(); err != nil {
		t.Fatal(err)
	}
	_ = held[0].Close() // servers may close twice, which is one seat
	held[0] = <-accepted
	if got := len(l.seats); got != mostConnections {
		t.Errorf("%d seats are taken", got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("who waits is told %v", err)
	}
	for _, c := range held {
		_ = c.Close()
	}
}
