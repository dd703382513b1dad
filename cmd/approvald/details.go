package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/approvald/approvald/wire"
)

// details writes everything that a reviewer is to know of a request: what is to
// be done, stage by stage, the arguments as the model gave them beside it
// (protocol §7: the subject is the agent's claim), and why it is asked. The
// menu is not part of it. pending says that a decision is still waited for.
func details(w io.Writer, r *wire.ApprovalRequest, pending bool) {
	field(w, "approval", r.ApprovalID)
	field(w, "session", r.SessionID)
	field(w, "tool", fmt.Sprintf("%s (call %s)", r.ToolName, r.ToolCallID))
	field(w, "reason", r.Reason)
	if r.Justification != r.Policy.Explanation { // which it is where the agent gave none
		field(w, "because", r.Justification)
	}
	subjectDetails(w, r, pending)
	text(w, "arguments", r.RawArgs)
	if r.Operation != nil {
		text(w, "operation", string(r.Operation))
	}
	if r.ProtectedWrite {
		field(w, "protected", protectedText)
	}
	field(w, "child", childText(r.SubagentOrigin))
	field(w, "opened", string(r.CreatedAt))
	if r.ExpiresAt != nil {
		field(w, "expires", string(*r.ExpiresAt))
	}
	field(w, "policy", policyText(r.Policy))
}

// protectedText says what a protected write is (policy.md "Verdict").
const protectedText = "it writes a file that is protected: it is asked about in every mode, once, and only where a reviewer is there to answer"

// neededPreset says what preset would allow an action; "" for none known.
func neededPreset(p wire.Preset) string {
	if p == "" {
		return ""
	}
	return "the preset " + string(p) + " would cover it"
}

// policyText says what decided, naming the rule where the explanation does not.
func policyText(p wire.PolicyAnswer) string {
	if p.Rule != "" && !strings.Contains(strings.ToLower(p.Explanation), strings.ToLower(p.Rule)) {
		return fmt.Sprintf("%s (%s %s)", p.Explanation, p.Source, p.Rule)
	}
	return fmt.Sprintf("%s (%s)", p.Explanation, p.Source)
}

// subjectDetails writes what is to be done, a command stage by stage.
func subjectDetails(w io.Writer, r *wire.ApprovalRequest, pending bool) {
	subjectFields(w, r)
	if subject, err := wire.DecodeSubject(r.Subject); err == nil {
		if s, ok := subject.(*wire.ShellSubject); ok {
			for _, stage := range s.Stages {
				stageLine(w, stage, pending, stage.RequirementID == r.CurrentRequirementID)
			}
		}
	}
	field(w, "needs", neededPreset(r.PermissionMode))
}

// subjectFields writes what is to be done, without the stages of a command.
func subjectFields(w io.Writer, r *wire.ApprovalRequest) {
	subject, err := wire.DecodeSubject(r.Subject)
	if err != nil {
		text(w, "subject", string(r.Subject))
		return
	}
	switch s := subject.(type) {
	case *wire.ShellSubject:
		text(w, "command", s.Command)
		field(w, "in", s.Cwd)
		field(w, "shell", s.Shell)
	case *wire.FileSubject:
		field(w, string(s.Access), s.Path)
		if s.RequestedPath != s.Path {
			field(w, "asked as", s.RequestedPath)
		}
		field(w, "exists", yesNo(s.Exists))
		if s.DiffOmitted {
			field(w, "diff", "too long to be shown to everyone: "+s.DiffDigest)
		} else {
			text(w, "diff", s.Diff)
		}
	case *wire.NetworkSubject:
		field(w, "connect", fmt.Sprintf("%s, port %d, %s", s.Host, s.Port, s.Protocol))
		if s.Origin != nil {
			field(w, "for", strings.TrimSpace(s.Origin.Kind+" "+s.Origin.Command+s.Origin.URL))
		}
	case *wire.ProcessSubject:
		field(w, "action", s.Action)
		field(w, "target", s.Target)
		if s.PID != 0 {
			field(w, "process", fmt.Sprintf("%d, since %s", s.PID, s.StartedAt))
		}
		field(w, "argv", shellWords(s.Argv))
	case *wire.ToolSubject:
		field(w, "server", s.ServerName)
		field(w, "calls", s.ToolName)
		field(w, "transport", s.Transport)
		field(w, "defined as", s.ToolDigest)
		text(w, "with", string(s.Arguments))
	default:
		text(w, "subject", string(r.Subject))
	}
}

// stageLine writes a stage, marked where it is the one to be decided, and why it
// is asked about or denied. Of a settled approval the request says only what had
// been settled at first, so that an open stage is not called so.
func stageLine(w io.Writer, s wire.Stage, pending, current bool) {
	open := s.Resolution.Kind == wire.StageUnresolved
	reason, denied := strings.CutPrefix(s.Resolution.Diagnostic, policyDeny)
	mark, state := " ", "   ["+stageState(s.Resolution)+"]"
	switch {
	case denied:
		state = "   [denied]"
	case open && pending && current:
		mark = ">"
	case open && !pending:
		state = ""
	}
	fmt.Fprintf(w, "%s %d of %d     %s%s\n", mark, s.Position, s.TotalStages,
		visible(stageText(s.Argv, s.ArgvComplete)), visible(state))
	if open && reason != "" {
		fmt.Fprintf(w, "             | %s\n", visible(strings.TrimPrefix(reason, ": ")))
	}
	if p := s.SuggestedPrefix; open && pending && !denied && p != nil {
		fmt.Fprintf(w, "             | may become a rule: %s …\n", visible(shellWords(p.ArgvPrefix)))
	}
}

// policyDeny begins the diagnostic of a stage that is denied (policy.md "Shell").
const policyDeny = "policyDeny"

// stageText is what a stage runs. An opaque one is a text that nobody has
// understood, not an argv.
func stageText(argv []string, complete bool) string {
	if complete {
		return shellWords(argv)
	}
	return strings.Join(argv, " ")
}

// stageState says what settled a stage, or that nothing has.
func stageState(r wire.StageResolution) string {
	state := map[wire.StageResolutionKind]string{
		wire.StageUnresolved:      "open",
		wire.StageKnownSafe:       "known to be safe",
		wire.StagePolicyAllow:     "allowed by policy",
		wire.StageAllowOnce:       "allowed once",
		wire.StagePolicyAmendment: "allowed for good",
	}[r.Kind]
	if state == "" {
		state = string(r.Kind)
	}
	if len(r.ArgvPrefix) > 0 {
		state += ", " + shellWords(r.ArgvPrefix) + " …"
	}
	if r.Diagnostic != "" && r.Kind != wire.StageUnresolved {
		state += ": " + r.Diagnostic
	}
	return state
}

// menu writes the choices of a requirement, numbered from first.
func menu(w io.Writer, choices []wire.Choice, first int) {
	for i, c := range choices {
		fmt.Fprintf(w, "%3d) %-20s %s\n", first+i, visible(string(c.ChoiceID)), visible(c.Label))
		for _, line := range visibleLines(c.RulePreview) {
			if line != "" {
				fmt.Fprintf(w, "     | %s\n", line)
			}
		}
	}
}

// field writes one named value, or nothing where there is none.
func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "  %-10s %s\n", name, visible(value))
	}
}

// text is field for what may have several lines: each is marked, so that none
// of them passes for a field.
func text(w io.Writer, name, value string) {
	lines := visibleLines(value)
	if len(lines) == 1 {
		field(w, name, value)
		return
	}
	field(w, name, fmt.Sprintf("(%d lines)", len(lines)))
	for _, line := range lines {
		fmt.Fprintf(w, "    | %s\n", line)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
