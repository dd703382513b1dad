package web

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// mostEntries is how many of the last decisions the history reaches back.
const mostEntries = 20_000

// headWidth is how much of a subject a row keeps.
const headWidth = 240

// entry is one settled approval or prompt, in one row.
type entry struct {
	seq      uint64
	session  string
	id       string
	prompt   bool
	tool     string
	headline string // visible, clipped
	outcome  string
	words    string // the outcome for people
	allowed  bool
	source   string
	rule     string // the place of the rule that decided; ""
	who      string // the person; "" where policy decided
	choice   string
	at       time.Time
}

// ledger is what was decided, by whom, read from the log as far as it goes whenever
// somebody asks.
type ledger struct {
	source audit.Log
	log    *slog.Logger
	closed atomic.Bool // the log is not to be read any more

	mu      sync.Mutex
	next    uint64
	entries []entry // oldest first
	cut     bool    // there were more before them
}

// settled are the events that become entries.
var settled = audit.Filter{Events: []audit.Event{audit.Settled, audit.InputSettled}}

// all are the entries, oldest first. They are not to be changed.
func (l *ledger) all() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return l.entries
	}
	next, err := audit.Follow(l.source, max(l.next, 1), settled, func(line *audit.Line) error {
		if l.closed.Load() {
			return errClosed
		}
		l.add(entryOf(line))
		return nil
	})
	l.next = next
	if err != nil && !errors.Is(err, errClosed) {
		l.log.Warn("the history in the web inbox ends early", slog.Any("cause", err))
	}
	return l.entries
}

var errClosed = errors.New("the inbox is closed")

// close ends reading, and returns when nobody reads.
func (l *ledger) close() {
	l.closed.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
}

// add appends an entry; readers keep the slice that they were given.
func (l *ledger) add(e entry) {
	if len(l.entries) >= 2*mostEntries {
		l.entries, l.cut = append([]entry(nil), l.entries[mostEntries:]...), true
	}
	l.entries = append(l.entries, e)
}

// begins is the time before which something may have been decided that is no entry any
// more; the zero time where there is none.
func (l *ledger) begins() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cut {
		return time.Time{}
	}
	return l.entries[0].at
}

// find is the entry of an approval or prompt that was settled a moment ago.
func (l *ledger) find(id string) (entry, bool) {
	all := l.all()
	for _, e := range slices.Backward(all) {
		if e.id == id {
			return e, true
		}
	}
	return entry{}, false
}

func entryOf(line *audit.Line) entry {
	e := entry{
		seq: line.Seq, session: line.SessionID, id: line.ApprovalID, prompt: line.UserInputID != "",
		tool: line.ToolName, headline: card.Clip(card.Visible(firstBytes(line.Subject, 4*headWidth)), headWidth),
		outcome: line.Outcome, source: line.Source, rule: line.Rule, choice: line.ChoiceID,
	}
	if at, err := wire.Time(line.At).Parse(); err == nil {
		e.at = at
	}
	if line.By != nil && (line.Source == string(wire.SourceReviewer) || e.prompt && line.Outcome != string(wire.UserInputCancelled)) {
		e.who = card.Person(&wire.Decider{ClientName: line.By.Client, Transport: line.By.Transport})
	}
	if e.prompt {
		e.id = line.UserInputID
		e.words = card.PromptOutcomeByText(wire.UserInputOutcome(line.Outcome), e.who)
		e.allowed = line.Outcome == string(wire.UserInputAnswered)
		return e
	}
	e.words = card.OutcomeByText(wire.Outcome(line.Outcome), wire.ResolvedBy(line.ResolvedBy), e.who)
	e.allowed = line.PolicyResult == string(wire.PolicyAllow)
	return e
}

// what is the outcome, for a place that says by whom beside it.
func (e entry) what() string {
	text, _, _ := strings.Cut(e.words, " by ")
	return text
}

// by says what decided, in a word or two.
func (e entry) by() string {
	switch {
	case e.who != "":
		return e.who
	case e.rule != "":
		return card.Visible(e.rule)
	}
	if words := sourceWords[wire.Source(e.source)]; words != "" {
		return words
	}
	return card.Visible(e.source)
}

// sourceWords are the sources that are no persons and no rules.
var sourceWords = map[wire.Source]string{
	wire.SourceReviewer:     "a reviewer",
	wire.SourceRule:         "a rule",
	wire.SourceSessionGrant: "a grant of the session",
	wire.SourceMode:         "the mode",
	wire.SourceToolMode:     "the tool's mode",
	wire.SourceBuiltin:      "a built-in rule",
	wire.SourceAgent:        "the agent",
	wire.SourceTurn:         "the end of the turn",
	wire.SourceSession:      "the end of the session",
	wire.SourceCatalog:      "a changed tool",
	wire.SourceDeadline:     "the deadline",
	wire.SourceUnattended:   "nobody being there",
	wire.SourceRecovery:     "a restart",
}

// firstBytes is a beginning that ends with a whole character.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
