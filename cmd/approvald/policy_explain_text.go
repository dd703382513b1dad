package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/approvald/approvald/internal/card"
	"github.com/approvald/approvald/wire"
)

// explanation is what policy explain --output json prints. The ids in it are
// those of an approval that is no more.
type explanation struct {
	Verdict        string                 `json:"verdict"` // allow, ask or deny
	Policy         wire.PolicyAnswer      `json:"policy"`
	Mode           wire.Mode              `json:"mode"`
	Preset         wire.Preset            `json:"preset,omitzero"`
	WorkspaceRoot  *string                `json:"workspaceRoot"`
	Subject        json.RawMessage        `json:"subject"` // as reviewers are shown it
	Stages         []explainedStage       `json:"stages,omitempty"`
	Choices        wire.List[wire.Choice] `json:"availableChoices"`
	ProtectedWrite bool                   `json:"protectedWrite"`
	PermissionMode wire.Preset            `json:"permissionMode,omitzero"`
}

// explainedStage is one part of a command.
type explainedStage struct {
	Argv            wire.List[string]     `json:"argv"`
	ArgvComplete    bool                  `json:"argvComplete"`
	Verdict         string                `json:"verdict"` // allow, ask, deny or known safe
	Why             string                `json:"why,omitzero"`
	SuggestedPrefix *wire.SuggestedPrefix `json:"suggestedPrefix,omitzero"`
}

// explanationOf takes an answer apart.
func explanationOf(a answer) explanation {
	r := a.request
	e := explanation{
		Verdict: verdictOf(a.resolution), Policy: r.Policy,
		Mode: a.session.ApprovalMode.Mode, Preset: a.session.Preset, WorkspaceRoot: a.session.WorkspaceRoot,
		Subject: r.Subject, Choices: r.AvailableChoices,
		ProtectedWrite: r.ProtectedWrite, PermissionMode: r.PermissionMode,
	}
	if subject, err := wire.DecodeSubject(r.Subject); err == nil {
		if shell, ok := subject.(*wire.ShellSubject); ok {
			for _, s := range shell.Stages {
				verdict, why := stageVerdict(s.Resolution)
				e.Stages = append(e.Stages, explainedStage{s.Argv, s.ArgvComplete, verdict, why, s.SuggestedPrefix})
			}
		}
	}
	return e
}

func verdictOf(r *wire.Resolution) string {
	switch {
	case r == nil:
		return "ask"
	case r.PolicyResult == wire.PolicyAllow:
		return "allow"
	}
	return "deny"
}

// stageVerdict is what becomes of a stage, and by what or why.
func stageVerdict(r wire.StageResolution) (verdict, why string) {
	switch r.Kind {
	case wire.StageKnownSafe:
		return "known safe", r.Diagnostic
	case wire.StageUnresolved:
		if reason, denied := card.DenialOf(r); denied {
			return "deny", reason
		}
		return "ask", r.Diagnostic
	default:
		return "allow", r.Diagnostic
	}
}

// explainText writes the answer for people.
func explainText(w io.Writer, a answer) {
	e := explanationOf(a)
	subjectFields(w, &a.request)
	workspace := "none"
	if e.WorkspaceRoot != nil {
		workspace = *e.WorkspaceRoot
	}
	field(w, "workspace", workspace)
	field(w, "mode", string(e.Mode))
	field(w, "preset", string(e.Preset))
	for i, s := range e.Stages {
		fmt.Fprintf(w, "\n  %-10s %-10s  %s\n", fmt.Sprintf("%d of %d", i+1, len(e.Stages)), s.Verdict, visible(card.StageText(s.Argv, s.ArgvComplete)))
		if s.Why != "" {
			fmt.Fprintf(w, "  %-10s %-10s  %s\n", "", "", visible(s.Why))
		}
	}
	fmt.Fprintln(w)
	field(w, "verdict", e.Verdict)
	field(w, "because", card.PolicyText(e.Policy))
	if e.ProtectedWrite {
		field(w, "protected", card.ProtectedText)
	}
	field(w, "needs", card.NeededPreset(e.PermissionMode))
	if len(e.Choices) > 0 {
		fmt.Fprintln(w, "\n  A reviewer is offered:")
		menu(w, e.Choices, 1)
	}
}
