package policy

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/approvald/approvald/internal/approval"
)

// globs are the file rules of one access that either allow or bind. A rule is
// found by a component that every path it covers must have; only those that
// have none are tried one by one.
type globs struct {
	byPart  map[string][]*glob // by folded literal component
	rest    []*glob
	outside []*entry // everything outside the workspace

	// For directories, whose contents are read or written with them: what a
	// rule might cover below. Each holds the strongest entry, by folded path.
	fromRoot, fromTop beneath
	everywhere        *entry

	all *entry // the strongest of all
}

// beneath answers whether a rule covers something below a directory, of the
// globs that start at one place.
type beneath struct {
	any    *entry             // the strongest of all
	holds  map[string]*entry  // by directory above or at the literal start of a glob
	starts map[string][]*glob // by literal start
}

func newGlobs() *globs {
	return &globs{
		byPart:   map[string][]*glob{},
		fromRoot: beneath{holds: map[string]*entry{}, starts: map[string][]*glob{}},
		fromTop:  beneath{holds: map[string]*entry{}, starts: map[string][]*glob{}},
	}
}

func (s *globs) addRule(e *entry) {
	s.all = stronger(s.all, e)
	if e.Outside {
		s.outside = append(s.outside, e)
		return
	}
	s.add(e.Glob, e)
	if e.Resolved != "" && e.Resolved != e.Glob && e.Effect != Allow {
		s.add(e.Resolved, e)
	}
}

func (s *globs) add(text string, e *entry) {
	g := newGlob(text, e)
	parts, split := g.parts()
	start := []string{}
	for i, p := range parts {
		if !p.fixed || i == len(parts)-1 {
			break
		}
		start = append(start, p.text)
	}
	switch g.scope {
	case anywhere:
		s.everywhere = stronger(s.everywhere, e)
	case absolute:
		s.fromTop.add(start, g)
	case relative:
		s.fromRoot.add(start, g)
	}
	slices.Reverse(parts)
	if i := slices.IndexFunc(parts, func(p part) bool { return p.fixed }); split && i >= 0 {
		s.byPart[parts[i].text] = append(s.byPart[parts[i].text], g)
		return
	}
	s.rest = append(s.rest, g)
}

func (b *beneath) add(start []string, g *glob) {
	b.any = stronger(b.any, g.entry)
	for n := range len(start) + 1 {
		dir := strings.Join(start[:n], "/")
		b.holds[dir] = stronger(b.holds[dir], g.entry)
	}
	dir := strings.Join(start, "/")
	b.starts[dir] = append(b.starts[dir], g)
}

// stronger is the entry with the stronger effect, of two alike the first.
func stronger(a, b *entry) *entry {
	if a == nil || b != nil && b.Effect > a.Effect {
		return b
	}
	return a
}

// covering are the rules that cover the path p, which is absolute and clean;
// none for "".
func (s *globs) covering(p, root string, folds bool) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		if s == nil || !strings.HasPrefix(p, "/") {
			return
		}
		try := func(list []*glob) bool {
			for _, g := range list {
				if g.matches(p, root, folds) && !yield(g.entry) {
					return false
				}
			}
			return true
		}
		if !try(s.rest) {
			return
		}
		for name := range strings.SplitSeq(fold(p)[1:], "/") {
			if !try(s.byPart[name]) {
				return
			}
		}
		for _, e := range s.outside {
			if isOutside(e.Effect, p, root, folds) && !yield(e) {
				return
			}
		}
	}
}

// isOutside reports whether p lies outside the workspace. Without a workspace
// everything does for a rule that binds, and nothing for one that allows.
func isOutside(effect Effect, p, root string, folds bool) bool {
	if root == "" {
		return effect != Allow
	}
	_, inside := below(root, p, folds)
	return !inside
}

// strongest is the rule of the strongest effect; nil where there is none.
func (s *globs) strongest() *entry {
	if s == nil {
		return nil
	}
	return s.all
}

// within is a binding rule that covers something below the directory dir, or
// may; nil for none.
func (s *globs) within(dir, root string) *entry {
	if s == nil || !strings.HasPrefix(dir, "/") {
		return nil
	}
	found := s.everywhere
	found = stronger(found, s.fromTop.within(components(fold(dir))))
	if root == "" {
		return stronger(found, s.fromRoot.any)
	}
	if rel, inside := below(root, dir, true); inside {
		return stronger(found, s.fromRoot.within(components(rel)))
	}
	if _, above := below(dir, root, true); above {
		found = stronger(found, s.fromRoot.any)
	}
	return found
}

func (b *beneath) within(dir []string) *entry {
	name := strings.Join(dir, "/")
	found := b.holds[name]
	for above := name; above != ""; {
		if above = path.Dir(above); above == "." {
			above = ""
		}
		for _, g := range b.starts[above] {
			if g.reaches(dir) {
				found = stronger(found, g.entry)
			}
		}
	}
	return found
}

// fileRules are the rules about access, both if it is neither read nor write.
func (b *book) fileRules(access approval.Access, binding bool) []*globs {
	if access == approval.Read || access == approval.Write {
		return []*globs{b.files[fileKey{access, binding}]}
	}
	if !binding {
		return nil
	}
	return []*globs{b.files[fileKey{approval.Read, true}], b.files[fileKey{approval.Write, true}]}
}
