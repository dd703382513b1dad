package inspect

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/policy"
)

func TestPattern(t *testing.T) {
	files := tree()
	files["srv/app/we*ird"] = link("/outside/{a}")
	files["srv/app/a,b"] = link("/outside")
	tests := []struct{ name, glob, want string }{
		{"no link", "/srv/app/src/**", ""},
		{"nothing there", "/gone/x/**", ""},
		{"a link on the way", "/srv/app/outbox/**", "/outside/**"},
		{"a link at the end", "/srv/app/out.md", "/outside/victim.txt"},
		{"a dangling link", "/srv/app/draft.txt", "/srv/app/other/draft.txt"},
		{"a link and a name that is not there", "/srv/app/outbox/new/*.md", "/outside/new/*.md"},
		{"a link and a slash at the end", "/srv/app/outbox/", "/outside"},
		{"a link to the root", "/srv/app/toroot/*/x", "/*/x"},
		{"a link behind a wildcard", "/srv/*/outbox/x", ""},
		{"a link that is a part of a wildcard", "/srv/app/out*/x", ""},
		{"a class, a question mark, braces", "/srv/app/outbox/[ab]/?/{c,d/e}", "/outside/[ab]/?/{c,d/e}"},
		{"braces over a slash", "/srv/app/{outbox/x,y}", ""},
		{"an escaped wildcard", `/srv/app/we\*ird/x`, `/outside/\{a\}/x`},
		{"an escape of what needs none", `/srv/app/\outbox/x`, "/outside/x"},
		{"an escape of nothing", `/srv/app/outbox\`, ""},
		{"relative", "src/**", ""},
		{"anywhere", "**/.env", ""},
		{"from the root", "/**", ""},
		{"nothing", "", ""},
		{"a circle", "/srv/app/self/**", ""},
		{"a file as a directory", "/srv/app/notes.md/**", ""},
		{"a process", "/proc/self/root/etc/**", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := New(files).Pattern(tt.glob); got != tt.want {
				t.Errorf("Pattern(%q) = %q, want %q", tt.glob, got, tt.want)
			}
		})
	}
}

// A name is a component that stands for itself, whatever it has in it, and
// nothing is a component but what it was made from.
func TestPatternEscapesWhatItUnescapes(t *testing.T) {
	name := rapid.StringOfN(rapid.RuneFrom([]rune(`ab*?[]{}\!^-,é`)), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		want := name.Draw(t, "name")
		if got, ok := literal(policy.EscapeGlob(want)); !ok || got != want {
			t.Fatalf("%q is escaped %q, which is %q, %v", want, policy.EscapeGlob(want), got, ok)
		}
		other := name.Draw(t, "other")
		if match, err := doublestar.Match(policy.EscapeGlob(want), other); err != nil || match != (want == other) {
			t.Fatalf("%q matches %q: %v, %v", policy.EscapeGlob(want), other, match, err)
		}
		if match, err := doublestar.Match(policy.EscapeGlob(want), want); err != nil || !match {
			t.Fatalf("%q does not match itself: %v, %v", want, match, err)
		}
	})
}
