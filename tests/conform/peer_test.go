package conform_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/approvald/approvald/tests/conform"
)

// asked is a conversation: what a client sends, then what it is answered.
const asked = `{"jsonrpc":"2.0","id":1,"method":"view/subscribe","params":{"sessionId":"s"}}`

func TestAnAnswerIsHeldAgainstItsRequest(t *testing.T) {
	for answer, fits := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"viewCursor":"v:s:4"}}`:              true,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                  false, // is that of view/unsubscribe
		`{"jsonrpc":"2.0","id":1,"result":{"viewCursor":"v:s:4","more":1}}`:     false,
		`{"jsonrpc":"2.0","id":"1","result":{}}`:                                true, // to another request, of which nobody knows
		`{"jsonrpc":"2.0","method":"session/ended","params":{}}`:                false,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Missing."}}`: false,
		`no JSON`: false,
	} {
		peer := &conform.Peer{Fair: true}
		peer.Sent([]byte(asked))
		if err := peer.Heard([]byte(answer)); (err == nil) != fits {
			t.Errorf("%s: %v", answer, err)
		}
	}
	peer := &conform.Peer{Fair: true}
	peer.Sent([]byte(strings.Replace(asked, `"s"`, `1`, 1)))
	if peer.Heard([]byte(`{"jsonrpc":"2.0","id":1,"result":{"viewCursor":"v:s:4"}}`)) == nil {
		t.Error("params that are not of the schema were taken, and nobody minds")
	}
}

// failing notes that a test was failed.
type failing struct {
	testing.TB
	faults int
}

func (f *failing) Errorf(string, ...any) { f.faults++ }

// conversation is a connection that says its lines in small pieces.
type conversation struct{ said string }

func (c *conversation) Read(b []byte) (int, error) {
	if c.said == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 7)], c.said)
	c.said = c.said[n:]
	return n, nil
}
func (c *conversation) Write(b []byte) (int, error) { return len(b), nil }
func (c *conversation) Close() error                { return nil }

func TestWatchFailsTheTestOfWhatIsNotOfTheSchema(t *testing.T) {
	const good, bad = `{"jsonrpc":"2.0","id":1,"result":{"viewCursor":"v:s:4"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	for said, faults := range map[string]int{
		good + "\n": 0, bad + "\n": 1, "\r\n" + bad + "\r\n\n" + good + "\n": 1, bad: 0, // the last is no line
	} {
		f := &failing{TB: t}
		conn := conform.Watch(f, &conversation{said: said})
		for _, piece := range []string{asked[:20], asked[20:] + "\nno JSON\n" + strings.Repeat("x", 1<<20), "\n"} {
			if _, err := io.WriteString(conn, piece); err != nil {
				t.Fatal(err)
			}
		}
		heard, err := io.ReadAll(conn)
		if err != nil || string(heard) != said {
			t.Errorf("%q was heard of %q: %v", heard, said, err)
		}
		if f.faults != faults {
			t.Errorf("%q: %d faults, want %d", said, f.faults, faults)
		}
		if half, ok := conn.(interface{ CloseWrite() error }); !ok || !errors.Is(half.CloseWrite(), errors.ErrUnsupported) {
			t.Error("half of what has no halves was closed")
		}
	}
}
