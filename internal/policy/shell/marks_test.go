package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// marks are the programs of these tests: each leaves its name behind when it runs.
var marks = strings.Fields("k0 k1 k2 k3 k4 k5")

// scratch is a directory in which texts are run by a real shell with nothing on the PATH but marks
// and the launchers named.
type scratch struct{ shell, as, bin, cwd, seen string }

func newScratch(t *testing.T, shell string, launchers ...string) scratch {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("%s is not installed, so nothing can be compared with it", shell)
	}
	dir := t.TempDir()
	s := scratch{shell: path, as: shell, bin: filepath.Join(dir, "bin"), cwd: filepath.Join(dir, "cwd"), seen: filepath.Join(dir, "seen")}
	for _, d := range []string{s.bin, s.cwd} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// A mark that runs for the 16th time fails, and for the 32nd ends the text: so every loop ends.
	mark := "#!/bin/sh\necho \"${0##*/}\" >> \"$SEEN\"\nn=0\nwhile read -r _; do n=$((n+1)); done < \"$SEEN\"\n" +
		"[ $n -lt 32 ] || kill -KILL 0\n[ $n -lt 16 ]\n"
	for _, name := range marks {
		if err := os.WriteFile(filepath.Join(s.bin, name), []byte(mark), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range launchers {
		if found, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		} else if err := os.Symlink(found, filepath.Join(s.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// run runs a text and gives the marks that it left. One that hangs is killed, and is no witness.
func (s scratch) run(t fataler, command string) []string {
	if err := os.RemoveAll(s.cwd); err != nil {
		t.Fatalf("clean up: %v", err)
	}
	if err := os.Mkdir(s.cwd, 0o700); err != nil {
		t.Fatalf("clean up: %v", err)
	}
	if err := os.WriteFile(s.seen, nil, 0o600); err != nil {
		t.Fatalf("clean up: %v", err)
	}
	alive, held, err := os.Pipe() // closed when the last process that the text started has ended
	if err != nil {
		t.Fatalf("make a pipe: %v", err)
	}
	defer alive.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.shell, "-c", command+"\nwait")
	cmd.Args[0] = s.as
	cmd.Dir, cmd.Env = s.cwd, []string{"PATH=" + s.bin, "SEEN=" + s.seen, "LC_ALL=C.UTF-8", "HOME=" + s.cwd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.ExtraFiles = []*os.File{held}
	if err := errors.Join(cmd.Start(), held.Close()); err != nil {
		t.Fatalf("start %s: %v", s.shell, err)
	}
	_ = cmd.Wait() // whatever it comes to, what has run has run
	stop := context.AfterFunc(ctx, func() { _ = cmd.Cancel() })
	_, _ = io.ReadAll(alive)
	stop()
	data, err := os.ReadFile(s.seen)
	if err != nil {
		t.Fatalf("read the marks: %v", err)
	}
	seen := strings.Fields(string(data))
	slices.Sort(seen)
	return slices.Compact(seen)
}

// files are those that the text left behind where it ran.
func (s scratch) files(t fataler) []string {
	entries, err := os.ReadDir(s.cwd)
	if err != nil {
		t.Fatalf("read what was left behind: %v", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Whatever a shell runs is the command word of a stage, and whatever file it opens for writing is in
// the Files of one, or a stage is opaque.
func TestNothingRunsThatIsNoStage(t *testing.T) {
	for _, c := range []struct{ name, dialect, shell, as string }{
		{"bash", "bash", "bash", "bash"}, {"dash", "sh", "dash", "sh"}, {"bash as sh", "sh", "bash", "sh"}, {"zsh", "zsh", "zsh", "zsh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sh := newScratch(t, c.shell, "env", "nice", "timeout", "xargs", "sh")
			sh.as = c.as
			if got := sh.run(t, "k0 && env k1"); !slices.Equal(got, []string{"k0", "k1"}) {
				t.Fatalf("the marks do not work: %v", got)
			}
			texts := []*rapid.Generator[string]{soupOfMarks, rapid.Custom(scriptOfMarks)}
			if c.dialect == "zsh" {
				texts = append(texts, soupOfZsh, soupOfZsh)
			}
			complete, ran := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				command := rapid.OneOf(texts...).Draw(t, "command")
				stages := Stages(command, c.dialect, cwd)
				if slices.ContainsFunc(stages, func(s Stage) bool { return !s.Complete }) {
					return
				}
				complete++
				left := sh.run(t, command)
				ran += min(1, len(left))
				if missed := unseen(stages, left); len(missed) > 0 {
					t.Fatalf("%q runs %v, which is no stage of it: %q", command, missed, rendered(stages))
				}
				if missed := unwritten(stages, sh.files(t)); len(missed) > 0 {
					t.Fatalf("%q writes %q, which is no file of it: %+v", command, missed, stages)
				}
			})
			if ran == 0 {
				t.Error("no complete text ran anything, so nothing was compared")
			}
			t.Logf("%d texts were complete, %d of them ran something", complete, ran)
		})
	}
}

// unseen are the marks that a text left and no stage of it names.
func unseen(stages []Stage, left []string) []string {
	named := map[string]bool{}
	for _, s := range stages {
		if !s.KnownSafe {
			named[base(s.Argv[0])] = true
		}
		for _, argv := range s.Code {
			named[base(argv[0])] = true
		}
	}
	return slices.DeleteFunc(left, func(name string) bool { return named[name] })
}

// unwritten are the files that a text left and no redirection of a stage names.
func unwritten(stages []Stage, left []string) []string {
	named := map[string]bool{}
	for _, s := range stages {
		for _, f := range s.Files {
			if f.Dynamic && f.Access == approval.Write {
				return nil
			}
			named[f.Text] = named[f.Text] || f.Redirected && f.Access == approval.Write
		}
	}
	return slices.DeleteFunc(left, func(name string) bool { return named[name] })
}

// soupOfMarks is tokens of the shell in any order.
var soupOfMarks = soupOf(
	rapid.SampledFrom(strings.Split(`&& || | ; & ;; |& ! ( ) { } $( ) <( >( "$( )" "`+" ` \" ' \\ $ # ${ ${x:- } $x $' \\' $\" '' \"\""+
		` < > << <<- <<< <<E <<'E' >& 2>&1 >/dev/null &> >| E = x= x=k1 x+= [ ] [[ ]] * ? ~ , {k1,k2} .. @( +( (( )) $(( 1 `+
		`if then else fi for x in do done while until case esac k1) *) ;& function f f() time -p env nice xargs command exec `+
		`export local read true : test -f -n -a == =~ -eq sh -c 'k1' timeout 5 É é`, " ")),
	rapid.SampledFrom([]string{"\n", "\n", "\\\n", "\t", ";\n", "\nE\n", "\nfi\n", "\ndone\n"}),
)

// soupOfZsh is tokens that zsh reads otherwise than bash, or alone.
var soupOfZsh = soupOf(
	rapid.SampledFrom(strings.Split(`&& || | ; & { } ( ) =k1 =(k1) *(e:k2:) *(e:'k2':) *(+k2) .(e:k3:) ^k1 k*~k1 <1-9> ${(e):-\$(k1)} `+
		"${(e)x} $~x $=x ${=x} x='$(k1)' x=k1 x[k1]=2 "+`always { k1 } repeat 2 if true for (( ;; )) foreach end nocorrect noglob builtin - `+
		`&! &| >! >>! > a >a <a <<<k1 >&a () function {k1} true else case in esac k1) 2>&1 ! time coproc $((k1)) alias k4=k5 k4 -g`, " ")),
	rapid.SampledFrom([]string{"\n", ";\n"}),
)

func soupOf(kinds ...*rapid.Generator[string]) *rapid.Generator[string] {
	mark := rapid.SampledFrom(marks)
	token := rapid.OneOf(append(kinds, mark, mark, mark)...)
	return rapid.Map(rapid.SliceOfN(token, 1, 14), func(tokens []string) string {
		var b strings.Builder
		for i, token := range tokens {
			// Most tokens stand apart; some touch.
			if i > 0 && (len(token)+i)%5 != 0 {
				b.WriteByte(' ')
			}
			b.WriteString(token)
		}
		return b.String()
	})
}

// scriptOfMarks is a text of well-formed statements.
func scriptOfMarks(t *rapid.T) string { return statements(t, 3) }

func statements(t *rapid.T, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		b.WriteString(statementOfMarks(t, depth))
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "; ", " # its\n", " &\n"}).Draw(t, "end"))
	}
	return b.String()
}

func statementOfMarks(t *rapid.T, depth int) string {
	simple := func() string {
		name := rapid.SampledFrom(marks).Draw(t, "mark")
		prefix := rapid.SampledFrom([]string{"", "", "", "NO_COLOR=1 ", "env ", "nice -n 1 ", "env LC_ALL=C nice ", "timeout 5 ", "command ", "! ", "time ", "echo a | xargs "}).Draw(t, "prefix")
		name = rapid.SampledFrom([]string{name, name, `\` + name, "'" + name + "'", `k"` + name[1:] + `"`, "$'\\x6b" + name[1:] + "'", "{" + name + ",a}", "k\\\n" + name[1:]}).Draw(t, "spelling")
		if depth <= 0 {
			return prefix + name
		}
		inner := func() string { return strings.TrimRight(statementOfMarks(t, depth-1), "\n") }
		operand := rapid.SampledFrom([]func() string{
			func() string { return "" }, func() string { return " a \"$x\" 'b;c'" },
			func() string { return " $(" + inner() + ")" }, func() string { return " \"a $(" + inner() + ") b\"" },
			func() string { return " <(" + inner() + ")" }, func() string { return " > >(" + inner() + ")" },
			func() string { return " > out 2>&1" }, func() string { return " <<< \"$(" + inner() + ")\"" },
			func() string { return " ${x:-$(" + inner() + ")}" },
			func() string { return " `k1`" }, func() string { return " \"`k2` it's\"" },
		}).Draw(t, "operand")
		return prefix + name + operand()
	}
	if depth <= 0 {
		return simple()
	}
	body := func() string { return statements(t, depth-1) }
	one := func() string { return statementOfMarks(t, depth-1) }
	forms := []func() string{
		simple, simple, simple,
		func() string { return one() + " && " + one() }, func() string { return one() + " || " + one() },
		func() string { return one() + " | " + one() }, func() string { return one() + " |& " + one() },
		func() string { return "( " + body() + " )" }, func() string { return "{ " + body() + "\n}" },
		func() string { return "if " + body() + "\nthen " + body() + "\nelse " + body() + "\nfi" },
		func() string { return "while " + body() + "\ndo " + body() + "\ndone" },
		func() string { return "until " + body() + "\ndo " + body() + "\ndone" },
		func() string { return "for f in a b $(k3); do " + body() + "\ndone > out" },
		func() string { return "case a in b) " + body() + "\n;; a) " + body() + "\n;; esac" },
		func() string { return "case a in (a) " + body() + "\n;;& (*) " + body() + "\nesac" },
		func() string { return "f() { " + body() + "\n}" }, func() string { return "function g {\n" + body() + "\n}" },
		func() string { return "[[ -n $(" + one() + ") ]]" }, func() string { return "[ -n \"$(" + one() + ")\" ]" },
		func() string { return "x=$(" + one() + ")" }, func() string { return "sh -c 'k4 && k5'" },
		func() string { return "readonly y=$(" + one() + ")" },
		func() string { return "{ " + simple() + " <<E\na $(" + one() + ") it's\nE\n}" },
		func() string { return "{ " + simple() + " <<'E'\n$(k0) `k1`\nE\n}" },
		func() string { return "echo $(case a in (b) " + body() + "\n;; (a) " + body() + "\n;; esac)" },
	}
	return rapid.SampledFrom(forms).Draw(t, "form")()
}
