package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/approvald/approvald/wire"
)

// The batches of the load are all of one run of their session, and a call has the
// same arguments in each.
const batchRun = "batch"

func (w *world) prepare(id, session string, r *rand.Rand) request {
	var requests []string
	first := r.IntN(6)
	for n := range 1 + r.IntN(3) {
		call := (first + n) % 6
		requests = append(requests, fmt.Sprintf(
			`{"toolCallId":"%s%d","toolName":"run","rawArgs":"{\"n\":%[2]d}","reason":"because","subject":{"kind":"tool"}}`, batchRun, call))
	}
	return request{wire.MethodApprovalPrepare, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"runId":%q,"requests":[%s]}`, id, session, batchRun, strings.Join(requests, ","))}
}

// consumeAll takes one or two approvals of batches of one session; none is there
// where ok is false. Called with mu held.
func (w *world) consumeAll(id string, r *rand.Rand) (_ request, ok bool) {
	var items []target
	for n := len(w.approvals) - 1; n >= 0 && len(items) < 2; n-- {
		of := w.approvals[n]
		if strings.HasPrefix(of.call, batchRun) && (len(items) == 0 && r.IntN(3) > 0 || len(items) == 1 && of.session == items[0].session && of.id != items[0].id) {
			items = append(items, of)
		}
	}
	if len(items) == 0 {
		return request{}, false
	}
	items = items[:1+r.IntN(len(items))]
	var each []string
	for _, of := range items {
		each = append(each, fmt.Sprintf(`{"approvalId":%q,"toolCallId":%q,"argsDigest":%q%s}`,
			of.id, of.call, of.digest, pick(r, "", "", `,"expect":"allow"`)))
	}
	return request{wire.MethodApprovalConsumeAll, fmt.Sprintf(
		`{"commandId":%q,"sessionId":%q,"runId":%q,"items":[%s]}`, id, items[0].session, batchRun, strings.Join(each, ","))}, true
}

// learnBatch takes up what was opened for a batch. Called with mu held.
func (w *world) learnBatch(c *command, r reply) {
	var ack wire.ApprovalPrepareResult
	w.decode(r, &ack)
	var params wire.ApprovalPrepareParams
	w.decode(reply{result: json.RawMessage(c.params)}, &params)
	for _, a := range ack.Approvals {
		if a.Created {
			w.approvals = append(w.approvals, target{params.SessionID, a.ApprovalID, a.ToolCallID, a.ArgsDigest})
		}
	}
}

// carriedOutBatch lists what the ack of a batch says and the log does not, and
// what the batch left in the log that its ack does not say.
func (t *twin) carriedOutBatch(c *said, ack json.RawMessage) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	by := func(e *entry) bool { return e != nil && e.command == c.id }
	var is struct {
		Approvals []wire.PreparedApproval `json:"approvals"`
		Decisions []wire.ConsumedDecision `json:"decisions"`
	}
	if err := json.Unmarshal(ack, &is); err != nil {
		fault("it cannot be read: %v", err)
	}
	says, left := 0, 0
	for _, one := range is.Approvals {
		a := t.approvals[one.ApprovalID]
		switch {
		case a == nil || by(a.opened) != one.Created:
			fault("approval %s was not found or opened so by it", one.ApprovalID)
		case one.Created && by(a.settled) != (one.Resolution != nil):
			fault("approval %s was not settled so with it", one.ApprovalID)
		}
		if one.Created {
			says++
		}
	}
	for _, one := range is.Decisions {
		if a := t.approvals[one.ApprovalID]; a == nil || by(a.consumed) != one.Consumed {
			fault("approval %s was not consumed so by it", one.ApprovalID)
		}
		if one.Consumed {
			says++
		}
	}
	for _, a := range t.order {
		if by(a.opened) || by(a.consumed) {
			left++
		}
	}
	if left != says {
		fault("it opened or consumed %d approvals, and says %d", left, says)
	}
	return faults
}
