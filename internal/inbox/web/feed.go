package web

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// row is one pending approval or prompt in a list.
type row struct {
	ID, Session string
	Prompt      bool
	Title       string
	Headline    card.Text
	Tool        card.Text
	From        card.Text // the session: its name, else where it works
	Child       bool      // asked by a session below another
	Marks       []string
	Opened      time.Time
	Expires     time.Time

	asked *wire.UserInputRequest // of a prompt, which the wire lists and does not read
}

// feed knows what waits. It is a reviewer that is told of everything and can be asked
// nothing: that is what presence is for.
type feed struct {
	c      *client.Client // set when ready is closed
	ready  chan struct{}
	stream *stream
	ledger *ledger
	log    *slog.Logger

	mu       sync.Mutex
	rows     []*row // in opening order
	byID     map[string]*row
	gone     map[string]bool // settled while the list was read
	listing  bool
	sessions map[string]wire.Session // of those that ask
}

// mostSessions bounds what is remembered of sessions; they are asked for again.
const mostSessions = 1000

func newFeed(s *stream, l *ledger, log *slog.Logger) *feed {
	return &feed{stream: s, ledger: l, log: log, byID: make(map[string]*row), sessions: make(map[string]wire.Session)}
}

// options are those of the feed's connection.
func (f *feed) options(o client.Options) client.Options {
	o.AllSessions, o.Reconnect, o.DecidedBy = true, true, true
	o.OnNotification = f.notified
	o.OnConnection = func(lost error) {
		if lost != nil {
			return
		}
		if err := f.list(context.Background()); err != nil { // its calls end with the client
			f.log.Warn("the web inbox does not know what is pending", slog.Any("cause", err))
			return
		}
		f.stream.tell("reset", told{}) // tabs load their pages again
	}
	return o
}

// list reads what is pending. What is told meanwhile is newer than what is read.
func (f *feed) list(ctx context.Context) error {
	f.mu.Lock()
	f.listing, f.gone = true, make(map[string]bool)
	before := f.byID
	f.byID = maps.Clone(before)
	f.mu.Unlock()
	var listed []*row
	ask := wire.ApprovalListPendingParams{}
	for {
		page, err := f.c.ListPending(ctx, ask)
		if err != nil {
			return err
		}
		var rows []*row
		for i := range page.Approvals {
			rows = append(rows, f.approvalRow(ctx, &page.Approvals[i]))
		}
		for i := range page.UserInputs {
			rows = append(rows, f.promptRow(ctx, &page.UserInputs[i]))
		}
		slices.SortStableFunc(rows, func(a, b *row) int { return a.Opened.Compare(b.Opened) })
		listed = append(listed, rows...)
		if page.NextCursor == nil {
			break
		}
		ask.Cursor = *page.NextCursor
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	told := f.rows
	f.rows, f.byID = nil, make(map[string]*row)
	told = slices.DeleteFunc(slices.Clone(told), func(r *row) bool { return before[r.ID] != nil }) // listed, or settled unheard of
	for _, r := range append(listed, told...) {
		if f.byID[r.ID] == nil && !f.gone[r.ID] {
			f.rows, f.byID[r.ID] = append(f.rows, r), r
		}
	}
	f.listing, f.gone = false, nil
	return nil
}

// notified is called for everything that happens, in order.
func (f *feed) notified(e client.Event) {
	<-f.ready
	params, err := e.Decode()
	if err != nil {
		return // of a newer daemon
	}
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		if len(p.AvailableChoices) > 0 { // policy settles the others, which follows
			f.add(f.approvalRow(context.Background(), p))
		}
	case *wire.ApprovalUpdated:
		f.stream.tell("changed", told{ID: p.ApprovalID, Session: p.SessionID})
	case *wire.ApprovalResolved:
		f.settled(p.ApprovalID, p.SessionID, func() string {
			return card.OutcomeByText(p.Outcome, p.ResolvedBy, card.Person(p.DecidedBy))
		}, p.PolicyResult == wire.PolicyAllow, p.SuccessorApprovalID)
	case *wire.UserInputRequest:
		f.add(f.promptRow(context.Background(), p))
	case *wire.UserInputSettledEvent:
		f.settled(p.UserInputID, p.SessionID, func() string { return card.PromptOutcomeByText(p.Outcome, card.Person(p.DecidedBy)) },
			p.Outcome == wire.UserInputAnswered, "")
	case *wire.SessionApprovalModeChanged:
		f.forget(p.SessionID)
		f.stream.tell("sessions", told{Session: p.SessionID})
	case *wire.SessionClosed:
		f.forget(p.SessionID)
		f.stream.tell("sessions", told{Session: p.SessionID})
	}
}

// told is what tabs are told of an approval or prompt.
type told struct {
	ID        string `json:"id,omitempty"`
	Session   string `json:"session,omitempty"`
	Words     string `json:"words,omitempty"`
	Allowed   bool   `json:"allowed,omitempty"`
	Successor string `json:"successor,omitempty"`
	Waiting   int    `json:"waiting"`
}

// add puts what waits at the end of the list, once. A later stage of a command keeps
// the place of the first.
func (f *feed) add(r *row) {
	f.mu.Lock()
	if old := f.byID[r.ID]; old != nil {
		*old = *r
		n := len(f.rows)
		f.mu.Unlock()
		f.stream.tell("changed", told{ID: r.ID, Session: r.Session, Waiting: n})
		return
	}
	f.rows, f.byID[r.ID] = append(f.rows, r), r
	n := len(f.rows)
	f.mu.Unlock()
	f.stream.tell("pending", told{ID: r.ID, Session: r.Session, Waiting: n})
}

func (f *feed) settled(id, session string, words func() string, allowed bool, successor string) {
	f.mu.Lock()
	r := f.byID[id]
	if f.listing {
		f.gone[id] = true
	}
	if r != nil {
		delete(f.byID, id)
		f.rows = slices.DeleteFunc(slices.Clone(f.rows), func(other *row) bool { return other == r })
	}
	n, listing := len(f.rows), f.listing
	f.mu.Unlock()
	if r == nil && !listing {
		return // nobody was shown it: policy settled it
	}
	f.stream.tell("settled", told{ID: id, Session: session, Words: words(), Allowed: allowed, Successor: successor, Waiting: n})
}

// page is a part of what waits, how many there are, and the position in the stream
// behind which news of them come.
func (f *feed) page(from, most int) (rows []row, waiting int, cursor string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cursor = f.stream.cursor() // before: to be told something twice does no harm
	for i := from; i < min(from+most, len(f.rows)); i++ {
		rows = append(rows, *f.rows[i])
	}
	return rows, len(f.rows), cursor
}

// place is where in the list something is; -1 for nowhere.
func (f *feed) place(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.IndexFunc(f.rows, func(r *row) bool { return r.ID == id })
}

// row is the row of something that waits.
func (f *feed) row(id string) (row, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.byID[id]; r != nil {
		return *r, true
	}
	return row{}, false
}

// prompt is a prompt that waits; nil where it does not.
func (f *feed) prompt(id string) *wire.UserInputRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.byID[id]; r != nil {
		return r.asked
	}
	return nil
}

func (f *feed) approvalRow(ctx context.Context, r *wire.ApprovalRequest) *row {
	c := card.RowOf(r, headWidth)
	out := &row{
		ID: r.ApprovalID, Session: r.SessionID, Title: c.Title, Headline: c.Headline, Tool: c.Tool,
		Child: r.SubagentOrigin != nil, Opened: c.Opened, Expires: c.Expires, From: f.from(ctx, r.SessionID),
	}
	if r.ProtectedWrite {
		out.Marks = append(out.Marks, "protected")
	}
	if c.Parts > 1 {
		out.Marks = append(out.Marks, c.Part)
	}
	return out
}

func (f *feed) promptRow(ctx context.Context, r *wire.UserInputRequest) *row {
	p := card.NewPrompt(r, nil)
	return &row{
		ID: r.UserInputID, Session: r.SessionID, Prompt: true, Title: "Answer a question",
		Headline: card.Of(card.Clip(p.Headline.String(), headWidth)), Tool: p.Tool, Child: r.SubagentOrigin != nil,
		Opened: p.Opened, Expires: p.Expires, From: f.from(ctx, r.SessionID), asked: r,
	}
}

// session is what is known of a session; nothing but its id where the daemon cannot be
// asked.
func (f *feed) session(ctx context.Context, id string) wire.Session {
	f.mu.Lock()
	s, known := f.sessions[id]
	f.mu.Unlock()
	if known {
		return s
	}
	read, err := f.c.ReadSession(ctx, id)
	if err != nil {
		return wire.Session{SessionID: id}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sessions) >= mostSessions {
		clear(f.sessions)
	}
	f.sessions[id] = read.Session
	return read.Session
}

func (f *feed) forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sessions, session)
}

func (f *feed) from(ctx context.Context, session string) card.Text {
	return card.Of(sessionLabel(f.session(ctx, session)))
}

// sessionLabel is what a session is called: by its name, else by the directory that it
// works in, else by its id.
func sessionLabel(s wire.Session) string {
	switch {
	case s.Name != "":
		return firstBytes(s.Name, headWidth)
	case s.WorkspaceRoot != nil:
		path := strings.TrimRight(*s.WorkspaceRoot, "/")
		return firstBytes(path[strings.LastIndex(path, "/")+1:], headWidth)
	}
	return s.SessionID
}
