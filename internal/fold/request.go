package fold

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	strict "github.com/go-json-experiment/json" // half the time of encoding/json

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// asked is what one approval/requested says beyond its opening record.
type asked struct {
	opening     record.Record
	body        *record.ApprovalOpened
	subject     json.RawMessage
	requirement int
	menu        json.RawMessage
	policy      json.RawMessage
}

func requested(r record.Record, index int, lineage []approval.ID, a asked) Event {
	e := event(r, index, wire.MethodApprovalRequested, params(r.Session, r.Approval, CursorAt(r.Seq, index), lineage, a))
	e.Asks = approval.RequirementID{Approval: r.Approval, SourceIndex: a.requirement}
	return e
}

// params are the shared params of approval/request and approval/requested.
func params(session, id approval.ID, cursor Cursor, lineage []approval.ID, a asked) *wire.ApprovalRequest {
	p := &wire.ApprovalRequest{
		SessionID:            session.String(),
		ApprovalID:           id.String(),
		TurnID:               a.body.TurnID,
		TaskID:               a.body.TaskID,
		ItemID:               a.body.ItemID,
		ToolCallID:           a.body.ToolCallID,
		ToolName:             a.body.ToolName,
		RawArgs:              a.body.RawArgs,
		ViewCursor:           cursor.Text(session),
		SourceRange:          sourceRange(session, cursor.Seq()),
		Subject:              a.subject,
		CurrentRequirementID: requirement(id, a.requirement),
		AvailableChoices:     choices(a.menu),
		Reason:               a.body.Reason,
		Justification:        justification(a.body),
		Operation:            a.body.Operation,
		CreatedAt:            wire.FormatTime(a.opening.At),
		ProtectedWrite:       a.body.Protected,
		PermissionMode:       wire.Preset(a.body.PermissionMode),
		SubagentOrigin:       Origin(lineage),
	}
	if a.body.ExpiresAt != nil {
		at := wire.FormatTime(time.UnixMilli(*a.body.ExpiresAt))
		p.ExpiresAt = &at
	}
	if err := strict.Unmarshal(a.policy, &p.Policy); err != nil {
		p.Policy = wire.PolicyAnswer{Source: wire.SourceMode, Explanation: "The policy answer in the log cannot be read."}
	}
	if p.Justification == "" && a.body.Justification != "" {
		p.Justification = p.Policy.Explanation
	}
	return p
}

// justification is what the agent said for itself; "" where it said nothing, and the
// record repeats what policy explained at opening. What stands in for it is policy's
// reason (protocol §7), and that of the requirement that is put: else the reason of an
// earlier one would pass for the words of the model.
func justification(r *record.ApprovalOpened) string {
	var policy wire.PolicyAnswer
	if err := strict.Unmarshal(r.Policy, &policy); err == nil && r.Justification == policy.Explanation {
		return ""
	}
	return r.Justification
}

// Params are what reviewers are asked about a pending approval of the session
// that lineage leads to, as it stands: the params of its latest
// approval/requested, byte for byte.
func (f Full) Params(lineage []approval.ID) *wire.ApprovalRequest {
	subject := f.Request.Subject
	if !slices.EqualFunc(f.Stages, stagesFrom(f.Request.Stages), approval.StageResolution.Equal) {
		if encoded, err := approval.EncodeSubject(f.Subject()); err == nil {
			subject = encoded
		}
	}
	return params(lineage[len(lineage)-1], f.ID, f.Asked, lineage, asked{
		opening:     record.Record{Header: record.Header{At: f.OpenedAt}},
		body:        f.Request,
		subject:     subject,
		requirement: f.Requirement,
		menu:        f.Menu,
		policy:      f.Policy,
	})
}

// Origin marks what comes from the session that lineage leads to; nil for a root
// (protocol §4 "Children").
func Origin(lineage []approval.ID) *wire.SubagentOrigin {
	if len(lineage) < 2 {
		return nil
	}
	o := &wire.SubagentOrigin{ChildSessionID: lineage[len(lineage)-1].String()}
	for _, id := range lineage {
		o.Path = append(o.Path, id.String())
	}
	return o
}

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }
