package policy

import (
	"iter"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/hostname"
)

// network are the findings about a destination. A host that has no normal
// spelling is one that rules cannot be compared with.
func (q *inquiry) network(s approval.Network) []finding {
	what := says("a connection to %s port %s", quoted(s.Host), s.Port)
	host, err := hostname.Normal(s.Host)
	if err != nil {
		for _, b := range q.shelves {
			if e := b.network.some(); e != nil {
				return []finding{doubt(e, says("%s has a host that cannot be compared, so %s may mean it", what, e))}
			}
		}
		return []finding{uncovered(what)}
	}
	if e := q.strongest(q.hostRules(host, s, true)); e != nil {
		return []finding{bound(e, what)}
	}
	if e := q.strongest(q.hostRules(host, s, false)); e != nil {
		return []finding{allows(e, what)}
	}
	return []finding{uncovered(what)}
}

// hostRules are the rules about the destination. Without a port one that
// binds means every port, and one that allows the default port of the scheme.
func (q *inquiry) hostRules(host string, s approval.Network, binding bool) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, b := range q.shelves {
			for e := range b.network.covering(host, func(effect Effect) bool { return effect != Allow == binding }) {
				port := e.Port
				if port == 0 && !binding {
					port = hostname.DefaultPort(s.Protocol)
				}
				if (port == s.Port || port == 0 && binding) && !yield(e) {
					return
				}
			}
		}
	}
}

// persistNetwork is the rule for exactly this host and port.
func (q *inquiry) persistNetwork(s approval.Network) *Rule {
	r := Rule{Effect: Allow, Kind: approval.KindNetwork, Host: s.Host, Port: s.Port}
	if host, err := hostname.Normal(s.Host); q.in.Root == "" || s.Port == 0 || err != nil || host != s.Host || check(r) != nil {
		return nil
	}
	return &r
}

// process are the findings about an action on a process.
func (q *inquiry) process(s approval.Process) []finding {
	what := says("%s %s", quoted(s.Action), quoted(s.Target))
	return q.settled(what, func(b *book) iter.Seq[*entry] {
		return keyed(b.process, [2]string{s.Action, s.Target}, [2]string{s.Action, ""})
	})
}

// settled is the finding of the strictest of the rules that match.
func (q *inquiry) settled(what *say, matching func(*book) iter.Seq[*entry]) []finding {
	e := q.strongest(func(yield func(*entry) bool) {
		for _, b := range q.shelves {
			for e := range matching(b.book) {
				if e.mode != OncePerSession && !yield(e) {
					return
				}
			}
		}
	})
	switch {
	case e == nil:
		return []finding{uncovered(what)}
	case e.Effect == Allow:
		return []finding{allows(e, what)}
	}
	return []finding{bound(e, what)}
}

// tool is the verdict on a tool call. Its name is two strings, never one.
func (q *inquiry) tool(s approval.Tool) Verdict {
	what := says("the tool %s", quoted(s.ToolName))
	if s.ServerName != "" {
		what = says("%s of the server %s", what, quoted(s.ServerName))
	}
	matching := func(b *book) iter.Seq[*entry] {
		return keyed(b.tools, [2]string{s.ServerName, s.ToolName}, [2]string{s.ServerName, "*"},
			[2]string{"*", s.ToolName}, [2]string{"*", "*"})
	}
	found := q.settled(what, matching)
	menu := Menu{Persist: q.persistTool(s)}
	if floor := q.floor(matching); floor != nil {
		why := says("%s asks about %s until it is granted for the session%s", floor, what, because{floor})
		if found[0].match == covered || found[0].match == unmatched {
			found = nil // an allow rule is no grant
		}
		found = append(found, finding{match: floored, entry: floor, why: why})
		menu.OnlySession = true
	}
	v := q.single(found, menu)
	v.Menu.OnlySession = v.Menu.OnlySession && v.Menu.Session
	return v
}

// floor is the tool mode oncePerSession that holds for the tool; nil for none.
func (q *inquiry) floor(matching func(*book) iter.Seq[*entry]) *entry {
	for _, b := range q.shelves {
		for e := range matching(b.book) {
			if e.mode == OncePerSession {
				return e
			}
		}
	}
	return nil
}

// persistTool is the rule for exactly this tool of this server.
func (q *inquiry) persistTool(s approval.Tool) *Rule {
	if q.in.Root == "" || s.ServerName == "" || s.ServerName == "*" || s.ToolName == "" || s.ToolName == "*" {
		return nil
	}
	return &Rule{Effect: Allow, Kind: approval.KindTool, Server: s.ServerName, Tool: s.ToolName}
}
