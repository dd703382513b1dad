package policy

import (
	"net/url"
	"path"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// file is the verdict on a file subject. What inspection did not find out is
// taken as unknown: rules that bind look at the path all the same, and nothing
// covers it.
func (q *inquiry) file(s approval.File, found *approval.Target) Verdict {
	t := approval.Target{
		Access: approval.Access(s.Access), Text: s.RequestedPath, Written: s.RequestedPath, Path: s.Path,
		Unresolved: "it was not inspected",
	}
	if found != nil {
		t = *found
	}
	t = misread(t, s.RequestedPath)
	var findings []finding
	switch {
	case t.OfProcess:
		findings = append(findings, finding{match: forbidden, why: says("%s leads through the files of a process, which no file tool may touch", accessTo{&t})})
	case t.Type == approval.TargetSpecial:
		findings = append(findings, finding{match: forbidden, why: says("%s would touch what is no regular file or directory, which no file tool may do", accessTo{&t})})
	}
	findings = append(findings, q.target(t, true)...)
	if t.Access == approval.Write && q.isProtected(t) != nil {
		findings = append(findings, q.protectedWrite(t))
	}
	v := q.single(findings, Menu{Persist: q.persistFile(t)})
	v.PermissionMode = q.permissionMode(t, findings)
	return v
}

// misread is the target of a file tool whose path is spelled in a way that many
// tools take for another: as a home or a URL. It is not known then, and rules
// that bind look at both.
func misread(t approval.Target, requested string) approval.Target {
	scheme, rest, _ := strings.Cut(requested, ":")
	switch {
	case strings.HasPrefix(requested, "~"):
		t.Unresolved = "a ~ at its beginning is a home to many tools"
	case strings.HasPrefix(requested, "$"):
		t.Unresolved = "a $ at its beginning is a variable to many tools"
	case strings.TrimSpace(requested) != requested:
		t.Unresolved = "blanks around it are nothing to many tools"
	case strings.EqualFold(scheme, "file"):
		t.Unresolved = "it is a URL to many tools"
		at := strings.TrimLeft(rest, "/")
		if host, after, found := strings.Cut(at, "/"); found && strings.EqualFold(host, "localhost") {
			at = after
		}
		if plain, err := url.PathUnescape(at); err == nil {
			at = plain
		}
		t.Written = path.Clean("/" + at)
	case strings.Contains(requested, "://"):
		t.Unresolved = "it is a URL to many tools"
	}
	return t
}

// target are the findings about one path: what binds it, and, where it needs a
// verdict of its own, what covers it or that nothing does.
func (q *inquiry) target(t approval.Target, needs bool) (found []finding) {
	what := accessTo{&t}
	if own := q.isOwn(t); own != "" {
		return []finding{{match: forbidden, why: says("%s would touch approvald's own files (%s), which no agent may do", what, own)}}
	}
	if own := q.holdsOwn(t); own != "" {
		found = append(found, finding{match: dubious, why: says("%s takes in approvald's own files (%s)", what, own)})
	}
	if e := q.strongest(q.covering(t, true)); e != nil {
		found = append(found, bound(e, what))
	} else if e, why := q.mayBind(t); e != nil {
		found = append(found, doubt(e, says("%s %s, so %s may mean it", what, why, e)))
	}
	if t.Access == approval.Write && t.Links > 1 && t.Type != approval.TargetDirectory {
		found = append(found, finding{match: doubtful, why: says("%s changes a file with %s names, so its path does not say which file it is", what, t.Links)})
	}
	if !needs || len(found) > 0 {
		return found
	}
	if t.Unresolved == "" && (t.Type != approval.TargetSpecial) && !t.OfProcess {
		if e := q.strongest(q.covering(t, false)); e != nil {
			return append(found, allows(e, what))
		}
	}
	f := uncovered(what)
	if t.Unresolved != "" {
		f.why = says("%s, whose path is not known (%s)", f.why, visible(t.Unresolved))
	}
	f.target = &t
	return append(found, f)
}

// covering are the rules about the target: those that bind, by the written
// and the real path, or those that allow, by the real one alone.
func (q *inquiry) covering(t approval.Target, binding bool) func(func(*entry) bool) {
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
func (q *inquiry) mayBind(t approval.Target) (found *entry, why string) {
	for _, b := range q.shelves {
		for _, rules := range b.fileRules(t.Access, true) {
			if e := rules.strongest(); t.Unresolved != "" && stronger(found, e) != found {
				found, why = e, "leads to a path that is not known ("+visible(t.Unresolved)+")"
			}
			if e := rules.strongest(); t.OfProcess && stronger(found, e) != found {
				found, why = e, "leads through the files of a process to what only that knows"
			}
			if t.Type == approval.TargetDirectory {
				if e := stronger(rules.within(t.Path, q.in.Root), rules.within(t.Written, q.in.Root)); stronger(found, e) != found {
					found, why = e, "takes in all that is below"
				}
			}
		}
	}
	return found, why
}

// isOwn is the one of approvald's own paths that the target lies below; "" for
// none.
func (q *inquiry) isOwn(t approval.Target) string {
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
func (q *inquiry) holdsOwn(t approval.Target) string {
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
// "Presets"), where nothing else is found about it: what is protected is asked
// beside it.
func presetCovers(p approval.Preset, root string, t approval.Target) bool {
	if root == "" || t.Unresolved != "" || t.Path == "" {
		return false
	}
	if _, inside := below(root, t.Path, false); !inside {
		return false
	}
	switch p {
	case approval.ReadOnly:
		return t.Access == approval.Read
	case approval.WorkspaceWrite, approval.DangerFullAccess:
		return t.Access == approval.Read || t.Access == approval.Write
	}
	return false
}

// permissionMode is the least preset that would cover the target; "" where
// none would.
func (q *inquiry) permissionMode(t approval.Target, found []finding) approval.Preset {
	for _, f := range found {
		if f.match == forbidden || f.match == protected || f.match == denied {
			return ""
		}
	}
	if onlyUnmatched(found) {
		for _, p := range []approval.Preset{approval.ReadOnly, approval.WorkspaceWrite} {
			if presetCovers(p, q.in.Root, t) {
				return p
			}
		}
	}
	return approval.DangerFullAccess
}

// persistFile is the rule for exactly this path and access; nil where none
// would cover it.
func (q *inquiry) persistFile(t approval.Target) *Rule {
	if q.in.Root == "" || t.Unresolved != "" || t.Path == "" {
		return nil
	}
	r := Rule{Effect: Allow, Kind: approval.KindFile, Access: t.Access, Glob: EscapeGlob(t.Path)}
	if check(r) != nil || !newGlob(r.Glob, &entry{Rule: r}).matches(t.Path, q.in.Root, t.Folds) {
		return nil
	}
	return &r
}
