package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/policy/shell"
)

// nasty are words that a shell would change if it were let.
var nasty = []string{
	"", " ", "-n", "$HOME", "$(id)", "`id`", "*", "?x", "[ab]", "{a,b}", "~", "~root", "a=b", "'", `"`, `'"'`, `\`, `\n`,
	"!", "!!", "#", "a#b", "a;b", "a&b", "|", ">", "<", "&&", "if", "then", "}", "{", "[[", "]]", "!x", "a b", "ünï", "日本",
	"a'b\"c", "$'x'", "%1", "^x^y", "a:~", "--x=~/y", "(", ")", "$", "$$", "${x}", "..", "a\\", "-", "--",
}

func TestApprovedStageIsExactlyTheArgv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom(nasty), rapid.StringMatching(`[ -~]{0,12}`))
		argv := append([]string{"program"}, rapid.SliceOfN(word, 0, 8).Draw(t, "argv")...)
		stages := shell.Stages(shellWords(argv), "bash", "")
		if len(stages) != 1 || !stages[0].Complete || !slices.Equal(stages[0].Argv, argv) {
			t.Fatalf("%q is shown as %+v", argv, stages)
		}
	})
}

func TestNoWordsAreMoreThanOneStage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOfN(rapid.StringMatching(`[^\x00]{0,12}`), 1, 8).Draw(t, "argv")
		stages := shell.Stages(shellWords(argv), "bash", "")
		if len(stages) != 1 {
			t.Fatalf("%q is shown as %d stages", argv, len(stages))
		}
		if stages[0].Complete && len(stages[0].Dynamic) == 0 && !slices.Equal(stages[0].Argv, argv) {
			t.Fatalf("%q is shown as %q", argv, stages[0].Argv)
		}
	})
}

func TestBashReadsTheWordsBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to ask")
	}
	words := append(slices.Clone(nasty), "a\nb", "\x1b[2J", "tab\there", "\u202e", "\xff\xfe")
	out, err := exec.Command(bash, "--norc", "-c", `printf '%s\0' `+shellWords(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if d := cmp.Diff(words, got); d != "" {
		t.Errorf("bash reads other words (-want +got):\n%s", d)
	}
}

func TestShortestIDsCanBeToldApart(t *testing.T) {
	tests := map[string]struct {
		ids  []string
		want int
	}{
		"none":                  {nil, 8},
		"one":                   {[]string{"0198f0ac-7777-7000-8000-0000000000e1"}, 8},
		"of different minutes":  {[]string{"0198f0ac-7777-7000-8000-0000000000e1", "0198f0ad-7777-7000-8000-0000000000e1"}, 8},
		"of the same minute":    {[]string{"0198f0ac-7777-7000-8000-0000000000e1", "0198f0ac-7877-7000-8000-0000000000e1"}, 11},
		"of the same moment":    {[]string{"0198f0ac-7777-7000-8000-0000000000e1", "0198f0ac-7777-7000-8000-0000000000e2"}, 36},
		"the same one twice":    {[]string{"0198f0ac-7777-7000-8000-0000000000e1", "0198f0ac-7777-7000-8000-0000000000e1"}, 8},
		"the closest two count": {[]string{"a0000000-1", "b0000000-1", "a0000000-2"}, 10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := shortest(tt.ids); got != tt.want {
				t.Errorf("shortest = %d, want %d", got, tt.want)
			}
		})
	}
}
