package policy

import (
	"fmt"
	"iter"

	"github.com/approvald/approvald/internal/approval"
)

// inquiry is one call of Evaluate: what is asked, and what is in force.
type inquiry struct {
	*Policy
	subject   approval.Subject
	in        Context
	requested bool
	once      bool   // one invocation: no session grant covers it, and nothing that stands is offered
	refused   string // why nothing may allow it; "" for none
	shelves   []shelf
	room      [3]shelf // for shelves
}

// shelf is a book that is in force.
type shelf struct {
	*book
	local bool // of one workspace: its shell rules hold only where the cwd is inside
}

// Evaluate gives the verdict on a (policy.md "Verdict"): of the rules that
// match, the strictest; then a session grant, an allow rule, and the mode and
// preset of every regime in.Under, the strictest of them. For a shell subject
// the stages that are settled keep their resolution unless a deny rule matches
// them, and the rest are evaluated, so that it can be asked again after a stage
// has been decided. It depends on its arguments alone and changes none of them.
func (p *Policy) Evaluate(a approval.Action, in Context) Verdict {
	v := p.evaluate(a, in)
	for _, root := range in.Above {
		above := in
		above.Root, above.Above = root, nil
		v = stricter(v, p.evaluate(a, above))
	}
	return v
}

// evaluate is the verdict in one workspace.
func (p *Policy) evaluate(a approval.Action, in Context) Verdict {
	q := &inquiry{Policy: p, subject: a.Subject, in: in, requested: a.Requested, once: a.Unrestricted(), refused: a.Found.Refused}
	q.shelves = q.room[:0]
	if p.everywhere != nil {
		q.shelves = append(q.shelves, shelf{book: p.everywhere})
	}
	if store := p.stores[in.Root]; store != nil && in.Root != "" {
		q.shelves = append(q.shelves, shelf{store, true})
	}
	if len(in.Rules) > 0 && in.Root != "" {
		fresh := newBook()
		for _, r := range in.Rules {
			_ = fresh.add(r) // one that is not well formed allows nothing
		}
		q.shelves = append(q.shelves, shelf{fresh, true})
	}
	if why := a.Found.Refused; why != "" {
		return q.single([]finding{{match: forbidden, why: says("%s", why)}}, Menu{})
	}
	switch s := a.Subject.(type) {
	case approval.Shell:
		return q.shell(s, a.Found)
	case approval.File:
		return q.file(s, a.Found.File)
	case approval.Network:
		return q.single(q.network(s), Menu{Persist: q.persistNetwork(s)})
	case approval.Process:
		return q.single(q.process(s), Menu{})
	case approval.Tool:
		return q.tool(s)
	case approval.Unknown:
		why := says("the subject kind %s is not known; only a reviewer may approve it", quoted(s.Name))
		return q.single([]finding{{match: unheardOf, why: why}}, Menu{})
	}
	return q.single([]finding{{match: unheardOf, why: says("this is no subject that is known; only a reviewer may approve it")}}, Menu{})
}

// single is the verdict on a subject that is one requirement. The menu offers
// what it holds besides a session grant, which is decided here.
func (q *inquiry) single(found []finding, menu Menu) Verdict {
	if q.refused != "" {
		found = append(found, finding{match: forbidden, why: says("%s", visible(q.refused))})
	}
	free := grantable(found)
	if g, ok := q.granted(); ok && free {
		return Verdict{
			Effect: Allow, Resolution: approval.BySessionGrant, Source: bySession,
			Explanation: fmt.Sprintf("A reviewer granted this for the session (%s).", g.RulePreview),
		}
	}
	v := q.strictest(found).verdict()
	if v.Effect != Ask {
		return v
	}
	v.Menu = menu
	_, defined := q.reach()
	v.Menu.Session = defined && free
	if !onlyUnmatched(found) {
		v.Menu.Persist = nil
	}
	return v
}

// reach is that of the subject, which may be none.
func (q *inquiry) reach() (approval.Reach, bool) {
	if q.subject == nil {
		return approval.Reach{}, false
	}
	return q.subject.Reach()
}

// granted is the session grant that covers exactly the subject; none for one
// invocation.
func (q *inquiry) granted() (approval.Grant, bool) {
	r, defined := q.reach()
	if !defined || q.once || q.in.Granted == nil {
		return approval.Grant{}, false
	}
	return q.in.Granted(r)
}

// strictest rules every finding and gives the strictest ruling, of two alike
// the one about the stronger match.
func (q *inquiry) strictest(found []finding) ruling {
	var strictest ruling
	for i, f := range found {
		r := q.rule(f)
		if i == 0 || r.effect > strictest.effect || r.effect == strictest.effect && r.match > strictest.match {
			strictest = r
		}
	}
	return strictest
}

func grantable(found []finding) bool {
	for _, f := range found {
		if !f.grantable() {
			return false
		}
	}
	return true
}

// onlyUnmatched reports whether a rule that covers the subject would settle it.
func onlyUnmatched(found []finding) bool {
	for _, f := range found {
		if f.match != covered && f.match != unmatched {
			return false
		}
	}
	return true
}

// inForce reports whether the rule still holds: the grant that wrote it was
// not revoked.
func (q *inquiry) inForce(e *entry) bool {
	return e.Grant.IsZero() || q.in.Revoked == nil || !q.in.Revoked(e.Grant)
}

// strongest is the rule of the strongest effect that holds, of two alike the
// first; nil for none.
func (q *inquiry) strongest(rules iter.Seq[*entry]) *entry {
	var found *entry
	for e := range rules {
		if q.inForce(e) && (found == nil || e.Effect > found.Effect || e.Effect == found.Effect && e.seq < found.seq) {
			found = e
		}
	}
	return found
}

// bound is the finding of a rule that matches what is said by what.
func bound(e *entry, what any) finding {
	m, verb := asked, "asks about"
	if e.Effect == Deny {
		m, verb = denied, "denies"
	}
	return finding{match: m, entry: e, why: says("%s %s %s%s", e, verb, what, because{e})}
}

// doubt is the finding of a rule that may mean it: of a deny rule, asked in
// every mode; of an ask rule, asked as if it matched.
func doubt(e *entry, why *say) finding {
	m := doubtful
	if e.Effect == Deny {
		m = dubious
	}
	return finding{match: m, entry: e, why: why}
}

// allows is the finding of an allow rule that covers what is said by what.
func allows(e *entry, what any) finding {
	return finding{match: covered, entry: e, why: says("%s allows %s%s", e, what, because{e})}
}

// uncovered is the finding that nothing in force is about what.
func uncovered(what any) finding {
	return finding{match: unmatched, why: says("nothing in force covers %s", what)}
}
