package policy

import (
	"fmt"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
)

// denialPrefix begins the diagnostic of a denied stage (policy.md "Shell").
const denialPrefix = "policyDeny: "

// stage is one stage of a command as policy looks at it.
type stage struct {
	*approval.Stage
	part  *approval.Part // what inspection found
	known bool           // it did; otherwise part is noPart
	cwd   bool           // the command's directory is inside the workspace
	lines []line         // see simpleCommands
	room  [1]line        // for lines, which most stages have one of

	found  []finding // none where it is settled and nothing binds it
	ruling ruling    // the strictest of them; zero for none
}

// noPart is that of a stage that was not inspected. Nobody changes it.
var noPart approval.Part

// shell is the verdict on a command: each stage on its own, and the whole by
// its strictest stage.
func (q *inquiry) shell(s approval.Shell, found approval.Found) Verdict {
	if len(s.Stages) == 0 {
		return q.unsplit(s)
	}
	_, inside := below(q.in.Root, s.Cwd, false)
	stages := make([]stage, len(s.Stages))
	free := true
	for i := range stages {
		st := &stages[i]
		st.Stage, st.part, st.cwd = &s.Stages[i], &noPart, inside && q.in.Root != ""
		if i < len(found.Parts) {
			st.part, st.known = &found.Parts[i], true
		}
		st.lines = st.simpleCommands()
		st.found = q.stage(st)
		if !st.known && st.Resolution.Open() {
			st.found = append(st.found, finding{match: unheardOf, why: says("nothing was found out about %s, so only a reviewer may allow it", st)})
		}
		if found.Protected && i == 0 {
			st.found = append(st.found, finding{match: protected, why: says("the command was found to write a protected file before the daemon was restarted")})
		}
		free = free && grantable(st.found)
	}
	if g, ok := q.granted(); ok && free && !settledAll(s) {
		return bySessionGrant(g, s)
	}
	for i := range stages {
		stages[i].ruling = q.strictest(stages[i].found)
	}
	v := combined(s, stages)
	if v.Effect != Ask {
		return v
	}
	for i := range stages {
		v.Protected = v.Protected || stages[i].ruling.match == protected && stages[i].ruling.effect == Ask
	}
	v.Menu.Session = free && !q.once
	if !v.Protected && !q.once {
		v.Menu.Persist = q.persistShell(stages)
	}
	return v
}

// bySessionGrant is the verdict on a command that a session grant covers.
func bySessionGrant(g approval.Grant, s approval.Shell) Verdict {
	return Verdict{
		Effect: Allow, Resolution: approval.BySessionGrant, Source: bySession,
		Stages:      allowStages(approval.Resolutions(s), "session grant "+g.ID.String()),
		Explanation: fmt.Sprintf("A reviewer granted this for the session (%s).", g.RulePreview),
	}
}

// unsplit is the verdict on a command that was not split into its parts, so
// that nothing is known of it.
func (q *inquiry) unsplit(s approval.Shell) Verdict {
	found := q.unknown()
	if g, ok := q.granted(); ok && grantable(found) {
		return bySessionGrant(g, s)
	}
	v := q.strictest(found).verdict()
	v.Stages = approval.Resolutions(s)
	v.Menu.Session = v.Effect == Ask && !q.once
	return v
}

// unknown are the findings about a command of which nothing is known.
func (q *inquiry) unknown() []finding {
	found := []finding{{match: unmatched, why: says("nothing in force covers a command that was not split into its parts")}}
	if q.refused != "" {
		found = append(found, finding{match: forbidden, why: says("%s", visible(q.refused))})
	}
	if e := q.strongest(q.binding(nil)); e != nil {
		found = append(found, bound(e, "every command"))
	}
	if e := q.anyBinding(); e != nil {
		found = append(found, doubt(e, says("the command was not split into its parts, so %s may mean it", e)))
	}
	return found
}

// settledAll reports whether no stage is open: builtins and earlier decisions
// have settled them all.
func settledAll(s approval.Shell) bool {
	for _, st := range s.Stages {
		if st.Resolution.Open() {
			return false
		}
	}
	return len(s.Stages) > 0
}

// combined is the verdict by the rulings of the stages. A stage whose ruling is
// zero is settled already.
func combined(s approval.Shell, stages []stage) Verdict {
	resolutions := approval.Resolutions(s)
	decides := -1
	for i := range stages {
		r := &stages[i].ruling
		if r.source == "" {
			continue
		}
		if decides < 0 || r.outranks(&stages[decides].ruling) {
			decides = i
		}
		resolutions[i] = stages[i].resolution()
	}
	if decides < 0 {
		return Verdict{
			Resolution: approval.ByBuiltinAllow, Stages: resolutions, Source: byBuiltin,
			Explanation: "Every part of the command is known to be safe.",
		}
	}
	v := stages[decides].ruling.verdict()
	v.Stages = resolutions
	if len(stages) > 1 {
		v.Explanation = "Part " + strconv.Itoa(decides+1) + " of " + strconv.Itoa(len(stages)) + ": " + v.Explanation
		if v.Effect == Allow {
			v.Explanation = "Every part is allowed. " + v.Explanation
		}
	}
	return v
}

// outranks reports whether r decides for the whole rather than other, which
// came before it.
func (r *ruling) outranks(other *ruling) bool {
	return r.effect > other.effect ||
		r.effect == other.effect && r.effect == Allow && allowRank[r.source] > allowRank[other.source]
}

// allowRank orders what allowed the parts of a command: the whole is said to
// be allowed by the one with the least thought behind it.
var allowRank = map[string]int{byBuiltin: 0, byRule: 1, byMode: 2}

// resolution is what becomes of a stage by its ruling. One that could not be
// read keeps what it says about that, unless a rule says more.
func (st *stage) resolution() approval.StageResolution {
	r := &st.ruling
	switch r.effect {
	case Allow:
		if r.match == covered && r.entry != nil {
			return approval.StageResolution{Kind: approval.StagePolicyAllow, Diagnostic: r.entry.at}
		}
		return approval.StageResolution{Kind: approval.StagePolicyAllow, Diagnostic: r.why.capital()}
	case Deny:
		return approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: denialPrefix + r.why.sentence()}
	case Ask:
	}
	if !st.ArgvComplete && r.match == unmatched && st.Resolution.Diagnostic != "" && st.Resolution.Open() {
		return st.Resolution
	}
	return approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: r.finding.why.String()}
}

// stage are the findings about one stage; none for one that is settled and
// that nothing binds.
func (q *inquiry) stage(st *stage) []finding {
	if q.refused != "" {
		return []finding{{match: forbidden, why: says("%s", visible(q.refused))}}
	}
	if why := reviews(st); why != "" {
		return []finding{{match: forbidden, why: says("%s", why)}}
	}
	if own := q.namesOwn(st.lines); own != "" {
		return []finding{{match: forbidden, why: says("it names approvald's own files (%s), which no agent may touch", own)}}
	}
	var found []finding
	if e := q.strongest(q.binding(st.lines)); e != nil {
		found = append(found, bound(e, st))
	}
	found = append(found, q.targets(st)...)
	if !st.Resolution.Open() {
		return settledFindings(found, st)
	}
	if len(found) > 0 && found[0].match == denied {
		return found
	}
	cover, why := q.cover(st)
	if cover != nil {
		if f, ok := q.unseen(st.part.Targets, cover); ok {
			return append(found, f)
		}
		return append(found, allows(cover, st))
	}
	if e := q.strongest(q.missed(st.lines)); e != nil && !q.matches(e, found) {
		found = append(found, doubt(e, says("%s comes so close to %s that nobody can tell whether it is meant", st, e)))
	} else if e := q.anyBinding(); e != nil && !st.ArgvComplete && len(st.part.Words) == 0 {
		found = append(found, doubt(e, says("%s hides what it runs, so %s may mean it", st, e)))
	}
	return append(found, finding{match: unmatched, why: why})
}

// settledFindings are those that still count for a stage that is settled: what
// is denied is denied whatever was decided before, and a builtin that needs no
// decision is asked about where a rule says so.
func settledFindings(found []finding, st *stage) (kept []finding) {
	for _, f := range found {
		if f.match == denied || f.match == forbidden || st.Resolution.Kind == approval.StageKnownSafe && f.match != covered && f.match != unmatched {
			kept = append(kept, f)
		}
	}
	return kept
}

// matches reports whether e is one that found already names.
func (q *inquiry) matches(e *entry, found []finding) bool {
	for _, f := range found {
		if f.entry == e {
			return true
		}
	}
	return false
}

// simpleCommands are what rules that bind look at: the stage's own words, those
// of the launchers that start it, and the program text that it carries.
func (st *stage) simpleCommands() []line {
	lines := st.room[:0]
	switch {
	case st.ArgvComplete:
		lines = append(lines, newLine(st.Argv, st.part.Dynamic, st.part.Program.Path))
	case len(st.part.Words) > 0:
		lines = append(lines, newLine(st.part.Words, st.part.Dynamic, st.part.Program.Path))
	}
	for _, list := range [][][]string{st.part.Launchers, st.part.Code} {
		for _, argv := range list {
			if len(argv) > 0 {
				lines = append(lines, newLine(argv, nil, ""))
			}
		}
	}
	return lines
}

// binding are the deny and ask rules that match one of the lines.
func (q *inquiry) binding(lines []line) func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, b := range q.shelves {
			if len(lines) == 0 { // the catch-all needs no words
				lines = []line{{}}
			}
			for _, l := range lines {
				for e := range b.binding.bind(l) {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// missed are the deny and ask rules that one of the lines meets or just
// misses.
func (q *inquiry) missed(lines []line) func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		for _, b := range q.shelves {
			for _, l := range lines {
				for e := range b.near.missed(l) {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// anyBinding is the strongest deny or ask rule about commands; nil for none.
func (q *inquiry) anyBinding() (found *entry) {
	for _, b := range q.shelves {
		found = stronger(found, b.strict)
	}
	return found
}

// targets are the findings about the files of a stage. A file that the shell
// itself writes needs a verdict of its own; others are only bound by rules.
func (q *inquiry) targets(st *stage) (found []finding) {
	for _, t := range st.part.Targets {
		if isNoFile(t) {
			continue
		}
		if t.Type == approval.TargetDirectory && st.ArgvComplete && len(st.Argv) > 0 && listers[st.Argv[0]] {
			t.Type = "" // it reads the names, not the contents
		}
		needs := t.Redirected && t.Access == approval.Write
		findings := q.target(t, needs)
		if t.Access == approval.Write && q.isProtected(t) != nil {
			findings = append(findings, q.protectedWrite(t))
		}
		found = append(found, findings...)
	}
	return found
}

// isNoFile reports whether nothing is written there: to the null device, and by
// the names of descriptors that are open already.
func isNoFile(t approval.Target) bool {
	switch t.Written {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2":
		return true
	}
	return t.Path == "/dev/null"
}

// listers are programs that tell names, sizes and dates of what is in a
// directory and read none of it, and git, which tells no more of a directory
// than of the repository.
var listers = map[string]bool{"git": true, "ls": true, "du": true, "stat": true, "tree": true, "file": true, "test": true, "cd": true, "dirname": true, "basename": true, "realpath": true, "readlink": true}
