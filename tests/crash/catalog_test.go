package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/approvald/approvald/wire"
)

// shelf is a catalog as its agent knows it.
type shelf struct{ session, id, server string }

// recentShelf is a catalog that may be open; false where there was none. Called
// with mu held.
func (w *world) recentShelf(r *rand.Rand) (shelf, bool) {
	recent := w.shelves[max(0, len(w.shelves)-6):]
	if len(recent) == 0 {
		return shelf{}, false
	}
	return recent[r.IntN(len(recent))], true
}

// catalogue opens, changes or closes a catalog. Called with mu held.
func (w *world) catalogue(id, session string, r *rand.Rand) request {
	tools := fmt.Sprintf(`[{"name":"read","digest":"%d"},{"name":"send","digest":"%d"}]`, r.IntN(2), r.IntN(2))
	if of, ok := w.recentShelf(r); ok {
		switch r.IntN(6) {
		case 0, 1, 2:
			return request{wire.MethodCatalogUpdate, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"catalogId":%q,"tools":%s}`, id, of.session, of.id, tools)}
		case 3:
			return request{wire.MethodCatalogClose, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"catalogId":%q}`, id, of.session, of.id)}
		}
	}
	return request{wire.MethodCatalogOpen, fmt.Sprintf(`{"commandId":%q,"sessionId":%q,"serverName":"server%d","tools":%s}`, id, session, r.IntN(2), tools)}
}

// openUnder opens an approval of a tool that a catalog lists. Called with mu held.
func (w *world) openUnder(id string, of shelf, r *rand.Rand) request {
	return request{wire.MethodApprovalOpen, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"toolCallId":"call%d","toolName":"run","rawArgs":"{}","reason":"because","catalogId":%q,"subject":{"kind":"tool","serverName":%q,"toolName":%q}%s}`,
		id, of.session, r.IntN(30), of.id, of.server, pick(r, "read", "send"), pick(r, "", "", "", `,"timeoutMs":3600000`, `,"timeoutMs":1`))}
}

// learnShelf takes up a catalog that was opened. Called with mu held.
func (w *world) learnShelf(c *command, r reply) {
	var ack wire.CatalogOpenResult
	w.decode(r, &ack)
	var params wire.CatalogOpenParams
	w.decode(reply{result: json.RawMessage(c.params)}, &params)
	w.shelves = append(w.shelves, shelf{params.SessionID, ack.CatalogID, params.ServerName})
}

// catalog is what a server offers, as the log has it last.
type catalog struct {
	opened, closed *entry
	tools          map[string]string // digests by name
}

// aboutCatalog takes a record about a catalog.
func (t *twin) aboutCatalog(e *entry) {
	c := t.catalogs[e.body.CatalogID]
	switch {
	case e.kind == catalogOpened && c != nil:
		t.fault("catalog %s was opened twice, at %d and %d", e.body.CatalogID, c.opened.seq, e.seq)
		return
	case e.kind == catalogOpened:
		c = &catalog{opened: e}
		t.catalogs[e.body.CatalogID] = c
	case c == nil || c.closed != nil:
		t.fault("record %d is of catalog %s, which is not open", e.seq, e.body.CatalogID)
		return
	case e.kind == catalogClosed:
		c.closed = e
	}
	c.tools = map[string]string{}
	for _, tool := range e.body.Tools {
		c.tools[tool.Name] = tool.Digest
	}
	for _, id := range e.body.Grants {
		if g := t.grants[id]; g == nil || g.catalog != e.body.CatalogID {
			t.fault("record %d ends grant %s, which is not bound to its catalog", e.seq, id)
		}
		delete(t.grants, id)
	}
}

// lists reports whether a catalog is open and defines a tool so.
func (t *twin) lists(catalog, tool, digest string) bool {
	c := t.catalogs[catalog]
	if c == nil || c.closed != nil {
		return false
	}
	is, listed := c.tools[tool]
	return listed && is == digest
}

// closeCatalogs checks, at the end of a group, that what is bound to a tool's
// definition has not outlived it: what waits, permits, and grants.
func (t *twin) closeCatalogs() {
	for _, a := range t.order {
		b := a.opened.body
		waits := a.settled == nil || a.permits() && !t.sessions[a.session].closed
		if b.CatalogID != "" && waits && !t.lists(b.CatalogID, b.Subject.ToolName, b.Subject.ToolDigest) {
			t.fault("approval %s is of a tool that is not defined so any more, and waits or permits it", a.id)
		}
	}
	for id, g := range t.grants {
		if g.catalog != "" && !t.sessions[g.session].closed && !t.lists(g.catalog, g.tool, g.digest) {
			t.fault("grant %s is for a tool that is not defined so any more", id)
		}
	}
}

// permits reports whether a is a permit that nobody has taken and nothing has made
// void, but for the end of its session.
func (a *action) permits() bool { return a.allowed() && a.consumed == nil && a.voided == nil }

// catalogued reports whether a is under a catalog, which ends with the daemon.
func (a *action) catalogued() bool { return a.opened.body.CatalogID != "" }

// faultsOfCatalogs holds what was opened after a restart, and permits of before,
// against the catalogs that ended with the daemon.
func faultsOfCatalogs(before *twin, now after) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, a := range now.order {
		if c := before.catalogs[a.opened.body.CatalogID]; c != nil && a.opened.seq > uint64(len(before.log)) {
			fault("approval %s was opened under a catalog of the daemon before", a.id)
		}
	}
	for _, a := range before.order {
		if !a.catalogued() || !a.permits() || before.sessions[a.session].closed {
			continue
		}
		switch is := now.approvals[a.id]; {
		case is.consumed != nil:
			fault("the permit of approval %s, under a catalog, was taken after the restart", a.id)
		case now.complete && (is.voided == nil || is.voided.body.Reason != string(wire.ReasonPermitCatalogClosed)):
			fault("the permit of approval %s, under a catalog, has outlived the restart", a.id)
		}
	}
	return faults
}
