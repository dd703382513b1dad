package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/internal/card"
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
	if !w.meant(waiting{approval: &r}) {
		return
	}
	if w.asJSON {
		w.note(printJSON(w.out, told{Method: wire.MethodApprovalRequest, Params: r}))
		return
	}
	w.asked(&r, r.CreatedAt)
}

// promptRequested is called for every userInput/request.
func (w *watcher) promptRequested(r wire.UserInputRequest) {
	if !w.meant(waiting{prompt: &r}) {
		return
	}
	if w.asJSON {
		w.note(printJSON(w.out, told{Method: wire.MethodUserInputRequest, Params: r}))
		return
	}
	w.prompted(&r, r.CreatedAt)
}

// notified is called for every notification.
func (w *watcher) notified(e client.Event) {
	params, err := e.Decode()
	if w.only.set() && (err != nil || !w.eventMeant(e, params)) {
		return
	}
	if w.asJSON {
		w.note(printJSON(w.out, told{e.Method, e.Params, e.EmittedAtMs}))
		return
	}
	if err != nil {
		return // of a newer daemon
	}
	at := wire.FormatTime(time.UnixMilli(e.EmittedAtMs))
	switch p := params.(type) {
	case *wire.ApprovalRequest:
		if len(p.AvailableChoices) > 0 {
			w.asked(p, at)
		} else { // policy settled it, which follows
			w.settling(p)
		}
	case *wire.ApprovalUpdated:
		w.line(at, "updated", p.ApprovalID, changeText(p.Change))
	case *wire.ApprovalResolved:
		w.resolved(p, at)
	case *wire.UserInputRequest:
		w.prompted(p, at)
	case *wire.UserInputSettledEvent:
		w.promptSettled(p, at)
	case *wire.SessionStarted:
		w.line(at, "session", p.Session.SessionID, listed("started by "+clientText(p.Session), workspaceText(p.Session), parentText(p.Session)))
	case *wire.SessionApprovalModeChanged:
		w.line(at, "session", p.SessionID, fmt.Sprintf("mode %s, chosen by %s", p.Mode, visible(p.ClientName)))
	case *wire.TurnStarted:
		w.line(at, "session", p.SessionID, turnStartedText(p))
	case *wire.TurnCompleted:
		w.line(at, "session", p.SessionID, turnText(p))
	case *wire.PolicyChanged:
		w.line(at, "policy", string(p.Status), policyChangedText(p))
	case *wire.SessionClosed:
		w.line(at, "session", p.SessionID, "closed: "+visible(string(p.Reason)))
	}
}

// turnStartedText says what a turn is to do: the beginning of its input, as it was given.
func turnStartedText(t *wire.TurnStarted) string {
	var input strings.Builder
	for _, part := range t.Input {
		input.WriteString(" " + string(part))
	}
	return fmt.Sprintf("turn %s started:%s", visible(t.TurnID), clip(visible(input.String()), subjectWidth))
}

// turnText says how a turn ended.
func turnText(t *wire.TurnCompleted) string {
	text := fmt.Sprintf("turn %s %s", visible(t.TurnID), visible(string(t.Terminal)))
	if t.Reason != "" {
		text += ": " + clip(visible(t.Reason), subjectWidth)
	}
	return text
}

// asked shows a request once, however often it is told of.
func (w *watcher) asked(r *wire.ApprovalRequest, at wire.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.shown[r.CurrentRequirementID] {
		w.shown[r.CurrentRequirementID] = true
		w.print(at, "asked", r.ApprovalID, fmt.Sprintf("%s: %s%s   [%s]",
			visible(r.ToolName), clip(subjectLine(r.Subject), 2*subjectWidth), marks(r), choiceIDs(r.AvailableChoices)))
	}
}

// prompted shows a prompt once, however often it is told of.
func (w *watcher) prompted(r *wire.UserInputRequest, at wire.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := wire.RequirementID{ApprovalID: r.UserInputID}
	if !w.shown[key] {
		w.shown[key] = true
		w.print(at, "prompt", r.UserInputID, fmt.Sprintf("%s: %s%s   [%s]",
			visible(r.ToolName), clip(promptLine(r.Questions), 2*subjectWidth), promptMarks(r), answerElsewhere))
	}
}

// promptSettled shows how a prompt ended.
func (w *watcher) promptSettled(s *wire.UserInputSettledEvent, at wire.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.shown, wire.RequirementID{ApprovalID: s.UserInputID})
	text := string(s.Outcome)
	if who := card.Person(s.DecidedBy); who != "" {
		text += " by " + who
	}
	if s.Reason != nil {
		text += ": " + *s.Reason
	}
	w.print(at, "settled", s.UserInputID, clip(visible(text), 2*subjectWidth))
}

// settling keeps what is to be told of an approval that nobody is asked about,
// until it is resolved: in the same commit, or never.
func (w *watcher) settling(r *wire.ApprovalRequest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	about := fmt.Sprintf("%s: %s%s", visible(r.ToolName), clip(subjectLine(r.Subject), 2*subjectWidth), marks(r))
	w.unasked[r.ApprovalID] = unasked{about: about, rule: r.Policy.Rule}
}

// resolved shows how an approval ended and, where nobody was asked, what it was
// about and by which rule.
func (w *watcher) resolved(r *wire.ApprovalResolved, at wire.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.shown {
		if id.ApprovalID == r.ApprovalID {
			delete(w.shown, id)
		}
	}
	text := card.OutcomeByText(r.Outcome, r.ResolvedBy, card.Person(r.DecidedBy))
	if a := r.Amendment; a != nil {
		text += ": " + visible(a.RulePreview)
	}
	u, alone := w.unasked[r.ApprovalID]
	delete(w.unasked, r.ApprovalID)
	switch {
	case !alone && r.ResolvedBy == wire.ResolvedByPolicy && r.Source != "":
		text += " (" + visible(string(r.Source)) + ")"
	case alone && u.rule != "":
		text += " (" + visible(u.rule) + ")   " + u.about
	case alone:
		text += " (" + visible(string(r.Source)) + ")   " + u.about
	}
	w.print(at, "resolved", r.ApprovalID, text)
}

// listed joins what there is of texts.
func listed(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), ", ")
}

// parentText says below which session one was started; "" for a root.
func parentText(s wire.Session) string {
	if s.ParentSessionID == "" {
		return ""
	}
	return "child of " + visible(s.ParentSessionID)
}

func policyChangedText(p *wire.PolicyChanged) string {
	if p.Status == wire.PolicyFailed {
		return "the policy files are bad, and the policy before them stays in force: " + visible(oneLine(p.Error))
	}
	return "the policy files are in force as they are"
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
	case wire.ChangePolicyPersistence:
		if c.Status == wire.PersistenceSucceeded {
			return "the rule is in the workspace's policy, for good"
		}
		return "the rule could not be written and holds for this session only: " + visible(c.Reason)
	case wire.ChangeRestartRecovered:
		return "the daemon was restarted; it is asked again under another id"
	default:
		return visible(string(c.Kind))
	}
}
