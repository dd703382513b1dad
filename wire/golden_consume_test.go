package wire

var consumeGoldens = []golden{
	{"approval/consume params", ApprovalConsumeParams{
		CommandID: seedCommand, SessionID: seedSession, ApprovalID: seedApproval, ToolCallID: "call_1", ArgsDigest: "sha256:00", SubjectDigest: "sha256:01",
	},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","approvalId":"` + seedApproval + `",` +
			`"toolCallId":"call_1","argsDigest":"sha256:00","subjectDigest":"sha256:01"}`},
	{"approval/consume result, allowed", ApprovalConsumeResult{
		Ack: Accepted(seedCommand), PolicyResult: PolicyAllow, Outcome: OutcomeAllowedOnce, Decision: DecisionApproved,
		Consumed: true, Permit: &Permit{ArgsDigest: "sha256:00", SubjectDigest: "sha256:01"},
	},
		`{"commandId":"` + seedCommand + `","status":"accepted","policyResult":"allow","outcome":"allowedOnce","decision":"approved",` +
			`"consumed":true,"permit":{"argsDigest":"sha256:00","subjectDigest":"sha256:01"}}`},
	{"approval/consume result, denied", ApprovalConsumeResult{
		Ack: Accepted(seedCommand), PolicyResult: PolicyDeny, Outcome: OutcomeRejected, Decision: DecisionAbort,
		Consumed: true, Denial: &Denial{Kind: DenialRejected, Message: "No."},
	},
		`{"commandId":"` + seedCommand + `","status":"accepted","policyResult":"deny","outcome":"rejected","decision":"abort",` +
			`"consumed":true,"denial":{"kind":"rejected","message":"No."}}`},
}
