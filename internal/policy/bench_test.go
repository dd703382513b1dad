package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	split "github.com/approvald/approvald/internal/policy/shell"
)

// many is a policy of n rules of every kind, most of them about the programs
// and places that the benchmarked actions are about.
func many(tb testing.TB, n int) *policy.Policy {
	tb.Helper()
	rules := []policy.Rule{argv(allow, "git log"), argv(allow, "tail"), glob(allow, write, "out/**"), host(allow, "example.org", 0)}
	for i := 0; len(rules) < n; i++ {
		word := fmt.Sprintf("w%d", i)
		rules = append(rules,
			argv(allow, "git "+word), argv(deny, "git push "+word), argv(deny, word+" -rf"), argv(ask, "tail "+word),
			glob(deny, write, "/srv/app/"+word+"/**"), glob(deny, read, "**/"+word), host(deny, word+".example.org", 0),
		)
	}
	return compile(tb, rules[:n]...)
}

// BenchmarkRules is perf.md T18: what 10,000 rules cost against 100.
func BenchmarkRules(b *testing.B) {
	actions := map[string]approval.Action{
		"shell":   command(run("git log --oneline -5"), run("tail -3", to("/srv/app/out/a"))),
		"file":    fileAt(write, "/srv/app/out/a"),
		"network": https("example.org"),
	}
	for _, kind := range []string{"shell", "file", "network"} {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%s/rules=%d", kind, n), func(b *testing.B) {
				p, a, c := many(b, n), actions[kind], in(approval.PromptUnmatched)
				b.ReportAllocs()
				for b.Loop() {
					if p.Evaluate(a, c).Effect != allow {
						b.Fatal("not allowed")
					}
				}
			})
		}
	}
}

// BenchmarkTypical is a command from its text to the verdict, beside the bare
// parse of the same text: at most three times as long.
func BenchmarkTypical(b *testing.B) {
	const text = "git status --short && go test ./... 2>&1 | tail -20"
	b.Run("v=parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("v=verdict", func(b *testing.B) {
		b.ReportAllocs()
		p, c := many(b, 100), in(approval.PromptUnmatched)
		for b.Loop() {
			stages := split.Stages(text, "bash", "/srv/app")
			a := approval.Action{Subject: approval.Shell{
				Command: text, Cwd: "/srv/app", Shell: "bash", Stages: policy.Stages(approval.ID{}, stages),
			}}
			a.Found.Parts = make([]approval.Part, len(stages))
			for i, s := range stages { // what inspection adds is a matter of the file system
				a.Found.Parts[i] = approval.Part{Words: s.Words, Dynamic: s.Dynamic}
			}
			if p.Evaluate(a, c).Effect != ask {
				b.Fatal("not asked")
			}
		}
	})
}
