package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// promptPage is a prompt with what has been typed so far.
type promptPage struct {
	*card.Prompt
	Path       string
	From       card.Text
	Commands   [3]string // for answering, clarifying and cancelling
	Entered    map[string][]string
	MostAnswer int
}

func (s *Server) prompt(w http.ResponseWriter, r *http.Request, v visitor) {
	s.showPrompt(w, r, v, http.StatusOK, s.noteOf(r))
}

func (s *Server) showPrompt(w http.ResponseWriter, r *http.Request, v visitor, status int, n note) {
	session, id, cursor := r.PathValue("session"), r.PathValue("id"), s.stream.cursor()
	asked, settled := s.feed.prompt(id), (*wire.UserInputSettledEvent)(nil)
	if asked == nil || asked.SessionID != session {
		var err error
		if asked, settled, err = s.pastPrompt(r.Context(), session, id); err != nil {
			s.failed(w, v, err)
			return
		}
	}
	self := promptPage{
		Prompt: card.NewPrompt(asked, settled), Path: promptPath(session, id),
		From:     card.Of(sessionLabel(s.feed.session(r.Context(), session))),
		Commands: [3]string{client.NewCommandID(), client.NewCommandID(), client.NewCommandID()},
		Entered:  r.PostForm, MostAnswer: card.MostAnswer,
	}
	l, page := s.listAt(1, id)
	page.Title, page.CSRF, page.Note, page.Cursor = "Answer a question", v.csrf(), n, cursor
	page.Page = beside{List: l, Self: self}
	s.show(w, status, "prompt", page)
}

// pastPrompt puts a prompt together from the events of its session: the protocol has
// no method that reads one.
func (s *Server) pastPrompt(ctx context.Context, session, id string) (asked *wire.UserInputRequest, settled *wire.UserInputSettledEvent, err error) {
	ask := wire.ViewPageParams{SessionID: session, Limit: 1000}
	for {
		page, err := s.feed.c.Page(ctx, ask)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range page.Events {
			var about struct {
				UserInputID string `json:"userInputId"`
			}
			if json.Unmarshal(e.Params, &about) != nil || about.UserInputID != id {
				continue
			}
			switch e.Method {
			case wire.MethodUserInputRequested:
				asked = new(wire.UserInputRequest)
				err = json.Unmarshal(e.Params, asked)
			case wire.MethodUserInputSettled:
				settled = new(wire.UserInputSettledEvent)
				err = json.Unmarshal(e.Params, settled)
			}
			if err != nil {
				return nil, nil, err
			}
		}
		switch {
		case asked != nil && settled != nil, page.NextCursor == nil && asked != nil:
			return asked, settled, nil
		case page.NextCursor == nil:
			return nil, nil, wire.NewError(wire.CodeUserInputNotFound, "There is no such prompt in this session.")
		}
		ask.Cursor = *page.NextCursor
	}
}

// promptAgain leads from the address of a form of a prompt, whose answer was shown there,
// to the prompt.
func (s *Server) promptAgain(w http.ResponseWriter, r *http.Request, _ visitor) {
	goTo(w, r, promptPath(r.PathValue("session"), r.PathValue("id")), "", "")
}

// answer takes the answers to every question. What does not fit is said on the page,
// with what was typed.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, v visitor) {
	asked := s.feed.prompt(r.PathValue("id"))
	if asked == nil {
		s.showPrompt(w, r, v, http.StatusConflict, note{Kind: "plain", Text: "It is settled already. Your answer was not used; what became of it is below."})
		return
	}
	answers, fault := answersOf(asked.Questions, r.PostForm)
	if fault != "" {
		s.showPrompt(w, r, v, http.StatusUnprocessableEntity, note{Kind: "bad", Text: fault})
		return
	}
	_, err := s.feed.c.AnswerInput(r.Context(), wire.UserInputAnswerParams{
		CommandID: r.PostForm.Get("command"), SessionID: r.PathValue("session"), UserInputID: r.PathValue("id"), Answers: answers,
	})
	s.promptDone(w, r, v, err)
}

// answersOf reads the form. A question is answered by what is selected or in words of
// one's own, not both.
func answersOf(questions []wire.Question, form map[string][]string) (answers []wire.Answer, fault string) {
	for i, q := range questions {
		field := strconv.Itoa(i)
		a := wire.Answer{QuestionID: q.ID}
		selected, ok := labelsOf(q, form["select:"+field])
		text := strings.TrimSpace(unix(first(form["text:"+field])))
		if said := strings.TrimSpace(unix(first(form["note:"+field]))); said != "" {
			a.Note = &said
		}
		switch {
		case !ok:
			return nil, "The form is not whole. Load the page again."
		case text != "" && len(selected) > 0:
			return nil, "Choose, or answer in your own words, not both: " + card.Visible(q.Question)
		case text != "":
			a.FreeText = &text
		case len(selected) == 0:
			return nil, "This question has no answer yet: " + card.Visible(q.Question)
		case q.Selection.Mode == wire.SelectMultiple:
			a.SelectedLabels = selected
		default:
			a.SelectedLabel = &selected[0]
		}
		answers = append(answers, a)
	}
	return answers, ""
}

// labelsOf are the labels of the options that a form selects by their numbers: a
// browser would change some labels on their way.
func labelsOf(q wire.Question, numbers []string) (labels []string, ok bool) {
	for _, number := range numbers {
		i, err := strconv.Atoi(number)
		if err != nil || i < 0 || i >= len(q.Options) {
			return nil, false
		}
		labels = append(labels, q.Options[i].Label)
	}
	return labels, true
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// Chosen reports whether an option is chosen in what was typed so far.
func (p promptPage) Chosen(question, option int) bool {
	return slices.Contains(p.Entered["select:"+strconv.Itoa(question)], strconv.Itoa(option))
}

// Typed is what was typed so far.
func (p promptPage) Typed(name string, question int) string {
	return first(p.Entered[name+":"+strconv.Itoa(question)])
}

// clarify says something instead of answering.
func (s *Server) clarify(w http.ResponseWriter, r *http.Request, v visitor) {
	says := strings.TrimSpace(unix(r.PostForm.Get("says")))
	if says == "" {
		s.showPrompt(w, r, v, http.StatusUnprocessableEntity, note{Kind: "bad", Text: "There is nothing in your reply yet."})
		return
	}
	_, err := s.feed.c.ClarifyInput(r.Context(), wire.UserInputClarifyParams{
		CommandID: r.PostForm.Get("command"), SessionID: r.PathValue("session"), UserInputID: r.PathValue("id"),
		Clarification: wire.Clarification{Format: wire.ClarificationText, Content: says},
	})
	s.promptDone(w, r, v, err)
}

// cancelPrompt declines to answer.
func (s *Server) cancelPrompt(w http.ResponseWriter, r *http.Request, v visitor) {
	_, err := s.feed.c.CancelInput(r.Context(), wire.UserInputCancelParams{
		CommandID: r.PostForm.Get("command"), SessionID: r.PathValue("session"), UserInputID: r.PathValue("id"),
	})
	s.promptDone(w, r, v, err)
}

func (s *Server) promptDone(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	var refusal *wire.Error
	switch {
	case err == nil:
		goTo(w, r, "/", "settled", r.PathValue("id"))
	case asRefusal(err, &refusal) && refusal.Data.Kind == wire.KindUserInputAlreadySettled:
		goTo(w, r, promptPath(r.PathValue("session"), r.PathValue("id")), "lost", "")
	case asRefusal(err, &refusal) && refusal.Data.Kind == wire.KindUserInputAnswerInvalid:
		s.showPrompt(w, r, v, http.StatusUnprocessableEntity, note{Kind: "bad", Text: card.Visible(refusal.Message)})
	default:
		s.failed(w, v, err)
	}
}

// engaged says that somebody has begun to answer, which ends the deadline.
func (s *Server) engaged(w http.ResponseWriter, r *http.Request, _ visitor) {
	err := s.feed.c.EngageInput(r.Context(), wire.UserInputEngaged{SessionID: r.PathValue("session"), UserInputID: r.PathValue("id")})
	if err != nil {
		s.log.Warn("the deadline of a prompt was not ended", slog.Any("cause", err))
	}
	w.WriteHeader(http.StatusNoContent)
}
