package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/daemon"
	"github.com/approvald/approvald/internal/inbox/web"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/wire"
)

// nameOfWeb is under which name the web inbox is in the log.
const nameOfWeb = "approvald_web"

// nameOnThisMachine is what links on a loopback address call it. Browsers resolve it to
// this machine by themselves, and keep its cookies from the other ports of 127.0.0.1,
// which are the same host to them: a server that an agent runs is not to be shown the
// session of the inbox.
const nameOnThisMachine = "approvald.localhost"

// httpServing is what the flags of serve say about the web inbox.
type httpServing struct {
	address   string // "" for no inbox
	cert, key string
}

func (h *httpServing) flags(flags *pflag.FlagSet) {
	flags.StringVar(&h.address, "http", "", "serve the web inbox at this address, such as 127.0.0.1:8787; port 0 is any that is free")
	flags.StringVar(&h.cert, "http-cert", "", "serve it with TLS: the certificate, in PEM; its names are those that links may have")
	flags.StringVar(&h.key, "http-key", "", "the key of the certificate, in PEM")
}

// check finds what flags cannot say for themselves.
func (h *httpServing) check(s *serving) error {
	if (h.cert == "") != (h.key == "") {
		return exitf(exitUsage, "--http-cert and --http-key go together")
	}
	if h.address == "" {
		if h.cert != "" {
			return exitf(exitUsage, "--http-cert is about the web inbox: give it with --http")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(h.address)
	switch {
	case err != nil:
		return exitf(exitUsage, "--http %s is no address: give a host and a port, such as 127.0.0.1:8787", h.address)
	case s.detach:
		return exitf(exitUsage, "--http does not go with --detach")
	case !loopback(host) && h.cert == "":
		return exitf(exitUsage, "--http %s can be reached from other machines: give --http-cert and --http-key, or an address of this machine, such as 127.0.0.1", h.address)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// httpInbox is the web inbox of a daemon; nil where it has none.
type httpInbox struct {
	inbox  *web.Server
	server *http.Server
	secure bool
	door   webDoor
	file   string // where the door is written down; "" for nowhere
	log    *slog.Logger
}

// webDoor is what it takes to let a browser in. It is in a file that is the user's
// alone, in the directory of host.sock: who can read the one can use the other.
type webDoor struct {
	URL     string `json:"url"`
	Address string `json:"address"` // the same by address, for what does not know the name
	Key     string `json:"key"`
	PID     int    `json:"pid"` // of the daemon, since one that is killed leaves it
}

// link is a fresh one-time link, and the same by address.
func (d webDoor) link(now time.Time) (link, byAddress string, err error) {
	key, err := base64.RawURLEncoding.DecodeString(d.Key)
	if err != nil {
		return "", "", fmt.Errorf("the key of the web inbox cannot be read: %w", err)
	}
	path := web.Key(key).Link(now)
	return d.URL + path, d.Address + path, nil
}

// open starts the web inbox, where one is wanted.
func (h *httpServing) open(ctx context.Context, d *daemon.Daemon, config daemon.Config) (*httpInbox, error) {
	if h.address == "" {
		return nil, nil
	}
	listen := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 2}}
	listener, err := listen.Listen(ctx, "tcp", h.address)
	if err != nil {
		return nil, fmt.Errorf("listen for the web inbox: %w", err)
	}
	in, err := h.assemble(ctx, d, config, listener)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() {
		serve := in.server.Serve
		if in.secure {
			serve = func(l net.Listener) error { return in.server.ServeTLS(l, "", "") }
		}
		if err := serve(web.Bounded(listener)); !errors.Is(err, http.ErrServerClosed) {
			in.log.Error("the web inbox has ended", slog.Any("cause", err))
		}
	}()
	return in, nil
}

func (h *httpServing) assemble(ctx context.Context, d *daemon.Daemon, config daemon.Config, listener net.Listener) (*httpInbox, error) {
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	names, byAddress := []string{nameOnThisMachine, host, "localhost"}, host
	var secure *tls.Config
	if h.cert != "" {
		pair, err := tls.LoadX509KeyPair(h.cert, h.key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate of the web inbox: %w", err)
		}
		if names = namesOf(pair.Leaf); len(names) == 0 {
			return nil, fmt.Errorf("the certificate %s names no host: its subject alternative names are what links may have", h.cert)
		}
		secure, byAddress = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, names[0]
	}
	scheme := "http://"
	if secure != nil {
		scheme = "https://"
	}
	key := web.NewKey()
	in := &httpInbox{log: config.Logger, secure: secure != nil, door: webDoor{
		URL: scheme + net.JoinHostPort(names[0], port), Address: scheme + net.JoinHostPort(byAddress, port),
		Key: base64.RawURLEncoding.EncodeToString(key), PID: os.Getpid(),
	}}
	visits := ""
	if !config.Ephemeral {
		visits = filepath.Join(config.StateDir, "web-visits.json")
	}
	in.inbox, err = web.New(ctx, web.Config{
		Client: client.Options{Name: nameOfWeb, Version: buildVersion(), Role: wire.RoleReviewer},
		Dial:   dialWeb(d), Log: d, Key: key, Visits: visits, Secure: secure != nil, Names: names, Port: port,
		Modes: modesWithin(d), Linger: web.DefaultLinger, Proof: web.DefaultProof, Logger: config.Logger, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	in.server = &http.Server{
		Handler: in.inbox, TLSConfig: secure, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(config.Logger.Handler(), slog.LevelDebug),
	}
	if config.RuntimeDir != "" {
		in.file = webFile(config.RuntimeDir)
		if err := in.writeDown(); err != nil {
			return nil, errors.Join(err, in.inbox.Close())
		}
	}
	return in, nil
}

// webFile is where a daemon with this runtime directory has the key to its inbox.
func webFile(runtime string) string {
	return filepath.Join(filepath.Dir(rpc.SocketPath(runtime, "host")), "web.json")
}

func (in *httpInbox) writeDown() error {
	text, err := wire.Marshal(in.door)
	if err != nil {
		return err
	}
	return web.WritePrivate(in.file, text)
}

// links makes the address of an approval or a prompt in the inbox, for a browser that is
// in; nil where there is no inbox.
func (in *httpInbox) links() func(session, id string) string {
	if in == nil {
		return nil
	}
	return func(session, id string) string { return in.door.URL + web.Path(session, id) }
}

// dialWeb connects to the daemon within this process, as a client that nobody lingers
// for.
func dialWeb(d *daemon.Daemon) client.Dialer {
	return func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go d.ServeOwn(web.Transport, wire.RoleReviewer, theirs)
		return ours, nil
	}
}

// namesOf are the hosts that a certificate is for, without patterns.
func namesOf(leaf *x509.Certificate) (names []string) {
	for _, name := range leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			names = append(names, name)
		}
	}
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// modesWithin are the modes that a reviewer may choose.
func modesWithin(d *daemon.Daemon) (names []wire.Mode) {
	_, ceiling := d.Modes()
	for _, m := range slices.Backward(approval.Modes) {
		if m.Within(ceiling) {
			names = append(names, wire.Mode(m))
		}
	}
	return names
}

// welcome says where the inbox is. The link lets in whoever has it, so it goes to a
// terminal and into no file.
func (in *httpInbox) welcome(w io.Writer, dirs *directories) {
	if in == nil {
		return
	}
	fmt.Fprintf(w, "  inbox     %s\n", visible(in.door.URL))
	if in.secure {
		fmt.Fprintln(w, "            with TLS, for whoever has a link")
	}
	if !isTerminal(w) {
		fmt.Fprintf(w, "            %s prints a link that opens it\n", dirs.hint("web"))
		return
	}
	if link, _, err := in.door.link(time.Now()); err == nil {
		fmt.Fprintf(w, "Open the inbox with this link, which works once and for ten minutes:\n  %s\n", link)
	}
}

// close ends the inbox. What its browsers are owed is not waited for: they come back.
func (in *httpInbox) close() {
	if in == nil {
		return
	}
	if in.file != "" {
		if err := os.Remove(in.file); err != nil {
			in.log.Warn("the key of the web inbox is left", slog.Any("cause", err))
		}
	}
	if err := errors.Join(in.inbox.Close(), in.server.Close()); err != nil {
		in.log.Warn("the web inbox did not end cleanly", slog.Any("cause", err))
	}
}

// readWebDoor finds the inbox of the daemon that serves a runtime directory.
func readWebDoor(runtime string) (door webDoor, err error) {
	text, err := os.ReadFile(webFile(runtime))
	if err == nil {
		err = json.Unmarshal(text, &door)
	}
	holder, _ := log.ReadHolder(runtime)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && holder.PID != door.PID:
		return door, exitf(exitFailure, "the daemon serves no web inbox: start it with `approvald serve --http 127.0.0.1:8787`")
	case err != nil:
		return door, fmt.Errorf("read the key of the web inbox, %s: %w", webFile(runtime), err)
	}
	return door, nil
}
