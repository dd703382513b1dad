package scenario

import "fmt"

// conn is a connection of a scenario by its name: one stream after another.
type conn struct {
	name   string
	stream *stream       // nil while nobody is connected
	served chan struct{} // closed when the daemon is through with the stream
	rest   []string      // said on an earlier stream and not taken yet
	err    error         // of reading that
}

// connect returns the stream of a frame's connection, opened where it has none: but for
// the program's, which the daemon opens.
func (p *player) connect(f *frame) (*stream, error) {
	c := p.find(f.Conn)
	if c == nil {
		c = &conn{name: f.Conn}
		p.conns = append(p.conns, c)
	}
	switch {
	case c.stream != nil:
	case f.Role == agentCmdRole:
		started := p.agents.take()
		if started == nil {
			return nil, fmt.Errorf("the daemon has not started the program %q; a turn for which nobody is attached starts it", f.Conn)
		}
		c.stream, c.served = started.stream, started.gone
	default:
		to := doors[f.Role]
		c.stream, c.served = newStream(&p.moves), make(chan struct{})
		serve, stream, served := p.daemon.ServeStream, c.stream, c.served
		go func() {
			defer close(served)
			serve(to.name, to.widest, stream)
		}()
	}
	return c.stream, nil
}

func (p *player) find(name string) *conn {
	for _, c := range p.conns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// disconnect is what a peer does that goes away.
func (p *player) disconnect(name string) {
	if c := p.find(name); c != nil {
		c.hangUp()
	}
}

// hangUp ends the stream, if there is one, and waits until the daemon has taken note.
func (c *conn) hangUp() {
	if c.stream == nil {
		return
	}
	_ = c.stream.Close() // never fails
	<-c.served
	c.rest, c.err = c.stream.take()
	c.stream = nil
}

// take removes and returns what the daemon has said since the last call.
func (c *conn) take() ([]string, error) {
	lines, err := c.rest, c.err
	c.rest, c.err = nil, nil
	if c.stream == nil || err != nil {
		return lines, err
	}
	return c.stream.take()
}

// quiet reports whether the daemon has read everything on the connection, or is through with it.
func (c *conn) quiet() bool {
	if c.stream == nil {
		return true
	}
	select {
	case <-c.served:
		return true
	default:
		return c.stream.drained()
	}
}
