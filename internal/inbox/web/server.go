package web

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/wire"
)

// Transport is how the connections of the inbox are called where decisions are
// recorded.
const Transport = "web"

// Config is what an inbox works with.
type Config struct {
	Client client.Options // its name and version; the rest is the inbox's
	Dial   client.Dialer  // to the daemon, as a reviewer
	Log    audit.Log      // the daemon's
	Key    Key            // makes the links that are let in
	Visits string         // the file of who is in; "" for none

	Secure bool     // served with TLS
	Names  []string // the host names and addresses in its links, without port
	Port   string

	Modes  []wire.Mode // that may be chosen
	Linger time.Duration
	Proof  time.Duration
	Logger *slog.Logger
	Now    func() time.Time
}

// DefaultLinger is how long somebody who turned away from the last page still counts
// as there: long enough to follow a link.
const DefaultLinger = 5 * time.Second

// DefaultProof is how long a page is believed to be there without saying so again: a
// tunnel or a proxy keeps a connection alive whose browser is gone.
const DefaultProof = 45 * time.Second

// Server is the web inbox. It is an http.Handler.
type Server struct {
	cfg    Config
	secure bool
	names  []string
	port   string
	log    *slog.Logger
	now    func() time.Time

	links    *links
	visits   *visits
	stream   *stream
	ledger   *ledger
	feed     *feed
	presence *presence
	pages    map[string]*template.Template
	http.Handler
}

//go:embed templates
var templates embed.FS

//go:embed assets
var assets embed.FS

// New connects to the daemon and stands ready to serve. The caller closes it.
func New(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{
		cfg: cfg, secure: cfg.Secure, names: cfg.Names, port: cfg.Port, log: cfg.Logger, now: cfg.Now,
		links: newLinks(cfg.Key), ledger: &ledger{source: cfg.Log, log: cfg.Logger},
	}
	var err error
	if s.visits, err = openVisits(cfg.Visits, cfg.Now); err != nil {
		s.log.Warn("nobody is in the web inbox: every browser needs a new link", slog.Any("cause", err))
	}
	if s.pages, err = parsePages(); err != nil {
		return nil, err
	}
	epoch := make([]byte, 8)
	rand.Read(epoch) // never fails
	s.stream = newStream(hex.EncodeToString(epoch))
	s.feed = newFeed(s.stream, s.ledger, cfg.Logger)
	if err := s.feed.connect(ctx, cfg); err != nil {
		return nil, err
	}
	s.presence = &presence{linger: cfg.Linger, log: cfg.Logger, connect: func(ctx context.Context) (*client.Client, error) {
		seat, err := client.Connect(ctx, cfg.Dial, seatOptions(cfg.Client))
		if err != nil {
			return nil, err
		}
		one := 1 // what is answered shows that the daemon counts the seat
		if _, err := seat.ListSessions(ctx, wire.SessionListParams{Limit: &one}); err != nil {
			return nil, errors.Join(err, seat.Close())
		}
		return seat, nil
	}}
	s.Handler = s.guard(s.routes())
	go s.ledger.all() // what is in a long log takes a while: the first page does not wait for it
	return s, nil
}

// Close ends what the inbox has with the daemon, and the streams of tabs.
func (s *Server) Close() error {
	s.stream.close()
	s.presence.close()
	s.ledger.close()
	return s.feed.c.Close()
}

// routes is every address that there is.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /enter/{token}", s.enter)
	mux.HandleFunc("GET /assets/{file}", asset)
	for pattern, page := range s.doors() {
		mux.Handle(pattern, s.members(page))
	}
	return mux
}

// doors are the pages of those who are in.
func (s *Server) doors() map[string]func(http.ResponseWriter, *http.Request, visitor) {
	return map[string]func(http.ResponseWriter, *http.Request, visitor){
		"GET /{$}":                             s.waiting,
		"GET /row/{id}":                        s.rowOf,
		"GET /events":                          s.events,
		"GET /ask/{session}/{id}":              s.asked,
		"GET /approval/{session}/{id}":         s.approval,
		"GET /approval/{session}/{id}/{part}":  s.verbatim,
		"POST /approval/{session}/{id}/decide": s.decide,
		"GET /prompt/{session}/{id}":           s.prompt,
		"GET /prompt/{session}/{id}/{form}":    s.promptAgain,
		"POST /prompt/{session}/{id}/answer":   s.answer,
		"POST /prompt/{session}/{id}/clarify":  s.clarify,
		"POST /prompt/{session}/{id}/cancel":   s.cancelPrompt,
		"POST /prompt/{session}/{id}/engaged":  s.engaged,
		"GET /history":                         s.history,
		"GET /activity":                        s.activity,
		"GET /grants":                          s.grants,
		"POST /grants/{session}/{id}/revoke":   s.revoke,
		"GET /sessions":                        s.sessions,
		"POST /sessions/{session}/mode":        s.setMode,
		"POST /leave":                          s.leave,
		"/":                                    s.nowhere,
	}
}

// enter takes a link and lets the browser in. The page goes on by itself: a redirect
// would belong to whoever gave the link, and the cookie would not be sent with it.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if err := s.links.open(r.PathValue("token"), s.now()); err != nil {
		s.stranger(w, http.StatusForbidden, err)
		return
	}
	token, err := s.visits.admit()
	if err != nil {
		s.log.Warn("who is in the web inbox is not kept for the next daemon", slog.Any("cause", err))
	}
	http.SetCookie(w, s.cookie(token, int(visitLife/time.Second)))
	s.show(w, http.StatusOK, "entered", view{Title: "You are in"})
}

// strangers is the page of those without a session. Whoever came by a link on another
// page has one all the same: the cookie is not sent with the first request.
func (s *Server) strangers(w http.ResponseWriter) { s.stranger(w, http.StatusUnauthorized, nil) }

func (s *Server) stranger(w http.ResponseWriter, status int, cause error) {
	v := view{Title: "Not in yet"}
	if cause != nil {
		v.Note = note{Kind: "bad", Text: cause.Error()}
	}
	s.show(w, status, "stranger", v)
}

// leave ends the session of this browser.
func (s *Server) leave(w http.ResponseWriter, _ *http.Request, v visitor) {
	if err := s.visits.leave(v.token); err != nil {
		s.log.Warn("who has left the web inbox may be in again with the next daemon", slog.Any("cause", err))
	}
	s.stream.nudge() // its tabs are told no more
	http.SetCookie(w, s.cookie("", -1))
	s.strangers(w)
}

// nowhere is the page of every other address.
func (s *Server) nowhere(w http.ResponseWriter, _ *http.Request, v visitor) {
	s.failed(w, v, wire.NewError(wire.CodeNotFound, "There is no such page."))
}

// asset serves what pages are made of. It is the same for everybody.
func asset(w http.ResponseWriter, r *http.Request) {
	name := "assets/" + r.PathValue("file")
	if _, err := fs.Stat(assets, name); err != nil {
		refuse(w, http.StatusNotFound, "There is no such file.")
		return
	}
	http.ServeFileFS(w, r, assets, name)
}

func (f *feed) connect(ctx context.Context, cfg Config) (err error) {
	f.ready = make(chan struct{})
	f.c, err = client.Connect(ctx, cfg.Dial, f.options(cfg.Client))
	close(f.ready)
	if err != nil {
		return err
	}
	if err := f.list(ctx); err != nil {
		return errors.Join(err, f.c.Close())
	}
	return nil
}
