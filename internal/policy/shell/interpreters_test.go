package shell

import (
	"strings"
	"testing"
)

// Every interpreter of the table: program text in its words sets CodeAt, and without a program it
// reads one from its standard input.
func TestInterpreters(t *testing.T) {
	for name, in := range interpreters() {
		for i := range len(in.code) {
			checkCodeAt(t, name, "-"+in.code[i:i+1], in.shell == "?")
		}
		for _, option := range in.long {
			checkCodeAt(t, name, option, in.shell == "?")
		}
		t.Run(name+" of its standard input", func(t *testing.T) {
			for _, tail := range []string{"", " -", " /dev/stdin", " /dev/fd/0", " <<< x", " --"} {
				if s := only(t, name+tail); s.Complete {
					t.Errorf("%q: %+v, want it opaque", name+tail, s)
				}
			}
		})
		t.Run(name+" of a file", func(t *testing.T) {
			if s := only(t, name+" x.txt a"); !s.Complete || s.CodeAt != 0 || s.Prefix != nil {
				t.Errorf("%+v, want it complete, without code and without a suggestion", s)
			}
		})
		t.Run(name+" with an unknown option", func(t *testing.T) {
			for _, option := range []string{"-@", "--unknown"} {
				if s := only(t, name+" "+option+" x.txt"); s.Complete {
					t.Errorf("%+v, want it opaque", s)
				}
			}
		})
	}
}

func checkCodeAt(t *testing.T, name, option string, unreadable bool) {
	t.Helper()
	t.Run(name+" "+option, func(t *testing.T) {
		s := only(t, name+" "+option+" 'ls' a")
		if unreadable {
			if s.Complete {
				t.Errorf("%+v, want it opaque", s)
			}
		} else if !s.Complete || s.CodeAt != 1 || s.Prefix != nil {
			t.Errorf("%+v, want it complete with CodeAt 1 and no suggestion", s)
		}
	})
}

func TestWhereTheCodeIs(t *testing.T) {
	tests := []struct {
		command string
		at      int
		code    string // the commands of it, joined
	}{
		{"python3.12 -B -c 'x'", 2, ""},
		{"python3 -Bc 'x'", 1, ""},
		{"perl -lne 'print' f", 1, ""},
		{"node --eval=x", 1, ""},
		{"deno eval x", 1, ""},
		{"bash -c 'ls a; b'", 1, "ls a|b"},
		{"bash -o pipefail -ec 'ls a'", 3, "ls a"},
		{"bash --norc -c 'ls a'", 2, "ls a"},
		{"bash -c -e 'ls a'", 1, "ls a"},
		{"sh -c 'if a; then b; fi' x y", 1, "a|b"},
		{"zsh -c 'ls a'", 1, "ls a"},
		{"/bin/sh -c 'ls'", 1, "ls"},
		{"env sh -c 'ls'", 1, "ls"},
		{"ssh host ls a", 2, "ls a"},
		{"ssh -p 22 host ls a", 4, "ls a"},
		{`awk '$1 > 2' f`, 1, ""},
		{`awk -F: '{print > "x"}' f`, 2, ""},
		{"python3 x.py -c y", 0, ""},
		{"bash x.sh -c y", 0, ""},
		{"awk '{print}' f", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			s := only(t, tt.command)
			var code []string
			for _, argv := range s.Code {
				code = append(code, strings.Join(argv, " "))
			}
			if !s.Complete || s.CodeAt != tt.at || strings.Join(code, "|") != tt.code {
				t.Errorf("%+v, want it complete with CodeAt %d and the code %q", s, tt.at, tt.code)
			}
		})
	}
}
