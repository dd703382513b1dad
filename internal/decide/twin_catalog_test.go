package decide_test

import (
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// twinCatalog is what a server offers, as the agent of a session listed it last.
type twinCatalog struct {
	id                approval.ID
	session           *twinSession
	server, transport string
	tools             map[string]string // digests by name
	closed            bool
}

// placed is why something cannot be opened where it says (protocol §7): its turn
// is over, or its catalog does not list it. a is completed where it can be.
func (t *twin) placed(s *twinSession, a *twinApproval, catalog approval.ID) (refusal said, recorded bool) {
	if s.over(a.turn, a.parent) {
		return said{code: -32030, reason: "turn_ended"}, true
	}
	if catalog.IsZero() {
		return said{}, false
	}
	c := t.catalog(catalog)
	if c == nil || !slices.Contains(s.lineage(), c.session) {
		return said{code: -32011}, false
	}
	if c.closed {
		return said{code: -32094}, true
	}
	tool, ok := pool[a.what].subject.(approval.Tool)
	digest, lists := c.tools[tool.ToolName]
	if !ok || tool.ServerName != c.server || !lists {
		return said{code: -32602}, false
	}
	a.catalog, a.digest = c, digest
	return said{}, false
}

// over reports whether a turn is over, or that of a call around.
func (s *twinSession) over(turn, parent string) bool {
	if slices.Contains(s.ended, turn) {
		return true
	}
	for range len(s.approvals) + 1 { // the way up may be a ring
		for _, a := range slices.Backward(s.approvals) {
			if a.call == parent {
				if slices.Contains(s.ended, a.turn) {
					return true
				}
				parent = a.parent
				break
			}
		}
	}
	return false
}

func (t *twin) catalog(id approval.ID) *twinCatalog {
	for _, c := range t.catalogs {
		if c.id == id {
			return c
		}
	}
	return nil
}

// catalogOpened is protocol §7, catalog/open.
func (t *twin) catalogOpened(s *twinSession, o op) said {
	for _, c := range t.catalogs {
		if c.session == s && !c.closed && c.server == o.server {
			t.relist(c, o.transport, o.tools)
			return said{id: c.id}
		}
	}
	c := &twinCatalog{id: t.mint(), session: s, server: o.server, transport: o.transport, tools: o.tools}
	t.catalogs = append(t.catalogs, c)
	return said{id: c.id}
}

// catalogUpdated is protocol §7, catalog/update.
func (t *twin) catalogUpdated(s *twinSession, o op) (answer said, recorded bool) {
	c := t.catalog(o.catalog)
	switch {
	case c == nil || c.session != s:
		return said{code: -32011}, false
	case c.closed:
		return said{code: -32094}, true
	}
	t.relist(c, c.transport, o.tools)
	return said{}, false
}

// catalogEnded is protocol §7, catalog/close.
func (t *twin) catalogEnded(s *twinSession, o op) said {
	c := t.catalog(o.catalog)
	if c == nil || c.session != s {
		return said{code: -32011}
	}
	if !c.closed {
		t.endUnder(c, func(string) bool { return true })
		c.closed = true
	}
	return said{}
}

// relist gives a catalog another list.
func (t *twin) relist(c *twinCatalog, transport string, tools map[string]string) {
	before, moved := c.tools, c.transport != transport
	c.transport, c.tools = transport, maps.Clone(tools)
	t.endUnder(c, func(tool string) bool {
		digest, lists := tools[tool]
		return moved || !lists || digest != before[tool]
	})
}

// endUnder ends what is under a catalog and about a tool that is another now.
func (t *twin) endUnder(c *twinCatalog, gone func(tool string) bool) {
	for _, s := range t.sessions {
		for _, a := range s.approvals {
			switch {
			case a.catalog != c || !gone(toolName(a.what)) || s.closed:
			case a.end == nil:
				a.end = ended("cancelled", "abort", "deny", "policy", "catalog")
			case a.permits():
				a.void = "catalogClosed"
			}
		}
	}
	t.endGrants(c, gone)
}

func (t *twin) endGrants(c *twinCatalog, gone func(tool string) bool) {
	for _, g := range t.grants {
		if g.catalog == c && gone(toolName(g.what)) {
			g.ended = true
		}
	}
}

// lose ends the catalogs of a session that was restarted, and what it has under
// any (protocol §7).
func (t *twin) lose(s *twinSession) (some bool) {
	for _, a := range s.approvals {
		switch {
		case s.closed || a.catalog == nil:
		case a.end == nil:
			a.end, some = ended("cancelled", "abort", "deny", "policy", "catalog"), true
		case a.permits():
			a.void, some = "catalogClosed", true
		}
	}
	for _, c := range t.catalogs {
		if c.session == s && !c.closed && !s.closed {
			c.closed, some = true, true
			t.endGrants(c, func(string) bool { return true })
		}
	}
	return some
}

// turnCompleted is protocol §7, turn/complete.
func (t *twin) turnCompleted(s *twinSession, o op) (answer said, recorded bool) {
	switch {
	case !s.named(o.turn):
		return said{code: -32030, reason: "invalid_target"}, true
	case slices.Contains(s.ended, o.turn):
		return said{code: -32030, reason: "turn_ended"}, true
	}
	s.stop(o.turn)
	return said{}, false
}

// named reports whether a turn was started in the session, or named by anything of it.
func (s *twinSession) named(turn string) bool {
	return slices.Contains(s.begun, turn) ||
		slices.ContainsFunc(s.approvals, func(a *twinApproval) bool { return a.turn == turn }) ||
		slices.ContainsFunc(s.prompts, func(p *twinPrompt) bool { return p.turn == turn })
}

func toolName(what int) string {
	tool, _ := pool[what].subject.(approval.Tool)
	return tool.ToolName
}
