package main

import (
	"fmt"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// told is one line of watch --json: a notification or request without what
// JSON-RPC wraps around it.
type told struct {
	Method      string `json:"method"`
	Params      any    `json:"params"`
	EmittedAtMs int64  `json:"emittedAtMs,omitzero"`
}

// requested is called for every approval/request.
func (w *watcher) requested(r wire.ApprovalRequest) {
	if w.asJSON {
		w.note(printJSON(w.out, told{Method: wire.MethodApprovalRequest, Params: r}))
		return
	}
	w.asked(&r, r.CreatedAt)
}

// notified is called for every notification.
func (w *watcher) notified(e client.Event) {
	if w.asJSON {
		w.note(printJSON(w.out, told{e.Method, e.Params, e.EmittedAtMs}))
		return
	}
	params, err := e.Decode()
	if err != nil {
		return // of a newer daemon
	}
	at := wire.FormatTime(time.UnixMilli(e.EmittedAtMs))
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		if len(p.AvailableChoices) > 0 { // else policy settled it, which follows
			w.asked(p, at)
		}
	case *wire.ApprovalUpdated:
		w.line(at, "updated", p.ApprovalID, changeText(p.Change))
	case *wire.ApprovalResolved:
		w.forget(p.ApprovalID)
		w.line(at, "resolved", p.ApprovalID, outcomeText(p.Outcome, p.ResolvedBy))
	case *wire.SessionStarted:
		w.line(at, "session", p.Session.SessionID, "started by "+clientText(p.Session)+", "+workspaceText(p.Session))
	case *wire.SessionApprovalModeChanged:
		w.line(at, "session", p.SessionID, fmt.Sprintf("mode %s, chosen by %s", p.Mode, visible(p.ClientName)))
	case *wire.SessionClosed:
		w.line(at, "session", p.SessionID, "closed: "+visible(string(p.Reason)))
	}
}

// asked shows a request once, however often it is told of.
func (w *watcher) asked(r *wire.ApprovalRequest, at wire.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.shown[r.CurrentRequirementID] {
		w.shown[r.CurrentRequirementID] = true
		w.print(at, "asked", r.ApprovalID, fmt.Sprintf("%s: %s   [%s]",
			visible(r.ToolName), clip(subjectLine(r.Subject), 2*subjectWidth), choiceIDs(r.AvailableChoices)))
	}
}

func (w *watcher) forget(approval string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.shown {
		if id.ApprovalID == approval {
			delete(w.shown, id)
		}
	}
}

// line writes one event; text is visible already.
func (w *watcher) line(at wire.Time, what, id, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.print(at, what, id, text)
}

// print is line with mu held.
func (w *watcher) print(at wire.Time, what, id, text string) {
	clock := "??:??:??"
	if t, err := at.Parse(); err == nil {
		clock = t.Local().Format(time.TimeOnly)
	}
	_, err := fmt.Fprintf(w.out, "%s  %-8s  %s  %s\n", clock, what, id, text)
	w.note(err)
}

// note ends the watch where its output went away.
func (w *watcher) note(err error) {
	if err != nil {
		select {
		case w.failed <- err:
		default:
		}
	}
}

func changeText(c wire.Change) string {
	switch c.Kind {
	case wire.ChangeStageResolved:
		by := "policy"
		if c.ChoiceID != "" {
			by = string(c.ChoiceID)
		}
		stage := 0
		if c.RequirementID != nil {
			stage = c.RequirementID.SourceIndex
		}
		return fmt.Sprintf("stage %d settled: %s", stage+1, visible(by))
	case wire.ChangeRestartRecovered:
		return "the daemon was restarted; it is asked again under another id"
	default:
		return visible(string(c.Kind))
	}
}
