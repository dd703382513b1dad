package notify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
)

// fakeDesktop is the notification service of a desktop, on a bus of the test's own.
type fakeDesktop struct {
	conn    *dbus.Conn
	can     []string
	calls   chan string
	serial  atomic.Uint32
	refuses atomic.Bool
}

func (f *fakeDesktop) GetCapabilities() ([]string, *dbus.Error) { return f.can, nil }

func (f *fakeDesktop) Notify(app string, replaces uint32, icon, summary, body string, actions []string, hints map[string]dbus.Variant, timeout int32) (uint32, *dbus.Error) {
	if f.refuses.Load() {
		return 0, dbus.MakeFailedError(errors.New("do not disturb"))
	}
	id := f.serial.Add(1)
	f.calls <- fmt.Sprintf("%s: %s | %s | %q, urgency %v", app, summary, body, actions, hints["urgency"].Value())
	return id, nil
}

func (f *fakeDesktop) CloseNotification(id uint32) *dbus.Error {
	f.calls <- fmt.Sprintf("close %d", id)
	return nil
}

// newBus starts a message bus; end ends it.
func newBus(t *testing.T) (address string, end func()) {
	t.Helper()
	path, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed: it is the bus that desktop notifications go over")
	}
	cmd := exec.Command(path, "--session", "--nofork", "--nosyslog", "--print-address=1", "--address=unix:tmpdir="+t.TempDir()) //nolint:noctx // ended below
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), end
}

// serve puts a desktop on a bus.
func (f *fakeDesktop) serve(t *testing.T, address string) {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Export(f, notificationsPath, notifications); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(notifications, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the name: %v, %v", reply, err)
	}
	f.conn = conn
}

func newFakeDesktop(can ...string) *fakeDesktop {
	return &fakeDesktop{can: can, calls: make(chan string, 16)}
}

// on is a Desktop that reaches what address says when it connects.
func on(t *testing.T, address *string) (d *Desktop, opened chan string) {
	t.Helper()
	opened = make(chan string, 4)
	d = NewDesktop()
	d.dial = func(opts ...dbus.ConnOption) (*dbus.Conn, error) { return dbus.Connect(*address, opts...) }
	d.open = func(link string) error { opened <- link; return nil }
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, opened
}

func waiting(id, link string) Notice {
	return Notice{
		Event: Requested, Kind: Approval, SessionID: "s", ID: id, ToolName: "bash",
		Title: "Run a command", Text: `cat <a & "b">`, Link: link,
	}
}

func TestTheDesktopIsToldAndTheNoticeTakenBack(t *testing.T) {
	address, _ := newBus(t)
	desktop := newFakeDesktop("actions", "body-markup")
	desktop.serve(t, address)
	d, opened := on(t, &address)
	tell := func(n Notice) {
		t.Helper()
		if err := d.Tell(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	tell(waiting("a", "http://inbox/a"))
	tell(waiting("b", ""))
	tell(Notice{Event: Settled, ID: "never told"})
	if err := desktop.conn.Emit(notificationsPath, notifications+".ActionInvoked", uint32(1), "default"); err != nil {
		t.Fatal(err)
	}
	if err := desktop.conn.Emit(notificationsPath, notifications+".ActionInvoked", uint32(1), actionOpen); err != nil {
		t.Fatal(err)
	}
	if link := <-opened; link != "http://inbox/a" {
		t.Errorf("opened %q", link)
	}
	tell(Notice{Event: Settled, ID: "a"})
	calls := []string{<-desktop.calls, <-desktop.calls, <-desktop.calls}
	want := []string{
		`approvald: Run a command: bash | cat &lt;a &amp; &#34;b&#34;&gt; | ["open" "Open"], urgency 1`,
		`approvald: Run a command: bash | cat &lt;a &amp; &#34;b&#34;&gt; | [], urgency 1`,
		"close 1",
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(opened) != 0 {
		t.Errorf("%q was opened by another action", <-opened)
	}
}

// A browser that keeps whoever started it does not keep the next notice from opening.
func TestABrowserThatStaysHoldsUpNobody(t *testing.T) {
	address, _ := newBus(t)
	desktop := newFakeDesktop("actions")
	desktop.serve(t, address)
	d, opened := on(t, &address)
	quit := make(chan struct{})
	left := make(chan struct{})
	d.open = func(link string) error {
		opened <- link
		<-quit
		left <- struct{}{}
		return nil
	}
	for i, id := range []string{"a", "b"} {
		if err := d.Tell(t.Context(), waiting(id, "http://inbox/"+id)); err != nil {
			t.Fatal(err)
		}
		if err := desktop.conn.Emit(notificationsPath, notifications+".ActionInvoked", uint32(i+1), actionOpen); err != nil {
			t.Fatal(err)
		}
		if link := <-opened; link != "http://inbox/"+id {
			t.Errorf("opened %q", link)
		}
	}
	close(quit)
	<-left
	<-left
}

func TestAnotherDesktopIsFoundWhenTheBusHasGone(t *testing.T) {
	address, end := newBus(t)
	first := newFakeDesktop()
	first.serve(t, address)
	d, _ := on(t, &address)
	if err := d.Tell(t.Context(), waiting("a", "")); err != nil {
		t.Fatal(err)
	}
	if got := <-first.calls; !strings.Contains(got, `| cat <a & "b"> |`) {
		t.Errorf("a desktop without markup is told %s", got)
	}
	conn := d.conn
	end()
	<-conn.Context().Done()

	if err := d.Tell(t.Context(), waiting("b", "")); err == nil {
		t.Error("told without a bus")
	}
	address, _ = newBus(t)
	second := newFakeDesktop()
	second.serve(t, address)
	if err := d.Tell(t.Context(), waiting("b", "")); err != nil {
		t.Fatal(err)
	}
	<-second.calls
	second.refuses.Store(true)
	if err := d.Tell(t.Context(), waiting("c", "")); err == nil || !strings.Contains(err.Error(), "do not disturb") {
		t.Errorf("error %v", err)
	}
}

// A bus that takes a connection and says nothing holds up neither the next notice nor
// the end of the daemon.
func TestABusThatDoesNotAnswerIsGivenUp(t *testing.T) {
	bus, err := net.Listen("unix", filepath.Join(t.TempDir(), "bus"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	taken := make(chan error, 1)
	go func() {
		conn, err := bus.Accept()
		giveUp()
		if err == nil {
			_, err = io.Copy(io.Discard, conn) // until the other end hangs up
			err = errors.Join(err, conn.Close())
		}
		taken <- err
	}()
	d := NewDesktop()
	d.dial = func(opts ...dbus.ConnOption) (*dbus.Conn, error) {
		return dbus.Connect("unix:path="+bus.Addr().String(), opts...)
	}
	if err := d.Tell(ctx, Notice{Event: Requested, ID: "a", Title: "Run a command"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Tell: %v", err)
	}
	if err := errors.Join(<-taken, d.Close(), bus.Close()); err != nil {
		t.Error(err)
	}
}
