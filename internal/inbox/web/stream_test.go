package web

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/wire"
)

func about(t *testing.T, e event) told {
	t.Helper()
	var a told
	if err := json.Unmarshal([]byte(e.data), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// Every tab is told of what comes and goes, with who decided it and how.
func TestTabsAreToldOfWhatComesAndGoes(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	after := "after=" + cursorOf(t, in.page("/"))
	tabs := []*tab{in.follow(after, ""), in.follow(after, ""), in.follow(after, "")}
	path := in.ask(session, "c1", shell("make && make install"), nil)
	id := strings.Split(path, "/")[3]
	for _, tb := range tabs {
		if a := about(t, tb.next("pending")); a.ID != id || a.Waiting != 1 || a.Session != session {
			t.Errorf("of what came: %+v", a)
		}
	}
	contains(t, in.page("/row/"+id), path, "part 1 of 2")
	goesTo(t, in.decide(path, 0, "allow_once"), path)
	for _, tb := range tabs {
		if a := about(t, tb.next("changed")); a.ID != id {
			t.Errorf("of the next part: %+v", a)
		}
	}
	goesTo(t, in.decide(path, 1, "abort"), "/")
	for _, tb := range tabs {
		if a := about(t, tb.next("settled")); a.ID != id || a.Words != "rejected by the web inbox" || a.Allowed || a.Waiting != 0 {
			t.Errorf("of its end: %+v", a)
		}
	}
	if got := in.get("/row/" + id); got.StatusCode != http.StatusNotFound {
		t.Errorf("the row of what is settled is answered %s", got.Status)
	}
}

// What policy settles by itself comes to nobody.
func TestWhatPolicySettlesIsNotShown(t *testing.T) {
	in := open(t, nil)
	deny := wire.ModeDenyUnmatched
	session := in.session(func(p *wire.SessionStartParams) { p.ApprovalMode = &deny })
	tb := in.follow("after="+cursorOf(t, in.page("/")), "")
	denied := in.ask(session, "c1", shell("make"), nil)
	asked := in.ask(in.session(nil), "c2", shell("make"), nil)
	if a := about(t, tb.next("pending")); !strings.HasSuffix(asked, a.ID) {
		t.Errorf("the first that was told of is %+v", a)
	}
	goesTo(t, in.decide(asked, 0, "abort"), "/")
	if a := about(t, tb.next("settled")); !strings.HasSuffix(asked, a.ID) {
		t.Errorf("the first end that was told of is %+v", a)
	}
	contains(t, in.page(denied), "rejected by policy")
}

// A tab that comes back hears what it missed, once and in order; one that was away for
// too long, or comes from another daemon, is told to load its page again.
func TestATabThatComesBackMissesNothing(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	first := in.follow("after="+cursorOf(t, in.page("/")), "")
	in.ask(session, "c0", shell("make"), nil)
	last := first.next("pending").id
	first.close()
	var missed []string
	for i := range 3 {
		missed = append(missed, in.ask(session, fmt.Sprintf("c%d", i+1), shell("make"), nil))
	}
	again := in.follow("after=something-old", last)
	for _, path := range missed {
		if a := about(t, again.next("pending")); !strings.HasSuffix(path, a.ID) {
			t.Errorf("was told of %s, want %s", a.ID, path)
		}
	}
	for name, cursor := range map[string]string{"another daemon": "0123456789abcdef:0", "none": "", "no number": in.server.stream.epoch + ":x", "the future": in.server.stream.epoch + ":99"} {
		t.Run(name, func(t *testing.T) {
			tb := in.follow("after="+cursor, "")
			if e := <-tb.events; e.name != "hello" {
				t.Fatalf("the first event is %+v", e)
			}
			if e := <-tb.events; e.name != "reset" || e.id != in.server.stream.cursor() {
				t.Errorf("the second event is %+v", e)
			}
		})
	}
	for i := range kept + 1 {
		in.server.stream.tell("changed", told{ID: fmt.Sprint(i)})
	}
	if e := in.follow("after="+last, "").next("reset"); e.id != in.server.stream.cursor() {
		t.Errorf("who was away for too long is told %+v", e)
	}
}

// What a tab says that it has seen is no words of the stream's.
func TestAPositionPutsNoEventIntoTheStream(t *testing.T) {
	in := open(t, nil)
	tb := in.follow("after="+url.QueryEscape("x\nevent: settled\ndata: {}\n\n"), "")
	if e := <-tb.events; e.name != "hello" {
		t.Errorf("the first event is %+v", e)
	}
	if e := <-tb.events; e.name != "reset" {
		t.Errorf("the second event is %+v", e)
	}
}

// A stream goes on only as long as a page says that it is there: of one whose browser is
// gone behind a tunnel no end would be heard. Who comes again misses nothing.
func TestATabComesAgainWhileItIsThere(t *testing.T) {
	in := open(t, func(c *Config) { c.Proof = time.Millisecond })
	session := in.session(func(p *wire.SessionStartParams) { p.Unattended = wire.UnattendedRefuse })
	tb := in.follow("visible=1&after="+cursorOf(t, in.page("/")), "")
	again := tb.next("again")
	if e, more := <-tb.events; more {
		t.Errorf("behind its end is %+v", e)
	}
	for path := in.ask(session, "c1", shell("make"), nil); in.became(path) == nil; { // nobody came again, so nobody is there
		if t.Context().Err() != nil {
			t.Fatal("whoever is gone is there")
		}
	}
	path := in.ask(in.session(nil), "c2", shell("make"), nil)
	if a := about(t, in.follow("", again.id).next("pending")); !strings.HasSuffix(path, a.ID) {
		t.Errorf("was told of %s, want %s", a.ID, path)
	}
}

// Whoever left hears no more, and is not there, in whatever tab.
func TestAStreamEndsWithItsSession(t *testing.T) {
	in := open(t, nil)
	tb := in.follow("visible=1&after="+cursorOf(t, in.page("/")), "")
	tb.next("hello")
	if got := in.post("/leave"); got.StatusCode != http.StatusUnauthorized {
		t.Fatalf("to leave is answered %s", got.Status)
	}
	for e := range tb.events {
		t.Errorf("it goes on: %+v", e)
	}
}

func TestStreamsHaveABound(t *testing.T) {
	in := open(t, nil)
	for range mostTabs {
		if !in.server.stream.join() {
			t.Fatal("it is less than was said")
		}
	}
	if got := in.get("/events"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one more is answered %s", got.Status)
	}
	in.server.stream.part()
	in.follow("", "").next("hello")
}

// To look at the stream is not to look at a page.
func TestAStreamIsNoPage(t *testing.T) {
	in := open(t, nil)
	got := in.send(http.MethodGet, "/events?visible=1", nil, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "same-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	})
	if got.StatusCode != http.StatusForbidden {
		t.Errorf("is answered %s", got.Status)
	}
}

// A browser that takes nothing from its stream delays nobody: neither other tabs nor
// those who tell.
func TestASlowTabDelaysNobody(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	cursor := cursorOf(t, in.page("/"))
	conn, err := net.Dial("tcp", in.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /events?after=%s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", cursor, in.host, in.cookie); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // it has begun, and is not read any more
		t.Fatal(err)
	}
	quick := in.follow("after="+cursor, "")
	long := strings.Repeat("x", 64<<10)
	for range 200 { // more than any socket takes
		in.server.stream.tell("changed", told{Words: long})
	}
	path := in.ask(session, "c1", shell("make"), nil)
	if a := about(t, quick.next("pending")); !strings.HasSuffix(path, a.ID) {
		t.Errorf("the quick tab was told of %+v", a)
	}
	goesTo(t, in.decide(path, 0, "allow_once"), "/")
	quick.next("settled")
}

// What waited before the inbox was there, and what a restart asks again, is in the list.
func TestAListAfterARestart(t *testing.T) {
	dir := t.TempDir()
	in := serve(t, dir, nil)
	session := in.session(nil)
	old := in.ask(session, "c1", shell("make"), nil)
	in.stop()
	next := serve(t, dir, nil)
	next.enter()
	page := next.page("/")
	if strings.Contains(page, old) || strings.Count(page, `class="row"`) != 1 {
		t.Errorf("the list is %s", page)
	}
	contains(t, next.page(old), "replaced by a successor", "asked again, after a restart")
}
