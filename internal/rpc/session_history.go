package rpc

import (
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/wire"
)

// maxHistory is how large an answer with a snapshot may be. What would be larger
// goes without: half a snapshot would be a lie.
const maxHistory = 4 << 20

// historyServed is the form of history that a resume is answered with: no session
// has been compacted, so there is nothing to be anchored at, and the next form is
// inline (msp-facts §3.2).
func historyServed(p wire.SessionResumeParams) (wire.HistoryMode, *wire.Error) {
	mode := wire.HistoryInline
	switch p.History {
	case "", wire.PreferAuto, wire.PreferInline, wire.PreferAnchored:
	case wire.PreferSnapshot:
		mode = wire.HistorySnapshot
	default:
		return "", invalid("history must be auto, inline, snapshot or anchored")
	}
	if p.ExcludeItems || p.Cursor != nil {
		mode = wire.HistoryNone
	}
	return mode, nil
}

// history is the past of a session as it stands in its answer, with everything
// that is pending in it and below it.
func history(
	p wire.SessionResumeParams, mode wire.HistoryMode, at wire.SessionResumeResult, turn *wire.TurnRef, pending []pendingRef,
) wire.History {
	switch {
	case mode == wire.HistoryInline:
		return wire.NoItems()
	case mode == wire.HistorySnapshot:
		return wire.History{Mode: mode, Snapshot: snapshot(at, turn, pending)}
	case p.ExcludeItems:
		return wire.History{Mode: mode, NoneReason: wire.NoneExcluded}
	}
	return wire.History{Mode: mode, NoneReason: wire.NoneCursorSuffix}
}

// openTurn names the session's open turn; nil for none.
func openTurn(session *fold.Session) *wire.TurnRef {
	turn, open := session.OpenTurn()
	if !open {
		return nil
	}
	return &wire.TurnRef{TurnID: turn.ID.String(), CommandID: turn.Command.String()}
}

func snapshot(at wire.SessionResumeResult, turn *wire.TurnRef, pending []pendingRef) *wire.Snapshot {
	state := wire.SnapshotState{
		ApprovalMode: at.Session.ApprovalMode,
		TurnCount:    at.Session.TurnCount,
		ActiveTurn:   turn,
		Name:         at.Session.Name,
	}
	if model := at.Session.ModelID; model != nil {
		state.EffectiveModel = &wire.EffectiveModel{ModelID: *model, ProviderID: at.Session.ProviderID, Source: "default"}
	}
	for _, ref := range pending {
		origin := fold.Origin(ref.lineage)
		if ref.prompt != nil {
			state.PendingUserInputs = append(state.PendingUserInputs,
				wire.PendingUserInputPointer{UserInputID: ref.id.String(), ViewCursor: ref.cursor(), SubagentOrigin: origin})
		} else {
			state.PendingApprovals = append(state.PendingApprovals,
				wire.PendingApprovalPointer{ApprovalID: ref.id.String(), ViewCursor: ref.cursor(), SubagentOrigin: origin})
		}
	}
	return &wire.Snapshot{SchemaVersion: wire.SnapshotVersion, ViewCursor: at.ViewCursor, State: state}
}
