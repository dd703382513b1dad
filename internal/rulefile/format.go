package rulefile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// Format writes a rule as the [[rule]] that Parse reads as the same rule: with
// the members of its kind and no others, ending in a newline. It is what a file
// is written with and what a reviewer can be shown of it.
//
// It writes what it is given. Whether a policy file may say so is known when it
// is read back.
func Format(rule policy.Rule) string {
	var b strings.Builder
	line := func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, value) }
	text := func(key, value string) {
		if value != "" {
			line(key, quote(value))
		}
	}
	b.WriteString("[[rule]]\n")
	line("effect", quote(nameOf(effects, rule.Effect)))
	line("kind", quote(nameOf(kindNames, rule.Kind)))
	switch rule.Kind {
	case approval.KindShell:
		if rule.HasArgv {
			line("argv_prefix", quoteList(rule.Argv))
		}
		text("class", rule.Class)
		if rule.Programs != nil {
			line("programs", quoteList(rule.Programs))
		}
	case approval.KindFile:
		text("access", string(rule.Access))
		text("path_glob", rule.Glob)
		if rule.Outside {
			line("outside_workspace", "true")
		}
	case approval.KindNetwork:
		text("host", rule.Host)
		text("class", rule.Class)
		if rule.Port != 0 {
			line("port", fmt.Sprint(rule.Port))
		}
	case approval.KindProcess:
		text("action", rule.Action)
		text("target", rule.Target)
	case approval.KindTool:
		text("server", rule.Server)
		text("tool", rule.Tool)
	}
	text("reason", rule.Reason)
	return b.String()
}

// nameOf is the name that stands for a value.
func nameOf[V comparable](names map[string]V, value V) string {
	for name, v := range maps.All(names) {
		if v == value {
			return name
		}
	}
	return ""
}

// same reports whether two rules say the same, wherever they stand.
func same(a, b policy.Rule) bool {
	plain := func(r policy.Rule) policy.Rule {
		r.Ref, r.Resolved = policy.Ref{}, ""
		r.Argv, r.Programs = slices.Clip(append([]string{}, r.Argv...)), slices.Clip(append([]string{}, r.Programs...))
		return r
	}
	return reflect.DeepEqual(plain(a), plain(b))
}

// storeHead is what a person who opens a store reads first.
const storeHead = `# Written by approvald: what reviewers allowed for good in one workspace.
# Revoke a grant with "approvald grants revoke". Rules of your own belong in your policy file.
`

// formatStore writes the store of a workspace.
func formatStore(root string, grants []Granted) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nworkspace = %s\n", storeHead, quote(root))
	for _, g := range grants {
		fmt.Fprintf(&b, "\n%sgrant = %s\ncreated_at = %s\n",
			Format(g.Rule), quote(g.Rule.Grant.String()), g.CreatedAt.UTC().Format(time.RFC3339Nano))
	}
	return []byte(b.String())
}
