package web

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// everyPage is an address for each route behind the door.
var everyPage = []struct{ method, path string }{
	{"GET", "/"}, {"GET", "/events"}, {"GET", "/row/x"}, {"GET", "/ask/s/a"}, {"GET", "/approval/s/a"}, {"GET", "/approval/s/a/arguments"},
	{"POST", "/approval/s/a/decide"}, {"GET", "/prompt/s/p"}, {"GET", "/prompt/s/p/answer"}, {"POST", "/prompt/s/p/answer"}, {"POST", "/prompt/s/p/clarify"},
	{"POST", "/prompt/s/p/cancel"}, {"POST", "/prompt/s/p/engaged"}, {"GET", "/history"}, {"GET", "/activity"}, {"GET", "/grants"},
	{"POST", "/grants/s/g/revoke"}, {"GET", "/sessions"}, {"POST", "/sessions/s/mode"}, {"POST", "/leave"}, {"GET", "/nowhere"},
}

func TestEveryRouteIsTried(t *testing.T) {
	if got, want := len(everyPage), len((&Server{}).doors()); got != want {
		t.Errorf("the tests know %d routes of %d", got, want)
	}
}

// A page that is not the inbox's own reaches nothing: by another name of this server
// (DNS rebinding), from another site, or from another port of this machine, which is
// the same site to a browser.
func TestWhatComesFromElsewhereIsRefused(t *testing.T) {
	in := open(t, nil)
	_, port, _ := strings.Cut(in.host, ":")
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	own := "http://" + in.host
	for name, tt := range map[string]struct {
		method string
		change func(*http.Request)
		want   int
	}{
		"the own page":                   {"GET", nil, 200},
		"the own script":                 {"GET", header("Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"), 200},
		"the address bar":                {"GET", header("Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"), 200},
		"by address":                     {"GET", host("127.0.0.1:" + port), 200},
		"another case":                   {"GET", host("Approvald.LOCALHOST:" + port), 200},
		"a rebound name":                 {"GET", host("evil.example:" + port), 421},
		"a rebound name without port":    {"GET", host("evil.example"), 421},
		"no port":                        {"GET", host("approvald.localhost"), 421},
		"another port":                   {"GET", host("approvald.localhost:1"), 421},
		"another name of this machine":   {"GET", host("localhost.:" + port), 421},
		"a link on another page":         {"GET", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), 200},
		"a frame":                        {"GET", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), 403},
		"an image of another port":       {"GET", header("Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"), 403},
		"a script of another site":       {"GET", header("Origin", "https://evil.example"), 403},
		"a script of another port":       {"GET", header("Origin", "http://approvald.localhost:1"), 403},
		"a sandboxed page":               {"GET", header("Origin", "null"), 403},
		"a form of another site":         {"POST", header("Origin", "https://evil.example"), 403},
		"a form of another port":         {"POST", header("Origin", "http://127.0.0.1:3000"), 403},
		"a form of the same name by TLS": {"POST", header("Origin", "https://"+in.host), 403},
		"a form of a sandboxed page":     {"POST", header("Origin", "null"), 403},
		"a form of nobody's":             {"POST", func(r *http.Request) { r.Header.Del("Origin") }, 403},
		"a form by another name":         {"POST", func(r *http.Request) { r.Host = "127.0.0.1:" + port }, 403},
		"a form to a rebound name": {"POST", func(r *http.Request) {
			r.Host = "evil.example:" + port
			r.Header.Set("Origin", "http://evil.example:"+port)
		}, 421},
		"a form of the own page": {"POST", header("Origin", own), 303},
	} {
		t.Run(name, func(t *testing.T) {
			path, form := "/", url.Values(nil)
			if tt.method == "POST" {
				path, form = in.decidable(t, name)
			}
			if got := in.send(tt.method, path, form, tt.change); got.StatusCode != tt.want {
				t.Errorf("is answered %s, want %d: %.200s", got.Status, tt.want, got.body)
			}
			if tt.method == "POST" && (in.became(strings.TrimSuffix(path, "/decide")) != nil) != (tt.want == 303) {
				t.Error("what was refused was carried out, or the other way round")
			}
		})
	}
}

// decidable is a form that decides something which waits.
func (in *inbox) decidable(t *testing.T, call string) (path string, form url.Values) {
	t.Helper()
	path = in.ask(in.session(nil), "c "+call, shell("make"), nil)
	return path + "/decide", url.Values{
		"csrf": {in.csrf()}, "command": {"0198f0aa-0000-7000-8000-000000000001"}, "requirement": {"0"}, "shown": {"0"}, "choice": {"allow_once"},
	}
}

// Nobody without a session gets anything, and what they get says how to come in.
func TestStrangersSeeNothing(t *testing.T) {
	in := open(t, nil)
	name, value, _ := strings.Cut(in.cookie, "=")
	for what, cookie := range map[string]string{
		"none": "", "a foreign one": name + "=" + strings.Repeat("A", len(value)), "another name": "session=" + value, "an empty one": name + "=",
		"a part": name + "=" + value[:len(value)-1],
	} {
		t.Run(what, func(t *testing.T) {
			for _, page := range everyPage {
				got := in.send(page.method, page.path, nil, func(r *http.Request) {
					r.Header.Del("Cookie")
					if cookie != "" {
						r.Header.Set("Cookie", cookie)
					}
				})
				if got.StatusCode != http.StatusUnauthorized || !strings.Contains(got.body, "approvald web") || strings.Contains(got.body, `name="csrf"`) {
					t.Errorf("%s %s is answered %s: %.200s", page.method, page.path, got.Status, got.body)
				}
			}
		})
	}
}

// A form carries what only a page of this session has.
func TestAFormNeedsTheTokenOfItsSession(t *testing.T) {
	in := open(t, nil)
	mine := in.csrf()
	_, session, _ := strings.Cut(in.cookie, "=")
	for what, token := range map[string]string{
		"none": "", "another session's": visitor{"x"}.csrf(), "the session's own secret": session, "a part": mine[:len(mine)-1], "more": mine + "A",
	} {
		t.Run(what, func(t *testing.T) {
			for _, page := range everyPage {
				if page.method != http.MethodPost {
					continue
				}
				if got := in.send(page.method, page.path, url.Values{"csrf": {token}}, nil); got.StatusCode != http.StatusForbidden {
					t.Errorf("%s is answered %s", page.path, got.Status)
				}
			}
			path, form := in.decidable(t, what)
			form.Set("csrf", token)
			in.send(http.MethodPost, path, form, nil)
			if r := in.became(strings.TrimSuffix(path, "/decide")); r != nil {
				t.Errorf("it was decided: %s", r.Outcome)
			}
		})
	}
	t.Run("in the address", func(t *testing.T) {
		if got := in.send(http.MethodPost, "/leave?csrf="+mine, url.Values{}, nil); got.StatusCode != http.StatusForbidden {
			t.Errorf("is answered %s", got.Status)
		}
	})
}

// Whatever is answered, it tells a browser to load nothing of others', to be in no
// frame, to guess nothing, and to tell nobody where it came from.
func TestHeadersOfEveryAnswer(t *testing.T) {
	in := open(t, nil)
	path := in.ask(in.session(nil), "c1", shell("make"), nil)
	for _, address := range []string{"/", path, path + "/arguments", "/assets/app.js", "/assets/style.css", "/assets/", "/assets/nothing", "/nowhere", "/enter/x", "/history", "/row/x"} {
		h := in.get(address).Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
				"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", address, name, got, want)
			}
		}
	}
}

// No page has anything of its own that the policy would have to allow, or anything of
// another server's.
func TestPagesHaveNoScriptOfTheirOwn(t *testing.T) {
	in := open(t, nil)
	session := in.session(nil)
	path := in.ask(session, "c1", shell("make"), nil)
	inline := regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<style|javascript:|<script[^>]*>[^<]|(src|href)="(https?:)?//`)
	for _, address := range []string{"/", path, "/history", "/activity", "/grants", "/sessions"} {
		if found := inline.FindString(in.page(address)); found != "" {
			t.Errorf("%s has %q", address, found)
		}
	}
}

func TestAFormHasABound(t *testing.T) {
	in := open(t, nil)
	path, form := in.decidable(t, "c1")
	form.Set("feedback", strings.Repeat("x", mostBody))
	if got := in.send(http.MethodPost, path, form, nil); got.StatusCode != http.StatusBadRequest {
		t.Errorf("a form of more than %d bytes is answered %s", mostBody, got.Status)
	}
}

// A stranger who announces a form and does not send it has its connection for a while,
// and not for as long as it likes.
func TestAFormThatDoesNotComeIsWaitedForOnlySoLong(t *testing.T) {
	in := open(t, nil)
	deadline := make(chan time.Time, 1)
	w := &deadlines{ResponseWriter: httptest.NewRecorder(), read: deadline}
	r := httptest.NewRequest(http.MethodPost, "http://"+in.host+"/leave", http.NoBody)
	r.Header.Set("Origin", "http://"+in.host)
	in.server.ServeHTTP(w, r)
	if at := <-deadline; time.Until(at) <= 0 || time.Until(at) > readTimeout {
		t.Errorf("it is waited for until %s", at)
	}
}

// deadlines is an answer that tells how long its request may take.
type deadlines struct {
	http.ResponseWriter
	read chan time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error { d.read <- at; return nil }
func (*deadlines) SetWriteDeadline(time.Time) error     { return nil }

// A fault of a page is in the log as one, with its place.
func TestAPageThatFailsIsInTheLog(t *testing.T) {
	var said bytes.Buffer
	in := open(t, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&said, nil)) })
	failing := in.server.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault") }))
	defer func() {
		if got := recover(); got != http.ErrAbortHandler { //nolint:errorlint // the value itself
			t.Errorf("the connection ends with %v", got)
		}
		if !strings.Contains(said.String(), "level=ERROR") || !strings.Contains(said.String(), "a fault") || !strings.Contains(said.String(), "guard_test.go") {
			t.Errorf("the log says %s", said.String())
		}
	}()
	failing.ServeHTTP(&deadlines{httptest.NewRecorder(), make(chan time.Time, 1)}, httptest.NewRequest(http.MethodGet, "http://"+in.host+"/", http.NoBody))
}

// What is not there has a page that says so, and leads back; nothing lists what there is.
func TestEveryOtherAddressIsNotFound(t *testing.T) {
	in := open(t, nil)
	for _, address := range []string{"/nowhere", "/approval", "/leave", "/grants/s/g/revoke", "/history/x", "/enter", "/assets/"} {
		got := in.get(address)
		if got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "There is no such page.") || !strings.Contains(got.body, `<h1>Not found</h1>`) {
			t.Errorf("%s is answered %s: %.200s", address, got.Status, got.body)
		}
	}
	if got := in.send(http.MethodPut, "/", in.form(), nil); got.StatusCode != http.StatusForbidden {
		t.Errorf("PUT is answered %s", got.Status)
	}
	if got := in.get("/assets/nothing"); got.StatusCode != http.StatusNotFound || strings.Contains(got.body, "app.js") {
		t.Errorf("a file that is not there is answered %s: %s", got.Status, got.body)
	}
}
