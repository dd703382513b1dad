package card_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/card"
)

func arguments(raw string) card.Item {
	r := request(`{"kind":"x"}`)
	r.RawArgs = raw
	return card.New(r, nil).Arguments
}

func TestArgumentsArePrettyPrinted(t *testing.T) {
	for name, tt := range map[string]struct{ raw, want string }{
		"nested": {`{"a":[1,2.50,{"b":null}],"c":{},"d":[],"e":true}`, `{
  "a": [
    1,
    2.50,
    {
      "b": null
    }
  ],
  "c": {},
  "d": [],
  "e": true
}
`},
		"a scalar":          {`"x"`, "\"x\"\n"},
		"what is spelt":     {`{"\u0072m":"\u002drf \u202e\n"}`, "{\n  \"rm\": \"-rf \\u202e…\" [6 characters, 2 lines]\n}\n"},
		"markup stays":      {`["<b>&"]`, "[\n  \"<b>&\"\n]\n"},
		"what is no JSON":   {"rm\n\x1b[2J", "rm\n<U+001B>[2J\n"},
		"two values":        {`{} {}`, "{} {}\n"},
		"a value cut short": {`{"a":`, "{\"a\":\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, set(arguments(tt.raw))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestALargeValueIsFoldedAndWhole(t *testing.T) {
	item := arguments(`{"content":"` + strings.Repeat(`line\n`, 300) + `","b":1}`)
	if len(item.Lines) != 4 || item.Omitted != 0 {
		t.Fatalf("there are %d lines, %d bytes are left out", len(item.Lines), item.Omitted)
	}
	fold := item.Lines[1].Fold
	if fold == nil || fold.Size != "1,500 characters, 301 lines" || len(fold.Lines) != 301 || fold.Omitted != 0 {
		t.Errorf("the fold is %+v", fold)
	}
}

// A mebibyte of arguments costs a page no more than it can show, and what is not shown
// is told.
func TestWhatIsNotShownOfHugeArgumentsIsTold(t *testing.T) {
	for name, raw := range map[string]string{
		"numbers": "[" + strings.Repeat("1,", 500_000) + "1]",
		"strings": "[" + strings.Repeat(`"`+strings.Repeat("x", 1000)+`",`, 1000) + "1]",
		"lines":   "no JSON\n" + strings.Repeat("x\n", 500_000),
	} {
		t.Run(name, func(t *testing.T) {
			item := arguments(raw)
			size := 0
			for _, l := range item.Lines {
				size += len(l.Text.String())
				if l.Fold != nil {
					for _, line := range l.Fold.Lines {
						size += len(line.String())
					}
				}
			}
			if item.Omitted < len(raw)/2 || item.Omitted > len(raw) || size > 512<<10 {
				t.Errorf("of %d bytes %d are shown and %d are said to be left out", len(raw), size, item.Omitted)
			}
			if item.Value != raw {
				t.Error("the whole is not kept")
			}
		})
	}
	one := arguments(`"` + strings.Repeat("x", 1<<20) + `"`)
	if f := one.Lines[0].Fold; f == nil || f.Omitted != 1<<20-32<<10 {
		t.Errorf("of one string that is too long nothing is told to be left out: %+v", one.Omitted)
	}
}

// Whatever was sent, the lines that are set say the same value.
func TestPrettyPrintedIsTheSameValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(value(2).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, l := range arguments(string(raw)).Lines {
			text.WriteString(l.Text.String())
		}
		var got, want any
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
			t.Fatalf("%s is set as %s, which is no JSON: %v", raw, text.String(), err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s means something else (-want +got):\n%s", text.String(), d)
		}
	})
}

func value(depth int) *rapid.Generator[any] {
	short := rapid.Custom(func(t *rapid.T) any {
		return strings.ReplaceAll(rapid.StringN(0, 8, -1).Draw(t, "text"), "\n", " ")
	})
	leaves := []*rapid.Generator[any]{short, rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](12.5)}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	return rapid.OneOf(append(leaves,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any {
			return rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`), value(depth-1), 0, 3).Draw(t, "object")
		}))...)
}
