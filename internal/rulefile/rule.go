package rulefile

import (
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// kindNames are the kinds as rules write them, and as approval knows them.
var kindNames = map[string]string{
	"shell":   approval.KindShell,
	"file":    approval.KindFile,
	"network": approval.KindNetwork,
	"process": approval.KindProcess,
	"tool":    approval.KindTool,
}

// effects are the effects as rules write them.
var effects = map[string]policy.Effect{"allow": policy.Allow, "ask": policy.Ask, "deny": policy.Deny}

// member is a key of a [[rule]].
type member struct {
	kinds []string // that it belongs to; nil: all
	store bool     // it stands in stores only
	read  func(*reader, *policy.Rule, entry)
}

// members are the keys of a [[rule]] (policy.md "Rule keys by kind").
var members = map[string]member{
	"effect": {read: func(r *reader, rule *policy.Rule, e entry) {
		name, _ := choice(r, e, []string{"allow", "ask", "deny"})
		rule.Effect = effects[name]
	}},
	"kind": {read: func(r *reader, _ *policy.Rule, e entry) {
		choice(r, e, []string{"shell", "file", "network", "process", "tool"}) // read before the others, by kindOf
	}},
	"reason": {read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Reason, _ = r.text(e, `"…"`)
	}},
	"argv_prefix": {kinds: []string{"shell"}, read: (*reader).argvPrefix},
	"programs": {kinds: []string{"shell"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Programs, _ = r.texts(e, `["cat", "ls"]`)
		if len(e.value.list) == 0 && rule.Programs != nil {
			r.add(e.line, "programs is an empty list, which covers nothing; name the programs, or leave the rule out")
		}
	}},
	"class":     {kinds: []string{"shell", "network"}, read: (*reader).class},
	"access":    {kinds: []string{"file"}, read: (*reader).access},
	"path_glob": {kinds: []string{"file"}, read: (*reader).pathGlob},
	"outside_workspace": {kinds: []string{"file"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Outside = r.yes(e)
	}},
	"host": {kinds: []string{"network"}, read: (*reader).host},
	"port": {kinds: []string{"network"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Port = r.number(e, 1, 65535, "443")
	}},
	"action": {kinds: []string{"process"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Action, _ = choice(r, e, []string{"signal", "attach", "spawn"})
	}},
	"target": {kinds: []string{"process"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Target, _ = r.text(e, `"SIGTERM"`)
	}},
	"server": {kinds: []string{"tool"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Server, _ = r.text(e, `"github"`)
	}},
	"tool": {kinds: []string{"tool"}, read: func(r *reader, rule *policy.Rule, e entry) {
		rule.Tool, _ = r.text(e, `"create_issue"`)
	}},
	"grant":      {store: true, read: (*reader).grant},
	"created_at": {store: true, read: (*reader).createdAt},
}

// rule reads one [[rule]].
func (r *reader) rule(t table, ref policy.Ref) {
	kind := kindOf(t)
	rule := policy.Rule{Kind: kindNames[kind], Ref: ref}
	for _, e := range t.keys {
		m, found := members[e.name]
		switch {
		case !found:
			t.broken = true // it may be what is missing
			r.stranger(e, r.keysOf(kind))
		case m.store && r.layer != Workspace:
			r.add(e.line, "%s belongs in the store of a workspace, which approvald writes; leave it out here", e.name)
		case kind != "" && m.kinds != nil && !slices.Contains(m.kinds, kind):
			r.add(e.line, "%s does not belong to a rule of kind %s but of kind %s; leave it out, or make it a rule of its own", e.name, quote(kind), either(m.kinds))
		default:
			m.read(r, &rule, e)
		}
	}
	if !t.broken {
		r.complete(t, kind)
	}
	if r.layer == Workspace {
		r.granted(t, rule)
	}
	r.file.Body.Rules = append(r.file.Body.Rules, rule)
}

// kindOf is the kind of a rule before it is read, which says what its other keys
// may be; "" where it is missing or wrong.
func kindOf(t table) string {
	e, _ := t.get("kind")
	if _, known := kindNames[e.value.text]; !known {
		return ""
	}
	return e.value.text
}

// keysOf are the keys that a rule of a kind may have; of any for "".
func (r *reader) keysOf(kind string) []string {
	var keys []string
	for name, m := range maps.All(members) {
		if (kind == "" || m.kinds == nil || slices.Contains(m.kinds, kind)) && (!m.store || r.layer == Workspace) {
			keys = append(keys, name)
		}
	}
	return keys
}

func (r *reader) argvPrefix(rule *policy.Rule, e entry) {
	words, ok := r.texts(e, `["git", "status"]`)
	if !ok {
		return
	}
	if why := badWords(words); why != "" {
		r.add(e.line, "argv_prefix: %s", why)
	}
	rule.HasArgv, rule.Argv = true, words
}

// class reads what is meant by class, which its kind says; without a kind,
// either will do until the kind is mended.
func (r *reader) class(rule *policy.Rule, e entry) {
	values := map[string][]string{
		approval.KindShell:   {"read-only"},
		approval.KindNetwork: {"metadata", "loopback", "private"},
		"":                   {"read-only", "metadata", "loopback", "private"},
	}
	rule.Class, _ = choice(r, e, values[rule.Kind])
}

func (r *reader) access(rule *policy.Rule, e entry) {
	if e.value.text == "search" {
		r.add(e.line, `access = "search" is not known; write "read", which is what searching does`)
		return
	}
	rule.Access, _ = choice(r, e, []approval.Access{approval.Read, approval.Write})
}

func (r *reader) pathGlob(rule *policy.Rule, e entry) {
	glob, ok := r.text(e, `"src/**"`)
	if why := badGlob(glob); ok && why != "" {
		r.add(e.line, "path_glob: %s", why)
	}
	rule.Glob = glob
}

func (r *reader) host(rule *policy.Rule, e entry) {
	host, ok := r.text(e, `"example.org"`)
	if why := badHost(host); ok && why != "" {
		r.add(e.line, "host: %s", why)
	}
	rule.Host = host
}

func (r *reader) grant(rule *policy.Rule, e entry) {
	text, ok := r.text(e, `"0198f0ac-7777-7000-8000-0000000000e1"`)
	if !ok {
		return
	}
	id, err := approval.ParseID(text)
	if err != nil {
		r.add(e.line, "grant: %v; it is the id that \"approvald grants\" lists", err)
		return
	}
	rule.Grant = id
}

// createdAt is kept beside the rules, by grant, once both are known.
func (r *reader) createdAt(_ *policy.Rule, e entry) { r.created, _ = r.time(e) }

// tool reads one [[tool]].
func (r *reader) tool(t table, ref policy.Ref) {
	tool := policy.ToolRule{Ref: ref}
	if r.layer == Workspace {
		r.add(t.line, "[[tool]] does not belong in the store of a workspace; write it into the user's policy file")
		return
	}
	for _, e := range t.keys {
		switch e.name {
		case "server":
			tool.Server, _ = r.text(e, `"github"`)
		case "tool":
			tool.Tool, _ = r.text(e, `"create_issue"`)
		case "mode":
			tool.Mode, _ = choice(r, e, []policy.ToolMode{policy.PreApproved, policy.Always, policy.OncePerSession})
		case "reason":
			tool.Reason, _ = r.text(e, `"…"`)
		case "effect":
			r.add(e.line, "effect belongs to a [[rule]], and a [[tool]] has a mode; write mode = \"preApproved\", \"always\" or \"oncePerSession\"")
			t.broken = true
		default:
			t.broken = true // it may be what is missing
			r.stranger(e, []string{"server", "tool", "mode", "reason"})
		}
	}
	var missing []string
	for _, name := range []string{"server", "tool", "mode"} {
		if !t.has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && !t.broken {
		r.add(t.line, "the [[tool]] lacks %s; it needs server, tool (either may be \"*\") and mode", listed(missing))
	}
	r.file.Body.Tools = append(r.file.Body.Tools, tool)
}
