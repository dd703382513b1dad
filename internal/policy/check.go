package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
)

// member is one member of a Rule by its name in policy files.
type member struct {
	key string
	set bool
}

// members are all that belong to some kind, and whether r has them.
func members(r *Rule) [12]member {
	return [...]member{
		{"argv_prefix", r.HasArgv || len(r.Argv) > 0},
		{"class", r.Class != ""},
		{"programs", len(r.Programs) > 0},
		{"access", r.Access != ""},
		{"path_glob", r.Glob != ""},
		{"outside_workspace", r.Outside},
		{"host", r.Host != ""},
		{"port", r.Port != 0},
		{"action", r.Action != ""},
		{"target", r.Target != ""},
		{"server", r.Server != ""},
		{"tool", r.Tool != ""},
	}
}

// belongs are the members that a kind may have.
var belongs = map[string][]string{
	approval.KindShell:   {"argv_prefix", "class", "programs"},
	approval.KindFile:    {"access", "path_glob", "outside_workspace"},
	approval.KindNetwork: {"host", "port", "class"},
	approval.KindProcess: {"action", "target"},
	approval.KindTool:    {"server", "tool"},
}

// check says what is wrong with r, as a *RuleError; nil for a rule that can be
// compiled.
func check(r Rule) error {
	fault := func(key, why string) error { return &RuleError{Ref: r.Ref, Key: key, Why: why} }
	if r.Effect != Allow && r.Effect != Ask && r.Effect != Deny {
		return fault("effect", "effect is none of allow, ask and deny")
	}
	known, ok := belongs[r.Kind]
	if !ok {
		return fault("kind", "kind "+quote(r.Kind)+" is none of shell, file, network, process and tool")
	}
	for _, m := range members(&r) {
		if m.set && !slices.Contains(known, m.key) {
			return fault(m.key, m.key+" does not belong to a rule of kind "+kindNames[r.Kind])
		}
	}
	for _, list := range [...][]string{r.Argv, r.Programs, {r.Glob, r.Resolved, r.Host, r.Action, r.Target, r.Server, r.Tool, r.Reason}} {
		for _, text := range list {
			if !utf8.ValidString(text) {
				return fault("", quote(text)+" is not valid UTF-8, so that a record could not hold it")
			}
		}
	}
	key, why := "", ""
	switch r.Kind {
	case approval.KindShell:
		key, why = checkShell(r)
	case approval.KindFile:
		key, why = checkFile(r)
	case approval.KindNetwork:
		key, why = checkNetwork(r)
	case approval.KindProcess:
		if r.Action == "" {
			key, why = "action", "it needs an action"
		}
	case approval.KindTool:
		if r.Server == "" || r.Tool == "" {
			key, why = "", `it needs both server and tool; either may be "*"`
		}
	}
	if why != "" {
		return fault(key, why)
	}
	return nil
}

func checkShell(r Rule) (key, why string) {
	switch {
	case r.HasArgv && (r.Class != "" || len(r.Programs) > 0):
		return "class", "it has both argv_prefix and class; give one of them"
	case r.HasArgv:
		for i, word := range r.Argv {
			if strings.Contains(word, "\x00") {
				return "argv_prefix", "argv_prefix has a NUL, which no word has"
			}
			if i == 0 && (word == "" || strings.ContainsAny(word, " \t\n")) {
				return "argv_prefix", "argv_prefix begins with " + quote(word) + ", which names no program; give each word by itself"
			}
		}
	case r.Class == "" && len(r.Programs) == 0:
		return "", `it needs argv_prefix, or class = "read-only" with programs`
	case r.Class != classReadOnly:
		return "class", "class " + quote(r.Class) + ` is not "read-only", the only one of a shell rule`
	case r.Effect != Allow:
		return "effect", `class = "read-only" can only allow; ask and deny by argv_prefix`
	case len(r.Programs) == 0:
		return "programs", "it needs programs"
	default:
		for _, program := range r.Programs {
			if program == "" || strings.ContainsAny(program, "/ \t\n\x00") {
				return "programs", "programs names " + quote(program) + ", which is no bare program name"
			}
		}
	}
	return "", ""
}

func checkFile(r Rule) (key, why string) {
	switch {
	case r.Access != approval.Read && r.Access != approval.Write:
		return "access", "access " + quote(string(r.Access)) + " is neither read nor write"
	case r.Outside && r.Glob != "":
		return "path_glob", "it has both path_glob and outside_workspace; give one of them"
	case r.Outside:
		return "", ""
	case r.Glob == "":
		return "path_glob", "it needs path_glob or outside_workspace = true"
	}
	if why := badGlob(r.Glob); why != "" {
		return "path_glob", why
	}
	if r.Resolved != "" {
		return "path_glob", badGlob(r.Resolved)
	}
	return "", ""
}

func checkNetwork(r Rule) (key, why string) {
	switch {
	case r.Port < 0 || r.Port > 65535:
		return "port", "port is not between 1 and 65535"
	case r.Host != "" && r.Class != "":
		return "class", "it has both host and class; give one of them"
	case r.Host != "":
		return "host", badHost(r.Host)
	case r.Class == "":
		return "host", "it needs host or class"
	case r.Class != classMetadata && r.Class != classLoopback && r.Class != classPrivate:
		return "class", "class " + quote(r.Class) + " is none of metadata, loopback and private"
	}
	return "", ""
}

// kindNames are the kinds as policy files call them.
var kindNames = map[string]string{
	approval.KindShell:   "shell",
	approval.KindFile:    "file",
	approval.KindNetwork: "network",
	approval.KindProcess: "process",
	approval.KindTool:    "tool",
}
