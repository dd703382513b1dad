package hook

import "testing"

// What a reviewer sees is the path that Claude Code makes of the text, in every tool that has one.
func TestAPathIsTheOneThatClaudeCodeOpens(t *testing.T) {
	at := around
	at.Home = "/home/me"
	in := input{cwd: "/srv/app"}
	for _, c := range []struct{ text, path string }{
		{"a/b", "a/b"},
		{"/etc/./x", "/etc/./x"},
		{" /etc/passwd", "/etc/passwd"},
		{"\ufeff\u00a0/etc/passwd\n\u2028", "/etc/passwd"},
		{"\u0085/etc/passwd", "\u0085/etc/passwd"}, // no blank to JavaScript
		{"~", "/home/me"},
		{" ~/.ssh/id", "/home/me/.ssh/id"},
		{"~/../you/x", "/home/you/x"},
		{"~you/x", "~you/x"},
		{"link/../../x", "/srv/x"},
		{"/srv/app/link/../../x", "/srv/x"},
		{"a..b", "a..b"},
		{" ", ""},
	} {
		if got := in.path(c.text, at); got != c.path {
			t.Errorf("%q: %q, not %q", c.text, got, c.path)
		}
	}
	at.Home = ""
	if got := in.path("~/x", at); got != "~/x" {
		t.Errorf("a home that is not known is %q", got) // policy covers no ~
	}
}
