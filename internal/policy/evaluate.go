package policy

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
)

// Evaluate gives the verdict on a. For a shell subject the stages that are
// not open (settled before, or known safe) keep their resolution and the
// rest are evaluated, so that it can be asked again after a stage has been
// decided.
func (p *Policy) Evaluate(a approval.Action, in Context) Verdict {
	mode := in.Under[0].Mode
	reach, grantable := a.Subject.Reach()
	if grantable && in.Granted != nil {
		if g, ok := in.Granted(reach); ok {
			return granted(a.Subject, g)
		}
	}
	switch s := a.Subject.(type) {
	case approval.Unknown:
		return unknown(s, mode)
	case approval.Shell:
		return shellVerdict(s, a.Requested, mode)
	}
	return unmatched(a.Requested, mode)
}

// granted is the verdict where a session grant covers the whole subject.
func granted(s approval.Subject, g approval.Grant) Verdict {
	why := "session grant " + g.ID.String()
	return Verdict{
		Effect:      Allow,
		Resolution:  approval.BySessionGrant,
		Stages:      allowStages(approval.Resolutions(s), why),
		Source:      approval.BySessionGrant.Source,
		Explanation: fmt.Sprintf("A reviewer granted this for the session (%s).", g.RulePreview),
	}
}

// unknown is the verdict on a kind that nobody has rules for: a person
// decides in every mode but the one that denies (protocol §6).
func unknown(u approval.Unknown, mode approval.Mode) Verdict {
	if mode == approval.DenyUnmatched {
		return denied(fmt.Sprintf("The subject kind %q is not known, and the mode denyUnmatched denies what nothing covers.", u.Name), nil)
	}
	return Verdict{
		Effect:      Ask,
		Source:      approval.ByModeAllow.Source,
		Explanation: fmt.Sprintf("The subject kind %q is not known; only a reviewer may approve it.", u.Name),
	}
}

// unmatched is the verdict of the mode on a subject that nothing else covers
// (policy.md, table of modes). A mode that is not one of the four denies.
func unmatched(requested bool, mode approval.Mode) Verdict {
	switch {
	case mode == approval.AllowAll:
		return allowed("The mode allowAll allows everything.")
	case mode == approval.OnRequest && !requested:
		return allowed("The mode onRequest asks only where the agent asks to be asked, and it did not.")
	case mode == approval.OnRequest:
		return asked("The agent asked to be asked (mode onRequest).")
	case mode == approval.PromptUnmatched:
		return asked("Nothing in force covers this, and the mode promptUnmatched asks.")
	case mode == approval.DenyUnmatched:
		return denied("Nothing in force covers this, and the mode denyUnmatched denies it.", nil)
	}
	return denied(fmt.Sprintf("Nothing in force covers this, and the mode %q is not known here.", mode), nil)
}

// shellVerdict is the verdict on a command: each stage on its own, and the
// whole by its strictest stage.
func shellVerdict(s approval.Shell, requested bool, mode approval.Mode) Verdict {
	stages := approval.Resolutions(s)
	open := 0
	for _, stage := range stages {
		if stage.Open() {
			open++
		}
	}
	if open == 0 && len(stages) > 0 { // of a command that was not split, nothing is known
		return Verdict{
			Effect: Allow, Resolution: approval.ByBuiltinAllow, Stages: stages,
			Source: approval.ByBuiltinAllow.Source, Explanation: "Every part of the command is known to be safe.",
		}
	}
	v := unmatched(requested, mode)
	v.Stages = stages
	switch v.Effect {
	case Allow:
		v.Stages = allowStages(stages, "mode "+string(mode))
	case Deny:
		v.Stages = denyStages(stages, v.Explanation)
	case Ask:
	}
	return v
}

func allowed(why string) Verdict {
	return Verdict{Effect: Allow, Resolution: approval.ByModeAllow, Source: approval.ByModeAllow.Source, Explanation: why}
}

func asked(why string) Verdict {
	return Verdict{Effect: Ask, Source: approval.ByModeAllow.Source, Explanation: why, Menu: Menu{Session: true}}
}

func denied(why string, stages []approval.StageResolution) Verdict {
	return Verdict{Effect: Deny, Resolution: approval.ByModeDeny, Stages: stages, Source: approval.ByModeAllow.Source, Explanation: why}
}
