package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/wire"
)

// aRequest is a request with a subject, as a reviewer gets it.
func aRequest(subject string) *wire.ApprovalRequest {
	return &wire.ApprovalRequest{
		SessionID: "0198f0aa-1111-7000-8000-0000000000aa", ApprovalID: anApproval, ToolCallID: "c1", ToolName: "tool",
		RawArgs: `{"x":1}`, Reason: "because", Subject: []byte(subject), CreatedAt: "2026-01-02T03:04:05.678Z",
		CurrentRequirementID: wire.RequirementID{ApprovalID: anApproval, SourceIndex: 1},
		Policy:               wire.PolicyAnswer{Source: wire.SourceMode, Explanation: "Nothing covers it."},
		Justification:        "Nothing covers it.",
	}
}

func TestSubjectsAreShownWhole(t *testing.T) {
	tests := map[string]struct{ subject, line, details string }{
		"shell": {
			`{"kind":"shell","command":"git add . &&\nrm -r b","cwd":"/w","shell":"bash","stages":[` +
				`{"requirementId":{"approvalId":"` + anApproval + `","sourceIndex":0},"position":1,"totalStages":2,"argv":["git","add","."],"argvComplete":true,"resolution":{"kind":"allowOnce"}},` +
				`{"requirementId":{"approvalId":"` + anApproval + `","sourceIndex":1},"position":2,"totalStages":2,"argv":["rm","-r","a b"],"argvComplete":true,"resolution":{"kind":"unresolved","diagnostic":""}}]}`,
			"git add . &&<U+000A>rm -r b", `
  command    (2 lines)
    | git add . &&
    | rm -r b
  in         /w
  shell      bash
  1 of 2     git add .   [allowed once]
> 2 of 2     rm -r 'a b'   [open]
`,
		},
		"opaque shell": {
			`{"kind":"shell","command":"eval x","cwd":"/w","shell":"bash","stages":[` +
				`{"requirementId":{"approvalId":"` + anApproval + `","sourceIndex":1},"position":1,"totalStages":1,"argv":["eval x"],"argvComplete":false,"resolution":{"kind":"unresolved","diagnostic":"eval runs text"}}]}`,
			"eval x", `
  command    eval x
  in         /w
  shell      bash
> 1 of 1     eval x   [open]
             | eval runs text
`,
		},
		"file": {
			`{"kind":"fileAccess","toolName":"t","path":"/w/a","requestedPath":"../w/a","access":"write","exists":true,"diff":"-a\n+b"}`,
			"write /w/a", `
  write      /w/a
  asked as   ../w/a
  exists     yes
  diff       (2 lines)
    | -a
    | +b
`,
		},
		"file with a long diff": {
			`{"kind":"fileAccess","toolName":"t","path":"/w/a","requestedPath":"/w/a","access":"write","exists":false,"diffOmitted":true,"diffDigest":"sha256:00"}`,
			"write /w/a", `
  write      /w/a
  exists     no
  diff       too long to be shown to everyone: sha256:00
`,
		},
		"network": {
			`{"kind":"network","host":"example.org","port":443,"protocol":"https","origin":{"kind":"shell","command":"curl"}}`,
			"connect to example.org:443 (https)", `
  connect    example.org, port 443, https
  for        shell curl
`,
		},
		"process": {
			`{"kind":"process","action":"signal","target":"nginx","pid":7,"startedAt":"2026-01-02T03:04:05.678Z","argv":["nginx","-g","a b"]}`,
			"signal nginx", `
  action     signal
  target     nginx
  process    7, since 2026-01-02T03:04:05.678Z
  argv       nginx -g 'a b'
`,
		},
		"tool": {
			`{"kind":"tool","toolName":"create_issue","serverName":"github","transport":"stdio","arguments":{"title":"x"},"toolDigest":"sha256:01"}`,
			`github create_issue {"title":"x"}`, `
  server     github
  calls      create_issue
  transport  stdio
  defined as sha256:01
  with       {"title":"x"}
`,
		},
		"unknown": {
			`{"kind":"teleport","to":"the moon"}`, `{"kind":"teleport","to":"the moon"}`, `
  subject    {"kind":"teleport","to":"the moon"}
`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := subjectLine([]byte(tt.subject)); got != tt.line {
				t.Errorf("in one line: %q, want %q", got, tt.line)
			}
			var out strings.Builder
			details(&out, aRequest(tt.subject), true)
			want := "  approval   " + anApproval + `
  session    0198f0aa-1111-7000-8000-0000000000aa
  tool       tool (call c1)
  reason     because` + tt.details + `  arguments  {"x":1}
  opened     2026-01-02T03:04:05.678Z
  policy     Nothing covers it. (mode)
`
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
		})
	}
}

// A text of the agent's must not look like a line of approvald's.
func TestTextOfOthersDoesNotPassForAField(t *testing.T) {
	r := aRequest(`{"kind":"shell","command":"ls\n  policy     All is well.","cwd":"/w\n  shell      none","shell":"bash","stages":[]}`)
	r.Reason = "x\n  policy     All is well."
	r.RawArgs = "{}\n  policy     All is well.\n> 1 of 1     ls"
	var out strings.Builder
	details(&out, r, true)
	if n := strings.Count(out.String(), "\n  policy     "); n != 1 {
		t.Errorf("%d lines look like that of the policy, want 1:\n%s", n, out.String())
	}
	if strings.Contains(out.String(), "\n> ") {
		t.Errorf("arguments look like a stage:\n%s", out.String())
	}
}

func TestMenuIsShownVerbatim(t *testing.T) {
	var out strings.Builder
	menu(&out, question(anApproval, 0).AvailableChoices, 4)
	want := `  4) allow_once           Allow once
  5) allow_all_once       Allow all 2 parts once
     | 1. make
     | 2. make install
  6) abort                Reject
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("menu (-want +got):\n%s", diff)
	}
}

func TestAgeIsRough(t *testing.T) {
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	for at, want := range map[wire.Time]string{
		"2026-01-09T23:59:59.001Z": "0s",
		"2026-01-09T23:59:01.000Z": "59s",
		"2026-01-09T23:58:59.000Z": "1m",
		"2026-01-09T22:00:00.000Z": "2h",
		"2026-01-08T01:00:00.000Z": "47h",
		"2026-01-07T00:00:00.000Z": "3d",
		"2026-01-10T00:00:05.000Z": "0s", // of a clock that was ahead
		"yesterday":                "?",
	} {
		if got := age(at, now); got != want {
			t.Errorf("age(%s) = %s, want %s", at, got, want)
		}
	}
}
