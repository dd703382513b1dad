package audit

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// catalog says what became of a catalog.
func (l *Line) catalog(body record.Body) {
	switch body := body.(type) {
	case *record.CatalogOpened:
		l.CatalogID, l.ServerName, l.Transport = textOf(body.CatalogID), body.ServerName, body.Transport
		l.Tools, l.By = tools(body.Tools), party(body.By)
	case *record.CatalogChanged:
		l.CatalogID, l.Transport, l.Tools = textOf(body.CatalogID), body.Transport, tools(body.Tools)
		l.GrantIDs, l.By = texts(body.Grants), party(body.By)
	case *record.CatalogClosed:
		l.CatalogID, l.Why, l.GrantIDs, l.By = textOf(body.CatalogID), body.Reason, texts(body.Grants), partyOf(body.By)
	}
}

func tools(from []record.Tool) []Tool {
	out := make([]Tool, len(from))
	for i, t := range from {
		out[i] = Tool(t)
	}
	return out
}

func texts(ids []approval.ID) []string {
	var out []string
	for _, id := range ids {
		out = append(out, textOf(id))
	}
	return out
}
