package tolerance

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/wire"
)

// These tests run in bubbles, where time passes only when everybody waits: a peer that does not read
// is told from one that is slow by what happens, not by how long it takes.

// stall is how long a peer may take nothing (protocol §5).
const stall = 30 * time.Second

// inBubble runs a test with a daemon in this process. Its end must leave no goroutine.
func inBubble(t *testing.T, test func(*testing.T, *within)) {
	t.Helper()
	place := newPlace(t)
	synctest.Test(t, func(t *testing.T) { test(t, place.start(t)) })
}

// writer writes in the background and counts what was taken.
type writer struct {
	frames atomic.Int64
	ended  chan error
}

// send writes frames one by one until all were read by the daemon or the connection ends.
func (p *peer) background(frames ...string) *writer {
	w := &writer{ended: make(chan error, 1)}
	go func() {
		for _, f := range frames {
			if _, err := io.WriteString(p.conn, f); err != nil {
				w.ended <- err
				return
			}
			w.frames.Add(1)
		}
		w.ended <- nil
	}()
	return w
}

// over reports whether the writer has ended, and how.
func (w *writer) over() (bool, error) {
	select {
	case err := <-w.ended:
		return true, err
	default:
		return false, nil
	}
}

// While more than 4 MiB of answers are unread no request is started, whatever it would do; when they
// are read all of it happens. Nobody else waits.
func TestUnreadAnswersHoldUpWhoDoesNotRead(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		const size, requests = 1 << 20, 12
		other := w.join(wire.RoleBoth, `"interactive":false`)
		session := other.start()
		approval := member(t, other.must(wire.MethodApprovalOpen, object(command(), in(session),
			`"toolCallId":"c","toolName":"t","reason":"r","subject":{"kind":"tool","arguments":0}`, fmt.Sprintf(`"rawArgs":"\"%s\""`, strings.Repeat("x", size-2)))), "approvalId")
		slow := w.join(wire.RoleBoth, `"interactive":false`)
		var frames []string
		var last string
		for n := range requests {
			_, read := slow.request(wire.MethodApprovalRead, object(in(session), about(approval)))
			id, start := slow.request(wire.MethodSessionStart, object(command(), fmt.Sprintf(`"name":"slow %d"`, n)))
			frames, last = append(frames, read, start), id
		}
		sent := slow.background(frames...)
		synctest.Wait()
		if over, err := sent.over(); !over || err != nil {
			t.Fatalf("the daemon stopped reading behind %d frames, %v", sent.frames.Load(), err)
		}
		started := strings.Count(string(other.must(wire.MethodSessionList, `{"limit":200}`)), `"name":"slow `)
		if started != 3 { // behind the fourth answer of more than a MiB there are more than 4 MiB
			t.Errorf("%d requests were started without one answer being read", started)
		}
		if answer := slow.answer(last); answer.Error != nil {
			t.Errorf("the last request is answered %s", answer.raw)
		}
		if started = strings.Count(string(other.must(wire.MethodSessionList, `{"limit":200}`)), `"name":"slow `); started != requests {
			t.Errorf("when all was read %d of %d requests had been carried out", started, requests)
		}
	})
}

// While more than 16 MiB of answers are unread the connection is not read; when they are read it goes
// on. Answers that cost no request, refusals of what is no message, count as well.
func TestUnreadAnswersEndTheReading(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		const limit, frames = 16 << 20, 6000
		id := `"` + strings.Repeat("x", 4000) + `"`
		bad := fmt.Sprintf(`{"jsonrpc":"1.0","id":%s}`+"\n", id)
		p, other := w.join(wire.RoleBoth), w.join(wire.RoleBoth)
		p.write(bad)
		answer := len(p.answer(id).raw) + len("\n")
		sent := p.background(strings.Split(strings.Repeat(bad+"|", frames), "|")[:frames]...)
		synctest.Wait()
		taken := int(sent.frames.Load())
		if least := limit / answer; taken < least || taken > least+100 {
			t.Errorf("%d frames were read of which the answers have %d bytes each; the reading is to end at %d bytes", taken, answer, limit)
		}
		other.must(wire.MethodSessionList, `{}`)
		for range frames {
			p.answer(id)
		}
		if err := <-sent.ended; err != nil {
			t.Error(err)
		}
		p.must(wire.MethodSessionList, `{}`)
	})
}

// A peer that takes nothing for 30 s is let go, and what it opened goes on waiting.
func TestAReaderThatNeverReadsIsLetGo(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		p := w.join(wire.RoleBoth)
		session := p.start()
		approval := p.open(session)
		p.answers()
		sent := p.background(ask(`"id":1`))
		synctest.Wait() // the answer waits to be read
		if over, err := sent.over(); !over || err != nil {
			t.Fatalf("the question was not taken: %v", err)
		}
		time.Sleep(stall - time.Second)
		synctest.Wait()
		p.write(ask(`"id":2`)) // fails the test where nobody is there to take it
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, err := io.WriteString(p.conn, ask(`"id":3`)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("writing after its time: %v", err)
		}
		if state := w.join(wire.RoleBoth, `"interactive":false`).state(session, approval); state != "pending" {
			t.Errorf("what it had opened is %s", state)
		}
	})
}

// A peer that takes a byte now and then is slow, and is kept for as long as it takes.
func TestAReaderThatTricklesIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		p := w.join(wire.RoleBoth)
		p.answers()
		p.write(ask(`"id":1`))
		var line strings.Builder
		for one := make([]byte, 1); one[0] != '\n'; line.WriteByte(one[0]) {
			time.Sleep(stall * 2 / 3)
			if _, err := p.conn.Read(one); err != nil {
				t.Fatalf("behind %q: %v", line.String(), err)
			}
		}
		if !strings.HasPrefix(line.String(), `{"jsonrpc":"2.0","id":1,"result":`) {
			t.Errorf("it was sent %q", line.String())
		}
		p.must(wire.MethodSessionList, `{}`)
	})
}

// A peer that writes a byte now and then is no burden, and its frame is a frame when it is whole.
func TestAWriterThatTricklesIsServed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		p, other := w.join(wire.RoleBoth), w.join(wire.RoleBoth)
		p.answers()
		for _, one := range []byte(ask(`"id":1`)) {
			time.Sleep(time.Hour)
			p.write(string(one))
			other.must(wire.MethodSessionList, `{}`)
		}
		if got := p.answer("1").String(); got != fine {
			t.Errorf("it was answered %s", got)
		}
	})
}

// A quiet connection is kept, however long it is quiet.
func TestAQuietConnectionIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, w *within) {
		p := w.join(wire.RoleBoth)
		session := p.start()
		p.answers()
		time.Sleep(30 * 24 * time.Hour)
		p.open(session)
	})
}

// A daemon that is told to end does not wait for ever for a peer that does not read.
func TestAPeerThatDoesNotReadDoesNotKeepTheDaemon(t *testing.T) {
	place := newPlace(t)
	synctest.Test(t, func(t *testing.T) {
		w := place.start(t)
		p := w.join(wire.RoleBoth)
		p.start()
		p.answers()
		p.write(ask(`"id":1`))
		began := time.Now()
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited >= stall {
			t.Errorf("it waited %v", waited)
		}
	})
}
