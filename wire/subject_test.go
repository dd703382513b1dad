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
		decode     func(json.RawMessage) (any, error)
		want       any
	}{
		{"shell", `{"kind":"shell","command":"make && ls","cwd":"/srv","shell":"bash","workspaceRoot":"/srv","stages":[` +
			`{"requirementId":` + req + `,"position":1,"totalStages":2,"argv":["make"],"argvComplete":true,"resolution":{"kind":"policyAmendment","diagnostic":"d","argvPrefix":["make"]},"suggestedPrefix":{"argvPrefix":["make"],"label":"l"}},` +
			`{"requirementId":` + req + `,"position":2,"totalStages":2,"argv":["ls"],"argvComplete":false,"resolution":{"kind":"unresolved"}}]}`,
			DecodeSubject, &ShellSubject{}},
		{"shell without workspace or stages", `{"kind":"shell","command":":","cwd":"/","shell":"sh","stages":[]}`, DecodeSubject, &ShellSubject{}},
		{"file", `{"kind":"fileAccess","toolName":"write","path":"/srv/a","requestedPath":"a","access":"write","exists":false,"diff":"+x"}`, DecodeSubject, &FileSubject{}},
		{"file with a large diff", `{"kind":"fileAccess","toolName":"write","path":"/srv/a","requestedPath":"a","access":"write","exists":true,"diffOmitted":true,"diffDigest":"sha256:00"}`, DecodeSubject, &FileSubject{}},
		{"network", `{"kind":"network","host":"example.com","port":443,"protocol":"https","origin":{"kind":"shell","command":"curl","url":"https://example.com"}}`, DecodeSubject, &NetworkSubject{}},
		{"process", `{"kind":"process","action":"signal","target":"12","pid":12,"startedAt":"2026-01-02T03:04:05.678Z","argv":["sleep","9"]}`, DecodeSubject, &ProcessSubject{}},
		{"tool", `{"kind":"tool","toolName":"create","serverName":"github","transport":"stdio","arguments":{"n":1.50},"toolDigest":"sha256:00"}`, DecodeSubject, &ToolSubject{}},
		{"open shell", `{"kind":"shell","command":"a","cwd":"/","shell":"zsh","path":"/bin"}`, DecodeOpenSubject, &OpenShell{}},
		{"open file", `{"kind":"fileAccess","path":"a","access":"read","content":"","diff":"+x","cwd":"/srv"}`, DecodeOpenSubject, &OpenFile{}},
		{"open network", `{"kind":"network","url":"https://example.com","host":"h","port":1,"protocol":"tcp"}`, DecodeOpenSubject, &OpenNetwork{}},
		{"open process", `{"kind":"process","action":"spawn","pid":1,"startedAt":"x","argv":["a"],"target":"t"}`, DecodeOpenSubject, &OpenProcess{}},
		{"open tool", `{"kind":"tool","serverName":"s","toolName":"t","transport":"http","arguments":[]}`, DecodeOpenSubject, &OpenTool{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.decode(json.RawMessage(c.json))
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
	for _, decode := range []func(json.RawMessage) (any, error){DecodeSubject, DecodeOpenSubject} {
		got, err := decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&UnknownSubject{Kind: "teleport", Raw: raw}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
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
