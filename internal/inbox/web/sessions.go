package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// sessionRow is one session.
type sessionRow struct {
	ID, Parent string
	Label      card.Text
	Workspace  card.Text
	Client     card.Text
	Mode       wire.Mode
	Modes      []wire.Mode // that may be chosen; none where the session has ended
	Preset     string
	Waits      bool
	Status     wire.SessionStatus
	Started    time.Time
	CommandID  string
}

type sessionsPage struct {
	Rows []sessionRow
	Next string // the cursor of the next page; "" for none
}

func (s *Server) sessions(w http.ResponseWriter, r *http.Request, v visitor) {
	most := pageRows
	list, err := s.feed.c.ListSessions(r.Context(), wire.SessionListParams{Cursor: r.FormValue("after"), Limit: &most})
	if err != nil {
		s.failed(w, v, err)
		return
	}
	var self sessionsPage
	for _, one := range list.Sessions {
		self.Rows = append(self.Rows, s.sessionRow(one))
	}
	if list.NextCursor != nil {
		self.Next = *list.NextCursor
	}
	_, page := s.listAt(1, "")
	page.Title, page.Section, page.CSRF, page.Page, page.Note = "Sessions", "sessions", v.csrf(), self, s.noteOf(r)
	s.show(w, http.StatusOK, "sessions", page)
}

func (s *Server) sessionRow(one wire.Session) sessionRow {
	row := sessionRow{
		ID: one.SessionID, Parent: one.ParentSessionID, Label: card.Of(sessionLabel(one)), Mode: one.ApprovalMode.Mode,
		Preset: card.Visible(string(one.Preset)), Waits: len(one.Attention) > 0, Status: one.Status, CommandID: client.NewCommandID(),
		Modes: s.cfg.Modes,
	}
	if !slices.Contains(row.Modes, row.Mode) { // it is above what may be chosen now, and stays until another is
		row.Modes = append([]wire.Mode{row.Mode}, row.Modes...)
	}
	if one.WorkspaceRoot != nil {
		row.Workspace = card.Of(*one.WorkspaceRoot)
	}
	if one.CreatedByClient != nil {
		row.Client = card.Of(one.CreatedByClient.Name)
	}
	if at, err := one.CreatedAt.Parse(); err == nil {
		row.Started = at
	}
	return row
}

// setMode switches the mode of a session, within the ceiling. It binds the next action.
func (s *Server) setMode(w http.ResponseWriter, r *http.Request, v visitor) {
	session := r.PathValue("session")
	_, err := s.feed.c.SetApprovalMode(r.Context(), wire.SessionSetApprovalModeParams{
		CommandID: r.PostForm.Get("command"), SessionID: session, Mode: wire.Mode(r.PostForm.Get("mode")),
	})
	s.feed.forget(session)
	if err != nil {
		s.failed(w, v, err)
		return
	}
	goTo(w, r, "/sessions", "mode", "")
}
