package wire

import "encoding/json"

const seedPrompt = "0198f0ac-7777-7000-8000-0000000000f1"

// seedQuestions has every member of a question, and a question without options.
var seedQuestions = List[Question]{
	{ID: "q1", Header: "Port", Question: "Which port && host?", Selection: Selection{Mode: SelectSingle}, Options: List[QuestionOption]{
		{Label: "8080", Description: "the <usual>", Preview: &OptionPreview{Format: "markdown", Content: "`8080`"}}, {Label: "9090"},
	}},
	{ID: "q2", Question: "Why?", Selection: Selection{Mode: SelectMultiple, MinSelections: new(0), MaxSelections: new(2)}},
}

const seedQuestionsJSON = `[{"id":"q1","header":"Port","question":"Which port && host?","options":[` +
	`{"label":"8080","description":"the <usual>","preview":{"format":"markdown","content":"` + "`8080`" + `"}},{"label":"9090"}],` +
	`"selection":{"mode":"single"}},{"id":"q2","header":"","question":"Why?","options":[],` +
	`"selection":{"mode":"multiple","minSelections":0,"maxSelections":2}}]`

// seedAnswers has each form of an answer.
var seedAnswers = List[Answer]{
	{QuestionID: "q1", SelectedLabel: new("8080"), Note: new("a && b")},
	{QuestionID: "q2", SelectedLabels: []string{}},
	{QuestionID: "q3", SelectedLabels: []string{"x", "y"}},
	{QuestionID: "q4", FreeText: new("")},
}

const seedAnswersJSON = `[{"questionId":"q1","selectedLabel":"8080","note":"a && b"},{"questionId":"q2","selectedLabels":[]},` +
	`{"questionId":"q3","selectedLabels":["x","y"]},{"questionId":"q4","freeText":""}]`

const seedPromptCommand = `{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `"`

var userInputGoldens = []golden{
	{"userInput/request", UserInputRequest{
		SessionID: seedSession, UserInputID: seedPrompt, TurnID: "t1", ItemID: "i1", ToolCallID: "call_1", ToolName: "ask_user", ViewCursor: "v:1",
		SourceRange: seedRange, Questions: seedQuestions, CreatedAt: "2026-01-02T03:04:05.678Z",
	}, `{"sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `","turnId":"t1","itemId":"i1","toolCallId":"call_1","toolName":"ask_user",` +
		`"viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"questions":` + seedQuestionsJSON + `,"expiresAt":null,"createdAt":"2026-01-02T03:04:05.678Z"}`},
	{"userInput/request with every member", UserInputRequest{
		SessionID: seedSession, UserInputID: seedPrompt, TurnID: "t1", ItemID: "i1", ToolCallID: "call_1", ToolName: "ask_user", ViewCursor: "v:1",
		SourceRange: seedRange, AutoResolutionMs: new(int64(5000)), SubagentOrigin: &SubagentOrigin{ChildSessionID: "s2", Path: []string{"s1", "s2"}},
		ExpiresAt: new(Time("2026-01-02T03:04:10.678Z")), CreatedAt: "2026-01-02T03:04:05.678Z",
	}, `{"sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `","turnId":"t1","itemId":"i1","toolCallId":"call_1","toolName":"ask_user",` +
		`"viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"questions":[],"autoResolutionMs":5000,` +
		`"subagentOrigin":{"childSessionId":"s2","path":["s1","s2"]},"expiresAt":"2026-01-02T03:04:10.678Z","createdAt":"2026-01-02T03:04:05.678Z"}`},
	{"userInput/open params", UserInputOpenParams{
		CommandID: seedCommand, SessionID: seedSession, ToolCallID: "call_1", ToolName: "ask_user", Questions: seedQuestions,
		AutoResolutionMs: new(int64(5000)), TurnID: "t1",
	}, `{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","toolCallId":"call_1","toolName":"ask_user",` +
		`"questions":` + seedQuestionsJSON + `,"autoResolutionMs":5000,"turnId":"t1"}`},
	{"userInput/open result", UserInputOpenResult{Ack: Accepted(seedCommand), UserInputID: seedPrompt},
		`{"commandId":"` + seedCommand + `","status":"accepted","userInputId":"` + seedPrompt + `"}`},
	{"userInput/await params", UserInputAwaitParams{SessionID: seedSession, UserInputIDs: []string{seedPrompt}, WaitMs: new(int64(0))},
		`{"sessionId":"` + seedSession + `","userInputIds":["` + seedPrompt + `"],"waitMs":0}`},
	{"userInput/await result", UserInputAwaitResult{Results: []UserInputAwaited{
		{UserInputID: "u1", State: UserInputPending},
		{UserInputID: "u2", State: UserInputSettled, Settlement: &UserInputSettlement{
			Outcome: UserInputClarified, Clarification: &Clarification{ClarificationText, "a && b"}, DecidedAt: "2026-01-02T03:04:07.000Z",
		}},
		{UserInputID: "u3", State: UserInputSettled, Settlement: &UserInputSettlement{
			Outcome: UserInputAnswered, Answers: seedAnswers, Reason: new("why"), DecidedAt: "2026-01-02T03:04:07.000Z",
		}},
	}}, `{"results":[{"userInputId":"u1","state":"pending"},{"userInputId":"u2","state":"settled","settlement":{"outcome":"clarified","answers":[],` +
		`"clarification":{"format":"text","content":"a && b"},"reason":null,"decidedAt":"2026-01-02T03:04:07.000Z"}},` +
		`{"userInputId":"u3","state":"settled","settlement":{"outcome":"answered","answers":` + seedAnswersJSON + `,` +
		`"clarification":null,"reason":"why","decidedAt":"2026-01-02T03:04:07.000Z"}}]}`},
	{"userInput/answer params", UserInputAnswerParams{CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt, Answers: seedAnswers},
		seedPromptCommand + `,"answers":` + seedAnswersJSON + `}`},
	{"userInput/answer params with attachments", UserInputAnswerParams{
		CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt,
		Answers: []Answer{{QuestionID: "q1", FreeText: new("x"), Attachments: json.RawMessage(`[1]`)}},
	}, seedPromptCommand + `,"answers":[{"questionId":"q1","freeText":"x","attachments":[1]}]}`},
	{"userInput/cancel params", UserInputCancelParams{CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt, Reason: "no"},
		seedPromptCommand + `,"reason":"no"}`},
	{"userInput/clarify params", UserInputClarifyParams{
		CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt, Clarification: Clarification{ClarificationText, "a && b"},
	}, seedPromptCommand + `,"clarification":{"format":"text","content":"a && b"}}`},
	{"userInput/interrupt params", UserInputInterruptParams{CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt},
		seedPromptCommand + `}`},
	{"userInput/interrupt params with answers", UserInputInterruptParams{
		CommandID: seedCommand, SessionID: seedSession, UserInputID: seedPrompt, Answers: seedAnswers[:1],
	}, seedPromptCommand + `,"answers":[{"questionId":"q1","selectedLabel":"8080","note":"a && b"}]}`},
	{"the ack of what settles a prompt", UserInputResult{Ack: Accepted(seedCommand), UserInputID: seedPrompt},
		`{"commandId":"` + seedCommand + `","status":"accepted","userInputId":"` + seedPrompt + `"}`},
	{"userInput/engaged", UserInputEngaged{SessionID: seedSession, UserInputID: seedPrompt},
		`{"sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `"}`},
	{"userInput/settled by nobody", UserInputSettledEvent{
		SessionID: seedSession, UserInputID: seedPrompt, Outcome: UserInputTimedOut, SourceRange: seedRange, ViewCursor: "v:1",
	}, `{"sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `","outcome":"timedOut","answers":[],"clarification":null,"reason":null,` +
		`"decidedByCommandId":null,"decidedAt":null,"sourceRange":` + seedRangeJSON + `,"viewCursor":"v:1"}`},
	{"userInput/settled by somebody", UserInputSettledEvent{
		SessionID: seedSession, UserInputID: seedPrompt, Outcome: UserInputAnswered, Answers: seedAnswers[:1], Reason: new("r"),
		DecidedByCommandID: new(seedCommand), DecidedAt: new(Time("2026-01-02T03:04:07.000Z")), SourceRange: seedRange, ViewCursor: "v:1",
		SubagentOrigin: &SubagentOrigin{ChildSessionID: "s2", Path: []string{"s1", "s2"}},
	}, `{"sessionId":"` + seedSession + `","userInputId":"` + seedPrompt + `","outcome":"answered","answers":[{"questionId":"q1","selectedLabel":"8080","note":"a && b"}],` +
		`"clarification":null,"reason":"r","decidedByCommandId":"` + seedCommand + `","decidedAt":"2026-01-02T03:04:07.000Z",` +
		`"sourceRange":` + seedRangeJSON + `,"viewCursor":"v:1","subagentOrigin":{"childSessionId":"s2","path":["s1","s2"]}}`},
	{"the error of a lost race", NewError(CodeUserInputAlreadySettled, "Settled.", func(d *ErrorData) {
		d.UserInputID, d.Settlement = seedPrompt, &SettlementNotice{UserInputAnswered, "v:1"}
	}), `{"code":-32056,"message":"Settled.","data":{"kind":"userInputAlreadySettled","retryable":false,"userInputId":"` + seedPrompt + `",` +
		`"settlement":{"outcome":"answered","viewCursor":"v:1"}}}`},
}
