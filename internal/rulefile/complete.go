package rulefile

import (
	"time"

	"github.com/approvald/approvald/internal/policy"
)

// shape is what a rule of one kind must have beside effect and kind: all of
// one of its forms, and nothing of another.
type shape struct {
	always []string   // in every form
	forms  [][]string // of which exactly one is there, in full; the first key tells it; none: no forms
	needs  string     // the sentence on what is missing
}

// shapes are those of the kinds (policy.md "Rule keys by kind").
var shapes = map[string]shape{
	"shell": {
		forms: [][]string{{"argv_prefix"}, {"class", "programs"}},
		needs: `it needs argv_prefix = ["git", "status"], or class = "read-only" with programs = ["cat", "ls"]`,
	},
	"file": {
		always: []string{"access"},
		forms:  [][]string{{"path_glob"}, {"outside_workspace"}},
		needs:  `it needs access = "read" or "write", and path_glob = "src/**" or outside_workspace = true`,
	},
	"network": {
		forms: [][]string{{"host"}, {"class"}},
		needs: `it needs host = "example.org", or class = "metadata", "loopback" or "private"`,
	},
	"process": {
		always: []string{"action"},
		needs:  `it needs action = "signal", "attach" or "spawn"`,
	},
	"tool": {
		always: []string{"server", "tool"},
		needs:  `it needs server and tool, either of which may be "*"`,
	},
}

// complete reports what a rule lacks and what contradicts itself. That port
// goes with host, and programs with class, is said here too.
func (r *reader) complete(t table, kind string) {
	var missing []string
	for _, name := range []string{"effect", "kind"} {
		if !t.has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		r.add(t.line, "the rule lacks %s; every rule has effect and kind", listed(missing))
	}
	s, known := shapes[kind]
	if !known {
		return
	}
	r.whole(t, kind, s)
	if p, found := t.get("programs"); found && !t.has("class") && t.has("argv_prefix") {
		r.add(p.line, "programs goes with class = \"read-only\", and argv_prefix names the program itself; leave one of the two out")
	}
	if p, found := t.get("port"); found && kind == "network" && !t.has("host") {
		r.add(p.line, "port goes with host; leave it out, or name the host")
	}
}

// whole holds a rule against the shape of its kind.
func (r *reader) whole(t table, kind string, s shape) {
	var missing []string
	for _, name := range s.always {
		if !t.has(name) {
			missing = append(missing, name)
		}
	}
	var chosen []string
	for _, form := range s.forms {
		if !t.has(form[0]) {
			continue
		}
		if chosen != nil {
			e, _ := t.get(form[0])
			r.add(e.line, "%s contradicts %s; a rule of kind %s has one of the two, so make it two rules", form[0], chosen[0], quote(kind))
			continue
		}
		chosen = form
	}
	if chosen == nil && s.forms != nil {
		// A form whose first key is missing is known by the others.
		for _, form := range s.forms {
			for _, name := range form[1:] {
				if t.has(name) {
					chosen = form
				}
			}
		}
	}
	switch {
	case chosen == nil && s.forms != nil:
		missing = append(missing, "what it covers")
	default:
		for _, name := range chosen {
			if !t.has(name) {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 {
		r.add(t.line, "the rule of kind %s lacks %s; %s", quote(kind), listed(missing), s.needs)
	}
}

// granted checks what every rule of a store has more, and keeps when its grant
// was given. What decisions write are allow rules; anything else was put there
// by another hand.
func (r *reader) granted(t table, rule policy.Rule) {
	created := r.created
	r.created = time.Time{}
	if t.broken {
		return
	}
	for _, name := range []string{"grant", "created_at"} {
		if !t.has(name) {
			r.add(t.line, "the rule lacks %s, which approvald writes; a rule of your own belongs in the user's policy file", name)
		}
	}
	if e, found := t.get("effect"); found && rule.Effect != policy.Allow {
		r.add(e.line, "the store of a workspace holds what reviewers allowed, and no other effect; write the rule into the user's policy file")
	}
	if rule.Grant.IsZero() {
		return
	}
	if _, twice := r.file.Created[rule.Grant]; twice {
		e, _ := t.get("grant")
		r.add(e.line, "the grant %s wrote another rule of this file already; remove one of the two", rule.Grant)
	}
	r.file.Created[rule.Grant] = created
}
