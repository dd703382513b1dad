package rpc

import (
	"net"
	"os"

	"github.com/approvald/approvald/wire"
)

// listen opens the host's sockets under a new directory and serves them.
func (h *host) listen() (dir string) {
	h.t.Helper()
	// Not TempDir: the name of a test may make a path that is too long for a socket.
	dir, err := os.MkdirTemp("", "approvald")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sockets, err := h.Listen(dir)
	if err != nil {
		h.t.Fatal(err)
	}
	h.sockets = sockets
	sockets.Serve(h.serving())
	return dir
}

// dial connects a client to a socket, before its handshake.
func (h *host) dial(dir, name string) *client {
	h.t.Helper()
	conn, err := net.Dial("unix", SocketPath(dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	c := newClient(h.t, conn)
	h.clients.Go(c.read)
	h.t.Cleanup(c.hangUp)
	return c
}

// dialAs is dial with the handshake, on the socket whose widest role it is.
func (h *host) dialAs(dir string, role wire.Role, capabilities ...string) *client {
	h.t.Helper()
	c := h.dial(dir, map[wire.Role]string{wire.RoleAgent: "agent", wire.RoleReviewer: "reviewer", wire.RoleBoth: "host"}[role])
	c.hello(capabilities...)
	return c
}
