package corpus

import "testing"

func TestMissingToleratesWhatIsSaidAndNoMore(t *testing.T) {
	allow := func(text string) stage { return stage{text: plain(text), outcome: "allow"} }
	prompt := func(text string) stage { return stage{text: plain(text), outcome: "prompt"} }
	opaque := func(text string) stage { return stage{text: plain(text), outcome: "prompt", opaque: true} }
	want := func(text, outcome string) WantStage { return WantStage{Text: text, Outcome: outcome} }
	tests := map[string]struct {
		want []WantStage
		got  []stage
		ok   bool
	}{
		"the same":                              {[]WantStage{want("ls -l", "allow")}, []stage{allow("ls -l")}, true},
		"in another order":                      {[]WantStage{want("a", "prompt"), want("b", "allow")}, []stage{allow("b"), prompt("a")}, true},
		"one more":                              {[]WantStage{want("a", "prompt")}, []stage{allow("true"), prompt("a")}, true},
		"one less":                              {[]WantStage{want("a", "prompt"), want("b", "prompt")}, []stage{prompt("a")}, false},
		"quoted otherwise":                      {[]WantStage{want(`printf '%s\n' <f>`, "allow")}, []stage{allow(`printf %s\n "$f"`)}, true},
		"a word at run time":                    {[]WantStage{want("echo <dynamic>", "allow")}, []stage{allow("echo it's `touch MARK` done")}, true},
		"no word at all for one at run time":    {[]WantStage{want("echo <dynamic>", "allow")}, []stage{allow("echo")}, false},
		"the rest":                              {[]WantStage{want("echo aaaa…", "allow")}, []stage{allow("echo aaaaaaaa")}, true},
		"the beginning is not the whole":        {[]WantStage{want("git", "allow")}, []stage{allow("git push")}, false},
		"laxer":                                 {[]WantStage{want("a", "prompt")}, []stage{allow("a")}, false},
		"stricter":                              {[]WantStage{want("a", "allow")}, []stage{prompt("a")}, false},
		"stricter and opaque":                   {[]WantStage{want("a", "allow")}, []stage{opaque("a")}, false},
		"part of an opaque one":                 {[]WantStage{want("rm -rf build", "prompt")}, []stage{opaque("sh -c 'rm -rf build' x")}, true},
		"part of an opaque one, and laxer":      {[]WantStage{want("rm -rf build", "deny")}, []stage{opaque("sh -c 'rm -rf build'")}, false},
		"letters of an opaque one":              {[]WantStage{want("rm", "prompt")}, []stage{opaque("sh -c 'farm'")}, false},
		"what a launcher starts":                {[]WantStage{want("sh -c touch MARK", "prompt")}, []stage{prompt("env sh -c 'touch MARK'")}, true},
		"in the middle of one that is complete": {[]WantStage{want("touch", "prompt")}, []stage{prompt("env touch MARK")}, false},
		"a text that was not parsed":            {[]WantStage{want(`echo a \r`, "allow"), want("touch MARK", "prompt")}, []stage{{text: "x", opaque: true, whole: true, outcome: "prompt"}}, true},
		"a redirection":                         {[]WantStage{want("echo x", "allow"), want("write MARK", "prompt")}, []stage{prompt("echo x")}, true},
		"a redirection that weighs nothing":     {[]WantStage{want("echo x", "allow"), want("write MARK", "prompt")}, []stage{allow("echo x")}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if lacks := missing(test.want, test.got); (lacks == "") != test.ok {
				t.Errorf("missing = %q, want none: %v", lacks, test.ok)
			}
		})
	}
}
