package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
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

// BenchmarkTypical is the price of a verdict beside that of the bare parse of
// the same command: the two together are to stay within three times the latter.
func BenchmarkTypical(b *testing.B) {
	const text = "git log --oneline -5 | tail -3 > out/a"
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		parser := syntax.NewParser()
		for b.Loop() {
			if _, err := parser.Parse(strings.NewReader(text), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("evaluate", func(b *testing.B) {
		b.ReportAllocs()
		p, c := many(b, 100), in(approval.PromptUnmatched)
		a := command(run("git log --oneline -5"), run("tail -3", to("/srv/app/out/a")))
		for b.Loop() {
			if p.Evaluate(a, c).Effect != allow {
				b.Fatal("not allowed")
			}
		}
	})
}
