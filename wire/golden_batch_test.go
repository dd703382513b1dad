package wire

import "encoding/json"

var batchGoldens = []golden{
	{"approval/prepare params", ApprovalPrepareParams{
		CommandID: seedCommand, SessionID: seedSession, RunID: "r1", Requests: []ApprovalPrepareRequest{
			{ToolCallID: "call_1", ToolName: "bash", RawArgs: `{}`, Reason: "r", Subject: json.RawMessage(`{"kind":"x"}`)},
			{
				ToolCallID: "call_2", ToolName: "bash", RawArgs: `{}`, Reason: "r", Subject: json.RawMessage(`{"kind":"x"}`),
				Justification: "j", Operation: json.RawMessage(`{"kind":"shell-unrestricted"}`), TurnID: "t1", TaskID: "k1", ItemID: "i1",
				ParentToolCallID: "call_0", Requested: true, TimeoutMs: new(int64(0)), Unattended: UnattendedPark, CatalogID: "g1", RunID: "r1",
			},
		},
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","runId":"r1","requests":[` +
			`{"toolCallId":"call_1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"x"}},` +
			`{"toolCallId":"call_2","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"x"},` +
			`"justification":"j","operation":{"kind":"shell-unrestricted"},"turnId":"t1","taskId":"k1","itemId":"i1",` +
			`"parentToolCallId":"call_0","requested":true,"timeoutMs":0,"unattended":"park","catalogId":"g1","runId":"r1"}]}`},
	{"approval/prepare result", ApprovalPrepareResult{
		Ack: Accepted(seedCommand), Approvals: []PreparedApproval{
			{ApprovalID: "a1", ToolCallID: "call_1", ArgsDigest: "sha256:00", SubjectDigest: "sha256:01"},
			{ApprovalID: seedApproval, ToolCallID: "call_2", ArgsDigest: "sha256:00", SubjectDigest: "sha256:01", Created: true, Resolution: &allowed},
		},
	},
		`{"commandId":"` + seedCommand + `","status":"accepted","approvals":[` +
			`{"approvalId":"a1","toolCallId":"call_1","argsDigest":"sha256:00","subjectDigest":"sha256:01","created":false},` +
			`{"approvalId":"` + seedApproval + `","toolCallId":"call_2","argsDigest":"sha256:00","subjectDigest":"sha256:01","created":true,"resolution":` + allowedJSON + `}]}`},
	{"approval/consumeAll params", ApprovalConsumeAllParams{
		CommandID: seedCommand, SessionID: seedSession, RunID: "r1", Items: []ApprovalConsumeItem{
			{ApprovalID: seedApproval, ToolCallID: "call_1", ArgsDigest: "sha256:00"},
			{ApprovalID: "a2", ToolCallID: "call_2", ArgsDigest: "sha256:00", Expect: PolicyDeny},
		},
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","runId":"r1","items":[` +
			`{"approvalId":"` + seedApproval + `","toolCallId":"call_1","argsDigest":"sha256:00"},` +
			`{"approvalId":"a2","toolCallId":"call_2","argsDigest":"sha256:00","expect":"deny"}]}`},
	{"approval/consumeAll result", ApprovalConsumeAllResult{
		Ack: Accepted(seedCommand), Decisions: []ConsumedDecision{
			{
				ApprovalID: seedApproval, ToolCallID: "call_1", PolicyResult: PolicyAllow, Outcome: OutcomeAllowedOnce, Decision: DecisionApproved,
				Consumed: true, Permit: &Permit{ArgsDigest: "sha256:00", SubjectDigest: "sha256:01"},
			},
			{
				ApprovalID: "a2", ToolCallID: "call_2", PolicyResult: PolicyDeny, Outcome: OutcomeAllowedOnce, Decision: DecisionDenied,
				Denial: &Denial{Kind: DenialConflict, Message: "No."},
			},
		},
	},
		`{"commandId":"` + seedCommand + `","status":"accepted","decisions":[` +
			`{"approvalId":"` + seedApproval + `","toolCallId":"call_1","policyResult":"allow","outcome":"allowedOnce","decision":"approved",` +
			`"consumed":true,"permit":{"argsDigest":"sha256:00","subjectDigest":"sha256:01"}},` +
			`{"approvalId":"a2","toolCallId":"call_2","policyResult":"deny","outcome":"allowedOnce","decision":"denied",` +
			`"consumed":false,"denial":{"kind":"conflict","message":"No."}}]}`},
}
