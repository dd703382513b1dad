package sequencer_test

import (
	"encoding/json"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// catalogCommand is a step about the catalog of a session, or about a turn; nil
// for any other.
func (p *pair) catalogCommand(s step, session approval.ID) decide.Command {
	tools := []approval.ToolDefinition{{Name: "send", Digest: strconv.Itoa(s.how % 3)}}
	switch {
	case s.what == 10:
		return decide.OpenCatalog{Intent: p.intent(), Session: session, Server: "mail", Tools: tools}
	case s.what == 11 && len(p.catalogs) > 0:
		tool := write
		tool.Subject = approval.Tool{ServerName: "mail", ToolName: "send"}
		tool.Catalog = p.catalogs[s.how%len(p.catalogs)]
		return decide.Open{Intent: p.intent(), Session: session, Action: tool}
	case s.what == 12 && len(p.catalogs) > 0 && s.how < 30:
		return decide.CloseCatalog{Intent: p.intent(), Session: session, Catalog: p.catalogs[s.how%len(p.catalogs)]}
	case s.what == 12 && len(p.opened) > 0 && s.how < 60:
		i := s.which % len(p.opened)
		return decide.CompleteTurn{Intent: p.intent(), Session: p.approvals[i].Session, Turn: p.opened[i].String(), Terminal: wire.TurnWasCompleted}
	}
	return nil
}

// listed keeps the catalog that an answer names.
func (p *pair) listed(r sequencer.Reply) {
	var opened wire.CatalogOpenResult
	if r.Ack == nil {
		return
	}
	if err := json.Unmarshal(r.Ack, &opened); err != nil {
		p.t.Fatal(err)
	}
	id, err := approval.ParseID(opened.CatalogID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.catalogs = append(p.catalogs, id)
}
