package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// BenchmarkStages measures what splitting costs besides the parser's own work, which is the yardstick
// in the same run.
func BenchmarkStages(b *testing.B) {
	for _, c := range []struct{ name, command string }{
		{"simple", "git status --short"},
		{"list", "cd /srv/app && git add a.txt && git commit -q -m 'fix: a thing' 2>&1 | tail -3"},
		{"loop", "for f in a.txt notes.txt; do printf '%s\\n' \"$f\"; grep -c o \"$f\" 2>/dev/null | head -1; done"},
		{"heredoc", "git commit -q -m \"$(cat <<'EOF'\nsubject\n\nbody with ; and && in it\nEOF\n)\" && git log -1"},
	} {
		b.Run(c.name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := syntax.NewParser().Parse(strings.NewReader(c.command), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/stages", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if stages := Stages(c.command, "bash", cwd); !stages[0].Complete {
					b.Fatal(stages[0].Diagnostic)
				}
			}
		})
	}
}
