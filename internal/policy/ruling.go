package policy

import "github.com/approvald/approvald/internal/approval"

// match is how one question is met by what is in force, before the mode is
// asked. A stronger match hides a weaker one.
type match int

const (
	covered   match = iota // an allow rule covers it
	unmatched              // nothing does: the mode decides
	doubtful               // an ask rule may mean it: nobody can tell
	asked                  // an ask rule matches
	dubious                // a deny rule may mean it: asked in every mode that asks
	floored                // a tool asked once per session
	unheardOf              // a kind that nobody has rules for
	protected              // a protected write
	denied                 // a deny rule matches
	forbidden              // a hard denial
)

// finding is a match with what made it.
type finding struct {
	match match
	entry *entry // the rule or tool mode; nil for none
	why   *say   // a sentence part: why nothing covers it, or what is matched
	// target is the file that it is about; nil for none. Where nothing covers
	// it, a preset may.
	target *approval.Target
}

// ruling is the answer to one question.
type ruling struct {
	finding
	effect Effect
	source string // rule, mode, toolMode or builtin
	why    *say   // one sentence, but for its capital and stop
}

// The words of protocol §6 for what decided.
const (
	bySession = "sessionGrant"
	byRule    = "rule"
	byTool    = "toolMode"
	byMode    = "mode"
	byBuiltin = "builtin"
)

// rule answers f under every regime; the strictest answer holds, and of two
// alike the session's own.
func (q *inquiry) rule(f finding) ruling {
	if len(q.in.Under) == 0 {
		return ruling{finding: f, effect: Deny, source: byMode, why: says("nothing says what becomes of this, so it is denied")}
	}
	var strictest ruling
	for i, regime := range q.in.Under {
		answer := q.under(regime, i, f)
		if i == 0 || answer.effect > strictest.effect {
			strictest = answer
		}
	}
	return strictest
}

// under answers f for one regime (policy.md, table of modes).
func (q *inquiry) under(r Regime, i int, f finding) ruling {
	whose := "the"
	if i > 0 {
		whose = "an ancestor session's"
	}
	mode := modeOf{whose, r.Mode}
	a := ruling{finding: f, source: f.source(), why: f.why}
	switch f.match {
	case covered:
		return a
	case denied, forbidden:
		a.effect = Deny
		return a
	case unmatched:
		if f.target != nil && presetCovers(r.Preset, r.Root, *f.target) {
			a.why = says("%s preset %s covers %s", whose, r.Preset, accessTo{f.target})
			return a
		}
		a.effect, a.why = q.unmatched(mode, f.why)
	case doubtful, asked:
		switch r.Mode {
		case approval.AllowAll:
			a.source, a.why = byMode, says("%s; %s allows everything that no deny rule matches", f.why, mode)
		case approval.PromptUnmatched, approval.OnRequest:
			a.effect = Ask
		default:
			a.effect, a.source, a.why = Deny, byMode, says("%s; %s denies what would be asked", f.why, mode)
		}
	case unheardOf, dubious, floored, protected:
		a.effect = Ask
		if r.Mode == approval.DenyUnmatched || !r.Mode.Known() && f.match != unheardOf {
			a.effect, a.source, a.why = Deny, byMode, says("%s; %s denies what would be asked", f.why, mode)
		}
	}
	if a.effect == Ask && r.Preset == approval.DangerFullAccess && r.Mode == approval.AllowAll {
		a.effect, a.source = Deny, byMode
		a.why = says("%s; under %s preset danger-full-access nobody is asked, so it is denied", f.why, whose)
	}
	return a
}

// unmatched is the answer of a mode to what nothing covers. A mode that is not
// one of the four denies.
func (q *inquiry) unmatched(mode modeOf, why *say) (Effect, *say) {
	switch {
	case mode.Mode == approval.AllowAll:
		return Allow, says("%s allows everything", mode)
	case mode.Mode == approval.OnRequest && !q.requested:
		return Allow, says("%s asks only where the agent asks to be asked, and it did not", mode)
	case mode.Mode == approval.OnRequest:
		return Ask, says("the agent asked to be asked (%s)", mode)
	case mode.Mode == approval.PromptUnmatched:
		return Ask, says("%s, and %s asks", why, mode)
	case mode.Mode == approval.DenyUnmatched:
		return Deny, says("%s, and %s denies it", why, mode)
	}
	return Deny, says("%s, and %s is not known here", why, mode)
}

// source is the word for what made the finding, where the mode does not decide.
func (f finding) source() string {
	switch f.match {
	case unmatched, unheardOf:
		return byMode
	case dubious, doubtful:
		if f.entry == nil {
			return byBuiltin
		}
	case protected, forbidden:
		return byBuiltin
	default:
	}
	if f.entry != nil && f.entry.mode != "" {
		return byTool
	}
	if f.entry == nil {
		return byBuiltin
	}
	return byRule
}

// resolution is how an approval ends by this ruling; zero for a question.
func (r ruling) resolution() approval.Resolution {
	switch {
	case r.effect == Ask:
		return approval.Resolution{}
	case r.effect == Deny && r.source == byMode:
		return approval.ByModeDeny
	case r.effect == Deny && r.source == byBuiltin:
		return approval.ByBuiltinDeny
	case r.effect == Deny:
		return approval.ByRuleDeny
	}
	switch r.source {
	case byRule:
		return approval.ByRuleAllow
	case byTool:
		return approval.ByToolModeAllow
	case byMode:
		return approval.ByModeAllow
	}
	return approval.ByBuiltinAllow
}

// verdict is the ruling on a subject without stages.
func (r ruling) verdict() Verdict {
	v := Verdict{
		Effect: r.effect, Resolution: r.resolution(), Source: r.source, Explanation: r.why.sentence(),
		Protected: r.match == protected && r.effect == Ask,
	}
	if r.entry != nil {
		v.Rule = r.entry.at
	}
	return v
}

// grantable reports whether a session grant settles a question like this, and
// so may be offered: not what a rule asks about, nor what is protected.
func (f finding) grantable() bool {
	switch f.match {
	case covered, unmatched, doubtful, dubious, floored:
		return true
	default:
		return false
	}
}
