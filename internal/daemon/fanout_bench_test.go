package daemon_test

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/approvald/approvald/tests/bench/yardstick"
	"github.com/approvald/approvald/wire"
)

// BenchmarkFanout decides approvals, 64 at once over 16 connections, while so many are subscribed to
// their session (perf §9, T6), or while one of a hundred takes nothing (T7). An op is one durable
// decision.
func BenchmarkFanout(b *testing.B) {
	for _, crowd := range []struct {
		name             string
		onlookers, stuck int
	}{
		{"onlookers=0", 0, 0}, {"onlookers=1000", 1000, 0}, {"onlookers=100/stuck=0", 100, 0}, {"onlookers=100/stuck=1", 99, 1},
	} {
		b.Run(crowd.name, func(b *testing.B) {
			d := startDaemon(b)
			requests, session := d.openApprovalsIn(b, b.N)
			var gone sync.WaitGroup
			for i := range crowd.onlookers + crowd.stuck {
				o := newOnlooker(session, i >= crowd.onlookers)
				gone.Go(func() { d.ServeStream("onlooker", wire.RoleReviewer, o) })
				<-o.joined
			}
			reviewers := d.dialReviewers(b, 16)
			m := yardstick.Start(b)
			took := decide(b, reviewers, requests, 4)
			m.Stop()
			m.Report(took)
			if err := d.Crash(); err != nil { // what they are owed is not waited for
				b.Fatal(err)
			}
			gone.Wait()
		})
	}
}

// onlooker is the other end of a subscriber's connection, which costs nothing but what the daemon
// does for it: it takes at once what it is sent, or never.
type onlooker struct {
	said   *bytes.Reader
	stuck  bool
	joined chan struct{} // closed when its subscription is answered
	closed chan struct{}
	once   sync.Once
}

func newOnlooker(session string, stuck bool) *onlooker {
	return &onlooker{
		said: bytes.NewReader(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"onlooker","version":"1"},`+
			`"capabilities":{"approvald":{"interactive":false}}}}`+"\n"+`{"jsonrpc":"2.0","method":"initialized"}`+"\n"+
			`{"jsonrpc":"2.0","id":"joined","method":"view/subscribe","params":{"sessionId":%q}}`+"\n", session)),
		stuck: stuck, joined: make(chan struct{}), closed: make(chan struct{}),
	}
}

// Read implements io.Reader.
func (o *onlooker) Read(p []byte) (int, error) {
	if o.said.Len() == 0 {
		<-o.closed
		return 0, io.EOF
	}
	return o.said.Read(p)
}

// Write implements io.Writer.
func (o *onlooker) Write(p []byte) (int, error) {
	select {
	case <-o.joined:
		if o.stuck {
			<-o.closed
			return 0, io.ErrClosedPipe
		}
	default:
		if bytes.Contains(p, []byte(`"id":"joined"`)) {
			close(o.joined)
		}
	}
	return len(p), nil
}

// Close implements io.Closer.
func (o *onlooker) Close() error {
	o.once.Do(func() { close(o.closed) })
	return nil
}
