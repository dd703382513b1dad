package web

import (
	"net/http"
	"net/url"
	"strconv"
)

// pageRows is how many rows a page of the list has.
const pageRows = 50

// list is a page of what waits.
type list struct {
	Rows           []row
	Current        string // the id of the one that is shown beside it; "" for none
	Older, Newer   int    // numbers of the pages before and behind, from 1; 0 for none
	Number, Pages  int
	From, To, Size int
}

// listAt is the page of the list with a number, from 1, or, with the id of something
// that waits, the page that it is on.
func (s *Server) listAt(number int, current string) (list, view) {
	if place := s.feed.place(current); place >= 0 {
		number = place/pageRows + 1
	}
	number = max(number, 1)
	rows, waiting, cursor := s.feed.page((number-1)*pageRows, pageRows)
	pages := max(1, (waiting+pageRows-1)/pageRows)
	if number > pages { // they were decided
		number = pages
		rows, waiting, cursor = s.feed.page((number-1)*pageRows, pageRows)
	}
	l := list{
		Rows: rows, Current: current, Number: number, Pages: pages,
		From: (number-1)*pageRows + 1, To: (number-1)*pageRows + len(rows), Size: pageRows,
	}
	if number > 1 {
		l.Older = number - 1
	}
	if number < pages {
		l.Newer = number + 1
	}
	return l, view{Waiting: waiting, Cursor: cursor, Section: "waiting"}
}

// beside is a page of its own with the list beside it.
type beside struct {
	List list
	Note string
	Self any
}

func (s *Server) waiting(w http.ResponseWriter, r *http.Request, v visitor) {
	number, _ := strconv.Atoi(r.FormValue("page")) // what is no number is the first page
	l, page := s.listAt(number, "")
	page.Title, page.CSRF, page.Note = "Waiting", v.csrf(), s.noteOf(r)
	page.Page = beside{List: l}
	s.show(w, http.StatusOK, "waiting", page)
}

// noteOf is what the page before has to say: it names one of the sentences here, so
// that an address cannot put words into the inbox's mouth.
func (s *Server) noteOf(r *http.Request) note {
	switch r.FormValue("note") {
	case "settled":
		if e, ok := s.ledger.find(r.FormValue("about")); ok {
			kind := "bad"
			if e.allowed {
				kind = "good"
			}
			return note{kind, upper(e.words), e.headline}
		}
		return note{Kind: "plain", Text: "Decided. Decisions are final."}
	case "stage":
		return note{Kind: "plain", Text: "That part is settled. The next one is below."}
	case "lost":
		return note{Kind: "plain", Text: "It had been settled before. Your choice was not used; how it ended is below."}
	case "stale":
		return note{Kind: "plain", Text: "Another part is to be decided by now. Your choice was not used; look again."}
	case "early":
		return note{Kind: "plain", Text: "That was quicker than anybody reads. Nothing was decided; look again."}
	case "menu":
		return note{Kind: "plain", Text: "That choice is not offered any more. Nothing was decided; look again."}
	case "revoked":
		return note{Kind: "plain", Text: "Revoked. It binds the next action; what was allowed stays allowed."}
	case "mode":
		return note{Kind: "plain", Text: "The mode is set. It binds the next action; what waits goes on waiting."}
	}
	return note{}
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]&^0x20) + s[1:]
}

// Path is the address of an approval or a prompt, for who does not know which it is.
func Path(session, id string) string { return "/ask/" + session + "/" + id }

// asked goes on to the page of an approval or a prompt.
func (s *Server) asked(w http.ResponseWriter, r *http.Request, _ visitor) {
	session, id := r.PathValue("session"), r.PathValue("id")
	path := approvalPath(session, id)
	if e, settled := s.ledger.find(id); s.feed.prompt(id) != nil || settled && e.prompt {
		path = promptPath(session, id)
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// goTo sends the browser on, so that loading the page again repeats nothing.
func goTo(w http.ResponseWriter, r *http.Request, path, name, about string) {
	query := url.Values{}
	if name != "" {
		query.Set("note", name)
	}
	if about != "" {
		query.Set("about", about)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// rowOf is the row of something that waits, for a page that shows the others already.
func (s *Server) rowOf(w http.ResponseWriter, r *http.Request, _ visitor) {
	one, ok := s.feed.row(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "It does not wait any more.")
		return
	}
	s.part(w, "row", map[string]any{"Row": one, "Now": s.now(), "Current": ""})
}
