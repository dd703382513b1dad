package web

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestALinkIsOpenedOnce(t *testing.T) {
	now := time.Now()
	key := NewKey()
	l := newLinks(key)
	token := func(k Key, at time.Time) string { return strings.TrimPrefix(k.Link(at), "/enter/") }
	fresh := token(key, now)
	changed := []byte(fresh)
	changed[20] ^= 1
	for _, tt := range []struct {
		name, token string
		want        error
	}{
		{"changed", string(changed), errLinkForeign},
		{"cut", fresh[:len(fresh)-4], errLinkForeign},
		{"longer", fresh + "AAAA", errLinkForeign},
		{"nothing", "", errLinkForeign},
		{"of another daemon", token(NewKey(), now), errLinkForeign},
		{"old", token(key, now.Add(-linkLife)), errLinkOld},
		{"just in time", token(key, now.Add(time.Millisecond-linkLife)), nil},
		{"fresh", fresh, nil},
		{"again", fresh, errLinkUsed},
		{"and again", fresh, errLinkUsed},
	} {
		if err := l.open(tt.token, now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := l.open(fresh, now.Add(linkLife)); !errors.Is(err, errLinkOld) {
		t.Errorf("a used one when it is old: %v", err)
	}
	if err := l.open(token(key, now.Add(linkLife)), now.Add(linkLife)); err != nil || len(l.used) != 1 {
		t.Errorf("after a while %d links are remembered (%v)", len(l.used), err)
	}
}

// Of many who open a link at once one is let in.
func TestALinkIsOpenedOnceAtOnce(t *testing.T) {
	key := NewKey()
	l, now := newLinks(key), time.Now()
	token := strings.TrimPrefix(key.Link(now), "/enter/")
	answers := make(chan error)
	for range 64 {
		go func() { answers <- l.open(token, now) }()
	}
	in := 0
	for range 64 {
		if err := <-answers; err == nil {
			in++
		} else if !errors.Is(err, errLinkUsed) {
			t.Error(err)
		}
	}
	if in != 1 {
		t.Errorf("%d are in", in)
	}
}

func TestALinkSetsACookieForThisServerAlone(t *testing.T) {
	in := serve(t, t.TempDir(), nil)
	link := in.key.Link(time.Now())
	first := in.get(link)
	if cookies := first.Cookies(); len(cookies) != 1 {
		t.Fatalf("%d cookies are set", len(cookies))
	} else if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure || c.MaxAge != 7*24*3600 || len(c.Value) < 43 {
		t.Errorf("the cookie is %s", c)
	}
	if !strings.Contains(first.body, `http-equiv="refresh" content="0;url=/"`) {
		t.Error("the page does not go on by itself")
	}
	if again := in.get(link); again.StatusCode != http.StatusForbidden || len(again.Cookies()) != 0 || !strings.Contains(again.body, "has been used") {
		t.Errorf("the link again is answered %s with %d cookies: %s", again.Status, len(again.Cookies()), again.body)
	}
	in.enter()
	if in.get("/").StatusCode != http.StatusOK {
		t.Error("who is in sees nothing")
	}
}

func TestWithTLSTheCookieIsForTLS(t *testing.T) {
	s := &Server{secure: true, port: "443", names: []string{"box.example"}}
	if c := s.cookie("x", 1); !c.Secure || c.Name != "__Host-approvald-443" || c.Path != "/" {
		t.Errorf("the cookie is %s", c)
	}
	if !s.knowsHost("box.example") || s.knowsHost("box.example:8443") || s.knowsHost("127.0.0.1") {
		t.Error("a host is taken for another")
	}
}

// A browser that is in stays in when the daemon is started again, and what is on the
// disk lets nobody in.
func TestWhoIsInStaysInAcrossARestart(t *testing.T) {
	dir := t.TempDir()
	in := serve(t, dir, nil)
	in.enter()
	cookie, link := in.cookie, in.key.Link(time.Now())
	file := filepath.Join(dir, "state", "web-visits.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of who is in: %v, %v", info, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, token, _ := strings.Cut(cookie, "="); strings.Contains(string(text), token) {
		t.Error("the file has the session itself")
	}
	in.stop()

	next := serve(t, dir, func(c *Config) { c.Port = strings.Split(in.host, ":")[1] })
	next.browser.host, next.cookie = in.host, cookie // as if it listened at the same port
	if got := next.get("/"); got.StatusCode != http.StatusOK {
		t.Errorf("is answered %s", got.Status)
	}
	if got := next.get(link); got.StatusCode != http.StatusForbidden {
		t.Errorf("a link of the daemon before is answered %s", got.Status)
	}
	if got := next.post("/leave"); got.StatusCode != http.StatusUnauthorized || got.Cookies()[0].MaxAge >= 0 {
		t.Errorf("to leave is answered %s", got.Status)
	}
	if got := next.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("who has left is answered %s", got.Status)
	}
}

func TestAVisitEnds(t *testing.T) {
	clock := new(later)
	v, err := openVisits(filepath.Join(t.TempDir(), "visits"), clock.now)
	if err != nil {
		t.Fatal(err)
	}
	token, err := v.admit()
	if err != nil || !v.knows(token) {
		t.Fatalf("who was admitted is not known: %v", err)
	}
	clock.pass(visitLife)
	if v.knows(token) {
		t.Error("a visit lasts for ever")
	}
	for range mostVisits + 5 {
		if _, err := v.admit(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := openVisits(v.path, clock.now)
	if err != nil || len(again.open) != mostVisits {
		t.Errorf("%d visits are kept (%v)", len(again.open), err)
	}
}

// Who is in cannot be known from a file that is broken: nobody is, and it is said.
func TestABrokenFileOfVisitsIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "visits")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := openVisits(path, time.Now)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
	token, err := v.admit()
	if err != nil || !v.knows(token) {
		t.Errorf("nobody can be let in afterwards (%v)", err)
	}
	if again, err := openVisits(path, time.Now); err != nil || !again.knows(token) {
		t.Errorf("the file is as broken as it was (%v)", err)
	}
}
