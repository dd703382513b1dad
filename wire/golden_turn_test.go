package wire

import "encoding/json"

var turnGoldens = []golden{
	{"turn/start params", TurnStartParams{
		CommandID: seedCommand, SessionID: seedSession,
		Input: List[json.RawMessage]{json.RawMessage(`{"type":"text","text":"make it && go"}`), json.RawMessage(`{"n":1.50}`)},
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","input":[{"type":"text","text":"make it && go"},{"n":1.50}]}`},
	{"turn/start result", TurnStartResult{Ack: Accepted(seedCommand), TurnID: "turn_1", StartedNewTurn: true, Disposition: TurnBegan},
		`{"commandId":"` + seedCommand + `","status":"accepted","turnId":"turn_1","startedNewTurn":true,"disposition":"started"}`},
	{"turn/started", TurnStarted{
		SessionID: seedSession, ViewCursor: "v:" + seedSession + ":24", SourceRange: seedRange, TurnID: "turn_1", CommandID: seedCommand,
		Input: List[json.RawMessage]{json.RawMessage(`{"type":"text","text":"go"}`)},
	},
		`{"sessionId":"` + seedSession + `","viewCursor":"v:` + seedSession + `:24","sourceRange":` + seedRangeJSON + `,` +
			`"turnId":"turn_1","commandId":"` + seedCommand + `","input":[{"type":"text","text":"go"}]}`},
	{"turn/started, of a sub-agent", TurnStarted{
		SessionID: seedSession, ViewCursor: "v:" + seedSession + ":24", SourceRange: seedRange, TurnID: "turn_1", CommandID: seedCommand,
		Input:          List[json.RawMessage]{json.RawMessage(`{}`)},
		SubagentOrigin: &SubagentOrigin{ChildSessionID: seedSession, Path: List[string]{"p", seedSession}},
	},
		`{"sessionId":"` + seedSession + `","viewCursor":"v:` + seedSession + `:24","sourceRange":` + seedRangeJSON + `,` +
			`"turnId":"turn_1","commandId":"` + seedCommand + `","input":[{}],"subagentOrigin":{"childSessionId":"` + seedSession + `","path":["p","` + seedSession + `"]}}`},
	{"turn/interrupt params", TurnInterruptParams{CommandID: seedCommand, SessionID: seedSession, TurnID: "turn_1"},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","turnId":"turn_1"}`},
	{"turn/interrupt params, of the open turn", TurnInterruptParams{CommandID: seedCommand, SessionID: seedSession},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `"}`},
	{"turn/interrupt result", TurnInterruptResult{Ack: Accepted(seedCommand), TurnID: "turn_1"},
		`{"commandId":"` + seedCommand + `","status":"accepted","turnId":"turn_1"}`},

	{"turn/complete params", TurnCompleteParams{
		CommandID: seedCommand, SessionID: seedSession, TurnID: "turn_1", Terminal: TurnHasFailed, Reason: "out of memory",
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","turnId":"turn_1","terminal":"failed","reason":"out of memory"}`},
	{"turn/complete result", TurnCompleteResult{Ack: Accepted(seedCommand)}, `{"commandId":"` + seedCommand + `","status":"accepted"}`},
	{"turn/completed", TurnCompleted{
		SessionID: seedSession, ViewCursor: "v:" + seedSession + ":28", SourceRange: seedRange, TurnID: "turn_1", Terminal: TurnWasCompleted,
	},
		`{"sessionId":"` + seedSession + `","viewCursor":"v:` + seedSession + `:28","sourceRange":` + seedRangeJSON + `,` +
			`"turnId":"turn_1","terminal":"completed"}`},
	{"turn/completed, of a sub-agent", TurnCompleted{
		SessionID: seedSession, ViewCursor: "v:" + seedSession + ":28", SourceRange: seedRange, TurnID: "turn_1", Terminal: TurnWasCancelled,
		Reason: "the user said so", SubagentOrigin: &SubagentOrigin{ChildSessionID: seedSession, Path: List[string]{"p", seedSession}},
	},
		`{"sessionId":"` + seedSession + `","viewCursor":"v:` + seedSession + `:28","sourceRange":` + seedRangeJSON + `,` +
			`"turnId":"turn_1","terminal":"cancelled","reason":"the user said so",` +
			`"subagentOrigin":{"childSessionId":"` + seedSession + `","path":["p","` + seedSession + `"]}}`},
}
