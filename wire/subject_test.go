package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSubjectsDecodeByKindAndEncodeInOrder(t *testing.T) {
	req := `{"approvalId":"a1","sourceIndex":0}`
	cases := []struct {
		name, json string
		want       any
	}{
		{"shell", `{"kind":"shell","command":"make && ls","cwd":"/srv","shell":"bash","workspaceRoot":"/srv","stages":[` +
			`{"requirementId":` + req + `,"position":1,"totalStages":2,"argv":["make"],"argvComplete":true,"resolution":{"kind":"policyAmendment","diagnostic":"d","argvPrefix":["make"]},"suggestedPrefix":{"argvPrefix":["make"],"label":"l"}},` +
			`{"requirementId":` + req + `,"position":2,"totalStages":2,"argv":["ls"],"argvComplete":false,"resolution":{"kind":"unresolved"}}]}`,
			&ShellSubject{}},
		{"shell without workspace or stages", `{"kind":"shell","command":":","cwd":"/","shell":"sh","stages":[]}`, &ShellSubject{}},
		{"file", `{"kind":"fileAccess","toolName":"write","path":"/srv/a","requestedPath":"a","access":"write","exists":false,"diff":"+x"}`, &FileSubject{}},
		{"file with a large diff", `{"kind":"fileAccess","toolName":"write","path":"/srv/a","requestedPath":"a","access":"write","exists":true,"diffOmitted":true,"diffDigest":"sha256:00"}`, &FileSubject{}},
		{"network", `{"kind":"network","host":"example.com","port":443,"protocol":"https","origin":{"kind":"shell","command":"curl","url":"https://example.com"}}`, &NetworkSubject{}},
		{"process", `{"kind":"process","action":"signal","target":"12","pid":12,"startedAt":"2026-01-02T03:04:05.678Z","argv":["sleep","9"]}`, &ProcessSubject{}},
		{"tool", `{"kind":"tool","toolName":"create","serverName":"github","transport":"stdio","arguments":{"n":1.50},"toolDigest":"sha256:00"}`, &ToolSubject{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodeSubject(json.RawMessage(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.json), c.want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back, err := Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.json, string(back)); diff != "" {
				t.Errorf("bytes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownSubjectKindIsKeptVerbatim(t *testing.T) {
	raw := json.RawMessage(`{"kind":"teleport","n":1.50, "a":"<&>"}`)
	got, err := DecodeSubject(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&UnknownSubject{Kind: "teleport", Raw: raw}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A member whose name is another in capitals says nothing about the kind: other
// readers go by the exact name.
func TestTheKindIsReadFromTheMemberOfExactlyThatName(t *testing.T) {
	for raw, want := range map[string]string{
		`{"kind":"shell","Kind":"teleport"}`: "shell",
		`{"KIND":"shell","kind":"teleport"}`: "teleport",
		`{"kind":"teleport","Kind":7}`:       "teleport",
		`{"Kind":"shell"}`:                   "",
	} {
		got, err := KindOf(json.RawMessage(raw))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: kind %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestSubjectsThatAreNoneAreRefused(t *testing.T) {
	for _, raw := range []string{``, `null`, `7`, `[]`, `{}`, `{"kind":""}`, `{"kind":7}`, `{"kind":"shell","stages":{}}`, `{"kind":"network","port":"x"}`} {
		if got, err := DecodeSubject(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: got %+v, want an error", raw, got)
		}
	}
}

func TestMembersOfSubjectsAreReadByTheirExactNames(t *testing.T) {
	got, err := DecodeSubject(json.RawMessage(`{"kind":"shell","command":"ls","Command":"make","COMMAND":"rm","cwd":"/","shell":"sh","stages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&ShellSubject{Kind: SubjectShell, Command: "ls", Cwd: "/", Shell: "sh", Stages: List[Stage]{}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := DecodeSubject(json.RawMessage(`{"kind":"shell","command":"ls","command":"rm"}`)); err == nil {
		t.Errorf("a name twice is read as %+v", got)
	}
}
