package hostname

import (
	"strings"
	"testing"
)

func TestEverySpellingOfAHostIsTheSame(t *testing.T) {
	for text, want := range map[string]string{
		"Example.ORG.":             "example.org",
		"bücher.example":           "xn--bcher-kva.example",
		"XN--bcher-kva.example":    "xn--bcher-kva.example",
		"ｅxample.org":              "example.org",
		"example。org":              "example.org",
		"a_b.example.org":          "a_b.example.org",
		"127.1":                    "127.0.0.1",
		"0x7f.0.0.1":               "127.0.0.1",
		"0177.0.0.1":               "127.0.0.1",
		"2130706433":               "127.0.0.1",
		"１２７.0.0.1":                "127.0.0.1",
		"127.0.0.1.":               "127.0.0.1",
		"[::1]":                    "::1",
		"::0001":                   "::1",
		"2001:DB8:0:0:0:0:0:1":     "2001:db8::1",
		"::ffff:127.0.0.1":         "127.0.0.1",
		"[::FFFF:7f00:1]":          "127.0.0.1",
		"64:ff9b::127.0.0.1":       "127.0.0.1",
		"r3---sn-x.example":        "r3---sn-x.example",
		strings.Repeat("a", 63):    strings.Repeat("a", 63),
		"localhost":                "localhost",
		"metadata.google.internal": "metadata.google.internal",
	} {
		got, err := Normal(text)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestWhatIsNoHostIsRefused(t *testing.T) {
	for _, text := range []string{
		"", ".", "a..b", "a b", "a\x00b", "a\nb", "user@a", "a:80", "https://a", "a/b", "a?b", "a#b", "a%b", "a*b", "\xff",
		"1.2.3.256", "1.2.3.4.5", "0x", "08.1.1.1", "4294967296", "1.2.3.0x", "a.1",
		"[::1", "::1]", "[a]", "fe80::1%eth0", "1:2:3", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "aa", strings.Repeat("a", 2000),
	} {
		if got, err := Normal(text); err == nil {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}

// FuzzNormal: a host that was brought to its spelling stays there, and is plain.
func FuzzNormal(f *testing.F) {
	for _, text := range []string{"Example.org", "0x7f.1", "::ffff:1.2.3.4", "bücher.example", "ℷ.a", "a..b", "1e1", "xn--a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := Normal(text)
		if err != nil {
			return
		}
		if again, err := Normal(once); err != nil || again != once {
			t.Errorf("%q gives %q, and that %q, %v", text, once, again, err)
		}
		if strings.Trim(once, "abcdefghijklmnopqrstuvwxyz0123456789.-_:") != "" || once == "" {
			t.Errorf("%q gives %q", text, once)
		}
	})
}
