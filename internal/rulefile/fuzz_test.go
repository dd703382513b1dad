package rulefile_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/approvald/approvald/internal/rulefile"
)

// plainFile is a policy file as go-toml decodes it by itself, strictly: a
// second opinion on what a text says.
type plainFile struct {
	Mode         string
	Ceiling      string
	AgentPresets []string `toml:"agent_presets"`
	Inherit      string
	MaxPending   int `toml:"max_pending"`
	Protected    []string
	Unprotected  []string
	Workspace    string
	Rule         []struct {
		Effect, Kind, Class, Access, Host, Action, Target, Server, Tool, Reason, Grant string

		ArgvPrefix       []string `toml:"argv_prefix"`
		Programs         []string
		PathGlob         string `toml:"path_glob"`
		OutsideWorkspace bool   `toml:"outside_workspace"`
		Port             int
		CreatedAt        any `toml:"created_at"`
	}
	Tool []struct{ Server, Tool, Mode, Reason string }
}

// Hostile text gives rules only where it is TOML of a policy file's shape and
// the rules are what it says, and errors that name a line and are fit to be
// shown.
func FuzzParse(f *testing.F) {
	archives, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".toml") {
				f.Add(file.Data, byte(0))
				f.Add(file.Data, byte(2))
			}
		}
	}
	f.Add([]byte(whole), byte(0))
	f.Add([]byte(`ceiling = "allowAll"`), byte(1))
	f.Add([]byte("workspace = \"/srv/app\"\n[[rule]]\neffect = \"allow\"\nkind = \"shell\"\nargv_prefix = [\"ls\"]\n"+
		"grant = \"0198f0ac-7777-7000-8000-0000000000e1\"\ncreated_at = 2026-01-31T12:00:00Z\n"), byte(2))
	f.Fuzz(func(t *testing.T, text []byte, which byte) {
		layer := []string{rulefile.User, rulefile.Managed, rulefile.Workspace}[which%3]
		before := bytes.Clone(text)
		file, err := rulefile.Parse("policy.toml", layer, text)
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		if err != nil {
			if len(file.Body.Rules)+len(file.Body.Tools) > 0 || file.Mode != "" {
				t.Fatalf("it says %+v beside %v", file, err)
			}
			fit(t, err, 1+bytes.Count(text, []byte("\n")))
			return
		}
		var second plainFile
		strict := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
		if err := strict.Decode(&second); err != nil {
			t.Fatalf("it was read, and is not strictly a policy file: %v", err)
		}
		agree(t, file, second)
	})
}

// fit checks that errors name a line of the file and can be shown on one.
func fit(t *testing.T, err error, lines int) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("the error is not joined: %v", err)
	}
	for _, each := range joined.Unwrap() {
		var fault *rulefile.Fault
		if !errors.As(each, &fault) || fault.Line < 0 || fault.Line > lines || fault.Why == "" {
			t.Fatalf("no fault of a line: %#v", each)
		}
		if strings.ContainsFunc(fault.Error(), unicode.IsControl) {
			t.Fatalf("not fit to be shown: %q", fault.Error())
		}
	}
}

// agree checks that two readings of one text are one.
func agree(t *testing.T, file rulefile.File, second plainFile) {
	if string(file.Mode) != second.Mode || string(file.Ceiling) != second.Ceiling || file.NoInherit != (second.Inherit == "none") ||
		file.MaxPending != second.MaxPending || file.Workspace != second.Workspace ||
		strings.Join(file.Body.Protected, "\n") != strings.Join(second.Protected, "\n") ||
		strings.Join(file.Body.Unprotected, "\n") != strings.Join(second.Unprotected, "\n") ||
		len(file.AgentPresets) != len(second.AgentPresets) ||
		len(file.Body.Rules) != len(second.Rule) || len(file.Body.Tools) != len(second.Tool) {
		t.Fatalf("two readings differ:\n%+v\n%+v", file, second)
	}
	for i, rule := range file.Body.Rules {
		s := second.Rule[i]
		kind := map[string]string{"file": "fileAccess"}[s.Kind]
		if kind == "" {
			kind = s.Kind
		}
		if map[string]int{"allow": 0, "ask": 1, "deny": 2}[s.Effect] != int(rule.Effect) || rule.Kind != kind ||
			rule.HasArgv != (s.ArgvPrefix != nil) || strings.Join(rule.Argv, "\x00") != strings.Join(s.ArgvPrefix, "\x00") ||
			strings.Join(rule.Programs, "\x00") != strings.Join(s.Programs, "\x00") || rule.Class != s.Class ||
			string(rule.Access) != s.Access || rule.Glob != s.PathGlob || rule.Outside != s.OutsideWorkspace ||
			rule.Host != s.Host || rule.Port != s.Port || rule.Action != s.Action || rule.Target != s.Target ||
			rule.Server != s.Server || rule.Tool != s.Tool || rule.Reason != s.Reason {
			t.Fatalf("two readings of rule %d differ:\n%+v\n%+v", i+1, rule, s)
		}
		again, err := rulefile.Parse("again", rulefile.User, []byte(rulefile.Format(rule)))
		rule.Grant = again.Body.Rules[0].Grant // which a user's file has none of
		if err != nil || !rulefile.SameRule(rule, again.Body.Rules[0]) {
			t.Fatalf("written again it is another: %v\n%s", err, rulefile.Format(rule))
		}
	}
	for i, tool := range file.Body.Tools {
		s := second.Tool[i]
		if tool.Server != s.Server || tool.Tool != s.Tool || string(tool.Mode) != s.Mode || tool.Reason != s.Reason {
			t.Fatalf("two readings of tool %d differ:\n%+v\n%+v", i+1, tool, s)
		}
	}
}

// The largest file of each unpleasant sort is read in a moment.
func TestHostileTextDoesNotHoldUpTheReader(t *testing.T) {
	for name, unit := range map[string]string{
		"brackets":           "[",
		"tables in lists":    "a=[{",
		"open texts":         "[[rule]]\na = \"\"\"\n",
		"open lists":         "[[rule]]\na = [\n",
		"headers":            "[[rule]]\n",
		"keys":               "\"\\u0041\"=1\n",
		"quotes":             "\"",
		"bare values":        "a = b\n",
		"colons":             "a: b\n",
		"spaces in one line": "a = b ",
		"dots":               "a.",
		"newlines":           "\n",
		"stars in a glob":    "**/",
	} {
		t.Run(name, func(*testing.T) {
			text := strings.Repeat(unit, 1<<20/len(unit))
			_, _ = rulefile.Parse("policy.toml", rulefile.User, []byte(text))
			_, _ = rulefile.Parse("policy.toml", rulefile.User, []byte("protected = [\""+text+"\"]"))
			_, _ = rulefile.Parse("policy.toml", rulefile.User, []byte("mode = "+text))
		})
	}
}
