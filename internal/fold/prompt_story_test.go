package fold_test

import (
	"encoding/json"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/record"
)

// The prompts' story is a log of a session and its child in which prompts are
// opened, engaged with and settled in each way. Its sequences go on from the
// catalogs'.
var (
	askingSession = approval.ID{15: 0xb5}
	askedSession  = approval.ID{15: 0xb6} // its child

	answeredPrompt  = approval.ID{15: 0xd1} // engaged with
	clarifiedPrompt = approval.ID{15: 0xd2} // of the child
	latePrompt      = approval.ID{15: 0xd3} // of the child: timed out
	openPrompt      = approval.ID{15: 0xd4} // pending at the end, and engaged with
	childsPrompt    = approval.ID{15: 0xd5} // of the child: pending at the end
	askedApproval   = approval.ID{15: 0xd6} // pending at the end

	prompts = []approval.ID{answeredPrompt, clarifiedPrompt, latePrompt, openPrompt, childsPrompt}
)

const questions = `[{"id":"q1","header":"Port","question":"Which port && host?","options":[{"label":"8080","description":"the <usual>"}],"selection":{"mode":"single"}}]`

var prompting = []record.Record{
	in(askingSession, approval.ID{}, opened, &record.SessionStarted{ // 70
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Unattended: "park", By: by, Command: accepted(),
	}),
	in(askedSession, approval.ID{}, opened, &record.SessionStarted{
		WorkspaceRoot: "/srv/app", Mode: "promptUnmatched", Inherited: true, Parent: askingSession, Inherit: "grants", Unattended: "park", By: by, Command: accepted(),
	}),
	in(askingSession, answeredPrompt, opened, asks(at.Add(time.Hour))), // 72
	in(askingSession, answeredPrompt, approval.CommandID{}, &record.InputEngaged{Opened: 72, By: by}),
	in(askedSession, clarifiedPrompt, opened, asks(time.Time{})), // 74
	in(askingSession, answeredPrompt, decided, &record.InputSettled{
		Opened: 72, Outcome: "answered", Source: "reviewer", Answers: json.RawMessage(`[{"questionId":"q1","freeText":"a && b","note":"<n>"}]`), By: &by, Command: accepted(),
	}),
	in(askedSession, clarifiedPrompt, decided, &record.InputSettled{ // 76
		Opened: 74, Outcome: "clarified", Source: "reviewer", Clarification: json.RawMessage(`{"format":"text","content":"what && why?"}`), By: &by, Command: accepted(),
	}),
	in(askedSession, latePrompt, opened, asks(at.Add(time.Minute))), // 77
	in(askedSession, latePrompt, approval.CommandID{}, &record.InputSettled{Opened: 77, Outcome: "timedOut", Source: "deadline"}),
	in(askingSession, openPrompt, opened, asks(at.Add(time.Hour))), // 79
	in(askedSession, childsPrompt, opened, asks(at.Add(time.Hour))),
	in(askingSession, openPrompt, approval.CommandID{}, &record.InputEngaged{Opened: 79, By: by}),
	in(askingSession, askedApproval, opened, &record.ApprovalOpened{ // 82
		ToolCallID: "call_5", ToolName: "u", RawArgs: `{}`, Reason: "why", TurnID: "turn", TaskID: "task", ItemID: "item",
		Subject: json.RawMessage(`{"kind":"tool","toolName":"u"}`), Menu: json.RawMessage(sessionMenu), Policy: json.RawMessage(askedByMode),
		Unattended: "park", By: by, Command: accepted(),
	}),
}

// asks is the opening record of a prompt that has a deadline, or (zero) none.
func asks(until time.Time) *record.InputOpened {
	body := &record.InputOpened{
		ToolCallID: "call_5", ToolName: "ask_user", TurnID: "turn", ItemID: "item", Questions: json.RawMessage(questions), By: by, Command: accepted(),
	}
	if !until.IsZero() {
		body.AutoResolutionMs, body.ExpiresAt = new(int64(5000)), new(until.UnixMilli())
	}
	return body
}
