package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// arming is how long a card is shown before a choice on it counts: a click or a key
// that was meant for what was there before decides nothing.
const arming = 400 * time.Millisecond

// mostFeedback is how many bytes of feedback the daemon takes (protocol §5).
const mostFeedback = 16 << 10

// approvalPage is a card with what its forms bring back.
type approvalPage struct {
	*card.Card
	Path      string
	From      card.Text
	Workspace card.Text
	Mode      wire.Mode
	Settler   string // who settled it, as the log knows
	Shown     int64
	Armed     int64 // milliseconds
	Forms     []choiceForm
	Feedback  string // as far as it was typed
	Arguments argumentsPart

	// The parts of the subject: what it is about, facts of a line, and what takes room.
	Hero, Facts, Blocks []card.Item
	Stages              []card.Stage
}

type choiceForm struct {
	card.Choice
	Key       int
	CommandID string
	Lasting   string // how long what it allows lasts; "" for this once
}

type argumentsPart struct {
	card.Item
	Open bool
}

func (s *Server) approval(w http.ResponseWriter, r *http.Request, v visitor) {
	s.showApproval(w, r, v, http.StatusOK, s.noteOf(r))
}

func (s *Server) showApproval(w http.ResponseWriter, r *http.Request, v visitor, status int, n note) {
	cursor := s.stream.cursor() // what happens while it is read is told again
	read, err := s.feed.c.ReadApproval(r.Context(), wire.ApprovalReadParams{SessionID: r.PathValue("session"), ApprovalID: r.PathValue("id")})
	if err != nil {
		s.failed(w, v, err)
		return
	}
	c := card.New(&read.Request, read.Resolution)
	session := s.feed.session(r.Context(), c.SessionID)
	self := approvalPage{
		Card: c, Path: approvalPath(c.SessionID, c.ApprovalID), From: card.Of(sessionLabel(session)),
		Mode: session.ApprovalMode.Mode, Shown: s.now().UnixMilli(), Armed: arming.Milliseconds(), Feedback: r.PostForm.Get("feedback"),
		Arguments: argumentsPart{c.Arguments, len(c.Arguments.Lines) <= 12 && c.Kind != wire.SubjectTool},
	}
	self.layOut()
	if session.WorkspaceRoot != nil {
		self.Workspace = card.Of(*session.WorkspaceRoot)
	}
	for i, choice := range c.Choices {
		self.Forms = append(self.Forms, choiceForm{Choice: choice, Key: i + 1, CommandID: client.NewCommandID(), Lasting: lasting(choice)})
	}
	if c.Settled != nil {
		if e, ok := s.ledger.find(c.ApprovalID); ok {
			self.Settler = e.words
			if e.who == "" {
				self.Settler += ", by " + e.by()
			}
		}
	}
	l, page := s.listAt(1, c.ApprovalID)
	page.Title, page.CSRF, page.Note, page.Cursor = c.Title, v.csrf(), n, cursor
	page.Page = beside{List: l, Self: self}
	s.show(w, status, "approval", page)
}

// layOut sorts the parts of the subject by where they stand on the page. Of a tool the
// server and the tool are both what it is about.
func (p *approvalPage) layOut() {
	most := 1
	if len(p.Subject) > 1 && p.Subject[0].Name == "server" {
		most = 2
	}
	for _, item := range p.Subject {
		switch {
		case item.Form == card.FormStages:
			p.Stages = item.Stages
		case len(p.Hero) < most:
			p.Hero = append(p.Hero, item)
		case item.Form == card.FormDiff, item.Form == card.FormJSON:
			p.Blocks = append(p.Blocks, item)
		default:
			p.Facts = append(p.Facts, item)
		}
	}
}

func lasting(c card.Choice) string {
	switch {
	case !c.Allows:
		return ""
	case c.Scope == wire.ScopeSession:
		return "until the session ends"
	case c.Scope == wire.ScopeLocalPersistent:
		return "for good, in this workspace"
	}
	return ""
}

func approvalPath(session, id string) string { return "/approval/" + session + "/" + id }

func promptPath(session, id string) string { return "/prompt/" + session + "/" + id }

// verbatim is one value of a card as it came, for who wants all of it: a text, whatever
// is in it.
func (s *Server) verbatim(w http.ResponseWriter, r *http.Request, v visitor) {
	read, err := s.feed.c.ReadApproval(r.Context(), wire.ApprovalReadParams{SessionID: r.PathValue("session"), ApprovalID: r.PathValue("id")})
	if err != nil {
		s.failed(w, v, err)
		return
	}
	var value string
	switch part := r.PathValue("part"); part {
	case "arguments":
		value = read.Request.RawArgs
	case "subject":
		value = string(read.Request.Subject)
	case "decide": // the address of a form, whose answer was shown there
		goTo(w, r, approvalPath(r.PathValue("session"), r.PathValue("id")), "", "")
		return
	default:
		s.failed(w, v, wire.NewError(wire.CodeNotFound, "There is no such part of an approval."))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for line := range strings.Lines(value) {
		if _, err := w.Write([]byte(card.Visible(strings.TrimSuffix(line, "\n")) + "\n")); err != nil {
			return
		}
	}
}

// decide takes a choice. Whoever presses the button is there, whether or not their
// browser runs the script that says so.
func (s *Server) decide(w http.ResponseWriter, r *http.Request, v visitor) {
	form := r.PostForm
	session, id := r.PathValue("session"), r.PathValue("id")
	here := approvalPath(session, id)
	index, err := strconv.Atoi(form.Get("requirement"))
	shown, errShown := strconv.ParseInt(form.Get("shown"), 10, 64)
	if err != nil || errShown != nil {
		refuse(w, http.StatusBadRequest, "The form is not whole. Go back, load the page again, and repeat it.")
		return
	}
	if s.now().Sub(time.UnixMilli(shown)) < arming {
		goTo(w, r, here, "early", "")
		return
	}
	p := wire.ApprovalDecideParams{
		CommandID: form.Get("command"), SessionID: session, ApprovalID: id, ChoiceID: wire.ChoiceID(form.Get("choice")),
		RequirementID: wire.RequirementID{ApprovalID: id, SourceIndex: index},
	}
	if text := strings.TrimSpace(unix(form.Get("feedback"))); text != "" {
		p.Feedback = &text
	}
	if p.Feedback != nil && len(*p.Feedback) > mostFeedback {
		s.showApproval(w, r, v, http.StatusUnprocessableEntity, note{Kind: "bad", Text: "What the agent is to be told is too long by " +
			plural(len(*p.Feedback)-mostFeedback, "byte") + ". Nothing was decided."})
		return
	}
	defer s.presence.come()()
	done, err := s.feed.c.Decide(r.Context(), p)
	var refusal *wire.Error
	switch {
	case err == nil && done.Terminal:
		goTo(w, r, "/", "settled", id)
	case err == nil:
		goTo(w, r, here, "stage", "")
	case !asRefusal(err, &refusal):
		s.failed(w, v, err)
	case refusal.Data.Kind == wire.KindApprovalAlreadyResolved:
		goTo(w, r, here, "lost", "")
	case refusal.Data.Kind == wire.KindApprovalRequirementStale:
		goTo(w, r, here, "stale", "")
	case refusal.Data.Kind == wire.KindApprovalChoiceInvalid:
		goTo(w, r, here, "menu", "")
	default:
		s.failed(w, v, err)
	}
}

// unix is a text of a form with the ends of lines that everybody else uses.
func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func asRefusal(err error, refusal **wire.Error) bool { return errors.As(err, refusal) }
