package rulefile

import (
	"slices"
	"strings"
)

// astray are keys that people write from habit or from other programs'
// configurations, each with what to do instead. They apply at the top of a
// file and in its tables alike, where no key of that name is known.
var astray = map[string]string{
	"when":            "no rule looks at conditions or arguments; leave it out, and use effect = \"ask\" where a person has to look",
	"condition":       "no rule looks at conditions or arguments; leave it out, and use effect = \"ask\" where a person has to look",
	"arguments":       "no rule looks at arguments; leave it out, and use effect = \"ask\" where a person has to look",
	"hosts_from_file": "rules stand in policy files alone, since an agent may be able to write other files; write a rule for each host",
	"include":         "rules stand in policy files alone, since an agent may be able to write other files; write the rules here",
	"command":         "a shell rule names the first words of a command; write argv_prefix = [\"git\", \"status\"]",
	"cmd":             "a shell rule names the first words of a command; write argv_prefix = [\"git\", \"status\"]",
	"argv":            "a shell rule names the first words of a command; write argv_prefix = [\"git\", \"status\"]",
	"prefix":          "a shell rule names the first words of a command; write argv_prefix = [\"git\", \"status\"]",
	"path":            "a file rule names a pattern; write path_glob = \"src/**\"",
	"glob":            "a file rule names a pattern; write path_glob = \"src/**\"",
	"hosts":           "a rule is about one host or pattern; write host = \"example.org\", and a rule for each of the others",
	"url":             "a network rule is about a host; write host = \"example.org\", and port where it is not the usual one",
	"decision":        "write effect = \"allow\", \"ask\" or \"deny\"",
	"permission":      "write effect = \"allow\", \"ask\" or \"deny\"",
	"type":            "write kind = \"shell\", \"file\", \"network\", \"process\" or \"tool\"",
	"description":     "write reason = \"…\", which denials and explanations show, or a comment behind #",
	"comment":         "write reason = \"…\", which denials and explanations show, or a comment behind #",
	"rule":            "write each rule as lines of its own under a [[rule]] header",
	"tool":            "write the mode of each tool as lines of its own under a [[tool]] header",
	"rules":           "write each rule as lines of its own under a [[rule]] header",
	"tools":           "write the mode of each tool as lines of its own under a [[tool]] header",
	"allow":           "write each rule as lines of its own under a [[rule]] header, with effect = \"allow\"",
	"ask":             "write each rule as lines of its own under a [[rule]] header, with effect = \"ask\"",
	"deny":            "write each rule as lines of its own under a [[rule]] header, with effect = \"deny\"",
	"permissions":     "write each rule as lines of its own under a [[rule]] header (\"approvald policy import\" reads settings of Claude Code)",
}

// stranger reports a key that nothing known has; known are those that could
// stand there.
func (r *reader) stranger(e entry, known []string) {
	if instead, found := astray[e.name]; found {
		r.add(e.line, "%s is not known; %s", e.name, instead)
		return
	}
	slices.Sort(known)
	if name, found := nearest(e.name, known); found {
		r.add(e.line, "%s is not known; did you mean %s?", shown(e.name), name)
		return
	}
	r.add(e.line, "%s is not known; leave it out (known here: %s)", shown(e.name), strings.Join(known, ", "))
}
