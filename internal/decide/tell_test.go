package decide_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// tell says what subscribers see of a result, a line an event:
//
//	requested 0: allow_once abort
//	stage 0 allow_once, then 1: allow_once abort
//	resolved approved by user (reviewer)
//	restartRecovered at 1
//	mode allowAll
//	closed done
func (w *world) tell(r decide.Result) []string {
	w.t.Helper()
	var lines []string
	for _, rec := range r.Records {
		var opening record.Record
		if seq := fold.OpeningOf(rec); seq != 0 {
			opening = w.log[seq-1]
		}
		for _, e := range fold.Events(rec, opening, nil) {
			lines = append(lines, line(e))
		}
	}
	return lines
}

func line(e fold.Event) string {
	switch p := e.Params.(type) {
	case *wire.ApprovalRequest:
		return fmt.Sprintf("requested %d:%s", p.CurrentRequirementID.SourceIndex, ids(p.AvailableChoices))
	case *wire.ApprovalUpdated:
		switch p.Change.Kind {
		case wire.ChangeRestartRecovered:
			return fmt.Sprintf("restartRecovered at %d", p.CurrentRequirementID.SourceIndex)
		case wire.ChangePolicyPersistence:
			return fmt.Sprintf("policyPersistence %s:%s", p.Change.Status, ids(p.AvailableChoices))
		default:
		}
		by := string(p.Change.ChoiceID)
		if by == "" {
			by = "policy"
		}
		return fmt.Sprintf("stage %d %s, then %d:%s", p.Change.RequirementID.SourceIndex, by, p.CurrentRequirementID.SourceIndex, ids(p.AvailableChoices))
	case *wire.ApprovalResolved:
		return fmt.Sprintf("resolved %s by %s (%s)", p.Decision, p.ResolvedBy, p.Source)
	case *wire.SessionApprovalModeChanged:
		return "mode " + string(p.Mode)
	case *wire.SessionClosed:
		return "closed " + string(p.Reason)
	}
	return e.Method
}

func ids(menu []wire.Choice) string {
	var b strings.Builder
	for _, c := range menu {
		b.WriteString(" " + string(c.ChoiceID))
	}
	return b.String()
}

// decoded reads an ack.
func decoded[T any](t rapid.TB, ack json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(ack, &v); err != nil {
		t.Fatalf("%s: %v", ack, err)
	}
	return v
}
