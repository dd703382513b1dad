package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// render writes a stage on one line: its words, those that only the shell knows in <>, behind
// "safe:" where it is known safe, and of an opaque one "opaque:" and its text.
func render(s Stage) string {
	if !s.Complete {
		return "opaque: " + s.Argv[0]
	}
	words := slices.Clone(s.Argv)
	for i, w := range words {
		if slices.Contains(s.Dynamic, i) {
			words[i] = "<" + w + ">"
		} else if w == "" || strings.ContainsAny(w, " \n\t'") {
			words[i] = "'" + w + "'"
		}
	}
	line := strings.Join(words, " ")
	if s.KnownSafe {
		line = "safe: " + line
	}
	return line
}

func rendered(stages []Stage) []string {
	var out []string
	for _, s := range stages {
		out = append(out, render(s))
	}
	return out
}

// formCase is a command and the stages that it must come to.
type formCase struct {
	name    string
	command string
	want    []string
}

func checkForms(t *testing.T, dialect string, cases []formCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stages := Stages(c.command, dialect, cwd)
			for _, s := range stages {
				if why := malformed(s); why != "" {
					t.Errorf("Stages(%q) has a stage that %s: %+v", c.command, why, s)
				}
			}
			if diff := cmp.Diff(c.want, rendered(stages)); diff != "" {
				t.Errorf("Stages(%q): (-want +got)\n%s\n%+v", c.command, diff, stages)
			}
		})
	}
}

// only gives the one stage of a command.
func only(t *testing.T, command string) Stage {
	t.Helper()
	stages := Stages(command, "bash", cwd)
	if len(stages) != 1 {
		t.Fatalf("Stages(%q) = %+v, want one stage", command, stages)
	}
	return stages[0]
}
