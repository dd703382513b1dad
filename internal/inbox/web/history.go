package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// historyQuery says which decisions are wanted.
type historyQuery struct {
	Text    string // in the subject, the tool, the rule or who decided
	Outcome string
	Tool    string
	Who     string // anyone: a person decided; policy: nobody was asked
	before  uint64 // the sequence of the last one on the page before; 0 for the first page
}

// historyPage is a page of the history, the latest first.
type historyPage struct {
	historyQuery
	Rows     []historyRow
	Found    int
	Of       int
	Outcomes []string
	Tools    []string
	Next     string // the address of the next page; "" for none
}

type historyRow struct {
	Path, Headline, Tool, Outcome, By string
	Allowed                           bool
	At                                time.Time
}

func queryOf(r *http.Request) historyQuery {
	q := historyQuery{Text: strings.TrimSpace(r.FormValue("q")), Outcome: r.FormValue("outcome"), Tool: r.FormValue("tool"), Who: r.FormValue("who")}
	q.before, _ = strconv.ParseUint(r.FormValue("before"), 10, 64) // what is no number is the first page
	return q
}

func (q historyQuery) wants(e *entry) bool {
	return (q.Outcome == "" || e.outcome == q.Outcome) &&
		(q.Tool == "" || e.tool == q.Tool) &&
		(q.Who == "" || (q.Who == "anyone") == (e.who != "")) &&
		(q.Text == "" || e.contains(strings.ToLower(q.Text)))
}

// contains reports whether a text, in lower case, is in what a row says.
func (e *entry) contains(text string) bool {
	return slices.ContainsFunc([]string{e.headline, e.tool, e.words, e.rule, e.id, e.session}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}

func (s *Server) history(w http.ResponseWriter, r *http.Request, v visitor) {
	q := queryOf(r)
	all := s.ledger.all()
	h := historyPage{historyQuery: q, Of: len(all)}
	last := uint64(0)
	for i := len(all) - 1; i >= 0; i-- {
		e := &all[i]
		h.Outcomes, h.Tools = appendNew(h.Outcomes, e.outcome), appendNew(h.Tools, e.tool)
		if !q.wants(e) {
			continue
		}
		h.Found++
		switch {
		case q.before > 0 && e.seq >= q.before:
		case len(h.Rows) < pageRows:
			h.Rows, last = append(h.Rows, e.row()), e.seq
		case h.Next == "":
			h.Next = "/history?" + q.next(last)
		}
	}
	slices.Sort(h.Outcomes)
	slices.Sort(h.Tools)
	_, page := s.listAt(1, "")
	page.Title, page.Section, page.CSRF, page.Page = "History", "history", v.csrf(), h
	s.show(w, http.StatusOK, "history", page)
}

func (e *entry) row() historyRow {
	path := approvalPath(e.session, e.id)
	if e.prompt {
		path = promptPath(e.session, e.id)
	}
	return historyRow{Path: path, Headline: e.headline, Tool: e.tool, Outcome: e.what(), By: e.by(), Allowed: e.allowed, At: e.at}
}

func (q historyQuery) next(before uint64) string {
	values := url.Values{"before": {strconv.FormatUint(before, 10)}}
	for name, value := range map[string]string{"q": q.Text, "outcome": q.Outcome, "tool": q.Tool, "who": q.Who} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// mostNames bounds the choices of a filter.
const mostNames = 200

func appendNew(names []string, name string) []string {
	if name == "" || len(names) >= mostNames || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
