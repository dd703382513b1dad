package agentcmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitCutsPlainWords(t *testing.T) {
	for text, want := range map[string][]string{
		"agent":                          {"agent"},
		"  agent\t--fast  x ":            {"agent", "--fast", "x"},
		`agent 'a b' "c d" e\ f`:         {"agent", "a b", "c d", "e f"},
		`agent '' ""`:                    {"agent", "", ""},
		`agent a'b'"c"\d`:                {"agent", "abcd"},
		`agent '$x | "y"' "it's \"\\\""`: {"agent", `$x | "y"`, `it's "\"`},
		`agent "a\b"`:                    {"agent", `a\b`},
		`agent \$x \* \~`:                {"agent", "$x", "*", "~"},
		"agent größe":                    {"agent", "größe"},
		"agent 'a\nb'":                   {"agent", "a\nb"},
		"agent --x=1,2:3 a/b_c.d+e@f%g":  {"agent", "--x=1,2:3", "a/b_c.d+e@f%g"},
	} {
		got, err := Split(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestSplitRefusesWhatOnlyAShellWouldDo(t *testing.T) {
	for text, want := range map[string]string{
		"":            "no program",
		" \t":         "no program",
		"agent 'x":    "single quote",
		`agent "x`:    "double quote",
		`agent \`:     "backslash",
		`agent "$x"`:  "single quotes",
		"agent \"`x`": "single quotes",
	} {
		if got, err := Split(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, c := range special {
		if got, err := Split("agent a" + string(c) + "b"); err == nil || !strings.Contains(err.Error(), "no shell reads it") {
			t.Errorf("a bare %q: %q, %v", c, got, err)
		}
	}
}

// Words in single quotes come back, whatever is in them.
func TestQuotedWordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		got, err := Split(strings.Join(quoted, " "))
		if diff := cmp.Diff(words, got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}
