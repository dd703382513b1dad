package policy

import (
	"path"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/approvald/approvald/internal/approval"
)

// unseen is the finding about a stage that a rule covers and that writes a file
// whose name only the running shell knows: it may be a protected one. false where
// the texts tell that none is.
func (q *inquiry) unseen(targets []approval.Target, cover *entry) (finding, bool) {
	for _, t := range targets {
		if t.Access != approval.Write || t.Unresolved == "" || t.Redirected || q.namesNothingProtected(t.Text) {
			continue
		}
		return finding{match: doubtful, why: says("writing %s may touch a protected file, since only the running shell knows its name, so %s does not cover it", quoted(t.Text), cover)}, true
	}
	return finding{}, false
}

// namesNothingProtected reports whether a pattern of the shell, by its text
// alone, can only lead to files that are not protected: it stays where the
// command runs, no component may begin with a dot, which a star does not stand
// for, and its last one is of none of the protected names that begin otherwise.
func (q *inquiry) namesNothingProtected(text string) bool {
	if text == "" || strings.HasPrefix(text, "/") || strings.Trim(text, patternLetters) != "" {
		return false
	}
	for _, b := range q.shelves {
		if b.guarded != noGlobs {
			return false // the user's own list may name anything
		}
	}
	parts := strings.Split(strings.TrimPrefix(text, "./"), "/")
	last := parts[len(parts)-1]
	for i, part := range parts {
		inner := i < len(parts)-1 // of a directory, which may be a bare repository
		if strings.HasPrefix(part, ".") || inner && (strings.ContainsAny(part, "*?") || strings.HasSuffix(part, ".git")) {
			return false
		}
	}
	for _, name := range protectedNames() {
		if doublestar.MatchUnvalidated(last, name) || doublestar.MatchUnvalidated(name, last) {
			return false
		}
	}
	return true
}

// patternLetters are what a name or a plain pattern is made of: no quote, no
// expansion, no bracket.
const patternLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./*?@,=%"

// protectedNames are the last components of the default globs none of whose
// components begins with a dot.
var protectedNames = sync.OnceValue(func() (names []string) {
	for _, group := range protectedByDefault {
		for _, glob := range group.globs {
			name := path.Base(glob)
			if !strings.Contains(glob, "/.") && !strings.HasPrefix(glob, "/") && name != "**" {
				names = append(names, name)
			}
		}
	}
	return names
})
