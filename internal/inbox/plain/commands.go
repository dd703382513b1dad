package plain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

const help = `list [all]            what waits: what has waited longest, or all of it
show N                all of number N, with its choices
choose C              make choice C of what was shown last; it is final
reject [WORDS]        reject it, and tell the agent why
answer Q O[,O] | WORDS   of a prompt: answer question Q by options, or in your own words
send                  send the answers
reply WORDS           of a prompt: say something instead of an answer
decline [WORDS]       of a prompt: do not answer
history [WORDS]       what was decided lately, with these words in it
grants                what was allowed for longer than once
revoke G              take grant G of that list back
sessions              the sessions and their modes
mode S MODE           switch session S of that list to a mode: denyUnmatched, promptUnmatched, onRequest, allowAll
quit`

// command does what a line says.
func (l *loop) command(line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "":
	case "help", "?":
		l.say("%s", help)
	case "quit", "exit", "q":
		return errLeft
	case "list":
		l.list(rest == "all")
	case "show":
		l.show(rest)
	case "choose":
		l.choose(rest)
	case "reject":
		l.reject(rest)
	case "answer":
		l.answer(rest)
	case "send":
		l.take(inbox.SendAnswers{Requirement: l.read})
	case "reply":
		l.take(inbox.Spoken{Requirement: l.read, Words: rest})
	case "decline":
		l.take(inbox.Spoken{Requirement: l.read, Words: rest, Decline: true})
	case "history":
		l.history(rest)
	case "grants":
		l.listGrants()
	case "revoke":
		l.revoke(rest)
	case "sessions":
		l.listSessions()
	case "mode":
		l.mode(rest)
	default:
		l.say("There is no command %s: help lists them. Nothing was done.", card.Visible(name))
	}
	return nil
}

// fewRows is how many rows are read out where nobody asked for all of them.
const fewRows = 20

func (l *loop) list(all bool) {
	waiting := 0
	for _, r := range l.model.Rows() {
		if r.Over {
			continue
		}
		waiting++
		l.told[r.ID] = r.Requirement
		if waiting > fewRows && !all {
			l.number(r.ID) // as if it were read out
			continue
		}
		l.say("%d: %s ago: %s: %s", l.number(r.ID), r.Age, r.Tool, r.Headline)
	}
	switch {
	case waiting == 0:
		l.say("Nothing waits.")
	case waiting > fewRows && !all:
		l.say("And %d more: list all reads them out, show N any of them.", waiting-fewRows)
	}
}

func (l *loop) show(arg string) {
	n, err := strconv.Atoi(arg)
	for _, r := range l.model.Rows() {
		if err != nil || l.numbers[r.ID] != n {
			continue
		}
		l.take(inbox.Selected{ID: r.ID})
		for _, again := range l.model.Rows() { // it may have moved on
			if again.ID == r.ID {
				l.read, l.menu = again.Requirement, l.model.Menu()
			}
		}
		for _, line := range l.model.Reading(width) {
			l.say("%s", strings.TrimRight(line.String(), " "))
		}
		return
	}
	l.say("Nothing with the number %s waits: list shows what does.", card.Visible(arg))
}

func (l *loop) choose(arg string) {
	at, err := strconv.Atoi(arg)
	at--
	if err != nil {
		at = slices.IndexFunc(l.menu, func(c wire.Choice) bool { return string(c.ChoiceID) == arg })
	}
	l.chosen(at, nil)
}

func (l *loop) reject(words string) {
	at := slices.IndexFunc(l.menu, func(c wire.Choice) bool { return c.AcceptsFeedback })
	var feedback *string
	if words != "" {
		feedback = &words
	}
	l.chosen(at, feedback)
}

func (l *loop) chosen(at int, words *string) {
	if l.read.ApprovalID == "" {
		l.say("Show something first. Nothing was decided.")
		return
	}
	l.take(inbox.Chosen{Requirement: l.read, Menu: l.menu, At: at, Words: words})
}

func (l *loop) answer(arg string) {
	question, said, _ := strings.Cut(arg, " ")
	q, err := strconv.Atoi(question)
	if said = strings.TrimSpace(said); err != nil || said == "" {
		l.say("Say which question, and the answer: answer 1 2, or answer 1 in my words.")
		return
	}
	a := inbox.Answered{Requirement: l.read, Question: q - 1}
	for option := range strings.SplitSeq(said, ",") {
		o, err := strconv.Atoi(strings.TrimSpace(option))
		if err != nil {
			a.Options, a.Words = nil, said
			break
		}
		a.Options = append(a.Options, o-1)
	}
	l.take(a)
	if text, bad := l.model.Notice(); !bad || text == "" {
		l.say("Noted. send sends the answers.")
	}
}

func (l *loop) history(wanted string) {
	past, ok := l.do(l.ctx, inbox.LoadPast{}).(inbox.Past)
	if !ok || past.Err != nil {
		l.say("It could not be read: %s", card.Visible(errorText(past.Err)))
		return
	}
	found := 0
	for i := range past.Entries {
		text := past.Entries[i].Text()
		if l.containsAll(text, wanted) {
			found++
			l.say("%s", text)
		}
	}
	if found == 0 {
		l.say("Nothing was decided that fits.")
	}
}

func (l *loop) containsAll(text, words string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func (l *loop) listGrants() {
	granted, ok := l.do(l.ctx, inbox.LoadGrants{}).(inbox.Granted)
	if !ok || granted.Err != nil {
		l.say("They could not be read: %s", card.Visible(errorText(granted.Err)))
		return
	}
	l.grants = nil
	for _, g := range granted.Grants {
		if !g.InForce {
			continue
		}
		l.grants = append(l.grants, g)
		scope := "session " + card.Visible(g.SessionID)
		if g.WorkspaceRoot != "" {
			scope = "workspace " + card.Visible(g.WorkspaceRoot)
		}
		l.say("%d: %s: %s", len(l.grants), scope, card.Visible(g.RulePreview))
	}
	if len(l.grants) == 0 {
		l.say("Nothing is granted for longer than once.")
	}
}

func (l *loop) revoke(arg string) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || n > len(l.grants) {
		l.say("grants lists what can be taken back, by number. Nothing was.")
		return
	}
	l.take(l.do(l.ctx, inbox.Revoke{Grant: l.grants[n-1]}))
}

func (l *loop) listSessions() {
	listed, ok := l.do(l.ctx, inbox.LoadSessions{}).(inbox.Sessions)
	if !ok || listed.Err != nil {
		l.say("They could not be read: %s", card.Visible(errorText(listed.Err)))
		return
	}
	l.known = listed.Sessions
	for i, s := range l.known {
		l.say("%d: %s %s: mode %s: %s", i+1, card.Visible(s.SessionID), card.Visible(s.Name),
			card.Visible(string(s.ApprovalMode.Mode)), inbox.ModeText(s.ApprovalMode.Mode))
	}
	if len(l.known) == 0 {
		l.say("There are no sessions.")
	}
}

func (l *loop) mode(arg string) {
	number, mode, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(l.known) {
		l.say("sessions lists them, by number. Nothing was changed.")
		return
	}
	l.take(l.do(l.ctx, inbox.SetMode{SessionID: l.known[n-1].SessionID, Mode: wire.Mode(strings.TrimSpace(mode))}))
}

func errorText(err error) string {
	if err == nil {
		return "the daemon did not answer"
	}
	return err.Error()
}
