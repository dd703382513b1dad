package inspect

import (
	"path"
	"testing"

	"github.com/approvald/approvald/internal/approval"
)

// No text makes it panic, and it answers one of two things: a real path in
// which nothing is left to resolve, or why there is none.
func FuzzTarget(f *testing.F) {
	f.Add("src/../up/../victim.txt", "/srv/app", false)
	f.Add("~/x", "", true)
	f.Add("/proc/self/root/../x", "/srv", false)
	f.Add("a\x00b", "/", false)
	f.Add("self/x", "/srv/app/../app/up", false)
	f.Fuzz(func(t *testing.T, text, dir string, dynamic bool) {
		if dir != "" && !path.IsAbs(dir) {
			dir = "/" + dir
		}
		look := New(tree()).As(User{Home: "/home/ann"})
		got := look.Target(Spelled{Access: approval.Write, Text: text, Dynamic: dynamic}, dir)
		if got.Unresolved != "" {
			if got.Path != "" || got.Written != "" || got.Type != "" {
				t.Fatalf("Target(%q, %q) is unresolved and %+v", text, dir, got)
			}
			return
		}
		if !path.IsAbs(got.Path) || path.Clean(got.Path) != got.Path || !path.IsAbs(got.Written) || path.Clean(got.Written) != got.Written || got.Type == "" {
			t.Fatalf("Target(%q, %q) = %+v, which is not clean", text, dir, got)
		}
		if got.OfProcess {
			return
		}
		again := look.Target(Spelled{Access: approval.Write, Text: got.Path}, "")
		if again.Path != got.Path || again.Type != got.Type || again.OfProcess {
			t.Fatalf("Target(%q, %q) = %+v, whose path leads on to %+v", text, dir, got, again)
		}
	})
}

// No glob makes it panic, and links are followed once and for all.
func FuzzPattern(f *testing.F) {
	f.Add("/srv/app/outbox/**/*.md")
	f.Add(`/srv/app/out\box/{a,b`)
	f.Add("/srv/app/up/../[a-z]")
	f.Fuzz(func(t *testing.T, glob string) {
		got := New(tree()).Pattern(glob)
		if got == "" {
			return
		}
		if again := New(tree()).Pattern(got); again != "" {
			t.Fatalf("Pattern(%q) = %q, and of that %q", glob, got, again)
		}
	})
}
