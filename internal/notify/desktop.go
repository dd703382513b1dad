package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// The desktop's notification service (freedesktop.org, Desktop Notifications
// Specification 1.2).
const (
	notifications     = "org.freedesktop.Notifications"
	notificationsPath = "/org/freedesktop/Notifications"
	// actionOpen opens the inbox. There is no other action, and none by a default key:
	// a key that was meant for something else must not allow anything.
	actionOpen = "open"
)

// busTime is how long the desktop may take to answer.
const busTime = 5 * time.Second

// Desktop tells by notifications of the desktop, over D-Bus, and takes back those
// that are settled.
type Desktop struct {
	dial func(...dbus.ConnOption) (*dbus.Conn, error)
	open func(link string) error

	mu     sync.Mutex
	conn   *dbus.Conn // nil: there is none
	markup bool       // it reads the text as markup
	shown  map[string]shownNotice
}

type shownNotice struct {
	id   uint32 // the desktop's
	link string
}

// NewDesktop returns the medium of the session bus. It connects when it has
// something to tell, and again where the bus has gone.
func NewDesktop() *Desktop {
	return &Desktop{
		dial:  dbus.ConnectSessionBus,
		open:  func(link string) error { return exec.Command("xdg-open", link).Run() }, //nolint:noctx // it ends when the browser was told
		shown: make(map[string]shownNotice),
	}
}

// Name implements Medium.
func (d *Desktop) Name() string { return "desktop" }

// Tell implements Medium.
func (d *Desktop) Tell(ctx context.Context, n Notice) error {
	ctx, cancel := context.WithTimeout(ctx, busTime)
	defer cancel()
	err := d.tell(ctx, n)
	if errors.Is(err, dbus.ErrClosed) { // the bus has gone since the last one
		err = d.tell(ctx, n)
	}
	if err != nil {
		return fmt.Errorf("the desktop's notifications (D-Bus): %w", err)
	}
	return nil
}

func (d *Desktop) tell(ctx context.Context, n Notice) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	bus := conn.Object(notifications, notificationsPath)
	if n.Event == Settled {
		shown, ok := d.take(n.ID)
		if !ok {
			return nil
		}
		return d.broken(bus.CallWithContext(ctx, notifications+".CloseNotification", 0, shown.id).Err)
	}
	text := n.Text
	if d.markup {
		text = html.EscapeString(text)
	}
	actions := []string{}
	if n.Link != "" {
		actions = []string{actionOpen, "Open"}
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1)), "category": dbus.MakeVariant("im.received")}
	shown := shownNotice{link: n.Link}
	call := bus.CallWithContext(ctx, notifications+".Notify", 0,
		"approvald", uint32(0), "", n.Title+": "+n.ToolName, text, actions, hints, int32(0))
	if err := call.Store(&shown.id); err != nil {
		return d.broken(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown[n.ID] = shown
	return nil
}

// connect is the connection to the bus, made where there is none.
func (d *Desktop) connect(ctx context.Context) (*dbus.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil && d.conn.Connected() {
		return d.conn, nil
	}
	conn, err := d.reach(ctx)
	if err != nil {
		return nil, err
	}
	var can []string
	err = conn.Object(notifications, notificationsPath).CallWithContext(ctx, notifications+".GetCapabilities", 0).Store(&can)
	if err == nil {
		err = conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(notifications), dbus.WithMatchObjectPath(notificationsPath))
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	go d.listen(signals)
	d.conn, d.markup = conn, slices.Contains(can, "body-markup")
	clear(d.shown) // another bus, or another desktop
	return conn, nil
}

// reach dials the bus, which has until the end of ctx to answer. The connection
// outlives ctx.
func (d *Desktop) reach(ctx context.Context) (*dbus.Conn, error) {
	whole, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, hangUp)
	conn, err := d.dial(dbus.WithContext(whole))
	if !stop() || err != nil {
		hangUp()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return conn, nil
}

// listen opens the inbox where somebody asks for it. It ends with the connection.
func (d *Desktop) listen(signals <-chan *dbus.Signal) {
	for s := range signals {
		var id uint32
		switch s.Name {
		case notifications + ".ActionInvoked":
			var action string
			if dbus.Store(s.Body, &id, &action) == nil && action == actionOpen {
				if link := d.linkOf(id); link != "" {
					// A browser that starts may keep whoever started it until it ends. There is
					// nobody to tell of an error: who clicked sees that nothing opens.
					go func() { _ = d.open(link) }()
				}
			}
		case notifications + ".NotificationClosed":
			var reason uint32
			if dbus.Store(s.Body, &id, &reason) == nil {
				d.forget(id)
			}
		}
	}
}

// Close ends the connection to the bus.
func (d *Desktop) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		return nil
	}
	return d.conn.Close()
}

// broken passes an error on, as one of a closed connection where it is.
func (d *Desktop) broken(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil && d.conn != nil && !d.conn.Connected() {
		return errors.Join(err, dbus.ErrClosed)
	}
	return err
}

func (d *Desktop) take(id string) (shownNotice, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	shown, ok := d.shown[id]
	delete(d.shown, id)
	return shown, ok
}

func (d *Desktop) linkOf(id uint32) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, shown := range d.shown {
		if shown.id == id {
			return shown.link
		}
	}
	return ""
}

func (d *Desktop) forget(id uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, shown := range d.shown {
		if shown.id == id {
			delete(d.shown, name)
		}
	}
}
