package decide_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// drawCatalog lists the tools of one of the two servers of the pool, which join
// their tools to the same text.
func (m *model) drawCatalog(t *rapid.T) op {
	return op{
		what: "catalog", command: m.next(), session: m.drawSession(t), server: evenly(t, "server", []string{"a", "a", "a__b"}),
		transport: evenly(t, "transport", []string{"", "", "", "http"}), tools: drawTools(t),
	}
}

func (m *model) drawUpdate(t *rapid.T) op {
	o := op{what: "update", command: m.next(), tools: drawTools(t)}
	o.session, o.catalog = m.drawListed(t)
	return o
}

func (m *model) drawCloseCatalog(t *rapid.T) op {
	o := op{what: "closeCatalog", command: m.next()}
	o.session, o.catalog = m.drawListed(t)
	return o
}

// drawListed is a catalog, or none, and mostly its session.
func (m *model) drawListed(t *rapid.T) (session, catalog approval.ID) {
	known := append([]*twinCatalog{{id: approval.ID{15: 0xfd}}}, m.twin.catalogs...)
	for _, g := range m.twin.grants { // mostly one with something to lose
		if g.catalog != nil && !g.ended {
			known = append(known, g.catalog, g.catalog)
		}
	}
	c := evenly(t, "catalog", known)
	session = m.drawSession(t)
	if c.session != nil && evenly(t, "its own session", []bool{true, true, true, false}) {
		session = c.session.id
	}
	return session, c.id
}

func drawTools(t *rapid.T) map[string]string {
	tools := map[string]string{}
	for _, name := range []string{"b__c", "c"} {
		if digest := evenly(t, name, []string{"1", "1", "1", "2", ""}); digest != "" {
			tools[name] = digest
		}
	}
	return tools
}

// drawUnder opens a tool under a catalog, mostly one that lists it.
func (m *model) drawUnder(t *rapid.T) op {
	o := m.drawOpen(t)
	o.subject = evenly(t, "tool", []int{4, 4, 5})
	o.session, o.catalog = m.drawListed(t)
	c := m.twin.catalog(o.catalog)
	if c == nil {
		return o
	}
	if evenly(t, "of the server", []bool{true, true, true, false}) {
		o.subject = map[string]int{"a": 4, "a__b": 5}[c.server]
	}
	for _, s := range m.twin.sessions {
		if s.parent == c.session && rapid.Bool().Draw(t, "below") {
			o.session = s.id
		}
	}
	return o
}

func (m *model) drawComplete(t *rapid.T) op {
	return op{
		what: "complete", command: m.next(), session: m.drawSession(t),
		turn: evenly(t, "turn", []string{"t0", "t1", "t2", "t3", "t4", "t5", "nobody"}),
	}
}

// realCatalog is the command of an operation about catalogs and turns; nil for
// any other.
func realCatalog(i decide.Intent, o op) decide.Command {
	var tools []approval.ToolDefinition
	for _, name := range slices.Sorted(maps.Keys(o.tools)) {
		tools = append(tools, approval.ToolDefinition{Name: name, Digest: o.tools[name]})
	}
	switch o.what {
	case "catalog":
		return decide.OpenCatalog{Intent: i, Session: o.session, Server: o.server, Transport: o.transport, Tools: tools}
	case "update":
		return decide.UpdateCatalog{Intent: i, Session: o.session, Catalog: o.catalog, Tools: tools}
	case "closeCatalog":
		return decide.CloseCatalog{Intent: i, Session: o.session, Catalog: o.catalog}
	case "complete":
		return decide.CompleteTurn{Intent: i, Session: o.session, Turn: o.turn, Terminal: wire.TurnWasCompleted}
	}
	return nil
}

// checkCatalogs holds the catalogs of a session, the grants that are bound to
// them, and its turns.
func (m *model) checkCatalogs(live *fold.Session, s *twinSession) {
	var want, got []string
	for _, c := range m.twin.catalogs {
		if c.session == s && !c.closed && !s.closed {
			want = append(want, fmt.Sprintf("%s of %s over %q: %v", c.id, c.server, c.transport, c.tools))
		}
	}
	for _, c := range live.OpenCatalogs() {
		got = append(got, fmt.Sprintf("%s of %s over %q: %v", c.ID, c.Server, c.Transport, c.Tools))
	}
	if !slices.Equal(want, got) {
		m.t.Fatalf("session %s: catalogs %v, want %v", s.id, got, want)
	}
	for _, c := range m.twin.catalogs {
		for _, what := range []int{4, 5} {
			for _, digest := range []string{"1", "2"} {
				a := &twinApproval{what: what, catalog: c, digest: digest}
				want := slices.ContainsFunc(m.twin.inForce(s), func(g *twinGrant) bool { return !g.rule && g.covers(a) })
				reach, _ := pool[what].subject.Reach()
				if _, got := m.ahead.Granted(live, reach.Under(c.id, digest)); got != want {
					m.t.Fatalf("session %s: %d under %s with digest %s is granted: %v, want %v", s.id, what, c.id, digest, got, want)
				}
			}
		}
	}
	for _, turn := range []string{"t0", "t1", "t2", "t3", "t4", "t5", "nobody"} {
		known, ended := live.Turn(turn)
		if known != s.named(turn) || ended != slices.Contains(s.ended, turn) {
			m.t.Fatalf("session %s: turn %s is known %v, ended %v", s.id, turn, known, ended)
		}
	}
}

// dumpCatalogs writes down what a session says of catalogs and turns.
func (m *model) dumpCatalogs(b *strings.Builder, session *fold.Session) {
	for _, c := range m.twin.catalogs {
		if known, ok := session.Catalog(c.id); ok {
			fmt.Fprintf(b, "catalog %+v\n", *known)
		}
	}
	for _, turn := range []string{"t0", "t1", "t2", "t3", "t4", "t5"} {
		known, ended := session.Turn(turn)
		fmt.Fprintf(b, "turn %s: %v, %v\n", turn, known, ended)
	}
}
