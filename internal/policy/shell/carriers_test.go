package shell

import (
	"iter"
	"maps"
	"strings"
	"testing"
)

// Every option of every row makes its stage opaque, however it is spelled.
func TestOptionsThatHoldACommand(t *testing.T) {
	for name, rows := range carriers() {
		checkCarriers(t, name, rows)
	}
	for sub, rows := range gitCarriers() {
		checkCarriers(t, "git "+sub, rows)
	}
	for _, names := range []iter.Seq[string]{maps.Keys(opaquePrograms()), maps.Keys(otherLaunchers()), maps.Keys(foreignShells())} {
		for name := range names {
			wantOpaqueStage(t, name+" a")
		}
	}
	for sub := range gitOpaque() {
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
		"git fetch $x", `git grep "$x"`, "git merge-index ./x -a", "git hook run pre-commit", "git svn --authors-prog=x fetch",
		// git takes what stands behind the first operand for operands
		"git config core.pager 'rm a' get", "git config core.hooksPath list", "git config core.pager x --get", "git config --type path core.pager x",
	)
}

func TestOptionsThatHoldNothing(t *testing.T) {
	for _, command := range []string{
		"git --no-pager log -5", "git -C sub status", "git log --oneline", "git config user.name x", "git config --get core.pager", "git config -l", "git config get core.pager",
		"git config --global --get core.pager", "git config --type bool --get core.bare", "git config --show-origin core.pager",
		"make -f a.mk", "make -sf a.mk all", "make --file=a.mk",
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

// A program text that comes out of a pipe is visible to nobody, whatever the option that reads it.
func TestProgramsThatAreReadFromAPipe(t *testing.T) {
	for _, command := range []string{
		"sed -f - f", "sed -f/dev/stdin f", "sed -nf - f", "sed --file=- f", "sed --fi /dev/fd/0 f", "sed -f a.sed -f - f", "sed -f /dev//fd/0 f",
		"awk -f -", "awk -f/dev/stdin", "awk -f a.awk -f -", "awk -v a=b -f ../../proc/self/fd/0",
		"make -f -", "make -sf-", "make --file=-", "make --makef /dev/stdin", "make -j4 -f /dev/fd/3", "gmake -f -",
		"python3 /dev//fd/0", "bash ../../dev/fd/0",
	} {
		t.Run(command, func(t *testing.T) {
			if s := only(t, command); s.Complete || !strings.Contains(s.Diagnostic, "standard input") {
				t.Errorf("%+v, want it opaque for its standard input", s)
			}
		})
	}
	for _, command := range []string{"sed -f <(ls) f", "awk -f <(ls)", "make -f <(ls)", `sed -f "$x" f`, `awk -f "$x"`} {
		t.Run(command, func(t *testing.T) {
			for _, s := range Stages(command, "bash", cwd) {
				if !s.Complete && strings.Contains(s.Diagnostic, "only the shell knows") {
					return
				}
			}
			t.Error("not opaque")
		})
	}
}

// The value of an option of sed looks like its script.
func TestSedOptionsInFrontOfAScript(t *testing.T) {
	for command, plain := range map[string]bool{
		"sed --line-length 1p 'w x' f": false, "sed --line 1p 'w x' f": false, "sed -l 1p 'w x' f": false, "sed -nl 1p 'w x' f": false,
		"sed -nl p f": false, "sed -niep 'w x' f": false, "sed -n --expr 'w x' f": false, "sed -n --exp='w x' f": false, "sed -newx f": false, "sed -X p f": false,
		"sed -l 5 p f": true, "sed -nl5 p f": true, "sed --line-length=5 p f": true, "sed -nE -e p -e q f": true, "sed --quiet p f": true,
		`sed 's/[/]/w x/' f`: false, `sed 's/[^/]*$//' f`: true, `sed 's/[]/]x/y/' f`: true, `sed 's/[[:alpha:]/]*/x/g' f`: true, `sed '/[/]p/d' f`: false,
		`sed 's/[/;w x\n/]/' f`: false, `sed 's/[\]/;w x/' f`: false, `sed 's/[[.a.]/]/w x/' f`: false, `sed 's|[^/]*$||;s/a/b/' f`: true,
		"sed --expression=p f": true, "sed -f a.sed f": true, "sed -ni p f": true, "sed -i '' p f": true, "sed --posix -zn 1p f": true,
	} {
		t.Run(command, func(t *testing.T) {
			if s := only(t, command); s.Complete != plain {
				t.Errorf("%+v, want it complete: %v", s, plain)
			}
		})
	}
}

func TestTextsOfSQLite(t *testing.T) {
	wantOpaqueStage(t, "sqlite3 a.db '.shell x'", "sqlite3 a.db 'select 1;\n .system x'", "sqlite3 -cmd .x a.db 'select 1'", "sqlite3 -init x a.db 'select 1'",
		"sqlite3 a.db", "sqlite3", `sqlite3 a.db "$x"`, `sqlite3 $x`, "sqlite3 a.db \"select edit ('a')\"", "sqlite3 a.db \"select LOAD_EXTENSION('a')\"")
	for _, command := range []string{"sqlite3 ./a.db 'select 1'", "sqlite3 -header -csv a.db 'select a.b from a'"} {
		if s := only(t, command); !s.Complete {
			t.Errorf("%q is opaque: %s", command, s.Diagnostic)
		}
	}
}
