package wire

import "encoding/json"

var handshakeGoldens = []golden{
	{"empty", Empty{}, `{}`},
	{"initialize params", InitializeParams{
		ClientInfo: ClientInfo{Name: "my_client", Version: "0.3.0"},
	}, `{"clientInfo":{"name":"my_client","version":"0.3.0"}}`},
	{"initialize params with every capability", InitializeParams{
		ClientInfo: ClientInfo{Name: "my_client", Version: "0.3.0", Title: "Mine"},
		Capabilities: &ClientCapabilities{
			OptOutNotificationMethods: []string{"approval/updated"},
			RequestedCapabilities:     []string{"userShell"},
			UserInputDialogs:          new(false),
			Approvald:                 &ApprovaldRequested{Role: RoleReviewer, Interactive: new(false), AllSessions: true, Turns: true},
		},
	}, `{"clientInfo":{"name":"my_client","version":"0.3.0","title":"Mine"},"capabilities":{` +
		`"optOutNotificationMethods":["approval/updated"],"requestedCapabilities":["userShell"],"userInputDialogs":false,` +
		`"approvald":{"role":"reviewer","interactive":false,"allSessions":true,"turns":true}}}`},
	{"initialize result", InitializeResult{
		ServerInfo:        ServerInfo{Name: "approvald", Version: "0.1.0"},
		UserAgent:         "approvald/0.1.0 (linux; x86_64)",
		MuseHome:          "/var/lib/approvald",
		PlatformFamily:    "unix",
		PlatformOS:        "linux",
		Schema:            Schema{Version: 1, Fingerprint: "sha256:00"},
		SessionDurability: DurabilityDurable,
		Approvald:         ApprovaldGranted{Protocol: ProtocolVersion, Role: RoleBoth},
	}, `{"serverInfo":{"name":"approvald","version":"0.1.0"},"userAgent":"approvald/0.1.0 (linux; x86_64)",` +
		`"museHome":"/var/lib/approvald","platformFamily":"unix","platformOs":"linux",` +
		`"schema":{"version":1,"fingerprint":"sha256:00"},"grantedCapabilities":[],"experimentalApi":false,` +
		`"sessionDurability":"durable","approvald":{"protocol":1,"role":"both"}}`},
	{"connection/narrow params", ConnectionNarrowParams{Role: RoleAgent}, `{"role":"agent"}`},
	{"connection/narrow result", ConnectionNarrowResult{Role: RoleAgent}, `{"role":"agent"}`},
}

// idleSession has every nullable member null and every optional one absent.
var idleSession = Session{
	SessionID:    "s1",
	Status:       SessionIdle,
	CreatedAt:    "2026-01-02T03:04:05.678Z",
	UpdatedAt:    "2026-01-02T03:04:06.000Z",
	ApprovalMode: ModeState{Mode: ModePromptUnmatched, Source: ModeSourceStartup},
	Kind:         SessionRoot,
}

const idleSessionJSON = `{"sessionId":"s1","status":"idle","turnCount":0,"path":"",` +
	`"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:06.000Z",` +
	`"workspaceRoot":null,"providerId":null,"modelId":null,"forkedFrom":null,"activeTurnId":null,` +
	`"approvalMode":{"mode":"promptUnmatched","source":"startup","lastCommandId":null},"kind":"root"}`

var noHistory = History{Mode: HistoryNone, NoneReason: NoneExcluded}

const noHistoryJSON = `{"mode":"none","items":null,"snapshot":null,"noneReason":"excluded"}`

var sessionGoldens = []golden{
	{"session with every member", Session{
		SessionID: "s2", Status: SessionRunning, TurnCount: 3, Path: "/state/log",
		CreatedAt: "2026-01-02T03:04:05.678Z", UpdatedAt: "2026-01-02T03:04:06.000Z",
		WorkspaceRoot: new("/srv/app"), ProviderID: new("p"), ModelID: new("m"), ForkedFrom: new("f"), ActiveTurnID: new("t3"),
		ApprovalMode: ModeState{Mode: ModeDenyUnmatched, Source: ModeSourceReconfigure, LastCommandID: new("c9")},
		Preset:       PresetReadOnly, Attention: []Attention{AttentionApproval, AttentionInput},
		Name: "n", Title: "T", ParentSessionID: "s1", Kind: SessionSubagent,
		CreatedByClient: &ClientInfo{Name: "c", Version: "1"},
	}, `{"sessionId":"s2","status":"running","turnCount":3,"path":"/state/log",` +
		`"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:06.000Z",` +
		`"workspaceRoot":"/srv/app","providerId":"p","modelId":"m","forkedFrom":"f","activeTurnId":"t3",` +
		`"approvalMode":{"mode":"denyUnmatched","source":"approvalReconfigure","lastCommandId":"c9"},` +
		`"preset":"read-only","attention":["approvalPending","inputPending"],"name":"n","title":"T",` +
		`"parentSessionId":"s1","kind":"subagent","createdByClient":{"name":"c","version":"1"}}`},
	{"session/start params", SessionStartParams{CommandID: "c1"}, `{"commandId":"c1"}`},
	{"session/start params with every member", SessionStartParams{
		CommandID: "c1", SessionID: "s1", WorkspaceRoot: "/srv/app", ApprovalMode: new(ModeAllowAll), Preset: PresetWorkspaceWrite,
		ParentSessionID: "s0", Inherit: InheritNone, Unattended: UnattendedRefuse, CancelOnDisconnect: true,
		ProviderID: "p", ModelID: "m", Name: "n",
	}, `{"commandId":"c1","sessionId":"s1","workspaceRoot":"/srv/app","approvalMode":"allowAll","preset":"workspace-write",` +
		`"parentSessionId":"s0","inherit":"none","unattended":"refuse","cancelOnDisconnect":true,` +
		`"providerId":"p","modelId":"m","name":"n"}`},
	{"session/start result", SessionStartResult{Ack: Accepted("c1"), Session: idleSession, ViewCursor: "v:s1:4"},
		`{"commandId":"c1","status":"accepted","session":` + idleSessionJSON + `,"viewCursor":"v:s1:4"}`},
	{"session/resume params", SessionResumeParams{CommandID: "c1", SessionID: "s1", Cursor: new("v:s1:4"), History: "none", ExcludeItems: true},
		`{"commandId":"c1","sessionId":"s1","cursor":"v:s1:4","history":"none","excludeItems":true}`},
	{"session/resume result", SessionResumeResult{
		Ack: Accepted("c1"), Session: idleSession, ViewCursor: "v:s1:8", History: noHistory,
		PendingRequests: []PendingRequest{
			{Kind: PendingApproval, ApprovalID: "a1", ViewCursor: "v:s1:8"},
			{Kind: PendingUserInput, UserInputID: "u1", ViewCursor: "v:s1:9"},
		},
		PendingTruncated: true,
	}, `{"commandId":"c1","status":"accepted","session":` + idleSessionJSON + `,"viewCursor":"v:s1:8","history":` + noHistoryJSON + `,` +
		`"pendingRequests":[{"kind":"approval","approvalId":"a1","viewCursor":"v:s1:8"},` +
		`{"kind":"userInput","userInputId":"u1","viewCursor":"v:s1:9"}],"pendingTruncated":true}`},
	{"session/read params", SessionReadParams{SessionID: "s1"}, `{"sessionId":"s1"}`},
	{"session/read result", SessionReadResult{Session: idleSession, ViewCursor: "v:s1:8", History: History{
		Mode: HistoryInline, Items: new(List[json.RawMessage]{json.RawMessage(`{"a":"x && y"}`)})}},
		`{"session":` + idleSessionJSON + `,"viewCursor":"v:s1:8","history":{"mode":"inline","items":[{"a":"x && y"}],"snapshot":null},"pendingRequests":[]}`},
	{"session/read params with every member", SessionReadParams{SessionID: "s1", ExcludeItems: new(false)}, `{"sessionId":"s1","excludeItems":false}`},
	{"a snapshot of nothing", Snapshot{SchemaVersion: SnapshotVersion, ViewCursor: "v:s1:8", State: SnapshotState{
		ApprovalMode: ModeState{Mode: ModePromptUnmatched, Source: ModeSourceReplay}}},
		`{"schemaVersion":1,"viewCursor":"v:s1:8","state":{"items":[],"activeTurn":null,"queuedTurns":[],"pendingApprovals":[],` +
			`"pendingUserInputs":[],"approvalMode":{"mode":"promptUnmatched","source":"replay","lastCommandId":null},` +
			`"effectiveModel":null,"goal":null,"todoList":null,"branch":null,` +
			`"tokenUsage":{"promptTokens":0,"outputTokens":0,"totalTokens":0},"turnCount":0}}`},
	{"a snapshot", Snapshot{SchemaVersion: SnapshotVersion, ViewCursor: "v:s1:8", State: SnapshotState{
		ActiveTurn:        &TurnRef{TurnID: "t3", CommandID: "c1"},
		PendingApprovals:  []PendingApprovalPointer{{ApprovalID: "a1", ViewCursor: "v:s1:4"}},
		PendingUserInputs: []PendingUserInputPointer{{UserInputID: "u1", ViewCursor: "v:s2:8", SubagentOrigin: &SubagentOrigin{ChildSessionID: "s2", Path: []string{"s1", "s2"}}}},
		ApprovalMode:      ModeState{Mode: ModePromptUnmatched, Source: ModeSourceReplay},
		EffectiveModel:    &EffectiveModel{ModelID: "m", Source: "default"},
		TurnCount:         2, Name: "n",
	}}, `{"schemaVersion":1,"viewCursor":"v:s1:8","state":{"items":[],"activeTurn":{"turnId":"t3","commandId":"c1"},"queuedTurns":[],` +
		`"pendingApprovals":[{"approvalId":"a1","viewCursor":"v:s1:4"}],` +
		`"pendingUserInputs":[{"userInputId":"u1","viewCursor":"v:s2:8","subagentOrigin":{"childSessionId":"s2","path":["s1","s2"]}}],` +
		`"approvalMode":{"mode":"promptUnmatched","source":"replay","lastCommandId":null},` +
		`"effectiveModel":{"modelId":"m","providerId":null,"source":"default"},"goal":null,"todoList":null,"branch":null,` +
		`"tokenUsage":{"promptTokens":0,"outputTokens":0,"totalTokens":0},"turnCount":2,"name":"n"}}`},
	{"session/list params", SessionListParams{}, `{}`},
	{"session/list params with every member", SessionListParams{Cursor: "k", Limit: new(0), WorkspaceRoot: "/srv", UpdatedAfter: "2026-01-02T03:04:05.678Z"},
		`{"cursor":"k","limit":0,"workspaceRoot":"/srv","updatedAfter":"2026-01-02T03:04:05.678Z"}`},
	{"session/list result at the end", SessionListResult{}, `{"sessions":[],"nextCursor":null}`},
	{"session/list result", SessionListResult{Sessions: []Session{idleSession}, NextCursor: new("k")},
		`{"sessions":[` + idleSessionJSON + `],"nextCursor":"k"}`},
	{"session/setApprovalMode params", SessionSetApprovalModeParams{CommandID: "c1", SessionID: "s1", Mode: ModeOnRequest},
		`{"commandId":"c1","sessionId":"s1","mode":"onRequest"}`},
	{"session/setApprovalMode result", SessionSetApprovalModeResult{
		Ack: Accepted("c1"), ApplyOutcome: ApplyCompleted,
		EffectiveMode: ModeState{Mode: ModeOnRequest, Source: ModeSourceReconfigure, LastCommandID: new("c1")},
	}, `{"commandId":"c1","status":"accepted","applyOutcome":"completed",` +
		`"effectiveMode":{"mode":"onRequest","source":"approvalReconfigure","lastCommandId":"c1"}}`},
	{"session/close params", SessionCloseParams{CommandID: "c1", SessionID: "s1", Reason: "done"},
		`{"commandId":"c1","sessionId":"s1","reason":"done"}`},
	{"session/close result", SessionCloseResult{Ack: Accepted("c1")}, `{"commandId":"c1","status":"accepted"}`},
	{"session/started", SessionStarted{Session: idleSession}, `{"session":` + idleSessionJSON + `}`},
	{"session/statusChanged", SessionStatusChanged{SessionID: "s1", Status: SessionIdle, Attention: []Attention{AttentionApproval}, ViewCursor: new("v:s1:8")},
		`{"sessionId":"s1","status":"idle","attention":["approvalPending"],"viewCursor":"v:s1:8"}`},
	{"session/statusChanged before any event", SessionStatusChanged{SessionID: "s1", Status: SessionNotLoaded},
		`{"sessionId":"s1","status":"notLoaded","viewCursor":null}`},
	{"session/approvalModeChanged", SessionApprovalModeChanged{
		SessionID: seedSession, ViewCursor: "v:1", SourceRange: seedRange,
		Mode: ModeDenyUnmatched, Source: ModeSourceReconfigure, CommandID: "c1", ClientName: "my_client",
	}, `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,` +
		`"mode":"denyUnmatched","source":"approvalReconfigure","commandId":"c1","clientName":"my_client"}`},
	{"session/closed by a command", SessionClosed{SessionID: seedSession, ViewCursor: new("v:1"), SourceRange: new(seedRange), Reason: CloseRequested},
		`{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa","viewCursor":"v:1","sourceRange":` + seedRangeJSON + `,"reason":"closed"}`},
	{"session/closed by the drain", SessionClosed{SessionID: "s1", Reason: CloseHostShutdown},
		`{"sessionId":"s1","viewCursor":null,"reason":"hostShutdown"}`},
}

var viewGoldens = []golden{
	{"view/page params", ViewPageParams{SessionID: "s1", Limit: 100}, `{"sessionId":"s1","limit":100}`},
	{"view/page params with every member", ViewPageParams{SessionID: "s1", Limit: 1, Cursor: "v:s1:4", Direction: DirectionBackward, Anchor: "latestCompaction"},
		`{"sessionId":"s1","limit":1,"cursor":"v:s1:4","direction":"backward","anchor":"latestCompaction"}`},
	{"view/page result", ViewPageResult{Events: []ViewEvent{{Method: MethodApprovalRequested, Params: json.RawMessage(`{"x":"a<b"}`)}}, NextCursor: new("v:s1:4")},
		`{"events":[{"method":"approval/requested","params":{"x":"a<b"}}],"nextCursor":"v:s1:4"}`},
	{"view/page result of nothing", ViewPageResult{}, `{"events":[],"nextCursor":null}`},
	{"view/subscribe params", ViewSubscribeParams{SessionID: "s1", After: "v:s1:4"}, `{"sessionId":"s1","after":"v:s1:4"}`},
	{"view/subscribe result", ViewSubscribeResult{ViewCursor: "v:s1:8"}, `{"viewCursor":"v:s1:8"}`},
	{"view/unsubscribe params", ViewUnsubscribeParams{SessionID: "s1"}, `{"sessionId":"s1"}`},
}
