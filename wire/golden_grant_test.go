package wire

const seedGrant = "0198f0ad-9999-7000-8000-0000000000f1"

var grantGoldens = []golden{
	{"grant/list params", GrantListParams{SessionID: seedSession, WorkspaceRoot: "/srv/app"},
		`{"sessionId":"` + seedSession + `","workspaceRoot":"/srv/app"}`},
	{"grant/list params, all", GrantListParams{}, `{}`},
	{"grant/list result, none", GrantListResult{}, `{"grants":[]}`},
	{"grant/list result", GrantListResult{Grants: List[Grant]{{
		GrantID: seedGrant, Scope: ScopeLocalPersistent, Kind: SubjectShell, RulePreview: "git status …",
		CreatedBy: GrantOrigin{ApprovalID: seedApproval, CommandID: seedCommand},
		CreatedAt: "2026-01-02T03:04:05.000Z", InForce: true, SessionID: seedSession, WorkspaceRoot: "/srv/app",
	}}},
		`{"grants":[{"grantId":"` + seedGrant + `","scope":"localPersistent","kind":"shell","rulePreview":"git status …",` +
			`"createdBy":{"approvalId":"` + seedApproval + `","commandId":"` + seedCommand + `"},` +
			`"createdAt":"2026-01-02T03:04:05.000Z","inForce":true,"sessionId":"` + seedSession + `","workspaceRoot":"/srv/app"}]}`},
	{"grant/revoke params", GrantRevokeParams{CommandID: seedCommand, SessionID: seedSession, GrantID: seedGrant},
		`{"commandId":"` + seedCommand + `","sessionId":"` + seedSession + `","grantId":"` + seedGrant + `"}`},
	{"grant/revoke result", GrantRevokeResult{Ack: Accepted(seedCommand)},
		`{"commandId":"` + seedCommand + `","status":"accepted"}`},
	{"policy/changed, failed", PolicyChanged{Status: PolicyFailed, Error: "/etc/approvald/policy.toml:3: no such key"},
		`{"status":"failed","error":"/etc/approvald/policy.toml:3: no such key"}`},
	{"policy/changed, loaded", PolicyChanged{Status: PolicyLoaded}, `{"status":"loaded"}`},
	{"operation file-write, new", FileWriteOperation{Kind: OperationFileWrite, Path: "/srv/app/a", WorkspaceRoot: "/srv/app", AfterDigest: "sha256:00"},
		`{"kind":"file-write","path":"/srv/app/a","workspaceRoot":"/srv/app","beforeDigest":null,"afterDigest":"sha256:00"}`},
	{"operation shell-unrestricted", ShellUnrestrictedOperation{
		Kind: OperationShellUnrestricted, Command: "make", Cwd: "/srv/app", Filesystem: "host", Network: "host", Environment: "host",
	},
		`{"kind":"shell-unrestricted","command":"make","cwd":"/srv/app","filesystem":"host","network":"host","environment":"host"}`},
}
