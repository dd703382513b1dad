package web

import (
	"bytes"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// view is what every page has; Page is its own.
type view struct {
	Title   string
	Section string // of the navigation
	CSRF    string
	Note    note
	Now     time.Time

	// Waiting, Cursor and Rows are of the list beside a page.
	Waiting int
	Cursor  string
	Page    any
}

// note is a sentence about what has just happened: good, bad or plain, and what it is
// about, which is visible text of others.
type note struct{ Kind, Text, About string }

// pages are the pages there are, each of its own file on the base.
var pages = []string{"waiting", "approval", "prompt", "history", "activity", "grants", "sessions", "entered", "stranger", "missing"}

func parsePages() (map[string]*template.Template, error) {
	base, err := template.New("base").Funcs(template.FuncMap{
		"ago": ago, "until": until, "stamp": stamp, "iso": iso, "count": plural, "add": func(a, b int) int { return a + b },
		"short": short, "indent": indent, "istab": istab, "dict": dict, "odd": func(n int) bool { return n%2 == 1 },
	}).ParseFS(templates, "templates/base.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("parse the pages of the web inbox: %w", err)
	}
	all := make(map[string]*template.Template, len(pages))
	for _, name := range pages {
		page, err := base.Clone()
		if err == nil {
			page, err = page.ParseFS(templates, "templates/"+name+".html")
		}
		if err != nil {
			return nil, fmt.Errorf("parse the pages of the web inbox: %w", err)
		}
		all[name] = page
	}
	return all, nil
}

// show writes a page, whole or not at all.
func (s *Server) show(w http.ResponseWriter, status int, name string, v view) {
	v.Now = s.now()
	s.write(w, status, s.pages[name], "base.html", v)
}

// part writes a part of a page.
func (s *Server) part(w http.ResponseWriter, name string, data any) {
	s.write(w, http.StatusOK, s.pages["waiting"], name, data)
}

func (s *Server) write(w http.ResponseWriter, status int, t *template.Template, name string, data any) {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, name, data); err != nil {
		s.log.Error("a page of the web inbox cannot be made", slog.String("page", name), slog.Any("cause", err))
		refuse(w, http.StatusInternalServerError, "This page could not be made. The daemon's log says why.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // who asked may be gone
}

// failed shows why the daemon did not do what was asked.
func (s *Server) failed(w http.ResponseWriter, v visitor, err error) {
	status, text := http.StatusBadGateway, "The daemon did not answer. Try again."
	var refusal *wire.Error
	if asRefusal(err, &refusal) {
		status, text = http.StatusConflict, card.Visible(refusal.Message)
		switch refusal.Data.Kind {
		case wire.KindNotFound, wire.KindSessionNotFound, wire.KindApprovalNotFound, wire.KindUserInputNotFound, wire.KindInvalidParams:
			status = http.StatusNotFound
		default:
		}
	} else {
		s.log.Warn("the web inbox asked in vain", slog.Any("cause", err))
	}
	title := "That was not done"
	if status == http.StatusNotFound {
		title = "Not found"
	}
	s.show(w, status, "missing", view{Title: title, CSRF: v.csrf(), Note: note{Kind: "bad", Text: text}})
}

// ago is how long ago something was, roughly.
func ago(at, now time.Time) string {
	if at.IsZero() {
		return "?"
	}
	return rough(max(0, now.Sub(at)))
}

// until is how long it is until something, roughly; "over" where it has been.
func until(at, now time.Time) string {
	if !at.After(now) {
		return "over"
	}
	return "in " + rough(at.Sub(now))
}

func rough(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d d", d/day)
	}
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

func iso(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// short is the beginning of an id, which says when it was minted.
func short(id string) string { return card.Visible(firstBytes(id, 13)) }

func indent(depth int) string { return strings.Repeat("  ", depth) }

// istab reports whether an escape stands for a tab, which is set as wide as one.
func istab(s card.Segment) bool { return s.Escape && s.Text == "<U+0009>" }

// dict gives a part of a page several values.
func dict(pairs ...any) map[string]any {
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, ok := pairs[i].(string); ok {
			m[name] = pairs[i+1]
		}
	}
	return m
}
