package rpc

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/approvald/approvald/wire"
)

func TestAnAnswerThatFitsNoFrameIsRefused(t *testing.T) {
	r := &request{id: json.RawMessage(`1`)}
	envelope := len(responseFrame(r.id, json.RawMessage(`""`))) - len("\n") - len(`""`)
	fits := json.RawMessage(`"` + string(bytes.Repeat([]byte("x"), wire.MaxFrame-envelope-len(`""`))) + `"`)
	if got := len(r.frameOf(fits)) - len("\n"); got != wire.MaxFrame {
		t.Errorf("a frame of %d bytes, want all of the %d that it may have", got, wire.MaxFrame)
	}
	over := r.frameOf(append(fits[:len(fits)-1:len(fits)-1], `x"`...))
	var answer struct {
		Error wire.Error `json:"error"`
	}
	if err := json.Unmarshal(over, &answer); err != nil || answer.Error.Code != wire.CodeInvalidParams {
		t.Errorf("one byte more is answered %.200s", over)
	}
}

// ownedPipe is a stream without deadlines, as a pipe of another process's is.
type ownedPipe struct {
	io.Reader
	*io.PipeWriter
}

// A peer that closed its half and reads nothing is let go when a socket would
// have been.
func TestAClosedHalfThatReadsNothingIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		unread, out := io.Pipe()
		defer unread.Close()
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"ide","version":"1"}}}`)
		over := make(chan struct{})
		go func() {
			defer close(over)
			h.Serve(t.Context(), Transport{Name: "stdio", Widest: wire.RoleBoth, Conn: ownedPipe{in, out}})
		}()
		synctest.Wait()
		select {
		case <-over:
			t.Fatal("it was let go before it could read its answer")
		default:
		}
		time.Sleep(2 * DefaultStall)
		synctest.Wait()
		select {
		case <-over:
		default:
			t.Error("it is still waited for")
		}
	})
}
