package hook

import (
	"cmp"
	"strings"

	"github.com/approvald/approvald/internal/hook/members"
)

// edit is one replacement in a file.
type edit struct {
	Old, New string
	All      bool // wherever Old stands
}

// edits are the replacements of Edit and of MultiEdit.
func edits(args *members.Reader) (all []edit) {
	for _, r := range append([]*members.Reader{args}, args.List("edits")...) {
		if e := (edit{r.Text("old_string"), r.Text("new_string"), r.Yes("replace_all")}); e != (edit{}) {
			all = append(all, e)
		}
		args.Err = cmp.Or(args.Err, r.Err)
	}
	return all
}

// diff shows replacements in the manner of diff, without the lines around them and without
// their place, which the agent does not say. Nothing stands in front that could be taken for a
// line of the file.
func diff(edits []edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString("@@")
		if e.All {
			b.WriteString(" everywhere")
		}
		b.WriteByte('\n')
		lines(&b, '-', e.Old)
		lines(&b, '+', e.New)
	}
	return b.String()
}

func lines(b *strings.Builder, mark byte, text string) {
	for line := range strings.Lines(text) {
		b.WriteByte(mark)
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteByte('\n')
	}
}

// globRoot is the directory in which a search by name begins: what stands in front of the first
// component of the pattern that is one. Not ok is a pattern that may lead out of it again.
func globRoot(dir, pattern string) (root string, ok bool) {
	var fixed []string
	components := strings.Split(pattern, "/")
	for len(components) > 1 && !strings.ContainsAny(components[0], "*?[]{}()!+@,|") {
		fixed, components = append(fixed, components[0]), components[1:]
	}
	for _, c := range components {
		// Alternatives that reach over a slash may be other roots: {a,/etc}/*.
		if strings.Contains(c, "..") || strings.Count(c, "{") != strings.Count(c, "}") || strings.Count(c, "(") != strings.Count(c, ")") {
			return "", false
		}
	}
	root = strings.Join(fixed, "/")
	switch {
	case strings.ContainsRune(pattern, '\\'):
		return "", false
	case strings.HasPrefix(pattern, "/"):
		return "/" + strings.TrimLeft(root, "/"), true
	case root == "":
		return dir, true
	case strings.HasPrefix(root, "~"): // not a name below the directory, to many tools
		return root, true
	}
	if dir == "." {
		return root, true
	}
	return strings.TrimSuffix(dir, "/") + "/" + root, true
}
