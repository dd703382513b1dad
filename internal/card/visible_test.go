package card

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestHiddenTextIsShown(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"plain text stays":                {`git commit -m "fix: \n" && ls | wc`, `git commit -m "fix: \n" && ls | wc`},
		"other scripts stay":              {"größe 大小 حجم", "größe 大小 حجم"},
		"a newline":                       {"a\nb", "a<U+000A>b"},
		"a backslash and an n":            {`a\nb`, `a\nb`},
		"a carriage return":               {"rm x\rls", "rm x<U+000D>ls"},
		"a tab":                           {"a\tb", "a<U+0009>b"},
		"an escape sequence":              {"\x1b[2J", "<U+001B>[2J"},
		"a C1 control":                    {"\u009b2J", "<U+009B>2J"},
		"delete":                          {"a\x7f", "a<U+007F>"},
		"a byte that is no UTF-8":         {"a\xffb\x9b", "a<0xFF>b<0x9B>"},
		"right-to-left override":          {"evil\u202etxt.exe", "evil<U+202E>txt.exe"},
		"an isolate":                      {"\u2066x\u2069", "<U+2066>x<U+2069>"},
		"a zero-width space":              {"a\u200bb", "a<U+200B>b"},
		"a byte order mark":               {"\ufeffa", "<U+FEFF>a"},
		"a soft hyphen":                   {"a\u00adb", "a<U+00AD>b"},
		"a space that is none":            {"a\u00a0b\u3000c", "a<U+00A0>b<U+3000>c"},
		"a line separator":                {"a\u2028b", "a<U+2028>b"},
		"a filler without ink":            {"\u3164\u2800\u115f", "<U+3164><U+2800><U+115F>"},
		"a variation selector":            {"a\ufe0f", "a<U+FE0F>"},
		"a tag character":                 {"\U000e0041", "<U+E0041>"},
		"a private character":             {"\ue000", "<U+E000>"},
		"what only looks like an escape":  {"a<U+000A>b<0xFF>", "a<U+003C>U+000A>b<U+003C>0xFF>"},
		"a redirection is none":           {"cat <Upper <0 <<EOF", "cat <Upper <0 <<EOF"},
		"the replacement character stays": {"a\ufffdb", "a\ufffdb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Visible(tt.text); got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzVisible(f *testing.F) {
	for _, text := range []string{"", "ls -l", "a\nb\x1b[2J", "\xff<0xFF>", "<U+003C>", "\u202e\U000e0041", "<\n<"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if r, ok := anyHidden(got); ok {
			t.Errorf("Visible(%q) = %q shows %U as it is", text, got, r)
		}
		if back := unescape(t, got); back != text {
			t.Errorf("Visible(%q) = %q, which is also what %q looks like", text, got, back)
		}
	})
}

func FuzzVisibleJSON(f *testing.F) {
	f.Add([]byte(`{"a":"\u202e","b":[1,"` + "\u202e\u009b\x7f" + `"]}`))
	f.Add([]byte(`"` + "\U000e0041" + `"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var want, got any
		if json.Unmarshal(text, &want) != nil || !utf8.Valid(text) || strings.ContainsAny(string(text), "\n\r\t") {
			t.Skip("one line of JSON is what it is for")
		}
		shown := VisibleJSON(text)
		if r, ok := anyHidden(string(shown)); ok {
			t.Errorf("VisibleJSON(%q) = %q shows %U as it is", text, shown, r)
		}
		if err := json.Unmarshal(shown, &got); err != nil {
			t.Fatalf("VisibleJSON(%q) = %q is no JSON: %v", text, shown, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("VisibleJSON(%q) means something else (-want +got):\n%s", text, d)
		}
	})
}

func TestClippedLineSaysWhatIsMissing(t *testing.T) {
	if got, want := Clip("größer", 3), "grö… (3 more)"; got != want {
		t.Errorf("Clip = %q, want %q", got, want)
	}
	if got, want := Clip("grö", 3), "grö"; got != want {
		t.Errorf("Clip = %q, want %q", got, want)
	}
}

// anyHidden looks for what must not reach a terminal, without the function that
// is to keep it from there.
func anyHidden(s string) (rune, bool) {
	for i, r := range s {
		bad := r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") ||
			r != ' ' && (!strconv.IsGraphic(r) || r != ' ' && strings.TrimSpace(string(r)) == "") ||
			r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe0fff || r == 0x2800 || r == 0x3164
		if bad {
			return r, true
		}
	}
	return 0, false
}

// unescape undoes Visible.
func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for len(s) > 0 {
		var code int
		end := strings.IndexByte(s, '>')
		switch {
		case !beginsEscape(s):
			b.WriteByte(s[0])
			s = s[1:]
			continue
		case end < 0:
			t.Fatalf("%q begins an escape that does not end", s)
		}
		if _, err := fmt.Sscanf(s[3:end], "%X", &code); err != nil {
			t.Fatalf("%q begins no escape: %v", s, err)
		}
		if s[1] == 'U' {
			b.WriteRune(rune(code))
		} else {
			b.WriteByte(byte(code))
		}
		s = s[end+1:]
	}
	return b.String()
}

// A character bears the marks that languages put on it, and no more: none strikes through
// what is not its own, and none are so many that they bury what is around them.
func TestMarksAreSeenForWhatTheyAre(t *testing.T) {
	const slash, acute = "\u0338", "\u0301"
	for text, want := range map[string]string{
		"ne" + acute + "e":              "ne" + acute + "e",
		slash + "a":                     "<U+0338>a",
		"a " + slash:                    "a <U+0338>",
		"a\u202e" + slash:               "a<U+202E><U+0338>",
		"a\xff" + slash:                 "a<0xFF><U+0338>",
		"a" + strings.Repeat(acute, 6):  "a" + strings.Repeat(acute, 4) + "<U+0301><U+0301>",
		"\U0001F1E9\U0001F1EA":          "<U+1F1E9><U+1F1EA>",
		"\U0001F469\u200d\U0001F52C ok": "\U0001F469<U+200D>\U0001F52C ok",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	item := jsonItem("with", `{"a":"`+slash+`b`+strings.Repeat(acute, 5)+`"}`)
	if got := item.Lines[1].Text.String(); got != `"a": "\u0338b`+strings.Repeat(acute, 4)+`\u0301"` {
		t.Errorf("JSON is shown as %q", got)
	}
}
