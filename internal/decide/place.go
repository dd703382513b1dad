package decide

import (
	"fmt"
	"unicode/utf8"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// place puts an action into its turn, among its calls and under its catalog: it
// refuses one that is nested too deep, whose turn is over or whose catalog does not
// list its tool any more, and completes one that it takes. Whatever opens an approval
// for a client asks it first, and answers with misplaced.
func (i Intent) place(s *fold.State, session *fold.Session, a *approval.Action) *wire.Error {
	if open, ok := session.OpenTurn(); ok && a.TurnID == "" {
		a.TurnID = open.ID.String()
	}
	if session.Deep(a.ParentToolCallID, maxNesting) {
		return tooDeep("parentToolCallId")
	}
	if turn := session.EndedAround(a.TurnID, a.ParentToolCallID); turn != "" {
		return i.turnEnded(turn)
	}
	if refusal := underCatalog(s, session, a); refusal != nil {
		return refusal
	}
	return nameCall(session, a)
}

// maxNesting is how many calls may be around one. Whoever opens something in a call
// has all those around it looked at.
const maxNesting = 64

func tooDeep(member string) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf("%s: calls nest at most %d deep.", member, maxNesting))
}

const (
	maxCallName = 128  // characters that an id of a call may have (protocol §1)
	maxTaken    = 1000 // names that are tried before the agent has to give one
)

// nameCall names a nested call that the agent did not: after its parent, and as no
// call of the session was named before.
func nameCall(session *fold.Session, a *approval.Action) *wire.Error {
	if a.ToolCallID != "" {
		return nil
	}
	first := session.Children(a.ParentToolCallID) + 1
	for n := first; n < first+maxTaken; n++ {
		a.ToolCallID = fmt.Sprintf("%s/%d", a.ParentToolCallID, n)
		switch {
		case session.Called(a.ToolCallID):
		case utf8.RuneCountInString(a.ToolCallID) > maxCallName:
			return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf(
				"toolCallId must be given: one that is made of parentToolCallId would be longer than %d characters.", maxCallName))
		default:
			return nil
		}
	}
	return wire.NewError(wire.CodeInvalidParams, "toolCallId must be given: those that are made of parentToolCallId are taken.")
}

// underCatalog completes a tool by what its catalog says of it.
func underCatalog(s *fold.State, session *fold.Session, a *approval.Action) *wire.Error {
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

// misplaced is the result of a refusal of place, which is recorded where such
// refusals are replayed unchanged (protocol §3).
func misplaced(s *fold.State, env Env, session *fold.Session, i Intent, refusal *wire.Error) Result {
	if spec, _ := wire.LookupError(refusal.Code); !spec.Recorded {
		return Result{Refusal: refusal}
	}
	return refused(s, env, session, i, refusal)
}

func (i Intent) turnEnded(turn string) *wire.Error {
	return wire.NewError(wire.CodeCommandRejected,
		fmt.Sprintf("The turn %q has ended; name another.", turn), i.rejected(wire.ReasonTurnEnded))
}
