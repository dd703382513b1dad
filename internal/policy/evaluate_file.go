package policy

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
)

// file is the verdict on a file subject. What inspection did not find out is
// taken as unknown: rules that bind look at the path all the same, and nothing
// covers it.
func (q inquiry) file(s approval.File, found *approval.Target) Verdict {
	t := approval.Target{
		Access: approval.Access(s.Access), Text: s.RequestedPath, Written: s.RequestedPath, Path: s.Path,
		Unresolved: "it was not inspected",
	}
	if found != nil {
		t = *found
	}
	var findings []finding
	switch what := fmt.Sprintf("%s of %s", t.Access, quote(t.Path)); {
	case t.OfProcess:
		findings = append(findings, finding{match: forbidden, why: what + " leads through the files of a process, which no file tool may touch"})
	case t.Type == approval.TargetSpecial:
		findings = append(findings, finding{match: forbidden, why: what + " is no regular file or directory, and no file tool may touch it"})
	}
	findings = append(findings, q.target(t, true)...)
	if t.Access == approval.Write && q.isProtected(t) != nil {
		findings = append(findings, q.protectedWrite(t))
	}
	v := q.single(s, findings, Menu{Persist: q.persistFile(t)})
	v.PermissionMode = q.permissionMode(t, findings)
	return v
}

// target are the findings about one path: what binds it, and, where it needs a
// verdict of its own, what covers it or that nothing does.
func (q inquiry) target(t approval.Target, needs bool) (found []finding) {
	what := fmt.Sprintf("%s of %s", t.Access, shownPath(t))
	if own := q.isOwn(t); own != "" {
		return []finding{{match: forbidden, why: fmt.Sprintf("%s lies in approvald's own files (%s), which no agent may touch", what, own)}}
	}
	if own := q.holdsOwn(t); own != "" {
		found = append(found, finding{match: dubious, why: fmt.Sprintf("%s takes in approvald's own files (%s)", what, own)})
	}
	if e := q.strongest(q.covering(t, true)); e != nil {
		found = append(found, bound(e, what))
	} else if e, why := q.mayBind(t); e != nil {
		found = append(found, doubt(e, what+" "+why+", so "+nameOf(e)+" may mean it"))
	}
	if t.Access == approval.Write && t.Links > 1 && t.Type != approval.TargetDirectory {
		found = append(found, finding{match: doubtful, why: fmt.Sprintf("%s changes a file with %d names, so its path does not say which file it is", what, t.Links)})
	}
	if !needs || len(found) > 0 {
		return found
	}
	if t.Unresolved == "" && (t.Type != approval.TargetSpecial) && !t.OfProcess {
		if e := q.strongest(q.covering(t, false)); e != nil {
			return append(found, finding{match: covered, entry: e, why: fmt.Sprintf("%s allows %s%s", nameOf(e), what, because(e)), target: &t})
		}
	}
	why := "nothing in force covers " + what
	if t.Unresolved != "" {
		why += ", whose path is not known (" + visible(t.Unresolved) + ")"
	}
	return append(found, finding{match: unmatched, why: why, target: &t})
}

// shownPath is how sentences name a target.
func shownPath(t approval.Target) string {
	switch {
	case t.Path != "":
		return quote(t.Path)
	case t.Written != "":
		return quote(t.Written)
	}
	return quote(t.Text)
}

// covering are the rules about the target: those that bind, by the written
// and the real path, or those that allow, by the real one alone.
func (q inquiry) covering(t approval.Target, binding bool) func(func(*entry) bool) {
	return func(yield func(*entry) bool) {
		paths := []string{t.Path}
		if binding && t.Written != t.Path {
			paths = append(paths, t.Written)
		}
		for _, b := range q.shelves {
			for _, rules := range b.fileRules(t.Access, binding) {
				for _, p := range paths {
					for e := range rules.covering(p, q.in.Root, t.Folds) {
						if !yield(e) {
							return
						}
					}
				}
			}
		}
	}
}

// mayBind is a rule that nobody can tell from here whether it binds the
// target: the path is not known, or the target is a directory and the rule is
// about something below it.
func (q inquiry) mayBind(t approval.Target) (found *entry, why string) {
	for _, b := range q.shelves {
		for _, rules := range b.fileRules(t.Access, true) {
			if t.Unresolved != "" {
				found, why = stronger(found, rules.strongest()), "leads to a path that is not known ("+visible(t.Unresolved)+")"
			}
			if t.Type == approval.TargetDirectory {
				if e := stronger(rules.within(t.Path, q.in.Root), rules.within(t.Written, q.in.Root)); e != nil {
					found, why = stronger(found, e), "takes in all that is below"
				}
			}
		}
	}
	return found, why
}

// isOwn is the one of approvald's own paths that the target lies below; "" for
// none.
func (q inquiry) isOwn(t approval.Target) string {
	for _, own := range q.own {
		for _, p := range []string{t.Path, t.Written} {
			if _, inside := below(own, p, t.Folds); inside && p != "" {
				return own
			}
		}
	}
	return ""
}

// holdsOwn is the one of approvald's own paths that lies below the target,
// where that is a directory; "" for none.
func (q inquiry) holdsOwn(t approval.Target) string {
	if t.Type != approval.TargetDirectory || t.Path == "" {
		return ""
	}
	for _, own := range q.own {
		if _, inside := below(t.Path, own, t.Folds); inside {
			return own
		}
	}
	return ""
}

// presetCovers reports whether a preset allows the target (policy.md
// "Presets").
func (q inquiry) presetCovers(p approval.Preset, t approval.Target) bool {
	if q.in.Root == "" || t.Unresolved != "" || t.Path == "" {
		return false
	}
	if _, inside := below(q.in.Root, t.Path, false); !inside {
		return false
	}
	switch p {
	case approval.ReadOnly:
		return t.Access == approval.Read
	case approval.WorkspaceWrite, approval.DangerFullAccess:
		return t.Access == approval.Read || t.Access == approval.Write && q.isProtected(t) == nil
	}
	return false
}

// permissionMode is the least preset that would cover the target; "" where
// none would.
func (q inquiry) permissionMode(t approval.Target, found []finding) approval.Preset {
	for _, f := range found {
		if f.match == forbidden || f.match == protected || f.match == denied {
			return ""
		}
	}
	if onlyUnmatched(found) {
		for _, p := range []approval.Preset{approval.ReadOnly, approval.WorkspaceWrite} {
			if q.presetCovers(p, t) {
				return p
			}
		}
	}
	return approval.DangerFullAccess
}

// persistFile is the rule for exactly this path and access; nil where none
// would cover it.
func (q inquiry) persistFile(t approval.Target) *Rule {
	if q.in.Root == "" || t.Unresolved != "" || t.Path == "" {
		return nil
	}
	r := Rule{Effect: Allow, Kind: approval.KindFile, Access: t.Access, Glob: escape(t.Path)}
	if check(r) != nil || !newGlob(r.Glob, &entry{Rule: r}).matches(t.Path, q.in.Root, t.Folds) {
		return nil
	}
	return &r
}
