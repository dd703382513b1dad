package decide

import (
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// place puts an action into its turn and under its catalog: it refuses one whose
// turn is over or whose catalog does not list its tool any more, and completes
// the subject of one that it takes. Whatever opens an approval for a client asks
// it first.
func (i Intent) place(s *fold.State, session *fold.Session, a *approval.Action) *wire.Error {
	if turn := session.EndedAround(a.TurnID, a.ParentToolCallID); turn != "" {
		return i.turnEnded(turn)
	}
	if a.Catalog.IsZero() {
		return nil
	}
	catalog, ok := s.Catalog(session, a.Catalog)
	switch {
	case !ok:
		return wire.NewError(wire.CodeNotFound,
			fmt.Sprintf("No catalog %s was ever opened in this session or one above it.", a.Catalog))
	case catalog.Closed:
		return catalogClosed(catalog.ID)
	}
	tool, ok := a.Subject.(approval.Tool)
	if !ok {
		return wire.NewError(wire.CodeInvalidParams, "catalogId: only a subject of kind tool can be under a catalog.")
	}
	digest, ok := catalog.Tools[tool.ToolName]
	switch {
	case tool.ServerName != catalog.Server:
		return wire.NewError(wire.CodeInvalidParams,
			fmt.Sprintf("subject.serverName must be that of the catalog, %q.", catalog.Server))
	case !ok:
		return wire.NewError(wire.CodeInvalidParams,
			fmt.Sprintf("subject.toolName: the catalog of %q lists no such tool; update it first.", catalog.Server))
	}
	tool.ToolDigest = digest
	if tool.Transport == "" {
		tool.Transport = catalog.Transport
	}
	a.Subject = tool
	return nil
}

// recorded reports whether a refusal is replayed unchanged (protocol §3).
func recorded(refusal *wire.Error) bool {
	spec, _ := wire.LookupError(refusal.Code)
	return spec.Recorded
}

func (i Intent) turnEnded(turn string) *wire.Error {
	return wire.NewError(wire.CodeCommandRejected,
		fmt.Sprintf("The turn %q has ended; nothing can be opened in it.", turn), i.rejected(wire.ReasonTurnEnded))
}
