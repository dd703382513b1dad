package rulefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// badGlob says what is wrong with a pattern for paths; "" for nothing. It
// refuses what doublestar cannot read, and what it reads and can never match,
// since paths are clean when they are compared: a deny rule that covers nothing
// looks like protection and is none.
func badGlob(glob string) string {
	rest, home := strings.CutPrefix(glob, "~/")
	if home {
		glob = "/" + rest
	}
	spelled := func(instead string) string {
		if home {
			return quote("~" + instead)
		}
		return quote(instead)
	}
	given := spelled(glob)
	if !doublestar.ValidatePattern(glob) {
		return fmt.Sprintf("%s is no pattern; close each [ and {, and write \\\\ before a character that is meant as it is", given)
	}
	if strings.HasPrefix(glob, "~") {
		name, _, _ := strings.Cut(glob, "/")
		return fmt.Sprintf("%s begins with %s, and only ~/ is known, the home of the user; write the path, or [~]%s for a file of that name in the workspace", given, shown(name), shown(glob[1:]))
	}
	if glob != "/" && strings.HasSuffix(glob, "/") {
		return fmt.Sprintf("%s ends in a slash, which no path does; write %s for the directory and all below it", given, spelled(glob+"**"))
	}
	parts := strings.Split(strings.TrimPrefix(glob, "/"), "/")
	clean := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" || part == "." })
	switch {
	case slices.Contains(parts, ".."):
		return fmt.Sprintf("%s goes up by .., and paths are compared without it; write the path that it leads to", given)
	case len(clean) < len(parts) && glob != "/":
		instead := strings.Join(clean, "/")
		if instead == "" {
			instead = "**"
		}
		if strings.HasPrefix(glob, "/") {
			instead = "/" + instead
		}
		return fmt.Sprintf("%s holds an empty name or a dot, and paths are compared without; write %s", given, spelled(instead))
	}
	for _, part := range parts {
		if strings.Contains(part, "**") && strings.Trim(part, "*") != "" && !strings.ContainsAny(part, `[]{}\`) {
			return fmt.Sprintf("%s has ** within a name, where it is no more than *; write it between slashes, as in **/%s", given, shown(strings.ReplaceAll(part, "**", "*")))
		}
	}
	return ""
}

// badHost says what is wrong with the host of a rule: exact, *.name or *. What
// is left is normalised and judged with the rest of the policy.
func badHost(host string) string {
	scheme, rest, hasScheme := strings.Cut(host, "://")
	if hasScheme {
		name, _, _ := strings.Cut(rest, "/")
		name = name[strings.LastIndexByte(name, '@')+1:]
		return fmt.Sprintf("%s is an address with the scheme %s; a rule names the host alone, so write %s, and port where it is not the usual one", quote(host), shown(scheme), quote(name))
	}
	if name, user := host[strings.LastIndexByte(host, '@')+1:], strings.Contains(host, "@"); user {
		return fmt.Sprintf("%s names a user before the @; write the host alone, %s", quote(host), quote(name))
	}
	if name, mask, found := strings.Cut(host, "/"); found {
		if mask != "" && strings.Trim(mask, "0123456789") == "" {
			return fmt.Sprintf("%s is a network with a mask, which no rule has; write class = \"private\", or a rule for each host", quote(host))
		}
		return fmt.Sprintf("%s has a path; write the host alone, %s", quote(host), quote(name))
	}
	if name, port, found := strings.Cut(host, ":"); found && !strings.Contains(port, ":") {
		if port == "" || port == "*" {
			return fmt.Sprintf("%s has a colon behind its name; write %s", quote(host), quote(name))
		}
		return fmt.Sprintf("%s has a port; write host = %s and port = %s", quote(host), quote(name), shown(port))
	}
	if strings.ContainsAny(host, " \t") {
		return fmt.Sprintf("%s holds a space, which no host has; write a rule for each host", quote(host))
	}
	if name := strings.TrimPrefix(host, "*."); host != "*" && (name == "" || strings.Contains(name, "*")) {
		return fmt.Sprintf("%s has a * in a place where it has no meaning; write * for any host, or *.name for all names below one", quote(host))
	}
	if strings.HasPrefix(host, ".") {
		return fmt.Sprintf("%s begins with a dot; write %s for all names below it", quote(host), quote("*"+host))
	}
	return ""
}

// badWords says what is wrong with the first words of a command.
func badWords(words []string) string {
	if len(words) == 0 {
		return "" // the catch-all
	}
	first := words[0]
	if fields := strings.Fields(first); len(fields) != 1 && !strings.Contains(first, "/") {
		return fmt.Sprintf("the first word, %s, holds spaces, and no program is called so; write each word on its own: %s", quote(first), quoteList(append(fields, words[1:]...)))
	}
	if slices.Contains(words, "*") || slices.Contains(words, "**") {
		return "a * stands for itself here, and no command would match; leave it out, since a prefix covers whatever follows it"
	}
	return ""
}
