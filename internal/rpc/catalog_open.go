package rpc

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/wire"
)

// maxTools is how many tools a catalog may list.
const maxTools = 10_000

// catalogOpen serves catalog/open (protocol §7).
func (r *request) catalogOpen() { r.command(r.openCatalogCommand()) }

func (r *request) openCatalogCommand() (c decide.OpenCatalog, e *wire.Error) {
	var p wire.CatalogOpenParams
	if e := r.decode(&p); e != nil {
		return c, e
	}
	c.Server, c.Transport = p.ServerName, p.Transport
	if c.Intent, e = r.intent(p.CommandID); e != nil {
		return c, e
	}
	if c.Session, e = r.session(p.SessionID); e != nil {
		return c, e
	}
	if e := first(name("serverName", p.ServerName), optionalName("transport", p.Transport)); e != nil {
		return c, e
	}
	c.Tools, e = toolsOf(p.Tools)
	return c, e
}

// toolsOf reads the list of a catalog; nil is what a params without one has.
func toolsOf(listed []wire.CatalogTool) ([]approval.ToolDefinition, *wire.Error) {
	switch {
	case listed == nil:
		return nil, invalid("tools must be given; [] for a server that has none")
	case len(listed) > maxTools:
		return nil, invalid("tools must hold at most %d, not %d", maxTools, len(listed))
	}
	tools := make([]approval.ToolDefinition, len(listed))
	seen := make(map[string]bool, len(listed))
	for i, t := range listed {
		member := fmt.Sprintf("tools[%d]", i)
		if e := first(name(member+".name", t.Name), name(member+".digest", t.Digest)); e != nil {
			return nil, e
		}
		if seen[t.Name] {
			return nil, invalid("%s.name: the tool %q is listed before", member, t.Name)
		}
		seen[t.Name], tools[i] = true, approval.ToolDefinition(t)
	}
	return tools, nil
}
