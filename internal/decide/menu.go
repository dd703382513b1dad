package decide

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/wire"
)

// noMenu is what an approval offers when nothing is left to decide.
var noMenu = json.RawMessage("[]")

// menu is the set of choices for the current requirement, in the order of
// protocol §6, and the only one that a decision may select from.
func menu(s approval.Subject, offer policy.Menu, protected bool) []wire.Choice {
	var choices []wire.Choice
	if !offer.OnlySession {
		choices = append(choices, allowOnce)
	}
	if protected {
		return append(choices, abort)
	}
	if preview, n := remaining(s); n >= 2 {
		choices = append(choices, wire.Choice{
			ChoiceID: wire.ChoiceAllowAllOnce, Label: fmt.Sprintf("Allow all %d parts once", n),
			Decision: wire.DecisionApproved, Scope: wire.ScopeOnce, RulePreview: preview,
		})
	}
	if preview, ok := grantPreview(s); ok && offer.Session {
		choices = append(choices, wire.Choice{
			ChoiceID: wire.ChoiceAllowSession, Label: "Allow for this session",
			Decision: wire.DecisionApprovedForSession, Scope: wire.ScopeSession, RulePreview: preview,
		})
	}
	if rule := offer.Persist; rule != nil {
		row := persistent[rule.Kind]
		choices = append(choices, wire.Choice{
			ChoiceID: row.choice, Label: row.label,
			Decision: wire.DecisionApprovedPolicyAmendment, Scope: wire.ScopeLocalPersistent,
			RulePreview: policy.Describe(*rule),
		})
	}
	return append(choices, abort)
}

// The choices that say nothing of what is asked for, so that every menu has them in
// the same words.
var (
	allowOnce = wire.Choice{
		ChoiceID: wire.ChoiceAllowOnce, Label: "Allow once",
		Decision: wire.DecisionApproved, Scope: wire.ScopeOnce,
	}
	abort = wire.Choice{
		ChoiceID: wire.ChoiceAbort, Label: "Reject",
		Decision: wire.DecisionAbort, Scope: wire.ScopeOnce, AcceptsFeedback: true,
	}
	publishedAllowOnce, publishedAbort = encode(allowOnce), encode(abort)
)

// persistent are the choices that write a rule, by the kind of subject.
var persistent = map[string]struct {
	choice wire.ChoiceID
	label  string
}{
	approval.KindShell:   {wire.ChoiceAllowLocalPrefix, "Always allow commands like this in this workspace"},
	approval.KindFile:    {wire.ChoiceAllowLocalPath, "Always allow this access in this workspace"},
	approval.KindNetwork: {wire.ChoiceAllowLocalNetwork, "Always allow this destination in this workspace"},
	approval.KindTool:    {wire.ChoiceAllowLocalMCPTool, "Always allow this tool in this workspace"},
}

// remaining lists the stages that wait for a decision, for the reviewer who
// is about to allow them all.
func remaining(s approval.Subject) (preview string, n int) {
	sh, ok := s.(approval.Shell)
	if !ok {
		return "", 0
	}
	var lines []string
	for _, stage := range sh.Stages {
		if stage.Resolution.Open() {
			lines = append(lines, fmt.Sprintf("%d. %s", stage.Position, words(stage.Argv, stage.ArgvComplete)))
		}
	}
	return strings.Join(lines, "\n"), len(lines)
}

// grantPreview says exactly what a session grant on s covers (approval.Reach);
// false where none is defined.
func grantPreview(s approval.Subject) (string, bool) {
	switch s := s.(type) {
	case approval.Shell:
		return fmt.Sprintf("exactly this command, in %s, by %s: %s", word(s.Cwd), s.Shell, text(s.Command)), true
	case approval.File:
		return fmt.Sprintf("%s %s", s.Access, word(s.Path)), true
	case approval.Network:
		host := s.Host
		if strings.Contains(host, ":") {
			host = "[" + host + "]" // or the port would read as a part of the address
		}
		return fmt.Sprintf("%s:%d (%s)", text(host), s.Port, s.Protocol), true
	case approval.Process:
		return processPreview(s), true
	case approval.Tool:
		return toolPreview(s), true
	}
	return "", false
}

// processPreview names everything that a grant on a process is bound to.
func processPreview(p approval.Process) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", word(p.Action), word(p.Target))
	if p.PID != 0 {
		fmt.Fprintf(&b, ", pid %d", p.PID)
	}
	if p.StartedAt != "" {
		fmt.Fprintf(&b, " started at %s", p.StartedAt)
	}
	if len(p.Argv) > 0 {
		fmt.Fprintf(&b, ": exactly %s", words(p.Argv, true))
	}
	return b.String()
}

// words shows an argv so that its words cannot be mistaken for one another: a
// word that holds more than plain characters is quoted. An opaque stage is one
// raw text and is shown as it is.
func words(argv []string, complete bool) string {
	if !complete {
		return strings.Join(argv, " ")
	}
	shown := make([]string, len(argv))
	for i, w := range argv {
		shown[i] = word(w)
	}
	return strings.Join(shown, " ")
}

// word shows one word so that it cannot run into what stands around it.
func word(w string) string {
	if w == "" || strings.ContainsFunc(w, notPlain) {
		return strconv.Quote(w)
	}
	return w
}

// text shows a text that ends its line as it is, or, where it holds what cannot
// be seen, quoted: a preview is shown verbatim.
func text(s string) string {
	hidden := func(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) }
	if strings.ContainsFunc(s, hidden) {
		return strconv.Quote(s)
	}
	return s
}

func notPlain(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:=@%+,", r)
}

// toolPreview says which tool a grant is on, and whether it ends when that is
// defined otherwise.
func toolPreview(t approval.Tool) string {
	what := "tool " + word(t.ToolName)
	if t.ServerName != "" {
		what += " of server " + word(t.ServerName)
	}
	if t.ToolDigest == "" {
		return what + " with any arguments; not bound to a tool definition"
	}
	return fmt.Sprintf("%s with any arguments; as its catalog defines it now (%s), until that changes or the catalog is closed",
		what, word(t.ToolDigest))
}
