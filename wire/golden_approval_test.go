package wire

import "encoding/json"

var (
	seedRequirement = RequirementID{ApprovalID: seedApproval}
	abortChoice     = Choice{ChoiceID: ChoiceAbort, Label: "Reject", Decision: DecisionAbort, Scope: ScopeOnce, AcceptsFeedback: true}
	sessionChoice   = Choice{ChoiceID: ChoiceAllowSession, Label: "Allow for this session", Decision: DecisionApprovedForSession, Scope: ScopeSession, RulePreview: "write /srv/app/a.txt"}
)

const (
	seedRequirementJSON = `{"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","sourceIndex":0}`
	abortChoiceJSON     = `{"choiceId":"abort","label":"Reject","decision":"abort","scope":"once","acceptsFeedback":true}`
	sessionChoiceJSON   = `{"choiceId":"allow_session","label":"Allow for this session","decision":"approvedForSession","scope":"session","rulePreview":"write /srv/app/a.txt"}`
)

// plainRequest has every optional member absent and a subject of an unknown kind.
var plainRequest = ApprovalRequest{
	SessionID: seedSession, ApprovalID: seedApproval, TurnID: "t1", TaskID: "k1", ItemID: "i1",
	ToolCallID: "call_1", ToolName: "teleport", RawArgs: `{"to":"a && <b>"}`, ViewCursor: "v:1", SourceRange: seedRange,
	Subject:              json.RawMessage(`{"kind":"teleport","to":"a && <b>","n":1.50}`),
	CurrentRequirementID: seedRequirement, AvailableChoices: []Choice{abortChoice},
	Reason: "why not", CreatedAt: "2026-01-02T03:04:05.678Z",
	Policy: PolicyAnswer{Source: SourceMode, Explanation: "no rule matched"},
}

const plainRequestJSON = `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","approvalId":"0198f0ac-7777-7000-8000-0000000000e1",` +
	`"turnId":"t1","taskId":"k1","itemId":"i1","toolCallId":"call_1","toolName":"teleport","rawArgs":"{\"to\":\"a && <b>\"}",` +
	`"viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"subject":{"kind":"teleport","to":"a && <b>","n":1.50},` +
	`"currentRequirementId":` + seedRequirementJSON + `,"availableChoices":[` + abortChoiceJSON + `],` +
	`"protectedWrite":false,"judgeEscalated":false,"reason":"why not","expiresAt":null,` +
	`"createdAt":"2026-01-02T03:04:05.678Z","policy":{"source":"mode","explanation":"no rule matched"}}`

// allowed is the resolution of an approval that a reviewer allowed.
var allowed = Resolution{
	ApprovalID: seedApproval, ToolCallID: "call_1", Outcome: OutcomeAllowedSession, Decision: DecisionApprovedForSession,
	PolicyResult: PolicyAllow, ResolvedBy: ResolvedByUser, Source: SourceReviewer, DecidedAt: "2026-01-02T03:04:07.000Z",
	Permit: &Permit{ArgsDigest: "sha256:aa", SubjectDigest: "sha256:bb"},
}

const allowedJSON = `{"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","toolCallId":"call_1","outcome":"allowedSession",` +
	`"decision":"approvedForSession","policyResult":"allow","resolvedBy":"user","source":"reviewer",` +
	`"decidedAt":"2026-01-02T03:04:07.000Z","permit":{"argsDigest":"sha256:aa","subjectDigest":"sha256:bb"}}`

var reviewerGoldens = []golden{
	{"request", plainRequest, plainRequestJSON},
	{"request with every member", func() ApprovalRequest {
		r := plainRequest
		r.Subject = json.RawMessage(`{"kind":"x"}`)
		r.ProtectedWrite = true
		r.SubagentOrigin = &SubagentOrigin{ChildSessionID: "s2", Path: []string{"s1", "s2"}}
		r.Justification = "needed"
		r.Operation = json.RawMessage(`{"kind":"file-write","beforeDigest":null}`)
		r.PermissionMode = PresetWorkspaceWrite
		r.ExpiresAt = new(Time("2026-01-02T04:04:05.678Z"))
		r.Policy.Rule = "policy.toml#3"
		return r
	}(), `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","approvalId":"0198f0ac-7777-7000-8000-0000000000e1",` +
		`"turnId":"t1","taskId":"k1","itemId":"i1","toolCallId":"call_1","toolName":"teleport","rawArgs":"{\"to\":\"a && <b>\"}",` +
		`"viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"subject":{"kind":"x"},` +
		`"currentRequirementId":` + seedRequirementJSON + `,"availableChoices":[` + abortChoiceJSON + `],` +
		`"protectedWrite":true,"judgeEscalated":false,"subagentOrigin":{"childSessionId":"s2","path":["s1","s2"]},` +
		`"reason":"why not","justification":"needed","operation":{"kind":"file-write","beforeDigest":null},` +
		`"permissionMode":"workspace-write","expiresAt":"2026-01-02T04:04:05.678Z",` +
		`"createdAt":"2026-01-02T03:04:05.678Z","policy":{"source":"mode","rule":"policy.toml#3","explanation":"no rule matched"}}`},
	{"decide params", ApprovalDecideParams{CommandID: "c1", SessionID: "s1", ApprovalID: seedApproval, RequirementID: seedRequirement, ChoiceID: ChoiceAbort, Feedback: new("no")},
		`{"commandId":"c1","sessionId":"s1","approvalId":"0198f0ac-7777-7000-8000-0000000000e1","requirementId":` + seedRequirementJSON + `,"choiceId":"abort","feedback":"no"}`},
	{"decide result of the seed", ApprovalDecideResult{Ack: Accepted(seedCommand), ApprovalID: seedApproval, Terminal: true},
		`{"commandId":"018f6a2a-3333-7abc-8def-00000000d001","status":"accepted","approvalId":"0198f0ac-7777-7000-8000-0000000000e1","terminal":true}`},
	{"decide result with stages left", ApprovalDecideResult{Ack: Accepted("c1"), ApprovalID: "a1"},
		`{"commandId":"c1","status":"accepted","approvalId":"a1","terminal":false}`},
	{"listPending params", ApprovalListPendingParams{}, `{}`},
	{"listPending params with every member", ApprovalListPendingParams{SessionID: "s1", Limit: new(5), Cursor: "k"}, `{"sessionId":"s1","limit":5,"cursor":"k"}`},
	{"listPending result of nothing", ApprovalListPendingResult{}, `{"approvals":[],"userInputs":[],"nextCursor":null}`},
	{"listPending result", ApprovalListPendingResult{Approvals: []ApprovalRequest{plainRequest}, NextCursor: new("k")},
		`{"approvals":[` + plainRequestJSON + `],"userInputs":[],"nextCursor":"k"}`},
	{"read params", ApprovalReadParams{SessionID: "s1", ApprovalID: "a1"}, `{"sessionId":"s1","approvalId":"a1"}`},
	{"read result, pending", ApprovalReadResult{Request: plainRequest}, `{"request":` + plainRequestJSON + `}`},
	{"read result, resolved", ApprovalReadResult{Request: plainRequest, Resolution: &allowed},
		`{"request":` + plainRequestJSON + `,"resolution":` + allowedJSON + `}`},
	{"updated, a stage", ApprovalUpdated{
		SessionID: seedSession, ViewCursor: "v:1", SourceRange: seedRange, ApprovalID: seedApproval,
		Subject: json.RawMessage(`{"kind":"x"}`), CurrentRequirementID: seedRequirement,
		Change:         Change{Kind: ChangeStageResolved, RequirementID: &seedRequirement, ChoiceID: ChoiceAllowOnce, Decision: DecisionApproved},
		SubagentOrigin: &SubagentOrigin{ChildSessionID: "s2", Path: []string{"s2"}},
	}, `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,` +
		`"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","subject":{"kind":"x"},"currentRequirementId":` + seedRequirementJSON + `,` +
		`"availableChoices":[],"change":{"kind":"stageResolved","requirementId":` + seedRequirementJSON + `,"choiceId":"allow_once","decision":"approved"},` +
		`"subagentOrigin":{"childSessionId":"s2","path":["s2"]}}`},
	{"change, restart", Change{Kind: ChangeRestartRecovered, Reparsed: new(false), Executable: new(true)},
		`{"kind":"restartRecovered","reparsed":false,"executable":true}`},
	{"change, persistence", Change{Kind: ChangePolicyPersistence, Status: PersistenceFailed, Reason: "disk full"},
		`{"kind":"policyPersistence","status":"failed","reason":"disk full"}`},
	{"resolved", ApprovalResolved{
		SessionID: seedSession, ViewCursor: "v:1", SourceRange: seedRange, ApprovalID: seedApproval, ItemID: "i1", TurnID: "t1", ToolCallID: "call_1",
		Decision: DecisionApprovedForSession, PolicyResult: PolicyAllow, ResolvedBy: ResolvedByUser,
		Amendment: &Amendment{Durability: ScopeSession, RulePreview: "write /srv/app/a.txt"}, DecidedByCommandID: seedCommand,
		DecidedAt: "2026-01-02T03:04:07.000Z", Outcome: OutcomeAllowedSession, Source: SourceReviewer,
	}, `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,` +
		`"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","itemId":"i1","turnId":"t1","toolCallId":"call_1",` +
		`"decision":"approvedForSession","policyResult":"allow","resolvedBy":"user","stageEvidence":[],` +
		`"amendment":{"durability":"session","rulePreview":"write /srv/app/a.txt"},` +
		`"decidedByCommandId":"018f6a2a-3333-7abc-8def-00000000d001","decidedAt":"2026-01-02T03:04:07.000Z",` +
		`"outcome":"allowedSession","source":"reviewer"}`},
	{"resolved by a restart", ApprovalResolved{
		SessionID: "s1", ViewCursor: "v:1", SourceRange: seedRange, ApprovalID: "a1", ItemID: "i1", TurnID: "t1", ToolCallID: "call_1",
		Decision: DecisionAbort, PolicyResult: PolicyDeny, ResolvedBy: ResolvedByPolicy,
		StageEvidence: []StageEvidence{{RequirementID: RequirementID{"a1", 0}, Position: 1, TotalStages: 1, Argv: []string{"make", "a&&b"}, Resolution: StageResolution{Kind: StageUnresolved}}},
		DecidedAt:     "2026-01-02T03:04:07.000Z", Outcome: OutcomeSuperseded, Source: SourceRecovery, SuccessorApprovalID: "a2",
		SubagentOrigin: &SubagentOrigin{ChildSessionID: "s1", Path: []string{"s0", "s1"}},
	}, `{"sessionId":"s1","viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"approvalId":"a1","itemId":"i1","turnId":"t1","toolCallId":"call_1",` +
		`"decision":"abort","policyResult":"deny","resolvedBy":"policy","stageEvidence":[{"requirementId":{"approvalId":"a1","sourceIndex":0},` +
		`"position":1,"totalStages":1,"argv":["make","a&&b"],"resolution":{"kind":"unresolved"}}],` +
		`"decidedAt":"2026-01-02T03:04:07.000Z","outcome":"superseded","source":"recovery","successorApprovalId":"a2",` +
		`"subagentOrigin":{"childSessionId":"s1","path":["s0","s1"]}}`},
	{"menu", []Choice{sessionChoice, abortChoice}, `[` + sessionChoiceJSON + `,` + abortChoiceJSON + `]`},
}

var agentGoldens = []golden{
	{"open params", ApprovalOpenParams{
		CommandID: "c1", SessionID: "s1", ToolCallID: "call_1", ToolName: "bash", RawArgs: `{}`, Reason: "r",
		Subject: json.RawMessage(`{"kind":"shell","command":"a && b"}`),
	}, `{"commandId":"c1","sessionId":"s1","toolCallId":"call_1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"shell","command":"a && b"}}`},
	{"open params with every member", ApprovalOpenParams{
		CommandID: "c1", SessionID: "s1", ToolCallID: "call_1/1", ToolName: "bash", RawArgs: `{}`, Reason: "r", Subject: json.RawMessage(`{"kind":"x"}`),
		Justification: "j", Operation: json.RawMessage(`{"kind":"shell-unrestricted"}`), TurnID: "t1", TaskID: "k1", ItemID: "i1",
		ParentToolCallID: "call_1", Requested: true, TimeoutMs: new(int64(0)), Unattended: UnattendedPark, CatalogID: "g1", RunID: "r1",
	}, `{"commandId":"c1","sessionId":"s1","toolCallId":"call_1/1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"x"},` +
		`"justification":"j","operation":{"kind":"shell-unrestricted"},"turnId":"t1","taskId":"k1","itemId":"i1",` +
		`"parentToolCallId":"call_1","requested":true,"timeoutMs":0,"unattended":"park","catalogId":"g1","runId":"r1"}`},
	{"open shell", OpenShell{Kind: SubjectShell, Command: "a && b", Cwd: "/", Shell: "zsh", Path: "/bin"},
		`{"kind":"shell","command":"a && b","cwd":"/","shell":"zsh","path":"/bin"}`},
	{"open file", OpenFile{Kind: SubjectFile, Path: "a", Access: AccessRead, Content: new(""), Diff: "+x", Cwd: "/srv"},
		`{"kind":"fileAccess","path":"a","access":"read","content":"","diff":"+x","cwd":"/srv"}`},
	{"open network", OpenNetwork{Kind: SubjectNetwork, URL: "https://example.com", Host: "h", Port: 1, Protocol: "tcp"},
		`{"kind":"network","url":"https://example.com","host":"h","port":1,"protocol":"tcp"}`},
	{"open process", OpenProcess{Kind: SubjectProcess, Action: "spawn", PID: 1, StartedAt: "x", Argv: []string{"a"}, Target: "t"},
		`{"kind":"process","action":"spawn","pid":1,"startedAt":"x","argv":["a"],"target":"t"}`},
	{"open tool", OpenTool{Kind: SubjectTool, ServerName: "s", ToolName: "t", Transport: "http", Arguments: json.RawMessage(`[]`)},
		`{"kind":"tool","serverName":"s","toolName":"t","transport":"http","arguments":[]}`},
	{"open result, pending", ApprovalOpenResult{Ack: Accepted("c1"), ApprovalID: "a1", ToolCallID: "call_1", ArgsDigest: "sha256:aa", SubjectDigest: "sha256:bb", State: StatePending},
		`{"commandId":"c1","status":"accepted","approvalId":"a1","toolCallId":"call_1","argsDigest":"sha256:aa","subjectDigest":"sha256:bb","state":"pending"}`},
	{"open result, resolved", ApprovalOpenResult{Ack: Accepted("c1"), ApprovalID: "a1", ToolCallID: "call_1", ArgsDigest: "sha256:aa", SubjectDigest: "sha256:bb", State: StateResolved, Resolution: &allowed},
		`{"commandId":"c1","status":"accepted","approvalId":"a1","toolCallId":"call_1","argsDigest":"sha256:aa","subjectDigest":"sha256:bb","state":"resolved","resolution":` + allowedJSON + `}`},
	{"await params", ApprovalAwaitParams{SessionID: "s1", ApprovalIDs: []string{"a1", "a2"}, Any: true, WaitMs: new(int64(0))},
		`{"sessionId":"s1","approvalIds":["a1","a2"],"any":true,"waitMs":0}`},
	{"await result", ApprovalAwaitResult{Results: []AwaitResult{{ApprovalID: "a1", State: StatePending}, {ApprovalID: seedApproval, State: StateResolved, Resolution: &allowed}}},
		`{"results":[{"approvalId":"a1","state":"pending"},{"approvalId":"0198f0ac-7777-7000-8000-0000000000e1","state":"resolved","resolution":` + allowedJSON + `}]}`},
	{"resolution, denied", Resolution{
		ApprovalID: "a1", ToolCallID: "call_1", Outcome: OutcomeRejected, Decision: DecisionAbort, PolicyResult: PolicyDeny,
		ResolvedBy: ResolvedByUser, Source: SourceReviewer, DecidedAt: "2026-01-02T03:04:07.000Z", Feedback: "no",
		Denial: &Denial{Kind: DenialRejected, Message: "m", Feedback: "no", Rule: "policy.toml#1"}, SuccessorApprovalID: "a2",
	}, `{"approvalId":"a1","toolCallId":"call_1","outcome":"rejected","decision":"abort","policyResult":"deny","resolvedBy":"user",` +
		`"source":"reviewer","decidedAt":"2026-01-02T03:04:07.000Z","feedback":"no",` +
		`"denial":{"kind":"rejected","message":"m","feedback":"no","rule":"policy.toml#1"},"successorApprovalId":"a2"}`},
	{"cancel params", ApprovalCancelParams{CommandID: "c1", SessionID: "s1", ApprovalID: "a1", Reason: "r"},
		`{"commandId":"c1","sessionId":"s1","approvalId":"a1","reason":"r"}`},
	{"cancel params for all", ApprovalCancelParams{CommandID: "c1", SessionID: "s1", All: true}, `{"commandId":"c1","sessionId":"s1","all":true}`},
	{"cancel params for a call and a turn", ApprovalCancelParams{CommandID: "c1", SessionID: "s1", ToolCallID: "call_1", TurnID: "t1"},
		`{"commandId":"c1","sessionId":"s1","toolCallId":"call_1","turnId":"t1"}`},
	{"cancel result of nothing", ApprovalCancelResult{Ack: Accepted("c1")}, `{"commandId":"c1","status":"accepted","cancelled":[]}`},
	{"cancel result", ApprovalCancelResult{Ack: Accepted("c1"), Cancelled: []string{"a1"}}, `{"commandId":"c1","status":"accepted","cancelled":["a1"]}`},
}
