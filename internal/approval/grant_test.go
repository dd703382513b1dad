package approval_test

import (
	"encoding/json"
	"testing"

	"github.com/approvald/approvald/internal/approval"
)

// Session-grant equivalence, kind by kind (policy.md, protocol §6).
func TestReachTellsApartWhatAGrantTellsApart(t *testing.T) {
	const (
		same    = true
		another = false
	)
	shell := approval.Shell{Command: "make test", Cwd: "/srv/app", Shell: "bash"}
	file := approval.File{ToolName: "write", Path: "/srv/app/a.txt", RequestedPath: "a.txt", Access: "write"}
	network := approval.Network{Host: "example.org", Port: 443, Protocol: "https"}
	process := approval.Process{Action: "signal", Target: "SIGTERM", PID: 17, StartedAt: "2026-01-02T03:04:05.678Z", Argv: []string{"sleep", "1"}}
	tool := approval.Tool{ServerName: "github", ToolName: "create_issue"}
	for _, c := range []struct {
		name string
		a, b approval.Subject
		want bool
	}{
		{"shell: itself", shell, shell, same},
		{"shell: stages do not count", shell, with(shell, func(s *approval.Shell) { s.Stages = []approval.Stage{{Position: 1}} }), same},
		{"shell: a blank more", shell, with(shell, func(s *approval.Shell) { s.Command = "make  test" }), another},
		{"shell: a blank behind", shell, with(shell, func(s *approval.Shell) { s.Command = "make test " }), another},
		{"shell: another cwd", shell, with(shell, func(s *approval.Shell) { s.Cwd = "/srv" }), another},
		{"shell: another shell", shell, with(shell, func(s *approval.Shell) { s.Shell = "sh" }), another},
		{"shell: cwd and command run together", approval.Shell{Cwd: "/a", Command: "b c"}, approval.Shell{Cwd: "/a b", Command: "c"}, another},

		{"file: itself", file, file, same},
		{"file: another spelling of the real path", file, with(file, func(f *approval.File) { f.RequestedPath = "./a.txt" }), same},
		{"file: by another tool", file, with(file, func(f *approval.File) { f.ToolName = "edit" }), same},
		{"file: created meanwhile", file, with(file, func(f *approval.File) { f.Exists = true }), same},
		{"file: write does not imply read", file, with(file, func(f *approval.File) { f.Access = "read" }), another},
		{"file: a longer path", file, with(file, func(f *approval.File) { f.Path = "/srv/app/a.txt/b" }), another},
		{"file: its directory", file, with(file, func(f *approval.File) { f.Path = "/srv/app" }), another},
		{"file: another case", file, with(file, func(f *approval.File) { f.Path = "/srv/app/A.txt" }), another},

		{"network: itself", network, network, same},
		{"network: from another URL", network, with(network, func(n *approval.Network) { n.Origin = &approval.Origin{Kind: "url", URL: "https://example.org/x"} }), same},
		{"network: a sub-name", network, with(network, func(n *approval.Network) { n.Host = "www.example.org" }), another},
		{"network: another port", network, with(network, func(n *approval.Network) { n.Port = 8443 }), another},
		{"network: another protocol", network, with(network, func(n *approval.Network) { n.Protocol = "http" }), another},

		{"process: itself", process, process, same},
		{"process: another action", process, with(process, func(p *approval.Process) { p.Action = "attach" }), another},
		{"process: another target", process, with(process, func(p *approval.Process) { p.Target = "SIGKILL" }), another},
		{"process: another pid", process, with(process, func(p *approval.Process) { p.PID = 18 }), another},
		{"process: a recycled pid", process, with(process, func(p *approval.Process) { p.StartedAt = "2026-01-02T03:04:05.679Z" }), another},
		{"process: words run together", process, with(process, func(p *approval.Process) { p.Argv = []string{"sleep 1"} }), another},
		{"process: a word that spells the end of one", approval.Process{Argv: []string{`a","b`}}, approval.Process{Argv: []string{"a", "b"}}, another},
		{"process: an empty word more", process, with(process, func(p *approval.Process) { p.Argv = []string{"sleep", "1", ""} }), another},
		{"process: an argv of no words is none", with(process, func(p *approval.Process) { p.Argv = nil }), with(process, func(p *approval.Process) { p.Argv = []string{} }), same},

		{"tool: itself", tool, tool, same},
		{"tool: other arguments", tool, with(tool, func(l *approval.Tool) { l.Arguments = json.RawMessage(`{"a":1}`) }), same},
		{"tool: another tool", tool, with(tool, func(l *approval.Tool) { l.ToolName = "close_issue" }), another},
		{"tool: of another server", tool, with(tool, func(l *approval.Tool) { l.ServerName = "gitlab" }), another},
		{"tool: the agent's own of that name", tool, with(tool, func(l *approval.Tool) { l.ServerName = "" }), another},
		{"tool: server and tool join to the same text", approval.Tool{ServerName: "a__b", ToolName: "c"}, approval.Tool{ServerName: "a", ToolName: "b__c"}, another},
		{"tool: server and tool swapped", approval.Tool{ServerName: "a", ToolName: "b"}, approval.Tool{ServerName: "b", ToolName: "a"}, another},

		{"kinds: a tool that is named like a file", approval.Tool{ToolName: "/srv/app/a.txt"}, file, another},
		{"kinds: empty subjects", approval.File{}, approval.Network{}, another},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, ok := c.a.Reach()
			if !ok {
				t.Fatal("a session grant is not defined for the first")
			}
			b, ok := c.b.Reach()
			if !ok {
				t.Fatal("a session grant is not defined for the second")
			}
			if got := a == b; got != c.want {
				t.Errorf("equal: %v, want %v\n%+v\n%+v", got, c.want, a, b)
			}
		})
	}
}

func TestReachIsThatOfTheSubjectAsTheLogKeepsIt(t *testing.T) {
	for _, c := range published {
		t.Run(c.name, func(t *testing.T) {
			kept, err := approval.DecodeSubject(json.RawMessage(c.json))
			if err != nil {
				t.Fatal(err)
			}
			before, ok := c.subject.Reach()
			after, still := kept.Reach()
			if before != after || ok != still {
				t.Errorf("%+v became %+v", before, after)
			}
		})
	}
}

func TestNoGrantIsDefinedForAnUnknownKind(t *testing.T) {
	u := approval.Unknown{Name: "shell", Raw: json.RawMessage(`{"kind":"shell","command":"ls"}`)}
	if reach, ok := u.Reach(); ok || reach != (approval.Reach{}) {
		t.Errorf("Reach = %+v, %v", reach, ok)
	}
}

// with is a copy of s that change was applied to.
func with[S any](s S, change func(*S)) S {
	change(&s)
	return s
}
