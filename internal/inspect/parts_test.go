package inspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy/shell"
)

func reads(text string) shell.File { return shell.File{Access: approval.Read, Text: text} }

func TestPartsCopyWhatTheStagesSay(t *testing.T) {
	stages := []shell.Stage{
		{
			Argv: []string{"(sh -c x)"}, Words: []string{"sh", "-c", "x"}, Dynamic: []int{2}, Builtin: true,
			Launchers: [][]string{{"env", "A=1"}}, Code: [][]string{{"x"}}, CodeAt: 1,
		},
		{Argv: []string{"true"}, Complete: true, Builtin: true},
	}
	want := []approval.Part{
		{
			Words: []string{"sh", "-c", "x"}, Dynamic: []int{2},
			Launchers: [][]string{{"env", "A=1"}}, Code: [][]string{{"x"}}, CodeAt: 1,
		},
		{},
	}
	got := New(tree()).Parts(stages, At{Cwd: "/srv/app"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parts: (-want +got)\n%s", diff)
	}
}

func TestPartsTakePathsFromEveryDirectoryOfAStage(t *testing.T) {
	tests := []struct {
		name string
		dirs []string
		lost bool
		text string
		want []string // real paths, "?" for what is unresolved
	}{
		{"its own", nil, false, "notes.md", []string{"/srv/app/notes.md"}},
		{"another", []string{"src"}, false, "main.go", []string{"/srv/app/src/main.go"}},
		{"an absolute one", []string{"/outside"}, false, "victim.txt", []string{"/outside/victim.txt"}},
		{"behind a link", []string{"up"}, false, "x", []string{"/outside/deep/x"}},
		{"several", []string{".", "src"}, false, "x", []string{"/srv/app/x", "/srv/app/src/x"}},
		{"several spellings of one", []string{"src", "./src/", "/srv/app/src"}, false, "x", []string{"/srv/app/src/x"}},
		{"up by name", []string{"src/.."}, false, "x", []string{"/srv/app/x"}},
		{"up behind a link, in both readings", []string{"up/.."}, false, "x", []string{"/srv/app/x", "/outside/x"}},
		{"one that does not exist yet", []string{"new"}, false, "x", []string{"/srv/app/new/x"}},
		{"one that is a file", []string{"notes.md"}, false, "x", []string{"?"}},
		{"lost", nil, true, "x", []string{"/srv/app/x", "?"}},
		{"lost with known ones", []string{"src"}, true, "x", []string{"/srv/app/src/x", "?"}},
		{"lost, but the path is absolute", []string{"src"}, true, "/outside/victim.txt", []string{"/outside/victim.txt"}},
		{"too many", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, false, "x", []string{
			"/srv/app/1/x", "/srv/app/2/x", "/srv/app/3/x", "/srv/app/4/x", "/srv/app/5/x", "/srv/app/6/x", "/srv/app/7/x", "/srv/app/8/x", "?",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stage := shell.Stage{Argv: []string{"cat"}, Complete: true, Dirs: tt.dirs, Lost: tt.lost, Files: []shell.File{reads(tt.text)}}
			part := New(tree()).Parts([]shell.Stage{stage}, At{Cwd: "/srv/app"})[0]
			var got []string
			for _, target := range part.Targets {
				if target.Unresolved != "" {
					target.Path = "?"
				}
				got = append(got, target.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("targets of %q: (-want +got)\n%s", tt.text, diff)
			}
			if want := tt.dirs != nil || tt.lost; part.Elsewhere != want {
				t.Errorf("elsewhere is %v, want %v", part.Elsewhere, want)
			}
		})
	}
}

// HOME may be set where it cannot be seen, so that only a stage that is plain
// to read is sure of it.
func TestPartsAreSureOfAHomeOnlyInACompleteStage(t *testing.T) {
	for complete, want := range map[bool]int{true: 1, false: 2} {
		stage := shell.Stage{Argv: []string{"cat"}, Complete: complete, Files: []shell.File{{Access: approval.Write, Text: "~/x", Dynamic: true}}}
		got := New(tree()).As(User{Home: "/home/ann"}).Parts([]shell.Stage{stage}, At{Cwd: "/srv/app"})[0].Targets
		if len(got) != want || got[0].Path != "/home/ann/x" || want == 2 && got[1].Unresolved == "" {
			t.Errorf("complete %v: %+v, want %d targets, the first at home", complete, got, want)
		}
	}
}

func TestPartsLookUpABoundedNumberOfPaths(t *testing.T) {
	files := tree()
	deep := strings.Repeat("/d", 1000) // each file there costs a look a component, and some more
	files[deep[1:]] = dir()
	for name, tt := range map[string]struct {
		cwd  string
		want int // that are looked up
	}{"many paths": {"/srv/app", maxTargets}, "a deep directory": {deep, 65}} {
		var stage shell.Stage
		for n := range maxTargets + 2 {
			stage.Files = append(stage.Files, reads(fmt.Sprintf("f%d", n)))
		}
		stage.Files = append(stage.Files, shell.File{Access: approval.Write, Redirected: true, Text: "out"})
		parts := New(files).Parts([]shell.Stage{stage, {Files: stage.Files[:1]}}, At{Cwd: tt.cwd})
		got := parts[0].Targets
		if len(got) != tt.want+2 {
			t.Fatalf("%s: %d targets, want %d", name, len(got), tt.want+2)
		}
		for n, target := range got {
			if beyond := target.Unresolved != ""; beyond != (n >= tt.want) {
				t.Errorf("%s: target %d is %+v", name, n, target)
			}
		}
		if last := got[len(got)-1]; !last.Redirected || last.Access != approval.Write {
			t.Errorf("%s: the last target is %+v, want the redirection", name, last)
		}
		if later := parts[1].Targets; len(later) != 1 || later[0].Unresolved == "" {
			t.Errorf("%s: a later stage has %+v, want one that is unresolved", name, later)
		}
	}
}
