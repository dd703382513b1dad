package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// policy is what a page may do: use what this server serves, and nothing else. There
// is no inline script and no inline style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// mostBody bounds what a form may bring: feedback of 16 KiB, spelt as a form does.
const mostBody = 256 << 10

// readTimeout is how long a browser may take to send a form.
const readTimeout = 30 * time.Second

// guard lets through what comes from a page of this server or from the address bar,
// and names it.
//
// The host is checked so that no other name resolves to this server in a browser (DNS
// rebinding). The origin is checked although cookies are SameSite=Strict, because a
// site is a host without its port: another server on this machine is the same site.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.failsLoudly()
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // with no-referrer a form would be sent with the origin null
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		if !s.knowsHost(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "This server does not go by that name. Open the link that approvald printed.")
			return
		}
		if !s.ownOrigin(r) {
			refuse(w, http.StatusForbidden, "This request comes from another page than the inbox's own, and was refused.")
			return
		}
		out := http.NewResponseController(w)
		if err := errors.Join(out.SetReadDeadline(time.Now().Add(readTimeout)), out.SetWriteDeadline(time.Now().Add(writeTimeout))); err != nil {
			s.log.Debug("a browser may take its time", slog.Any("cause", err))
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
}

// failsLoudly has a fault of ours in the log, and the connection ended. Deferred.
func (s *Server) failsLoudly() {
	if fault := recover(); fault != nil {
		s.log.Error("a page of the web inbox has failed", slog.Any("fault", fault), slog.String("stack", string(debug.Stack())))
		panic(http.ErrAbortHandler)
	}
}

// knowsHost reports whether a request names this server as its links do.
func (s *Server) knowsHost(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), s.defaultPort()
	}
	return port == s.port && slices.ContainsFunc(s.names, func(known string) bool { return strings.EqualFold(known, name) })
}

func (s *Server) defaultPort() string {
	if s.secure {
		return "443"
	}
	return "80"
}

// ownOrigin reports whether a request may have been caused by a page of this server,
// or by nobody's. Browsers say whose a request is that changes something.
func (s *Server) ownOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch {
	case origin != "":
		return origin == s.scheme()+"://"+r.Host
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	// A link on another page: a person follows it, and gets a page that is shown.
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

func (s *Server) scheme() string {
	if s.secure {
		return "https"
	}
	return "http"
}

// members lets through who has a session.
func (s *Server) members(next func(http.ResponseWriter, *http.Request, visitor)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, ok := s.visitor(r)
		if !ok {
			s.strangers(w)
			return
		}
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				refuse(w, http.StatusBadRequest, "The form could not be read.")
				return
			}
			if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(v.csrf())) != 1 {
				refuse(w, http.StatusForbidden, "This form is not of your session. Go back, load the page again, and repeat it.")
				return
			}
		}
		next(w, r, v)
	})
}

// visitor is somebody with a session: the token of their cookie.
type visitor struct{ token string }

// csrf is what a form of this visitor's carries. It is made of the token, so that it
// lives as long, and does not tell it.
func (v visitor) csrf() string {
	mac := hmac.New(sha256.New, []byte(v.token))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *Server) visitor(r *http.Request) (visitor, bool) {
	for _, c := range r.CookiesNamed(s.cookieName()) {
		if s.visits.knows(c.Value) {
			return visitor{c.Value}, true
		}
	}
	return visitor{}, false
}

// cookieName has the port, since browsers do not tell the ports of a host apart: two
// daemons of one machine would take each other's sessions away.
func (s *Server) cookieName() string {
	if s.secure {
		return "__Host-approvald-" + s.port
	}
	return "approvald-" + s.port
}

func (s *Server) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
	}
}

func refuse(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(sentence + "\n")) // who is refused may be gone
}
