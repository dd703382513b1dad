package claudesettings

import (
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// bashInputs are the members of a Bash call that a rule can be about, besides
// the command itself: Bash(run_in_background:true).
var bashInputs = []string{"command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"}

// bash reads Bash, Bash(words), Bash(words:*) and Bash(words *): every command,
// exactly this one, and those that begin so. Any other * is part of a pattern
// over the text of a command, and no rule here is about text.
func bash(c call) Rule {
	if c.bare || c.specifier == ":*" {
		return Rule{Rules: []policy.Rule{argvRule(c, nil)}, Exact: true}
	}
	if input, _, found := strings.Cut(c.specifier, ":"); found && slices.Contains(bashInputs, input) && !strings.HasSuffix(c.specifier, ":*") {
		return none("no rule looks at how a command is called, only at the command")
	}
	prefix, open := cutOpen(c.specifier)
	if before, _, wild := strings.Cut(prefix, "*"); wild {
		return inText(c, before)
	}
	argv, why := words(prefix, !c.allows())
	if why != "" {
		return none(why)
	}
	rule := Rule{Rules: []policy.Rule{argvRule(c, argv)}, Exact: true}
	if !open {
		rule.Why = []string{"Claude Code takes it for exactly this command; here more words may follow."}
	}
	return rule
}

// cutOpen takes off the end that says that more words may follow.
func cutOpen(text string) (prefix string, open bool) {
	for _, end := range []string{":*", " *"} {
		if prefix, open = strings.CutSuffix(text, end); open {
			return prefix, true
		}
	}
	return text, false
}

// inText is a rule with a * within the text of a command, of which the words
// before it are known.
func inText(c call, before string) Rule {
	const why = "it has a * within the text of a command, and a rule here is about the first words"
	// The word that the * stands in, or behind without a space, is not whole.
	whole := before[:strings.LastIndexAny(before, " \t")+1]
	argv, bad := words(whole, !c.allows())
	if bad != "" { // nothing included: every command is near none
		return none(why)
	}
	return none(why+"; the nearest one covers more", argvRule(c, argv))
}

func argvRule(c call, argv []string) policy.Rule {
	return policy.Rule{Effect: c.effect, Kind: approval.KindShell, HasArgv: true, Argv: argv}
}
