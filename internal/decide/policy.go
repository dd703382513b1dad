package decide

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/wire"
)

// question is policy asked about an action of session: everything that is in
// force for it by what was decided before (policy.md "Verdict"). A tool is what
// its catalog says that it is.
func (d *draft) question(session *fold.Session, about approval.Action, under []policy.Regime) policy.Context {
	in := policy.Context{
		Root:  session.Started.WorkspaceRoot,
		Above: d.otherWorkspaces(session),
		Under: under,
		Granted: func(reach approval.Reach) (approval.Grant, bool) {
			return d.state.Granted(session, about.Bind(reach))
		},
		Revoked: d.state.Revoked,
	}
	for i, g := range d.state.Unstored(session) {
		rule, err := policy.DecodeRule([]byte(g.Rule))
		if err != nil || g.Root != session.Started.WorkspaceRoot {
			continue // what cannot be read is not in force, and a rule is of one workspace
		}
		rule.Grant, rule.Ref = g.ID, policy.Ref{Layer: "session", Index: i + 1}
		in.Rules = append(in.Rules, rule)
	}
	return in
}

// regimes are the session's own and those of its ancestors: the strictest of
// their answers holds (policy.md "Sub-agents").
func (d *draft) regimes(session *fold.Session) []policy.Regime {
	under := []policy.Regime{regime(session)}
	for above := range d.state.Ancestors(session) {
		under = append(under, regime(above))
	}
	return under
}

// otherWorkspaces are those of the session's ancestors, each once.
func (d *draft) otherWorkspaces(session *fold.Session) (roots []string) {
	for above := range d.state.Ancestors(session) {
		root := above.Started.WorkspaceRoot
		if root != "" && root != session.Started.WorkspaceRoot && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

func regime(s *fold.Session) policy.Regime {
	return policy.Regime{Mode: s.Mode.Mode, Preset: s.Preset, Root: s.Started.WorkspaceRoot}
}

// waiting is the regime of what waits already: only a rule or a grant settles
// it. A change of mode binds the next action and decides nothing that is
// pending (protocol §4).
var waiting = []policy.Regime{{Mode: approval.PromptUnmatched}}

// ask evaluates a pending approval again, as it stands.
func (d *draft) ask(session *fold.Session, a fold.Full) policy.Verdict {
	action := a.Action()
	return d.env.Policy.Evaluate(action, d.question(session, action, waiting))
}

// explain is the verdict's explanation, and, where the mode allowed without
// asking, who switched that mode on (policy.md "Sub-agents and trust-all").
func (d *draft) explain(session *fold.Session, verdict policy.Verdict) string {
	m := session.Mode
	if verdict.Resolution != approval.ByModeAllow || m.Mode == d.env.Limits.Mode && m.Source == approval.ModeAtStartup {
		return verdict.Explanation
	}
	return fmt.Sprintf("%s It was switched on by %s (%s) at %s.",
		verdict.Explanation, m.By.Client, m.By.Role, wire.FormatTime(m.At))
}
