package rulefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rulefile"
)

// The example of policy.md "Files", and every other key once.
const whole = `mode = "promptUnmatched"
agent_presets = ["workspace-write"]
inherit = "none"
max_pending = 50
protected = ["deploy/**"]
unprotected = ["**/.vscode/tasks.json"]

[[rule]]
effect = "allow"
kind = "shell"
argv_prefix = ["git", "status"]
reason = "looks only"
[[rule]]
effect = "allow"
kind = "shell"
class = "read-only"
programs = ["cat", "ls"]
[[rule]]
effect = "deny"
kind = "shell"
argv_prefix = []
[[rule]]
effect = "allow"
kind = "file"
access = "write"
path_glob = "src/**"
[[rule]]
effect = "deny"
kind = "file"
access = "read"
path_glob = "~/.ssh/**"
[[rule]]
effect = "ask"
kind = "file"
access = "read"
outside_workspace = true
[[rule]]
effect = "deny"
kind = "network"
class = "metadata"
[[rule]]
effect = "allow"
kind = "network"
host = "*.example.org"
port = 8443
[[rule]]
effect = "allow"
kind = "process"
action = "signal"
target = "SIGTERM"
[[rule]]
effect = "deny"
kind = "tool"
server = "*"
tool = "delete_everything"
[[tool]]
server = "github"
tool = "create_issue"
mode = "oncePerSession"
reason = "writes for all to see"
`

func TestEveryKeyIsRead(t *testing.T) {
	file, err := rulefile.Parse("policy.toml", rulefile.User, []byte(whole))
	must(t, err)
	at := func(index, line int) policy.Ref {
		return policy.Ref{Layer: rulefile.User, File: "policy.toml", Index: index, Line: line}
	}
	want := rulefile.File{
		Name: "policy.toml", Layer: rulefile.User,
		Mode: approval.PromptUnmatched, AgentPresets: []approval.Preset{approval.WorkspaceWrite}, NoInherit: true, MaxPending: 50,
		Body: policy.Layer{
			Protected: []string{"deploy/**"}, Unprotected: []string{"**/.vscode/tasks.json"},
			Rules: []policy.Rule{
				{Ref: at(1, 8), Kind: approval.KindShell, HasArgv: true, Argv: []string{"git", "status"}, Reason: "looks only"},
				{Ref: at(2, 13), Kind: approval.KindShell, Class: "read-only", Programs: []string{"cat", "ls"}},
				{Ref: at(3, 18), Effect: policy.Deny, Kind: approval.KindShell, HasArgv: true},
				{Ref: at(4, 22), Kind: approval.KindFile, Access: approval.Write, Glob: "src/**"},
				{Ref: at(5, 27), Effect: policy.Deny, Kind: approval.KindFile, Access: approval.Read, Glob: "~/.ssh/**"},
				{Ref: at(6, 32), Effect: policy.Ask, Kind: approval.KindFile, Access: approval.Read, Outside: true},
				{Ref: at(7, 37), Effect: policy.Deny, Kind: approval.KindNetwork, Class: "metadata"},
				{Ref: at(8, 41), Kind: approval.KindNetwork, Host: "*.example.org", Port: 8443},
				{Ref: at(9, 46), Kind: approval.KindProcess, Action: "signal", Target: "SIGTERM"},
				{Ref: at(10, 51), Effect: policy.Deny, Kind: approval.KindTool, Server: "*", Tool: "delete_everything"},
			},
			Tools: []policy.ToolRule{{
				Server: "github", Tool: "create_issue", Mode: policy.OncePerSession, Reason: "writes for all to see",
				Ref: policy.Ref{Layer: rulefile.User, File: "policy.toml", Index: 1, Line: 56, Tool: true},
			}},
		},
	}
	if diff := cmp.Diff(want, file, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(rulefile.File{})); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

func TestAPolicyWithoutFilesIsEmpty(t *testing.T) {
	loaded := newRoom(t).load()
	if loaded.Policy == nil || loaded.Mode != "" || loaded.Ceiling != "" || loaded.MaxPending != 0 || len(loaded.Setup.Layers)+len(loaded.Setup.Stores) != 0 {
		t.Errorf("it is %+v", loaded)
	}
}

func TestLayersArePutTogether(t *testing.T) {
	rule := func(word string) string {
		return fmt.Sprintf("[[rule]]\neffect = \"deny\"\nkind = \"shell\"\nargv_prefix = [%q]\n", word)
	}
	for _, c := range []struct {
		name, managed, user string
		want                string // mode, ceiling, max_pending, no inheritance, presets, first words
	}{
		{"the user's mode replaces the managed one", ask, denies, "denyUnmatched  0 false [] []"},
		{"the managed mode holds where the user's is not set", ask, "", "promptUnmatched  0 false [] []"},
		{"the ceiling is the managed one", `ceiling = "promptUnmatched"`, "", " promptUnmatched 0 false [] []"},
		{"the smaller bound holds: managed", "max_pending = 3", "max_pending = 9", "  3 false [] []"},
		{"the smaller bound holds: the user's", "max_pending = 9", "max_pending = 3", "  3 false [] []"},
		{"the only bound holds", "", "max_pending = 9", "  9 false [] []"},
		{"no inheritance where the managed file says so", `inherit = "none"`, `inherit = "grants"`, "  0 true [] []"},
		{"no inheritance where the user says so", `inherit = "grants"`, `inherit = "none"`, "  0 true [] []"},
		{"inheritance where both do", `inherit = "grants"`, `inherit = "grants"`, "  0 false [] []"},
		{"presets add up", `agent_presets = ["read-only"]`, `agent_presets = ["workspace-write", "read-only"]`, "  0 false [read-only workspace-write] []"},
		{"rules add up", rule("rm"), rule("dd"), "  0 false [] [rm dd]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			loaded, err := rulefile.LoadText([]rulefile.Source{
				{Layer: rulefile.Managed, Name: "managed", Text: []byte(c.managed)},
				{Layer: rulefile.User, Name: "user", Text: []byte(c.user)},
			}, rulefile.Options{})
			must(t, err)
			first := []string{}
			for _, layer := range loaded.Setup.Layers {
				for _, r := range layer.Rules {
					first = append(first, r.Argv[0])
				}
			}
			got := fmt.Sprint(loaded.Mode, " ", loaded.Ceiling, " ", loaded.MaxPending, loaded.Setup.NoInherit, loaded.Setup.AgentPresets, first)
			if got != c.want {
				t.Errorf("together %q, want %q", got, c.want)
			}
		})
	}
}

func TestPatternsAreBroughtIntoTheirFinalForm(t *testing.T) {
	const text = `protected = ["~/deploy/**", "secrets/**"]
unprotected = ["~/.vscode/**"]
[[rule]]
effect = "deny"
kind = "file"
access = "read"
path_glob = "~/.ssh/**"
[[rule]]
effect = "deny"
kind = "file"
access = "read"
path_glob = "src/**"
`
	loaded, err := rulefile.LoadText([]rulefile.Source{{Layer: rulefile.User, Name: "user", Text: []byte(text)}}, rulefile.Options{
		Home: "/home/[ada]",
		Pattern: func(glob string) string {
			if rest, found := strings.CutPrefix(glob, `/home/\[ada\]/`); found {
				return "/real/" + rest
			}
			return ""
		},
	})
	must(t, err)
	layer := loaded.Setup.Layers[0]
	got := [][]string{
		{layer.Rules[0].Glob, layer.Rules[0].Resolved}, {layer.Rules[1].Glob, layer.Rules[1].Resolved}, layer.Protected, layer.Unprotected,
	}
	want := [][]string{
		{`/home/\[ada\]/.ssh/**`, "/real/.ssh/**"}, {"src/**", ""},
		{`/home/\[ada\]/deploy/**`, "/real/deploy/**", "secrets/**"},
		{`/home/\[ada\]/.vscode/**`}, // what is freed is what is named
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("patterns (-want +got):\n%s", diff)
	}
}

func TestAHomeThatIsNotKnownIsAFault(t *testing.T) {
	_, err := rulefile.LoadText([]rulefile.Source{{Layer: rulefile.User, Name: "user", Text: []byte(whole)}}, rulefile.Options{})
	if err == nil || !strings.Contains(err.Error(), `user:31: path_glob: "~/.ssh/**" begins with ~/`) {
		t.Errorf("LoadText says %v", err)
	}
}

func TestStoresAreReadByTheirWorkspace(t *testing.T) {
	r := newRoom(t)
	s := rulefile.NewStore(r.Stores)
	must(t, s.Add(root, words("ls"), grantID(1), noon))
	must(t, s.Add("/srv/other", words("make"), grantID(2), noon))
	r.write(filepath.Join(r.Stores, ".half-written.toml"), "nonsense")
	r.write(filepath.Join(r.Stores, "notes.txt"), "nonsense")
	loaded := r.load()
	got := map[string][]string{}
	for at, layer := range loaded.Setup.Stores {
		got[at] = layer.Rules[0].Argv
	}
	if diff := cmp.Diff(map[string][]string{root: {"ls"}, "/srv/other": {"make"}}, got); diff != "" {
		t.Errorf("stores (-want +got):\n%s", diff)
	}
}

func TestAStoreUnderAnotherNameIsRefused(t *testing.T) {
	r := newRoom(t)
	r.write(filepath.Join(r.Stores, rulefile.StoreName("/srv/other")), "workspace = \"/srv/app\"\n")
	_, err := rulefile.Load(r.Files, r.options())
	if err == nil || !strings.Contains(err.Error(), rulefile.StoreName("/srv/app")) {
		t.Errorf("Load says %v", err)
	}
}

func TestTwoStoresOfOneWorkspaceAreRefused(t *testing.T) {
	store := []byte("workspace = \"/srv/app\"\n")
	_, err := rulefile.LoadText([]rulefile.Source{
		{Layer: rulefile.Workspace, Name: "one", Text: store}, {Layer: rulefile.Workspace, Name: "two", Text: store},
	}, rulefile.Options{})
	if err == nil || err.Error() != "two: it is a second store of /srv/app, beside one; remove one of the two" {
		t.Errorf("LoadText says %v", err)
	}
}

func TestCheckSaysWhatBecameOfEachFile(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, whole)
	must(t, rulefile.NewStore(r.Stores).Add(root, words("ls"), grantID(1), noon))
	store := rulefile.NewStore(r.Stores).Path(root)
	want := []rulefile.Summary{
		{Layer: rulefile.Managed, File: r.Managed},
		{Layer: rulefile.User, File: r.User, Found: true, Rules: 10, Tools: 1, Settings: []string{
			"mode promptUnmatched", "agent_presets workspace-write", "inherit none",
			"max_pending 50", "protected deploy/**", "unprotected **/.vscode/tasks.json",
		}},
		{Layer: rulefile.Workspace, File: store, Workspace: root, Found: true, Rules: 1},
	}
	summaries, loaded, err := rulefile.Check(r.Files, r.options())
	must(t, err)
	if diff := cmp.Diff(want, summaries); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, loaded.Layers); diff != "" {
		t.Errorf("of the policy (-want +got):\n%s", diff)
	}

	r.write(r.User, bad)
	r.write(r.Managed, bad)
	summaries, loaded, err = rulefile.Check(r.Files, r.options())
	if loaded != nil || err == nil {
		t.Fatalf("it is loaded: %v", err)
	}
	for i, faulty := range []bool{true, true, false} {
		if (summaries[i].Err != nil) != faulty || !summaries[i].Found {
			t.Errorf("of %s: %+v", summaries[i].File, summaries[i])
		}
	}
	for _, file := range []string{r.Managed, r.User} {
		if !strings.Contains(err.Error(), file+":1: mode is a number") {
			t.Errorf("the error leaves %s out: %v", file, err)
		}
	}
}

func TestFaultsCanBeTakenApart(t *testing.T) {
	_, err := rulefile.Parse("policy.toml", rulefile.User, []byte("colour = 1\nmode = 3\n"))
	var fault *rulefile.Fault
	if !errors.As(err, &fault) || fault.File != "policy.toml" || fault.Line != 1 {
		t.Errorf("the first is %+v of %v", fault, err)
	}
}

// What policy refuses of a rule that reads well is said with file and line too.
func TestWhatPolicyRefusesIsSaidWithItsLine(t *testing.T) {
	text := "[[rule]]\neffect = \"allow\"\nkind = \"network\"\nhost = \"exa_mple..org\"\n"
	_, err := rulefile.LoadText([]rulefile.Source{{Layer: rulefile.User, Name: "user", Text: []byte(text)}}, rulefile.Options{})
	var rule *policy.RuleError
	if err == nil || !strings.HasPrefix(err.Error(), "user:4: ") || !errors.As(err, &rule) {
		t.Errorf("LoadText says %v", err)
	}
}

func TestTheSizeOfAFileIsBounded(t *testing.T) {
	line := "# " + strings.Repeat("x", 1021) + "\n"
	for size, ok := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		text := strings.Repeat(line, 1024) + strings.Repeat("\n", size-1<<20)
		_, err := rulefile.Parse("policy.toml", rulefile.User, []byte(text))
		if (err == nil) != ok {
			t.Errorf("%d bytes: %v", size, err)
		}
		r := newRoom(t)
		r.write(r.User, text)
		if _, err := rulefile.Load(r.Files, r.options()); (err == nil) != ok {
			t.Errorf("%d bytes on disk: %v", size, err)
		}
	}
}

func TestTheNumberOfFaultsThatAreSaidIsBounded(t *testing.T) {
	var text strings.Builder
	for range 10_000 {
		text.WriteString("[[rule]]\nx = \"\n")
	}
	_, err := rulefile.Parse("policy.toml", rulefile.User, []byte(text.String()))
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != 101 || !strings.Contains(lines[100], "more faults") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestTheNumberOfKeysInATableIsBounded(t *testing.T) {
	var text strings.Builder
	for n := range 70 {
		fmt.Fprintf(&text, "k%d = 1\n", n)
	}
	_, err := rulefile.Parse("policy.toml", rulefile.User, []byte(text.String()))
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 65 || !strings.Contains(lines[64], "policy.toml:65: there are more than 64 keys here") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// What is no text at all, and bytes that no archive of testdata can hold.
func TestWhatIsNoTextIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"mode = \"a\"\n# caf\xe9\n": "policy.toml:2: this is not UTF-8; save the file as UTF-8",
		"\ufeffmode = \"allowAll\"": "policy.toml:1: the file begins with a byte order mark; save it as UTF-8 without one",
		"mode = \"a\x00\"":          "policy.toml:1: this is not TOML: basic strings cannot have control characters",
	} {
		_, err := rulefile.Parse("policy.toml", rulefile.User, []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestLoadReadsFilesAsTheyAreOnDisk(t *testing.T) {
	r := newRoom(t)
	r.write(r.User, whole)
	r.write(r.Managed, `ceiling = "promptUnmatched"`)
	loaded := r.load()
	if loaded.Ceiling != approval.PromptUnmatched || loaded.MaxPending != 50 || len(loaded.Setup.Layers) != 2 {
		t.Errorf("it is %+v", loaded)
	}
	must(t, os.Remove(r.Managed))
	if loaded := r.load(); loaded.Ceiling != "" {
		t.Errorf("without the managed file the ceiling is %q", loaded.Ceiling)
	}
}
