package card

import (
	"strings"

	"github.com/approvald/approvald/wire"
)

// Stage is one part of a command.
type Stage struct {
	Position, Total int
	Command         Text
	// Current is the one that a decision is about.
	Current, Open, Denied bool
	State                 Text // "open", "known to be safe", "allowed once"; empty where it is not known
	Why                   Text // it is asked about or denied; may be empty
	// Prefix is what may become a rule; empty for nothing.
	Prefix Text
}

// policyDeny begins the diagnostic of a stage that is denied (policy.md "Shell").
const policyDeny = "policyDeny"

// DenialOf is why a stage is denied, and whether it is.
func DenialOf(r wire.StageResolution) (why string, denied bool) {
	why, denied = strings.CutPrefix(r.Diagnostic, policyDeny)
	return strings.TrimPrefix(why, ": "), denied
}

func stagesOf(stages []wire.Stage, pending bool, current wire.RequirementID) []Stage {
	out := make([]Stage, len(stages))
	for i, s := range stages {
		out[i] = StageOf(s, pending, s.RequirementID == current)
	}
	return out
}

// StageOf is a stage as it is shown. Of an approval that is not pending the request
// says only what had been settled at first, so that an open stage is not called so.
func StageOf(s wire.Stage, pending, current bool) Stage {
	out := Stage{
		Position: s.Position, Total: s.TotalStages, Command: Of(StageText(s.Argv, s.ArgvComplete)),
		Open: s.Resolution.Kind == wire.StageUnresolved,
	}
	var why string
	why, out.Denied = DenialOf(s.Resolution)
	switch {
	case out.Denied:
		out.State = Of("denied")
	case out.Open && !pending:
	default:
		out.State = Of(stageState(s.Resolution))
	}
	out.Current = out.Open && !out.Denied && pending && current
	if out.Open && why != "" {
		out.Why = Of(why)
	}
	if p := s.SuggestedPrefix; out.Open && pending && !out.Denied && p != nil {
		out.Prefix = Of(ShellWords(p.ArgvPrefix))
	}
	return out
}

// StageText is what a stage runs. An opaque one is a text that nobody has
// understood, not an argv. It is not visible yet.
func StageText(argv []string, complete bool) string {
	if complete {
		return ShellWords(argv)
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
		state += ", " + ShellWords(r.ArgvPrefix) + " …"
	}
	if r.Diagnostic != "" && r.Kind != wire.StageUnresolved {
		state += ": " + r.Diagnostic
	}
	return state
}
