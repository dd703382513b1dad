package tolerance

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// A client that ends what it sends while its requests are in work is answered all of them, and then
// finds the end: the half of a socket, and standard input.
func TestAClosedHalfIsAnsweredWhatItAsked(t *testing.T) {
	connect := map[string]func(*testing.T, place) *peer{
		"a socket": func(t *testing.T, at place) *peer {
			at.serve(t)
			return dial(t, at.socket("host"))
		},
		"standard input": func(t *testing.T, at place) *peer { return newPeer(t, at.serve(t, "--stdio").stdio()) },
	}
	for name, open := range connect {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, newPlace(t))
			p.hello(`"interactive":false`)
			session := p.start()
			var frames strings.Builder
			want := []string{}
			for range 20 {
				id, line := p.request(wire.MethodApprovalOpen, opening(session))
				frames.WriteString(line)
				want = append(want, id+" result")
				id, line = p.request(wire.MethodApprovalListPending, object(in(session)))
				frames.WriteString(line)
				want = append(want, id+" result")
				id, line = p.request("future/thing", `{}`)
				frames.WriteString(line)
				want = append(want, id+" -32601 methodNotFound")
			}
			p.write(frames.String())
			p.closeWrite()
			got := p.rest()
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

// Who closes their half is told that what is parked is not waited for any more, and what they left
// goes on waiting.
func TestAClosedHalfIsToldAboutItsAwaits(t *testing.T) {
	place := newPlace(t)
	place.serve(t)
	p, other := dial(t, place.socket("host")), dial(t, place.socket("host"))
	p.hello()
	other.hello()
	session := p.start()
	approval := p.open(session)
	id := p.send(wire.MethodApprovalAwait, object(in(session), fmt.Sprintf(`"approvalIds":[%q]`, approval)))
	p.must(wire.MethodSessionList, `{}`) // the await is parked
	p.closeWrite()
	if got, want := p.answer(id).String(), id+" -32095 shuttingDown"; got != want {
		t.Errorf("the await is answered %s, want %s", got, want)
	}
	if more := p.rest(); more != nil {
		t.Errorf("it is answered %v as well", more)
	}
	if state := other.state(session, approval); state != "pending" {
		t.Errorf("the approval is %s", state)
	}
}

// A connection that is simply gone, with an await parked and commands in work, is no matter for
// anybody else.
func TestAConnectionThatIsGoneIsNoMatter(t *testing.T) {
	place := newPlace(t)
	place.serve(t)
	other := dial(t, place.socket("host"))
	other.hello()
	session := other.start()
	var lines []string
	for range 30 {
		p := dial(t, place.socket("host"))
		p.hello()
		approval := p.open(session)
		_, await := p.request(wire.MethodApprovalAwait, object(in(session), fmt.Sprintf(`"approvalIds":[%q]`, approval)))
		_, line := p.request(wire.MethodApprovalOpen, opening(session))
		p.write(await + line)
		p.hangUp()
		lines = append(lines, line)
	}
	for _, line := range lines { // admitted or not, repeating it is answered
		other.write(line)
	}
	if answers := other.answers(); len(answers) != len(lines) || strings.Contains(fmt.Sprint(answers), "-") {
		t.Errorf("repeated commands are answered %v", answers)
	}
}

// The end of standard input with work in flight: everything is answered, what waits is told, the
// exit code is 0, and what was acknowledged is in the log.
func TestTheEndOfInputEndsTheDaemonInOrder(t *testing.T) {
	place := newPlace(t)
	d := place.serve(t, "--stdio")
	p := newPeer(t, d.stdio())
	p.hello(`"interactive":false`)
	session := p.start()
	parked := p.open(session)
	id := p.send(wire.MethodApprovalAwait, object(in(session), fmt.Sprintf(`"approvalIds":[%q]`, parked)))
	var frames strings.Builder
	var ids []string
	for range 50 {
		id, line := p.request(wire.MethodApprovalOpen, opening(session))
		ids = append(ids, id)
		frames.WriteString(line)
	}
	p.write(frames.String())
	p.closeWrite()
	approvals := []string{parked}
	for _, id := range ids {
		approvals = append(approvals, member(t, p.answer(id).Result, "approvalId"))
	}
	if got, want := p.answer(id).String(), id+" -32095 shuttingDown"; got != want {
		t.Errorf("the await is answered %s, want %s", got, want)
	}
	p.event(wire.MethodSessionClosed, `"reason":"hostShutdown"`)
	p.rest()
	if err := d.wait(); err != nil {
		t.Fatalf("the daemon ended with %v, want exit code 0", err)
	}
	place.stillHas(t, session, approvals)
}

// stillHas starts a daemon again and looks for approvals that were acknowledged.
func (p place) stillHas(t *testing.T, session string, approvals []string) {
	t.Helper()
	d := p.serve(t)
	look := dial(t, p.socket("host"))
	look.hello(`"interactive":false`)
	for _, approval := range approvals {
		look.state(session, approval) // fails where it is not known
	}
	look.hangUp()
	d.end(syscall.SIGTERM)
}

// SIGTERM at random moments, among commands of several clients, one of them on standard input: each command is answered or its
// connection ends, the exit code is 0, and of what was acknowledged nothing is lost. That the moment
// is a random number of answers is all that chance decides.
func TestATermSignalLosesNothingAcknowledged(t *testing.T) {
	const rounds, clients, commands = 12, 3, 60
	for round := range rounds {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			place := newPlace(t)
			d := place.serve(t, "--stdio")
			starter := dial(t, place.socket("host"))
			starter.hello(`"interactive":false`)
			session := starter.start()
			starter.must(wire.MethodViewUnsubscribe, object(in(session))) // it reads no more
			moment := rand.IntN(clients * commands)
			t.Logf("the signal comes behind %d answers", moment)

			var mu sync.Mutex
			var acknowledged []string
			answered := func(approval string) {
				mu.Lock()
				defer mu.Unlock()
				if len(acknowledged) == moment {
					if err := d.cmd.Process.Signal(os.Signal(syscall.SIGTERM)); err != nil {
						t.Error(err)
					}
				}
				acknowledged = append(acknowledged, approval)
			}
			peers := []*peer{newPeer(t, d.stdio())}
			for len(peers) < clients {
				peers = append(peers, dial(t, place.socket("host")))
			}
			for _, p := range peers {
				p.hello(`"interactive":false`)
				p.answers() // it is initialized
			}
			var all sync.WaitGroup
			for _, p := range peers {
				var frames strings.Builder
				for range commands {
					_, line := p.request(wire.MethodApprovalOpen, opening(session))
					frames.WriteString(line)
				}
				all.Go(func() { p.flood(frames.String(), answered) })
			}
			all.Wait()
			if err := d.wait(); err != nil {
				t.Fatalf("the daemon ended with %v, want exit code 0", err)
			}
			place.stillHas(t, session, acknowledged)
		})
	}
}

// flood writes requests and reads to the end of the connection, whose other side may end at any
// time. Each answer with an approval is handed on; any other must say that the daemon goes down.
func (p *peer) flood(frames string, answered func(approval string)) {
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() { _, _ = io.WriteString(p.conn, frames) }) // it may end half way
	for {
		f, err := p.next()
		switch {
		case err != nil:
			return
		case f.Method != "":
		case f.Error == nil:
			answered(member(p.t, f.Result, "approvalId"))
		case f.Error.Data.Kind != wire.KindShuttingDown || !f.Error.Data.Retryable:
			p.t.Errorf("a command is answered %s", f.raw)
		}
	}
}
