package corpus

import (
	"context"
	"maps"
	"slices"

	"github.com/approvald/approvald/wire"
)

// catalog is the agent saying which tools a server offers. What it asks for afterwards of that server,
// in that session, is under the catalog; what it asks for before is under none.
type catalog struct {
	Session string            `json:"session"`
	Server  string            `json:"server"`
	Tools   map[string]string `json:"tools"` // definitions by name: all that the server has from now on
	Close   bool              `json:"close"` // the server is gone
}

// listed names a server of a session.
type listed struct{ session, server string }

func (c *catalog) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, c.Session)
	if err != nil {
		return seen{}, err
	}
	key := listed{s.id, c.Server}
	method, params := wire.MethodCatalogOpen, object{{"commandId", r.command("")}, {"sessionId", s.id}}
	if c.Close {
		method, params = wire.MethodCatalogClose, append(params, member{"catalogId", r.catalogs[key]})
	} else {
		tools := wire.List[wire.CatalogTool]{}
		for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
			tools = append(tools, wire.CatalogTool{Name: name, Digest: sum(c.Tools[name])})
		}
		params = append(params, member{"serverName", c.Server}, member{"tools", tools})
	}
	a, err := r.ask(ctx, r.agent(), method, params)
	if err != nil {
		return seen{}, err
	}
	if out, refused := a.refused(); refused {
		return out, nil
	}
	var opened wire.CatalogOpenResult
	if err := a.read(&opened); err != nil {
		return seen{}, err
	}
	if opened.CatalogID != "" {
		r.catalogs[key] = opened.CatalogID
	}
	return seen{word: accepted}, nil
}
