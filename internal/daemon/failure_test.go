package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// A log that fails ends the writer and says why. Whoever is connected hears
// that the outcome is not known, and then that the daemon goes down; ending it
// needs nobody's patience.
func TestDaemonWhoseLogFails(t *testing.T) {
	clock, state := sequencer.SystemClock{}, t.TempDir()
	next := uint64(0)
	d, err := Open(Config{
		StateDir: state, Clock: clock, Identity: rpc.Identity{Version: "test", Home: state},
		NewID: func() approval.ID { next++; return approval.ID{6: 0x70, 8: 0x80, 15: byte(next)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	go d.ServeStream("host", wire.RoleBoth, theirs)
	lines := bufio.NewScanner(ours)
	ask := func(frame string) string {
		t.Helper()
		if _, err := io.WriteString(ours, frame+"\n"); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if !strings.HasPrefix(lines.Text(), `{"jsonrpc":"2.0","method"`) {
				return lines.Text()
			}
		}
		t.Fatalf("no answer: %v", lines.Err())
		return ""
	}
	start := func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/start","params":{"commandId":"018f6a2a-0000-7000-8000-%012x"}}`, n, n)
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"tester","version":"1"}}}`)
	if _, err := io.WriteString(ours, `{"jsonrpc":"2.0","method":"initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if got := ask(start(1)); !strings.Contains(got, `"accepted"`) {
		t.Fatalf("before the failure: %s", got)
	}

	if err := d.store.Close(); err != nil { // whatever is appended from now on fails
		t.Fatal(err)
	}
	if got := ask(start(2)); !strings.Contains(got, fmt.Sprint(wire.CodeInternal)) || !strings.Contains(got, `"retryable":true`) {
		t.Errorf("the command whose commit failed: %s", got)
	}
	<-d.Ended()
	if err := d.Err(); !errors.Is(err, log.ErrClosed) {
		t.Errorf("the daemon says that it ended with %v", err)
	}
	if got := ask(start(3)); !strings.Contains(got, fmt.Sprint(wire.CodeShuttingDown)) {
		t.Errorf("a command afterwards: %s", got)
	}
	if got := ask(`{"jsonrpc":"2.0","id":4,"method":"session/list"}`); strings.Count(got, `"sessionId"`) != 1 {
		t.Errorf("a query afterwards: %s", got)
	}
	go func() {
		for lines.Scan() { // takes what it is told at the end
		}
	}()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := d.Err(); !errors.Is(err, log.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
