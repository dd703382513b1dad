package inspect

import (
	"path"
	"strings"

	"github.com/approvald/approvald/internal/policy"
)

// Pattern follows the links of a rule's glob as far as it names files: in the components before the
// first that has a wildcard (policy.md "File": rule paths resolved as well). The rest is kept. It is
// "" where that changes nothing, where the glob is relative, and where the links lead nowhere that is
// the same for everyone; a rule then matches by its own text alone.
//
// The glob is doublestar's: `*?[{` are wildcards, and a backslash takes the next character as it is.
func (i *Inspector) Pattern(glob string) string {
	if !path.IsAbs(glob) {
		return ""
	}
	components := strings.Split(glob, "/")
	fixed := 0
	names := make([]string, 0, len(components))
	for ; fixed < len(components); fixed++ {
		name, ok := literal(components[fixed])
		if !ok {
			break
		}
		names = append(names, name)
	}
	at, err := i.locate("/"+strings.Join(names, "/"), "")
	if err != nil || at.processes || len(at.links) == 0 {
		return ""
	}
	resolved := policy.EscapeGlob(at.path)
	if rest := components[fixed:]; len(rest) > 0 {
		resolved = strings.TrimSuffix(resolved, "/") + "/" + strings.Join(rest, "/")
	}
	if resolved == glob {
		return ""
	}
	return resolved
}

// literal is the name that a component of a glob stands for; false where it has a wildcard, or ends
// in the middle of an escape.
func literal(component string) (string, bool) {
	var name strings.Builder
	for n := 0; n < len(component); n++ {
		c := component[n]
		switch {
		case strings.IndexByte("*?[{", c) >= 0:
			return "", false
		case c == '\\':
			if n++; n == len(component) {
				return "", false
			}
			c = component[n]
		}
		name.WriteByte(c)
	}
	return name.String(), true
}
