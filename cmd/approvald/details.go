package main

import (
	"fmt"
	"io"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// details writes everything that a reviewer is to know of a request: what is to
// be done, stage by stage, the arguments as the model gave them beside it
// (protocol §7: the subject is the agent's claim), and why it is asked. The
// menu is not part of it. pending says that a decision is still waited for.
func details(w io.Writer, r *wire.ApprovalRequest, pending bool) {
	c := card.New(r, nil)
	field(w, "approval", r.ApprovalID)
	field(w, "session", r.SessionID)
	field(w, "tool", fmt.Sprintf("%s (call %s)", r.ToolName, r.ToolCallID))
	field(w, "reason", r.Reason)
	if c.Justification != nil {
		field(w, "because", r.Justification)
	}
	subjectDetails(w, r, pending)
	text(w, "arguments", r.RawArgs)
	if r.Operation != nil {
		text(w, "operation", string(r.Operation))
	}
	if r.ProtectedWrite {
		field(w, "protected", card.ProtectedText)
	}
	field(w, "child", card.ChildText(r.SubagentOrigin))
	field(w, "opened", string(r.CreatedAt))
	if r.ExpiresAt != nil {
		field(w, "expires", string(*r.ExpiresAt))
	}
	field(w, "policy", card.PolicyText(r.Policy))
}

// subjectDetails writes what is to be done, a command stage by stage.
func subjectDetails(w io.Writer, r *wire.ApprovalRequest, pending bool) {
	for _, item := range card.SubjectItems(r, pending) {
		if item.Form == card.FormStages {
			for _, stage := range item.Stages {
				stageLine(w, stage)
			}
			continue
		}
		text(w, item.Name, item.Value)
	}
	field(w, "needs", card.NeededPreset(r.PermissionMode))
}

// subjectFields writes what is to be done, without the stages of a command.
func subjectFields(w io.Writer, r *wire.ApprovalRequest) {
	for _, item := range card.SubjectItems(r, false) {
		if item.Form != card.FormStages {
			text(w, item.Name, item.Value)
		}
	}
}

// stageLine writes a stage, marked where it is the one to be decided, and why it
// is asked about or denied.
func stageLine(w io.Writer, s card.Stage) {
	mark, state := " ", ""
	if s.Current {
		mark = ">"
	}
	if len(s.State) > 0 {
		state = "   [" + s.State.String() + "]"
	}
	fmt.Fprintf(w, "%s %d of %d     %s%s\n", mark, s.Position, s.Total, s.Command, state)
	if len(s.Why) > 0 {
		fmt.Fprintf(w, "             | %s\n", s.Why)
	}
	if len(s.Prefix) > 0 {
		fmt.Fprintf(w, "             | may become a rule: %s …\n", s.Prefix)
	}
}

// menu writes the choices of a requirement, numbered from first.
func menu(w io.Writer, choices []wire.Choice, first int) {
	for i, c := range card.Choices(choices) {
		fmt.Fprintf(w, "%3d) %-20s %s\n", first+i, visible(string(c.ID)), c.Label)
		for _, line := range c.Preview {
			fmt.Fprintf(w, "     | %s\n", line)
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
