package claudesettings

import (
	"fmt"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// everywhere covers every path.
const everywhere = "/**"

// files reads Read, Edit and their patterns, which are those of gitignore(5)
// with four beginnings: //absolute, ~/home, /base and anything else, which is
// taken from the directory that Claude Code works in. That is the workspace.
func files(c call, access approval.Access) Rule {
	rule := func(glob string) policy.Rule {
		return policy.Rule{Effect: c.effect, Kind: approval.KindFile, Access: access, Glob: glob}
	}
	if c.bare {
		return Rule{Rules: []policy.Rule{rule(everywhere)}, Exact: true}
	}
	base, pattern, why := c.anchor()
	if why != "" {
		return none(why)
	}
	glob, anyDepth, why := ignored(pattern)
	if why != "" {
		return none(why)
	}
	out := Rule{Exact: true}
	if strings.HasSuffix(pattern, "/") && pattern != "/" {
		out.Why = []string{"Claude Code takes it for directories; here it also covers a file of that name."}
	}
	switch {
	case !anyDepth:
		out.Rules = []policy.Rule{rule(base + glob)}
	case base == "":
		// A glob that begins with **/ would match outside the workspace too.
		out.Rules = []policy.Rule{rule(glob), rule("*/**/" + glob)}
	default:
		out.Rules = []policy.Rule{rule(base + "**/" + glob)}
	}
	return out
}

// anchor splits a pattern into where it begins, as a glob that ends in a slash
// ("" for the workspace), and the rest, which begins with a slash where it is
// about that place alone.
func (c call) anchor() (base, pattern, why string) {
	switch text := c.specifier; {
	case strings.HasPrefix(text, "//"):
		return "/", text[1:], ""
	case text == "~" || strings.HasPrefix(text, "~/"):
		return "~/", "/" + strings.TrimPrefix(text[1:], "/"), ""
	case strings.HasPrefix(text, "~"):
		return "", "", "only ~/ is known, the home of the user"
	case strings.HasPrefix(text, "/") && c.base == "":
		return "", "", "a pattern with one slash in front begins where its settings belong to, and this file lies in no .claude directory that would tell; two slashes begin at the root"
	case strings.HasPrefix(text, "/"):
		return strings.TrimSuffix(policy.EscapeGlob(c.base), "/") + "/", text, ""
	case strings.HasPrefix(text, "./") && c.allows():
		return "", text[1:], ""
	default:
		// ./name is read as name, at any depth, where that covers more.
		return "", strings.TrimPrefix(text, "./"), ""
	}
}

// ignored gives the glob below one directory that covers what the gitignore(5)
// pattern does: a directory that matches is matched with all that is in it, and
// a pattern without a slash before its end matches at any depth.
func ignored(pattern string) (glob string, anyDepth bool, why string) {
	switch {
	case strings.HasPrefix(pattern, "!"):
		return "", false, "it takes files out of other rules, and rules here only add; deny and ask outrank allow"
	case strings.HasPrefix(pattern, "#"):
		return "", false, "it is a comment in a pattern file and matches nothing"
	case strings.ContainsAny(pattern, "\r\n\x00"):
		return "", false, "it holds a line break or a NUL"
	}
	pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern)
	anchored := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	var parts []string
	for part := range strings.SplitSeq(pattern, "/") {
		switch {
		case part == "..":
			return "", false, "it goes up by .., and paths are compared without it"
		case part == "" || part == ".":
		case part == "**":
			if len(parts) == 0 || parts[len(parts)-1] != "**" {
				parts = append(parts, part)
			}
		default:
			for strings.Contains(part, "**") { // within a name it is no more than *
				part = strings.ReplaceAll(part, "**", "*")
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && (parts[0] == "**" || parts[0] == "*") {
		return "**", false, ""
	}
	if parts[len(parts)-1] != "**" {
		parts = append(parts, "**") // d/** covers d too
	}
	if parts[0] == "**" {
		anchored, parts = false, parts[1:]
	}
	return strings.Join(parts, "/"), !anchored, ""
}

// partly is a rule about one of several tools that do the same, or with a path
// that Claude Code does not look at.
func partly(c call, other string, access approval.Access) Rule {
	all := files(call{effect: c.effect, bare: true}, access)
	if !c.bare {
		near := files(c, access)
		return none(fmt.Sprintf("claude Code accepts %s with a path and never looks at it; %s(%s) is what it asks for",
			c.tool, other, c.specifier), near.Rules...)
	}
	return none(fmt.Sprintf("a rule is about what is done, not about the tool that does it, so %s alone cannot be named; the nearest one covers everything that %s does",
		c.tool, other), all.Rules...)
}
