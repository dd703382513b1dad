package shell

import (
	"strings"
	"testing"
)

// Every option of every row makes its stage opaque, however it is spelled.
func TestOptionsThatHoldACommand(t *testing.T) {
	for name, rows := range carriers {
		checkCarriers(t, name, rows)
	}
	for sub, rows := range gitCarriers {
		checkCarriers(t, "git "+sub, rows)
	}
	for name := range opaquePrograms {
		wantOpaqueStage(t, name+" a")
	}
	for sub := range gitOpaque {
		wantOpaqueStage(t, "git "+sub)
	}
}

func checkCarriers(t *testing.T, name string, rows []carrier) {
	t.Helper()
	for _, row := range rows {
		for letter := range strings.SplitSeq(row.short, "") {
			if letter != "" {
				wantOpaqueStage(t, name+" -"+letter+" ./x a", name+" a -"+letter+"./x", name+" -q"+letter+" ./x", `\`+name+` \-`+letter+` ./x`)
			}
		}
		for long := range strings.FieldsSeq(row.long) {
			wantOpaqueStage(t, name+" --"+long+" ./x a", name+" a --"+long+"=./x", name+" '--"+long[:len(long)-1]+"' ./x", name+" --"+long+"=$x")
		}
		for exact := range strings.FieldsSeq(row.exact) {
			wantOpaqueStage(t, name+" "+exact+" ./x", name+" "+exact+"=./x")
		}
		if row.short == "" && row.long == "" && row.exact == "" {
			t.Errorf("%s has an empty row", name)
		}
	}
}

func wantOpaqueStage(t *testing.T, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if s := only(t, command); s.Complete || s.Words == nil {
			t.Errorf("%q: %+v, want it opaque with its words", command, s)
		}
	}
}

func TestGitThatRunsMoreThanItSays(t *testing.T) {
	wantOpaqueStage(t,
		"git -c a=b status", "git --exec-path=. status", "git --config-env=a=B status", "git --git-dir=x status", "git -p log", "git $x status",
		"git clone 'ext::sh -c rm% a'", "git fetch ext::x", "git remote add o ext::x", "git bisect run rm a", "git submodule foreach rm a",
		"git config core.pager 'rm a'", "git config --global alias.st '!rm a'", "git config core.hooksPath x", "git config set core.editor x", "git config -e",
		"git fetch $x", `git grep "$x"`,
	)
}

func TestOptionsThatHoldNothing(t *testing.T) {
	for _, command := range []string{
		"git --no-pager log -5", "git -C sub status", "git log --oneline", "git config user.name x", "git config --get core.pager", "git config -l",
		"git grep -n x", "git clone https://example.com/x.git", "git push origin main", `git log "$x"`, `git diff "$x"`, "git rebase main",
		"rg -n --hidden x src", "tar czf a.tgz src", "tar -xf a.tgz -C b", "tar tf a.tgz", "sort -u -k1 f", "rsync -av a/ b/", "man ls", "less f",
		"make -j4 all", "make -C sub test", "make CFLAGS=-O2 all", "go test -run X ./...", "curl -sSL https://example.com -o x", "wget -q https://example.com",
		"fd -e go", "vim x.go", "zip -r a.zip b", "split -l 5 f", "npm install", "cargo test", "gcc -O2 -o a a.c", "kubectl get pods",
	} {
		t.Run(command, func(t *testing.T) {
			if s := only(t, command); !s.Complete {
				t.Errorf("opaque: %s", s.Diagnostic)
			}
		})
	}
}
