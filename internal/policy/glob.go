package policy

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// scope is what a glob is matched against (policy.md "File").
type scope int

const (
	relative scope = iota // the path from the workspace root
	absolute              // the whole path
	anywhere              // the whole path; it begins with **/
)

// glob is one path pattern, ready to match. ** stands for any number of
// components, d/** covers d too, * never crosses a slash, and a leading dot is
// a character like any other.
type glob struct {
	scope  scope
	text   string // of an absolute or anywhere glob: without its leading slash
	folded string // text as names that fold are compared
	*entry
}

func newGlob(text string, e *entry) *glob {
	g := &glob{entry: e}
	switch {
	case strings.HasPrefix(text, "/"):
		g.scope, text = absolute, text[1:]
	case strings.HasPrefix(text, "**/"):
		g.scope = anywhere
	}
	g.text, g.folded = text, fold(text)
	return g
}

// badGlob says why text is no glob for a rule; "" if it is one. What would be
// accepted and then match nothing, or less than it seems to, is refused here: a
// deny rule that never matches is worse than none.
func badGlob(text string) string {
	refuse := func(why string) string { return "path_glob " + quote(text) + " " + why }
	switch {
	case text == "":
		return "path_glob is empty"
	case strings.Contains(text, "\x00"):
		return refuse("has a NUL, which no path has")
	case strings.HasPrefix(text, "~"):
		return refuse("begins with ~; write the absolute path, or **/ for any place")
	case !doublestar.ValidatePattern(text):
		return refuse("is no pattern: a bracket or brace is not closed")
	case text != "/" && strings.HasSuffix(text, "/"):
		return refuse("ends in a slash; for a directory and all in it write " + quote(text+"**"))
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "/"), "/") {
		switch {
		case part == "" && text != "/":
			return refuse("has an empty component")
		case part == "." || part == "..":
			return refuse("has the component " + part + "; write the path without it")
		case part != "**" && strings.Contains(part, "**"):
			return refuse("has ** beside other characters, where it would cross no slash; let it stand alone between slashes")
		}
	}
	return ""
}

// matches reports whether g covers the absolute, clean path p where root is
// the workspace. Without a workspace a relative glob that binds could mean any
// place, and one that allows means none.
func (g *glob) matches(p, root string, folds bool) bool {
	switch {
	case g.scope != relative:
		p = p[1:]
	case root == "" && g.Effect == Allow:
		return false
	case root == "":
		return g.text == "**" || matchText("**/"+g.text, "**/"+g.folded, p[1:], folds)
	default:
		rel, inside := below(root, p, folds)
		if !inside {
			return false
		}
		p = rel
	}
	return matchText(g.text, g.folded, p, folds)
}

func matchText(text, folded, name string, folds bool) bool {
	if folds {
		text, name = folded, fold(name)
	}
	if doublestar.MatchUnvalidated(text, name) {
		return true
	}
	// d/** covers d too, which doublestar says only of some d: not of one that ends in a star.
	itself, deep := strings.CutSuffix(text, "/**")
	return deep && doublestar.MatchUnvalidated(itself, name)
}

// fold brings names that a folding file system takes for the same to one
// spelling. Upper case goes first: the long s and the Kelvin sign become the
// letters that they stand for.
func fold(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return strings.ToLower(strings.ToUpper(name))
		}
	}
	return name
}

// below is p relative to dir, "" for dir itself; false where p is not inside.
// Containment is by components, never by string prefix.
func below(dir, p string, folds bool) (string, bool) {
	if folds {
		dir, p = fold(dir), fold(p) // both are only compared and matched folded
	}
	if dir == p {
		return "", true
	}
	if dir != "/" {
		dir += "/"
	}
	return strings.CutPrefix(p, dir)
}

// parts are the components of a glob; the literal ones unescaped, with fixed
// set. split is false where braces reach over a slash, so that a part means
// nothing by itself.
type part struct {
	text  string
	fixed bool
}

func (g *glob) parts() (parts []part, split bool) {
	depth := 0
	for _, r := range g.folded {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth > 0 {
				return nil, false
			}
		}
	}
	for text := range strings.SplitSeq(g.folded, "/") {
		p := part{text: text}
		if text != "" && !strings.ContainsAny(removeEscapes(text), "*?[{") {
			p = part{unescape(text), true}
		}
		parts = append(parts, p)
	}
	return parts, true
}

// reaches reports whether g may cover something strictly below the directory
// whose folded components are dir, seen from where the glob begins.
func (g *glob) reaches(dir []string) bool {
	parts, split := g.parts()
	if !split {
		return true
	}
	for i, name := range dir {
		switch {
		case i == len(parts):
			return false // the glob ends above
		case parts[i].text == "**" && !parts[i].fixed:
			return true
		case parts[i].fixed && parts[i].text != name,
			!parts[i].fixed && !doublestar.MatchUnvalidated(parts[i].text, name):
			return false
		}
	}
	return len(dir) < len(parts)
}

// unescape removes the backslashes of a glob.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// removeEscapes removes every escaped character.
func removeEscapes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// EscapeGlob is the glob that matches exactly the path p (Rule.Glob).
func EscapeGlob(p string) string {
	var b strings.Builder
	for i := range len(p) {
		if strings.IndexByte(`\*?[]{},`, p[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// components splits a clean path; none for "" and "/".
func components(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}
