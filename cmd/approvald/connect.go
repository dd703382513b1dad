package main

import (
	"context"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/log"
)

// The names under which the commands appear in the log. They are claims; the
// daemon records beside them what the kernel says.
const (
	nameOfClient = "approvald_cli"
	nameOfExec   = "approvald_exec"
)

// dialTimeout bounds the handshake with a daemon on the same machine.
const dialTimeout = 10 * time.Second

// connect opens a connection to the socket named agent, reviewer or host. Where
// nobody listens the error is a *noDaemonError. The caller closes the client.
func (d *directories) connect(ctx context.Context, socket string, o client.Options) (*client.Client, error) {
	path, err := d.socket(socket)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = nameOfClient
	}
	o.Version = buildVersion()
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := client.Dial(ctx, path, o)
	if nobodyThere(err) {
		return nil, &noDaemonError{socket: path, holder: d.holder(), cause: err}
	}
	return c, err
}

// holder is the process that has the state directory, zero if none has.
func (d *directories) holder() log.Holder {
	dir, err := d.state()
	if err != nil {
		return log.Holder{}
	}
	holder, _ := log.ReadHolder(dir)
	return holder
}
