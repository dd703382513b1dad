package approval_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// published holds a subject of each kind with every member set, and the exact
// bytes that reviewers and the log get (protocol §6 "Subjects").
var published = []struct {
	name    string
	subject approval.Subject
	json    string
}{
	{"shell", approval.Shell{
		Command: "make clean && make <test>", Cwd: "/srv/app", Shell: "bash", WorkspaceRoot: "/srv",
		Stages: []approval.Stage{
			{
				Position: 1, TotalStages: 2, Argv: []string{"make", "clean"}, ArgvComplete: true,
				RequirementID: approval.RequirementID{Approval: approval.ID{15: 0xe1}},
				Resolution:    approval.StageResolution{Kind: approval.StageAllowOnce},
			},
			{
				Position: 2, TotalStages: 2, Argv: []string{"make", "<test>"},
				RequirementID: approval.RequirementID{Approval: approval.ID{15: 0xe1}, SourceIndex: 1},
				Resolution:    approval.StageResolution{Kind: approval.StageUnresolved, Diagnostic: "a & b"},
			},
		},
	}, `{"kind":"shell","command":"make clean && make <test>","cwd":"/srv/app","shell":"bash","workspaceRoot":"/srv","stages":[` +
		`{"requirementId":{"approvalId":"00000000-0000-0000-0000-0000000000e1","sourceIndex":0},"position":1,"totalStages":2,` +
		`"argv":["make","clean"],"argvComplete":true,"resolution":{"kind":"allowOnce"}},` +
		`{"requirementId":{"approvalId":"00000000-0000-0000-0000-0000000000e1","sourceIndex":1},"position":2,"totalStages":2,` +
		`"argv":["make","<test>"],"argvComplete":false,"resolution":{"kind":"unresolved","diagnostic":"a & b"}}]}`},
	{"file", approval.File{
		ToolName: "write", Path: "/srv/app/a.txt", RequestedPath: "./a.txt", Access: "write", Exists: true,
		Diff: "-<a>\n+&b\n",
	}, `{"kind":"fileAccess","toolName":"write","path":"/srv/app/a.txt","requestedPath":"./a.txt","access":"write",` +
		`"exists":true,"diff":"-<a>\n+&b\n"}`},
	{"file with a diff that is too long", approval.File{
		ToolName: "write", Path: "/srv/app/a.txt", RequestedPath: "a.txt", Access: "write",
		DiffOmitted: true, DiffDigest: "sha256:aa",
	}, `{"kind":"fileAccess","toolName":"write","path":"/srv/app/a.txt","requestedPath":"a.txt","access":"write",` +
		`"exists":false,"diffOmitted":true,"diffDigest":"sha256:aa"}`},
	{"network", approval.Network{
		Host: "example.org", Port: 443, Protocol: "https",
		Origin: &approval.Origin{Kind: "url", URL: "https://example.org/?a=1&b=<2>"},
	}, `{"kind":"network","host":"example.org","port":443,"protocol":"https","origin":{"kind":"url","url":"https://example.org/?a=1&b=<2>"}}`},
	{"process", approval.Process{
		Action: "signal", Target: "SIGTERM", PID: 17, StartedAt: "2026-01-02T03:04:05.678Z", Argv: []string{"sleep", "1 & 2"},
	}, `{"kind":"process","action":"signal","target":"SIGTERM","pid":17,"startedAt":"2026-01-02T03:04:05.678Z","argv":["sleep","1 & 2"]}`},
	{"tool", approval.Tool{
		ToolName: "create_issue", ServerName: "github", Transport: "stdio",
		Arguments: json.RawMessage(`{"title":"a && <b>","n":1.50}`), ToolDigest: "sha256:bb",
	}, `{"kind":"tool","toolName":"create_issue","serverName":"github","transport":"stdio",` +
		`"arguments":{"title":"a && <b>","n":1.50},"toolDigest":"sha256:bb"}`},
	{"unknown", approval.Unknown{
		Name: "teleport", Raw: json.RawMessage(`{ "to" : "a && <b>", "kind":"teleport", "n":1.50 }`),
	}, `{ "to" : "a && <b>", "kind":"teleport", "n":1.50 }`},
}

func TestSubjectsEncodeToTheirPublishedBytes(t *testing.T) {
	for _, c := range published {
		t.Run(c.name, func(t *testing.T) {
			got, err := approval.EncodeSubject(c.subject)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.json, string(got)); diff != "" {
				t.Errorf("bytes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPublishedSubjectsDecodeToWhatTheyWere(t *testing.T) {
	for _, c := range published {
		t.Run(c.name, func(t *testing.T) {
			got, err := approval.DecodeSubject(json.RawMessage(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.subject, got); diff != "" {
				t.Errorf("subject (-want +got):\n%s", diff)
			}
		})
	}
}

// The two descriptions of the published form, here and in wire, are one.
func TestPublishedSubjectsAreThoseOfTheWire(t *testing.T) {
	for _, c := range published {
		t.Run(c.name, func(t *testing.T) {
			decoded, err := wire.DecodeSubject(json.RawMessage(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if u, ok := decoded.(*wire.UnknownSubject); ok {
				if string(u.Raw) != c.json {
					t.Errorf("the wire keeps %s", u.Raw)
				}
				return
			}
			got, err := wire.Marshal(decoded)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.json, string(got)); diff != "" {
				t.Errorf("bytes (-here +wire):\n%s", diff)
			}
		})
	}
}

func TestEverySubjectSurvivesItsPublishedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anySubject().Draw(t, "subject")
		first, err := approval.EncodeSubject(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := approval.DecodeSubject(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", first, diff)
		}
		second, err := approval.EncodeSubject(got)
		if err != nil {
			t.Fatal(err)
		}
		if string(second) != string(first) {
			t.Fatalf("published %s, then %s", first, second)
		}
	})
}

func TestDecodeSubjectRefusesWhatHasNoKind(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":                      ``,
		"null":                         `null`,
		"a scalar":                     `17`,
		"a list":                       `[{"kind":"shell"}]`,
		"no kind":                      `{"command":"ls"}`,
		"a kind in another case":       `{"Kind":"teleport"}`,
		"two kinds":                    `{"kind":"teleport","kind":"shell"}`,
		"an empty kind":                `{"kind":""}`,
		"a kind that is no text":       `{"kind":1}`,
		"a cut text":                   `{"kind":"shell"`,
		"a member of the wrong type":   `{"kind":"network","port":"443"}`,
		"a stage without its approval": `{"kind":"shell","stages":[{"requirementId":{"approvalId":"x"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := approval.DecodeSubject(json.RawMessage(raw))
			if !errors.Is(err, approval.ErrSubject) || got != nil {
				t.Errorf("DecodeSubject(%s) = %v, %v; want an error that is ErrSubject", raw, got, err)
			}
		})
	}
}

func TestAKindOfAnotherSpellingIsUnknown(t *testing.T) {
	for _, kind := range []string{"Shell", "SHELL", "shell ", "file", "fileaccess", "tools", "unixSocket"} {
		t.Run(kind, func(t *testing.T) {
			got, err := approval.DecodeSubject(json.RawMessage(`{"kind":"` + kind + `","command":"ls"}`))
			if err != nil {
				t.Fatal(err)
			}
			if u, ok := got.(approval.Unknown); !ok || u.Kind() != kind {
				t.Errorf("it is read as %#v", got)
			}
		})
	}
}

// A reader that matches names in any case would take this for a command line
// with stages that the agent wrote; whatever reads it, reads one kind.
func TestAMemberThatOnlyLooksLikeTheKindIsNotTheKind(t *testing.T) {
	for _, raw := range []string{
		`{"kind":"teleport","KIND":"shell","command":"ls","stages":[]}`,
		`{"Kind":"shell","kind":"teleport","command":"ls","stages":[]}`,
	} {
		t.Run(raw, func(t *testing.T) {
			got, err := approval.DecodeSubject(json.RawMessage(raw))
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind() != "teleport" {
				t.Errorf("it is read as %#v", got)
			}
		})
	}
}

func TestWithResolutionsReplacesStagesOfACopy(t *testing.T) {
	shell := approval.Shell{Stages: []approval.Stage{
		{Position: 1, Resolution: approval.StageResolution{Kind: approval.StageUnresolved}},
		{Position: 2, Resolution: approval.StageResolution{Kind: approval.StageUnresolved}},
	}}
	once := approval.StageResolution{Kind: approval.StageAllowOnce}
	got := approval.Resolutions(approval.WithResolutions(shell, []approval.StageResolution{once}))
	want := []approval.StageResolution{once, {Kind: approval.StageUnresolved}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resolutions (-want +got):\n%s", diff)
	}
	if !shell.Stages[0].Resolution.Open() {
		t.Error("the argument was modified")
	}
	more := append(want, once)
	if got := approval.Resolutions(approval.WithResolutions(shell, more)); len(got) != 2 {
		t.Errorf("a resolution without a stage made one: %v", got)
	}
}

func TestOnlyShellSubjectsHaveStages(t *testing.T) {
	for _, c := range published {
		t.Run(c.name, func(t *testing.T) {
			_, shell := c.subject.(approval.Shell)
			if got := approval.Resolutions(c.subject); (got != nil) != shell {
				t.Errorf("Resolutions = %v", got)
			}
			if shell {
				return
			}
			once := []approval.StageResolution{{Kind: approval.StageAllowOnce}}
			if diff := cmp.Diff(c.subject, approval.WithResolutions(c.subject, once)); diff != "" {
				t.Errorf("WithResolutions changed it:\n%s", diff)
			}
		})
	}
}

func TestOnlyAnUnresolvedStageIsOpen(t *testing.T) {
	for state, want := range map[approval.StageState]bool{
		approval.StageUnresolved:  true,
		approval.StageKnownSafe:   false,
		approval.StagePolicyAllow: false,
		approval.StageAllowOnce:   false,
	} {
		if got := (approval.StageResolution{Kind: state}).Open(); got != want {
			t.Errorf("%s: Open = %v", state, got)
		}
	}
}

// text draws strings with what JSON encoders like to escape in them.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "a && b", "<&>", "\u2028\u2029", "\x00\x1f\x7f", `"\/`, "é𝕏", "\ufffd", "null"}),
	).Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s })
}

// rawJSON draws compact JSON values.
func rawJSON() *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		return json.RawMessage(rapid.SampledFrom([]string{
			`null`, `{}`, `[]`, `1.50`, `1E400`, `"\u003c<&"`, `{"b":1,"a":{"c":[true,null]}}`, `{"a":" x "}`,
		}).Draw(t, "json"))
	})
}

func anySubject() *rapid.Generator[approval.Subject] {
	return rapid.Custom(func(t *rapid.T) approval.Subject {
		s := func(label string) string { return text().Draw(t, label) }
		words := rapid.SliceOfN(text(), 1, 4)
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			shell := approval.Shell{Command: s("command"), Cwd: s("cwd"), Shell: s("shell"), WorkspaceRoot: s("root")}
			for i := range rapid.IntRange(1, 3).Draw(t, "stages") {
				shell.Stages = append(shell.Stages, approval.Stage{
					RequirementID: approval.RequirementID{Approval: anyID().Draw(t, "id"), SourceIndex: i},
					Position:      i + 1, TotalStages: 3, Argv: words.Draw(t, "argv"), ArgvComplete: rapid.Bool().Draw(t, "complete"),
					Resolution: approval.StageResolution{Kind: approval.StageState(s("state")), Diagnostic: s("diagnostic")},
				})
			}
			return shell
		case 1:
			return approval.File{
				ToolName: s("tool"), Path: s("path"), RequestedPath: s("requested"), Access: s("access"),
				Exists: rapid.Bool().Draw(t, "exists"), Diff: s("diff"), DiffOmitted: rapid.Bool().Draw(t, "omitted"), DiffDigest: s("digest"),
			}
		case 2:
			n := approval.Network{Host: s("host"), Port: rapid.Int().Draw(t, "port"), Protocol: s("protocol")}
			if rapid.Bool().Draw(t, "from a URL") {
				n.Origin = &approval.Origin{Kind: s("origin"), URL: s("url")}
			}
			return n
		case 3:
			p := approval.Process{Action: s("action"), Target: s("target"), PID: rapid.Int().Draw(t, "pid"), StartedAt: s("started")}
			if rapid.Bool().Draw(t, "with argv") {
				p.Argv = words.Draw(t, "argv")
			}
			return p
		case 4:
			tool := approval.Tool{ToolName: s("tool"), ServerName: s("server"), Transport: s("transport"), ToolDigest: s("digest")}
			if rapid.Bool().Draw(t, "with arguments") {
				tool.Arguments = rawJSON().Draw(t, "arguments")
			}
			return tool
		default:
			raw := rawJSON().Draw(t, "value")
			return approval.Unknown{Name: "teleport", Raw: json.RawMessage(`{"value": ` + string(raw) + `, "kind":"teleport"}`)}
		}
	})
}
