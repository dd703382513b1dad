package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/approvald/approvald/internal/rulefile"
)

// guide is docs/POLICY.md.
func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/POLICY.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fence is a block of code in a document.
type fence struct {
	info, text string
	line       int // of its first line
}

var fencePattern = regexp.MustCompile("(?ms)^```(\\S[^\n]*)\n(.*?)^```$")

func fences(document string) (all []fence) {
	for _, at := range fencePattern.FindAllStringSubmatchIndex(document, -1) {
		all = append(all, fence{document[at[2]:at[3]], document[at[4]:at[5]], strings.Count(document[:at[4]], "\n") + 1})
	}
	return all
}

// What the guide shows is a policy, and what it says becomes of an action does.
func TestTheGuideSaysWhatPolicyDoes(t *testing.T) {
	root := t.TempDir()
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("APPROVALD_STATE_DIR", filepath.Join(root, "state"))
	t.Setenv("APPROVALD_RUNTIME_DIR", filepath.Join(root, "run"))
	t.Setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
	workspace := filepath.Join(root, "app")
	for _, dir := range []string{"src", "deploy", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(workspace, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	policy := rulefile.Files{User: filepath.Join(root, "policy.toml")}
	claims := 0
	for _, f := range fences(guide(t)) {
		switch layer, managed := strings.CutPrefix(f.info, "toml"); {
		case f.info == "explain":
			for i, claim := range strings.Split(strings.TrimSuffix(f.text, "\n"), "\n") {
				claims++
				t.Run(fmt.Sprintf("line %d", f.line+i), func(t *testing.T) { holds(t, policy, workspace, claim) })
			}
		case managed:
			source := rulefile.Source{Layer: rulefile.User, Name: fmt.Sprintf("POLICY.md:%d", f.line), Text: []byte(f.text)}
			if strings.TrimSpace(layer) != "" {
				source.Layer = rulefile.Managed
			}
			if _, err := rulefile.LoadText([]rulefile.Source{source}, readingOptions()); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(policy.User, []byte(f.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if claims < 30 {
		t.Errorf("only %d claims were found", claims)
	}
}

// holds checks one line: a verdict, and a command line or another action.
func holds(t *testing.T, policy rulefile.Files, workspace, claim string) {
	want, action, _ := strings.Cut(claim, " ")
	action = strings.TrimSpace(action)
	e := explainQuery{dirs: &directories{}, output: "text", cwd: workspace}
	args := []string{action}
	if strings.HasPrefix(action, "{") {
		e.subject, args = action, nil
	}
	q, err := e.inquiry(nil, args)
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.dirs.ask(t.Context(), policy, q)
	if err != nil {
		t.Fatal(err)
	}
	if got := verdictOf(a.resolution); got != want {
		t.Errorf("%s: %s, want %s (%s)", action, got, want, a.request.Policy.Explanation)
	}
}

// The loader itself tells which keys there are.
func TestTheGuideNamesEveryKey(t *testing.T) {
	text := guide(t)
	known := regexp.MustCompile(`known here: ([^)]*)\)`)
	for _, source := range []string{"zzzzz = 1\n", "[[rule]]\neffect = \"deny\"\nzzzzz = 1\n", "[[tool]]\nzzzzz = 1\n"} {
		_, err := rulefile.Parse("p", rulefile.Managed, []byte(source))
		keys := known.FindStringSubmatch(fmt.Sprint(err))
		if keys == nil {
			t.Fatalf("the loader names no keys: %v", err)
		}
		for key := range strings.SplitSeq(keys[1], ", ") {
			if !regexp.MustCompile(`(?m)^` + key + ` = `).MatchString(text) {
				t.Errorf("docs/POLICY.md has no example of %s", key)
			}
		}
	}
}

// What the README shows of policy explain is what the script gets.
func TestTheReadmeShowsARealTranscript(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/script/policy_explain.txtar")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "transcript" {
			if !strings.Contains(string(readme), "\n"+string(file.Data)+"```\n") {
				t.Errorf("README.md does not have this transcript:\n%s", file.Data)
			}
			return
		}
	}
	t.Error("the script has no transcript")
}
