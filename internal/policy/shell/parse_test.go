package shell

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

// One parser reads every text of the corpus, and the beginnings of each, most of which are errors to
// it. What it read before changes nothing in what it reads, and what it reads nothing in what it gave.
func TestAUsedParserReadsAsANewOneDoes(t *testing.T) {
	used := map[syntax.LangVariant]*syntax.Parser{}
	trees, texts, faults := map[string]*syntax.File{}, corpusCommands(t), 0
	for _, whole := range texts {
		for cut := range 8 {
			text := whole[:len(whole)-cut*len(whole)/8]
			for dialect, variant := range dialects {
				if !mayBeParsed(text, variant) {
					continue
				}
				if used[variant] == nil {
					used[variant] = syntax.NewParser(syntax.Variant(variant))
				}
				got, gotErr := readWith(used[variant], text)
				want, wantErr := readWith(syntax.NewParser(syntax.Variant(variant)), text)
				if gotErr != wantErr || !reflect.DeepEqual(got, want) {
					t.Fatalf("%q as %q: a used parser gives %q, a new one %q, and the trees are the same: %t",
						text, dialect, gotErr, wantErr, reflect.DeepEqual(got, want))
				}
				if wantErr != "" {
					faults++
				}
				trees[dialect+"\x00"+text] = got
			}
		}
	}
	if faults < 100 {
		t.Errorf("only %d texts are errors, so that little is known of a parser after one", faults)
	}
	for at, tree := range trees {
		dialect, text, _ := strings.Cut(at, "\x00")
		if want, _ := readWith(syntax.NewParser(syntax.Variant(dialects[dialect])), text); !reflect.DeepEqual(tree, want) {
			t.Errorf("%q as %q: a later text changed its tree", text, dialect)
		}
	}
}

// Several at once are given parsers and tables of the same kinds, each with its own answer.
func TestStagesAreTheSameForManyAtOnce(t *testing.T) {
	want := map[string][]Stage{}
	for _, text := range fuzzSeeds {
		want[text] = Stages(text, "bash", cwd)
	}
	for n := range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for i := range fuzzSeeds {
				text := fuzzSeeds[(i+5*n)%len(fuzzSeeds)]
				if diff := cmp.Diff(want[text], Stages(text, "bash", cwd)); diff != "" {
					t.Errorf("%q: (-alone +among others)\n%s", text, diff)
				}
			}
		})
	}
}

// A parser that has read one text, in whatever dialect and with whatever success, reads another as a
// new one does.
func FuzzUsedParser(f *testing.F) {
	for i, text := range fuzzSeeds {
		f.Add(fuzzSeeds[len(fuzzSeeds)-1-i], text, "bash", "bash")
		f.Add(text, text, "sh", "zsh")
	}
	f.Fuzz(func(t *testing.T, before, text, dialectBefore, dialect string) {
		was, known := dialects[dialectBefore]
		variant, knownToo := dialects[dialect]
		if !known || !knownToo || !mayBeParsed(before, was) || !mayBeParsed(text, variant) {
			return
		}
		used := syntax.NewParser(syntax.Variant(was))
		first, _ := readWith(used, before)
		syntax.Variant(variant)(used)
		got, gotErr := readWith(used, text)
		want, wantErr := readWith(syntax.NewParser(syntax.Variant(variant)), text)
		if gotErr != wantErr || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q after %q: a used parser gives %q, a new one %q", text, before, gotErr, wantErr)
		}
		if want, _ := readWith(syntax.NewParser(syntax.Variant(was)), before); !reflect.DeepEqual(first, want) {
			t.Fatalf("%q changed the tree of %q", text, before)
		}
	})
}

// mayBeParsed reports whether a text reaches the parser.
func mayBeParsed(text string, variant syntax.LangVariant) bool {
	_, why := scan(text, variant == syntax.LangPOSIX, variant == syntax.LangZsh)
	return unreadable(text) == "" && why == ""
}

func readWith(p *syntax.Parser, text string) (file *syntax.File, fault string) {
	defer func() {
		if r := recover(); r != nil {
			file, fault = nil, fmt.Sprint("panic: ", r)
		}
	}()
	file, err := p.Parse(strings.NewReader(text), "")
	if err != nil {
		return file, err.Error()
	}
	return file, ""
}

// corpusCommands are the commands of the policy cases in testdata/corpus and the seeds of the fuzzers.
func corpusCommands(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no corpus: %v", err)
	}
	commands := fuzzSeeds
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var row any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			commands = appendCommands(commands, row)
		}
	}
	return commands
}

// appendCommands adds every member of that name, however deep.
func appendCommands(commands []string, value any) []string {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			commands = appendCommands(commands, v)
		}
	case map[string]any:
		for key, v := range value {
			if text, ok := v.(string); ok && key == "command" {
				commands = append(commands, text)
			}
			commands = appendCommands(commands, v)
		}
	}
	return commands
}
