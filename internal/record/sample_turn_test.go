package record

import "encoding/json"

// turnSamples are of the records about turns. Where it is the open one, its id stands
// in the header.
var turnSamples = []sample{
	{"full", aboutApproval, &TurnStarted{
		Input: json.RawMessage(`[{"type":"text","text":"a && <b>"},{"n":1.50}]`), Agent: new(party()), Hosted: true, By: party(), Command: accepted(),
	}},
	{"least", aboutApproval, &TurnStarted{Input: json.RawMessage(`[{}]`), Command: accepted()}},
	{"hosted", aboutApproval, &TurnStarted{Input: json.RawMessage(`[{}]`), Hosted: true, By: party(), Command: accepted()}},

	{"full", aboutSession, &TurnEnded{TurnID: "t1", Terminal: "failed", Reason: "out of memory && so on", By: party(), Command: accepted()}},
	{"least", aboutSession, &TurnEnded{TurnID: "t1", Terminal: "completed", Command: accepted()}},
	{"open", aboutApproval, &TurnEnded{TurnID: seedApproval.String(), Terminal: "cancelled", Reason: "It was interrupted.", By: party(), Command: accepted()}},
	{"hosted", uncaused, &TurnEnded{TurnID: seedApproval.String(), Terminal: "cancelled", Reason: "hostRestart"}},
}
