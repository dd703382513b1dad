package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The settings of the guide are those that are printed, and under its policy its events have its
// answers.
func TestTheGuideToHooksIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/HOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	p, config := newPlace(t), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	printed, err := p.command(t, "hook", "--print-settings").Output()
	if err != nil {
		t.Fatal(err)
	}
	event, answered := "", 0
	for _, f := range fences(string(text)) {
		switch f.info {
		case "settings":
			got := regexp.MustCompile(`"command": "/.*/approvald-hook"`).ReplaceAllString(string(printed), `"command": "/usr/local/bin/approvald-hook"`)
			if diff := cmp.Diff(f.text, got); diff != "" {
				t.Errorf("settings (-guide +printed):\n%s", diff)
			}
		case "toml":
			policy := filepath.Join(config, "approvald", "policy.toml")
			if err := os.Mkdir(filepath.Dir(policy), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(policy, []byte(f.text), 0o600); err != nil {
				t.Fatal(err)
			}
			p.serve(t)
		case "event":
			event = f.text
		case "answer":
			answered++
			want := strings.NewReplacer("ID", "[0-9a-f-]{36}", "REASON ", "[^{}]*", " REASON", "[^{}]*").Replace(regexp.QuoteMeta(f.text))
			h := p.hook(t, event)
			if h.answer(t); !regexp.MustCompile("^" + want + "$").MatchString(h.stdout.String()) {
				t.Errorf("line %d: the answer is %s", f.line, h.stdout.String())
			}
		}
	}
	if answered != 2 {
		t.Errorf("%d answers were found", answered)
	}
}
