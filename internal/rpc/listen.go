package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/approvald/approvald/internal/runtimedir"
	"github.com/approvald/approvald/wire"
)

// door is one of the sockets of a daemon, with the widest role behind it
// (protocol §2).
type door struct {
	name   string
	widest wire.Role
}

// doors are the three sockets.
var doors = []door{
	{"agent", wire.RoleAgent},
	{"reviewer", wire.RoleReviewer},
	{"host", wire.RoleBoth},
}

// SocketPath is where a daemon with this runtime directory has the socket
// named agent, reviewer or host.
func SocketPath(runtimeDir, name string) string {
	return runtimedir.Socket(runtimeDir, name)
}

// Sockets are the listening sockets of a daemon.
type Sockets struct {
	srv       *Server
	listeners []*net.UnixListener
	doors     []door
}

// maxSocketPath is what the kernels that we run on take as a socket's path.
const maxSocketPath = 103

// Listen creates the three sockets under a runtime directory: directories
// 0700, sockets 0600. A socket that is there already is taken to be left over:
// the caller holds the daemon's lock.
func (s *Server) Listen(runtimeDir string) (*Sockets, error) {
	out := &Sockets{srv: s}
	for _, d := range doors {
		l, err := listen(SocketPath(runtimeDir, d.name))
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		out.listeners, out.doors = append(out.listeners, l), append(out.doors, d)
	}
	return out, nil
}

func listen(path string) (*net.UnixListener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the socket path %s is longer than the %d bytes that the system takes; choose a shorter --runtime-dir", path, maxSocketPath)
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket that an earlier daemon left: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("make the socket private: %w", err), l.Close())
	}
	return l, nil
}

// privateDir makes a directory that only this user can enter, or checks that
// the one that is there is such.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the socket directory: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("look at the socket directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is no directory; remove it or choose another --runtime-dir", dir)
	case !ownedByUs(info):
		return fmt.Errorf("the directory %s belongs to another user; choose another --runtime-dir", dir)
	case info.Mode().Perm() == 0o700:
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory needs its x bit
		return fmt.Errorf("make the socket directory private: %w", err)
	}
	return nil
}

// Paths are the sockets' paths in the order agent, reviewer, host.
func (s *Sockets) Paths() []string {
	paths := make([]string, len(s.listeners))
	for i, l := range s.listeners {
		paths[i] = l.Addr().String()
	}
	return paths
}

// Serve accepts connections until Close. Each is served until its peer is gone
// or ctx ends.
func (s *Sockets) Serve(ctx context.Context) {
	for i, l := range s.listeners {
		go s.accept(ctx, l, s.doors[i])
	}
}

func (s *Sockets) accept(ctx context.Context, l *net.UnixListener, d door) {
	for {
		conn, err := l.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			// Most likely out of descriptors: others must end before more can come.
			s.srv.log.Warn("accept a connection", slog.String("socket", d.name), slog.Any("cause", err))
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		go s.serve(ctx, conn, d)
	}
}

func (s *Sockets) serve(ctx context.Context, conn *net.UnixConn, d door) {
	peer, err := peerOf(conn)
	if err != nil || peer.UID == nil || *peer.UID != os.Getuid() {
		s.srv.log.Warn("a connection of another user was turned away", slog.String("socket", d.name), slog.Int("pid", peer.PID), slog.Any("cause", err))
		if err := conn.Close(); err != nil {
			s.srv.log.Debug("closing a connection", slog.Any("cause", err))
		}
		return
	}
	t := Transport{Name: d.name, Widest: d.widest, Peer: peer, Conn: conn}
	if d.widest == wire.RoleAgent {
		defer s.srv.agents.enter(peer.PID)()
	} else if pid, ok := s.srv.agents.above(peer.PID); ok {
		t.Refused = fmt.Sprintf("This process belongs to the agent with pid %d, and an agent does not review what it asks for.", pid)
	}
	s.srv.Serve(ctx, t)
}

// Close stops accepting and removes the sockets. Connections go on.
func (s *Sockets) Close() error {
	var errs []error
	for _, l := range s.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
