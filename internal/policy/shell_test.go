package policy_test

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

const (
	allow = policy.Allow
	ask   = policy.Ask
	deny  = policy.Deny
)

func untrusted(p *part) {
	p.Program = approval.Program{Path: "/srv/app/bin/make", Untrusted: "it lies inside the workspace"}
}

func TestAnAllowRuleCoversTheWordsItBeginsWith(t *testing.T) {
	check(t, []row{
		{"the words themselves", rules(argv(allow, "git status")), command(run("git status")), allow},
		{"and more behind", rules(argv(allow, "git status")), command(run("git status --short")), allow},
		{"but not fewer", rules(argv(allow, "git status")), command(run("git")), ask},
		{"nor others", rules(argv(allow, "git status")), command(run("git stash")), ask},
		{"nor a longer word", rules(argv(allow, "git status")), command(run("git statuses")), ask},
		{"nor a longer program", rules(argv(allow, "make")), command(run("makefile")), ask},
		{"every stage needs a rule", rules(argv(allow, "git add")), command(run("git add a.txt"), run("git commit")), ask},
		{"each its own", rules(argv(allow, "git log"), argv(allow, "tail")), command(run("git log"), run("tail -3")), allow},
		{"a stage that is safe needs none", rules(argv(allow, "wc")), command(run("test -f a", is(approval.StageKnownSafe)), run("wc a")), allow},
		{"the catch-all covers every known command", rules(argv(allow, "")), command(run("make -j")), allow},
		{"but none that is opaque", rules(argv(allow, "")), command(run("!make -j")), ask},
		{"an opaque stage is covered by no rule on its words", rules(argv(allow, "make")), command(run("!make -j")), ask},
		{"a name does not cover a path", rules(argv(allow, "make")), command(run("./make")), ask},
		{"nor a path to the same", rules(argv(allow, "ls")), command(run("/bin/ls")), ask},
		{"a path covers that spelling", rules(argv(allow, "./make all")), command(run("./make all")), allow},
		{"and no other", rules(argv(allow, "/usr/bin/make")), command(run("make")), ask},
		{"a name that leads into the workspace is not covered", rules(argv(allow, "make")), command(run("make", untrusted)), ask},
		{"nor by the catch-all", rules(argv(allow, "")), command(run("make", untrusted)), ask},
		{"an unknown word behind the prefix is", rules(argv(allow, "grep -c o")), command(run(`grep -c o "$f"`)), allow},
		{"one within it is not", rules(argv(allow, "grep -c o")), command(run(`grep "$f" o`)), ask},
		{"not even as its text", rules(argv(allow, "echo $f x")), command(run(`echo $f x`)), ask},
		{"a program word that is unknown is not", rules(argv(allow, "")), command(run(`$f`)), ask},
		{"program text needs a rule that reaches it", rules(argv(allow, "node -e")), command(run("node -e 1", codeAt(1))), allow},
		{"a shorter one does not", rules(argv(allow, "node")), command(run("node -e 1", codeAt(1))), ask},
		{"nor does the catch-all", rules(argv(allow, "")), command(run("node -e 1", codeAt(1))), ask},
		{"a launcher that nobody knows", rules(argv(allow, ""), argv(deny, "rm")), command(run("frob rm a")), ask},
		{"with a value in front", rules(argv(allow, ""), argv(deny, "rm")), command(run("frob -p x rm a")), ask},
		{"with a number in front", rules(argv(allow, ""), argv(deny, "rm")), command(run("frob 5 rm a")), ask},
		{"what is no command of it", rules(argv(allow, ""), argv(deny, "rm")), command(run("frob --p=x y rm")), allow},
		{"a denied name in other letters", rules(argv(allow, ""), argv(deny, "rm -rf")), command(run("RM -rf a")), ask},
		{"its path in other letters", rules(argv(allow, ""), argv(deny, "rm")), command(run("/bin/Rm a")), ask},
		{"which a rule of its own spares", rules(argv(allow, "RM"), argv(deny, "rm")), command(run("RM a")), allow},
		{"a rule on a launcher is none on what it starts", rules(argv(allow, "env")), command(run("sh x", by("env"))), ask},
		{"what a plain launcher starts has its own rule", rules(argv(allow, "make")), command(run("make", by("nice -n 5", "env"))), allow},
	})
}

func TestAStageOfWhichNothingIsKnownIsCoveredByNoRule(t *testing.T) {
	a := command(run("make"))
	a.Found = approval.Found{}
	check(t, []row{
		{"allow", rules(argv(allow, "make")), a, ask},
		{"catch-all", rules(argv(allow, "")), a, ask},
		{"deny holds", rules(argv(deny, "make")), a, deny},
	})
}

func TestADenyRuleCoversEveryWayToNameTheProgram(t *testing.T) {
	all := argv(allow, "")
	check(t, []row{
		{"its name", rules(all, argv(deny, "rm")), command(run("rm -rf build")), deny},
		{"a path", rules(all, argv(deny, "rm")), command(run("/bin/rm build")), deny},
		{"a relative path", rules(all, argv(deny, "rm")), command(run("../bin/rm build")), deny},
		{"not a longer name", rules(all, argv(deny, "rm")), command(run("rmdir build")), allow},
		{"not a word among others", rules(all, argv(deny, "su")), command(run("echo su")), allow},
		{"a path, by the file the name leads to", rules(all, argv(deny, "/usr/bin/rm")),
			command(run("rm build", func(p *part) { p.Program.Path = "/usr/bin/rm" })), deny},
		{"a link to it", rules(all, argv(deny, "vim")),
			command(run("vi a", func(p *part) { p.Program.Path = "/usr/bin/vim" })), deny},
		{"behind launchers", rules(all, argv(deny, "rm")), command(run("rm build", by("env", "nice"))), deny},
		{"the launcher itself", rules(all, argv(deny, "nohup")), command(run("make", by("env", "nohup"))), deny},
		{"in program text", rules(all, argv(deny, "rm")), command(run("!sh", code("echo a", "rm -rf build"))), deny},
		{"as words of an opaque stage", rules(all, argv(deny, "rm")), command(run("!rm $IFS")), deny},
		{"the words are spelled as the rule spells them", rules(all, argv(deny, "rm -rf $HOME")), command(run("rm -rf $HOME")), deny},
		{"a path whose directory is not known", rules(all, argv(deny, "rm")), command(run("!$D/rm x")), deny},
		{"one stage denies the whole", rules(all, argv(deny, "rm")), command(run("ls"), run("rm a")), deny},
		{"a stage that is safe", rules(all, argv(deny, "true")), command(run("ls"), run("true", is(approval.StageKnownSafe))), deny},
		{"a stage that a reviewer allowed", rules(argv(deny, "rm")), command(run("ls"), run("rm a", is(approval.StageAllowOnce))), deny},
		{"the catch-all denies everything", rules(all, argv(deny, "")), command(run("ls")), deny},
		{"also what cannot be read", rules(argv(deny, "")), command(part{argv: []string{"\x01"}, opaque: true}), deny},
		{"ask", rules(all, argv(ask, "git clean")), command(run("git clean -f", elsewhere)), ask},
		{"deny before ask", rules(argv(ask, "rm"), argv(deny, "rm a")), command(run("rm a")), deny},
		{"deny before ask, the other way around", rules(argv(deny, "rm"), argv(ask, "rm a")), command(run("rm a")), deny},
		{"ask before allow", rules(argv(allow, "rm a"), argv(ask, "rm")), command(run("rm a")), ask},
		{"a safe stage that is to be asked", rules(argv(ask, "cd")), command(run("cd .", is(approval.StageKnownSafe))), ask},
		{"what a reviewer allowed is not asked again", rules(argv(ask, "rm")), command(run("rm a", is(approval.StageAllowOnce))), allow},
	})
}

func TestARuleMissedByOptionsAloneIsNotCoveredByLess(t *testing.T) {
	all := argv(allow, "")
	check(t, []row{
		{"options apart", rules(all, argv(deny, "rm -rf")), command(run("rm -r -f build")), ask},
		{"options behind", rules(all, argv(deny, "rm -rf")), command(run("rm build -r -f")), ask},
		{"no options at all", rules(all, argv(deny, "rm -rf")), command(run("rm build")), allow},
		{"a path to the program", rules(all, argv(deny, "rm -rf")), command(run("/bin/rm -fr build")), ask},
		{"an option with a value before the command", rules(all, argv(deny, "git push")), command(run("git -C x push")), ask},
		{"an option without", rules(all, argv(deny, "git push")), command(run("git --no-pager push origin")), ask},
		{"another command", rules(all, argv(deny, "git push")), command(run("git status --short")), allow},
		{"another command behind an option", rules(all, argv(deny, "git push")), command(run("git --no-pager status")), allow},
		{"a rule on the program alone counts as less", rules(argv(allow, "git"), argv(deny, "git push")), command(run("git -C x push")), ask},
		{"a rule that says more does not", rules(argv(allow, "git -C"), argv(deny, "git push")), command(run("git -C x push")), allow},
		{"an unknown word", rules(all, argv(deny, "git push")), command(run(`git "$x"`)), ask},
		{"an unknown word where the option may be", rules(all, argv(deny, "rm -rf")), command(run(`rm "$x" build`)), ask},
		{"an unknown word far behind, under a rule for the words before", rules(argv(allow, "git commit"), argv(deny, "git push")), command(run(`git commit -m "$x"`)), allow},
		{"an unknown word, under the catch-all", rules(all), command(run(`ls "$x"`)), ask},
		{"all words known, under the catch-all", rules(all), command(run(`ls x`)), allow},
		{"a launcher that nobody knows", rules(all, argv(deny, "rm")), command(run("anything -v rm x")), ask},
		{"a launcher that nobody knows, by a path", rules(all, argv(deny, "rm")), command(run("anything /bin/rm x")), ask},
		{"a program with subcommands", rules(all, argv(deny, "rm")), command(run("git rm x")), allow},
		{"a reader of names", rules(all, argv(deny, "rm")), command(run("grep rm x")), allow},
		{"words from the input", rules(all, argv(deny, "rm -rf")), command(word("rm", "<input>").unknown(1)), ask},
		{"an option of the rule in another place", rules(all, argv(deny, "git push --force")), command(run("git push origin --force")), ask},
		{"no option where the rule has one", rules(all, argv(deny, "git push --force")), command(run("git push origin")), allow},
		{"the option of the program is not one of the command", rules(all, argv(deny, "git -c")), command(run("git status --short")), allow},
		{"the home directory by another spelling", rules(all, argv(deny, "rm -rf ~")), command(run(`rm -rf "$HOME"`)), ask},
		{"another directory", rules(all, argv(deny, "rm -rf /")), command(run("rm -rf /tmp/x")), allow},
		{"the same directory by another spelling", rules(all, argv(deny, "rm -rf /")), command(run("rm -rf //")), ask},
		{"a path operand in another place", rules(all, argv(deny, "rm -rf /")), command(run("rm -r -f build /")), ask},
		{"an ask rule", rules(all, argv(ask, "git push")), command(run("git -C x push")), ask},
		{"over-broad deny of the root directory", rules(argv(ask, "rm"), argv(deny, "rm -rf /")), command(run("rm -rf /tmp/x")), ask},
		{"an unknown program", rules(all, argv(deny, "rm")), command(run("!$x -rf build")), ask},
	})
}

// A rule that may mean what is run binds the mode too: allowAll is no way
// around a deny rule.
func TestADenyRuleThatMayMatchIsAskedInEveryMode(t *testing.T) {
	for _, c := range []struct {
		name   string
		rules  []policy.Rule
		action approval.Action
		want   policy.Effect
	}{
		{"missed by options", rules(argv(deny, "rm -rf")), command(run("rm -r -f build")), ask},
		{"the same of an ask rule", rules(argv(ask, "rm -rf")), command(run("rm -r -f build")), allow},
		{"a program that is not known", rules(argv(deny, "rm")), command(run("!$x -rf build")), ask},
		{"a text that cannot be read", rules(argv(deny, "rm")), command(part{argv: []string{"\x01"}, opaque: true}), ask},
		{"a text that cannot be read, without rules", nil, command(part{argv: []string{"\x01"}, opaque: true}), allow},
		{"a program that is known", rules(argv(deny, "rm")), command(run("!make $x")), allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := compile(t, c.rules...).Evaluate(c.action, in(approval.AllowAll)); v.Effect != c.want {
				t.Errorf("effect %v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestBehindACdOnlyProgramsThatTakeNoOrdersAreCovered(t *testing.T) {
	all := argv(allow, "")
	check(t, []row{
		{"git", rules(all), command(run("git status", elsewhere)), ask},
		{"git with a rule of its own", rules(argv(allow, "git status")), command(run("git status", elsewhere)), ask},
		{"make", rules(all), command(run("make", elsewhere)), ask},
		{"a script of that place", rules(all), command(run("./ls", elsewhere)), ask},
		{"ls", rules(all), command(run("ls", elsewhere)), allow},
		{"git by a read-only rule", rules(readOnly("git")), command(run("git status", elsewhere)), ask},
		{"cat by a read-only rule", rules(readOnly("cat")), command(run("cat a", elsewhere)), allow},
	})
}

func TestAFileThatTheShellWritesNeedsAVerdictOfItsOwn(t *testing.T) {
	echo := argv(allow, "echo")
	check(t, []row{
		{"none", rules(echo), command(run("echo a", to("/srv/app/out"))), ask},
		{"allowed", rules(echo, glob(allow, approval.Write, "out")), command(run("echo a", to("/srv/app/out"))), allow},
		{"allowed to be read", rules(echo, glob(allow, approval.Read, "out")), command(run("echo a", to("/srv/app/out"))), ask},
		{"denied", rules(echo, glob(deny, approval.Write, "out")), command(run("echo a", to("/srv/app/out"))), deny},
		{"the null device", rules(echo), command(run("echo a", to("/dev/null"))), allow},
		{"the null device as an operand", rules(argv(allow, "tee")), command(run("tee /dev/null", on(approval.Write, "/dev/null"))), allow},
		{"the program itself still needs a rule", rules(glob(allow, approval.Write, "out")), command(run("echo a", to("/srv/app/out"))), ask},
		{"an operand needs none", rules(argv(allow, "tee")), command(run("tee a", on(approval.Write, "/srv/app/a"))), allow},
		{"an operand is denied", rules(argv(allow, "tee"), glob(deny, approval.Write, "a")), command(run("tee a", on(approval.Write, "/srv/app/a"))), deny},
		{"an operand is asked about", rules(argv(allow, "cat"), glob(ask, approval.Read, "**/.env")), command(run("cat .env", on(approval.Read, "/srv/app/.env"))), ask},
		{"the other access is not", rules(argv(allow, "cat"), glob(deny, approval.Write, "**/.env")), command(run("cat .env", on(approval.Read, "/srv/app/.env"))), allow},
		{"a directory that is listed is not read", rules(argv(allow, "ls"), glob(deny, approval.Read, "**/.env")),
			command(run("ls src", touches(directory(approval.Read, "/srv/app/src")))), allow},
		{"a directory that is searched is", rules(argv(allow, "grep"), glob(deny, approval.Read, "**/.env")),
			command(run("grep -r a src", touches(directory(approval.Read, "/srv/app/src")))), ask},
		{"a path that is not known, and a rule", rules(argv(allow, "cat"), glob(deny, approval.Read, "**/.env")),
			command(run("cat $f", touches(approval.Target{Access: approval.Read, Text: "$f", Unresolved: "the text does not tell"}))), ask},
		{"a path that is not known, and no rule", rules(argv(allow, "cat"), glob(deny, approval.Write, "**/.env")),
			command(run("cat $f", touches(approval.Target{Access: approval.Read, Text: "$f", Unresolved: "the text does not tell"}))), allow},
		{"an unknown file to write is covered by no rule", rules(echo, glob(allow, approval.Write, "/**")),
			command(run("echo a", touches(approval.Target{Access: approval.Write, Redirected: true, Text: "$f", Unresolved: "the text does not tell"}))), ask},
	})
}

func directory(access approval.Access, path string) approval.Target {
	return approval.Target{Access: access, Text: path, Written: path, Path: path, Type: approval.TargetDirectory}
}

func TestAPresetAnswersForTheFilesOfACommand(t *testing.T) {
	p := compile(t, argv(allow, "echo"))
	for _, c := range []struct {
		preset approval.Preset
		path   string
		want   policy.Effect
	}{
		{approval.ReadOnly, "/srv/app/out", ask},
		{approval.WorkspaceWrite, "/srv/app/out", allow},
		{approval.WorkspaceWrite, "/srv/other", ask},
		{approval.WorkspaceWrite, "/srv/app/.git/config", ask},
	} {
		t.Run(string(c.preset)+" "+c.path, func(t *testing.T) {
			context := in(approval.PromptUnmatched)
			context.Under[0].Preset = c.preset
			if v := p.Evaluate(command(run("echo a", to(c.path))), context); v.Effect != c.want {
				t.Errorf("effect %v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestReviewersCommandsAreAHardDenial(t *testing.T) {
	all := []policy.Rule{argv(allow, "")}
	check(t, []row{
		{"decide", all, command(run("approvald decide ID allow_once")), deny},
		{"the program of the inbox", all, command(run("approvald-inbox --socket s")), deny},
		{"it by a path", all, command(run("/opt/bin/approvald-inbox")), deny},
		{"it behind a launcher", all, command(run("tmux new-session approvald-inbox --socket s")), deny},
		{"it in a text that cannot be read", all, command(part{argv: []string{"approvald-inbox --socket x\x01"}, opaque: true}), deny},
		{"the program of hooks, which is an agent", all, command(run("approvald-hook --agent claude")), allow},
		{"it by approvald", all, command(run("approvald hook --agent claude")), allow},
		{"its source as a word", all, command(run("go build -o x ./cmd/approvald-inbox")), allow},
		{"by a path", all, command(run("./bin/approvald decide ID allow_once")), deny},
		{"by a link of another name", all, command(run("ap decide ID", func(p *part) { p.Program.Path = "/usr/bin/approvald" })), deny},
		{"behind options", all, command(run("approvald --json decide ID")), deny},
		{"behind a launcher", all, command(run("approvald grants", by("env"))), deny},
		{"behind an unknown launcher", all, command(run("catchsegv approvald inbox")), deny},
		{"in program text", all, command(run("!sh -c", code("approvald policy import x"))), deny},
		{"a command that is not known", all, command(run("approvald frobnicate")), deny},
		{"a command that only the shell knows", all, command(run("approvald $x")), deny},
		{"a text that cannot be read", all, command(part{argv: []string{"approvald decide x\x01"}, opaque: true}), deny},
		{"its version", all, command(run("approvald version")), allow},
		{"asking as an agent", all, command(run("approvald exec -- make")), allow},
		{"its name as a text", all, command(run("grep approvald policy")), allow},
		{"its source", all, command(run("ls approvald policy")), allow},
		{"a decision is no excuse", nil, command(run("approvald decide", is(approval.StageAllowOnce)), run("ls")), deny},
	})
	v := compile(t, all...).Evaluate(command(run("approvald decide")), in(approval.AllowAll))
	if v.Effect != deny || v.Resolution != approval.ByBuiltinDeny {
		t.Errorf("under allowAll: %v by %+v", v.Effect, v.Resolution)
	}
}

func TestApprovaldsOwnFilesAreAHardDenial(t *testing.T) {
	p := compileSetup(t, policy.Setup{
		Layers: []policy.Layer{layer(argv(allow, ""), glob(allow, approval.Read, "/**"), glob(allow, approval.Write, "/**"))},
		Own:    []string{"/home/u/.local/state/approvald", "/run/user/1/approvald"},
	})
	for _, c := range []struct {
		name   string
		action approval.Action
		want   policy.Effect
	}{
		{"read", fileAt(approval.Read, "/run/user/1/approvald/agent.sock"), deny},
		{"through a link", fileAt(approval.Write, "/home/u/.local/state/approvald/log", written("/srv/app/x")), deny},
		{"the directory itself", fileAt(approval.Read, "/run/user/1/approvald", typed(approval.TargetDirectory)), deny},
		{"a neighbour with a longer name", fileAt(approval.Read, "/run/user/1/approvald2"), allow},
		{"a directory above", fileAt(approval.Read, "/run/user/1", typed(approval.TargetDirectory)), ask},
		{"as an operand", command(run("cat x", on(approval.Read, "/run/user/1/approvald/x"))), deny},
		{"as a word", command(run("nc -U /run/user/1/approvald/reviewer.sock")), deny},
		{"inside a word", command(run("socat - UNIX:/run/user/1/approvald/reviewer.sock")), deny},
		{"behind another path in a word", command(run("x a/b:/run/user/1/../1/approvald/reviewer.sock")), deny},
		{"another word", command(run("ls /run/user/1/bus")), allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := p.Evaluate(c.action, in(approval.AllowAll)); v.Effect != c.want {
				t.Errorf("effect %v, want %v: %s", v.Effect, c.want, v.Explanation)
			}
		})
	}
}

func TestEveryOpenStageSaysWhyNothingSettledIt(t *testing.T) {
	p := compile(t, argv(allow, "git"), argv(deny, "git push"), argv(allow, "node"), argv(allow, "echo"), argv(ask, "rm"))
	for _, c := range []struct {
		stage part
		says  string
	}{
		{run("touch MARK"), "nothing in force covers"},
		{run("git -C x push"), "comes so close to user rule 2"},
		{run("node -e 1", codeAt(1)), "run program text"},
		{run("git log", elsewhere), "another directory"},
		{run("git log", untrusted), "inside the workspace"},
		{run("!x y"), "it cannot be read"},
		{run("echo a", to("/srv/app/out")), `writing "/srv/app/out"`},
		{run("rm a"), "user rule 5 (policy.toml:17) asks about"},
	} {
		t.Run(c.says, func(t *testing.T) {
			v := p.Evaluate(command(c.stage), in(approval.PromptUnmatched))
			if v.Effect != ask || !strings.Contains(v.Stages[0].Diagnostic, c.says) {
				t.Errorf("%v, stage %+v; it should say %q", v.Effect, v.Stages[0], c.says)
			}
			again := command(c.stage)
			again.Subject = approval.WithResolutions(again.Subject, v.Stages)
			if w := p.Evaluate(again, in(approval.PromptUnmatched)); !w.Stages[0].Equal(v.Stages[0]) {
				t.Errorf("asked again it says %+v, before %+v", w.Stages[0], v.Stages[0])
			}
		})
	}
}

func TestAnOperandInTheFilesOfAProcessMayBeAnyFile(t *testing.T) {
	foreign := func(path string) func(*part) {
		return touches(approval.Target{Access: read, Text: path, Written: path, Path: path, Type: approval.TargetSpecial, OfProcess: true})
	}
	all := argv(allow, "")
	check(t, []row{
		{"under a deny rule", rules(all, glob(deny, read, "/etc/shadow")), command(run("cat x", foreign("/proc/self/root/etc/shadow"))), ask},
		{"under one of another access", rules(all, glob(deny, write, "/etc/shadow")), command(run("cat x", foreign("/proc/self/status"))), allow},
		{"the standard input", rules(all, glob(deny, read, "/etc/shadow")), command(run("cat x", foreign("/dev/stdin"))), allow},
	})
}

// A command outside every sandbox is approved for one invocation (row B5): what a
// session grant says of the same command inside one does not cover it, and
// nothing that stands is offered for it. What the user wrote into a policy, and a
// mode that allows everything, are about it as well.
func TestAnUnrestrictedCommandIsAskedAboutEachTime(t *testing.T) {
	unrestricted := func(a approval.Action) approval.Action {
		a.Operation = []byte(`{"kind":"shell-unrestricted","command":"…"}`)
		return a
	}
	made := command(run("make all", suggests("make all")))
	unsplit := approval.Action{Subject: approval.Shell{Command: "…", Cwd: root, Shell: "bash"}}
	asks := in(approval.PromptUnmatched)
	granted := asks
	granted.Granted = everything
	for name, c := range map[string]struct {
		rules  []policy.Rule
		action approval.Action
		in     policy.Context
		want   policy.Effect
		menu   bool // that anything which stands is offered
	}{
		"in a sandbox":                       {nil, made, asks, ask, true},
		"in a sandbox, granted":              {nil, made, granted, allow, false},
		"of another operation":               {nil, func() approval.Action { a := made; a.Operation = []byte(`{"kind":"other"}`); return a }(), granted, allow, false},
		"of an operation that is none":       {nil, func() approval.Action { a := made; a.Operation = []byte(`{`); return a }(), granted, ask, false},
		"unrestricted":                       {nil, unrestricted(made), asks, ask, false},
		"unrestricted, granted in one":       {nil, unrestricted(made), granted, ask, false},
		"unrestricted and not split":         {nil, unrestricted(unsplit), granted, ask, false},
		"not split, in a sandbox":            {nil, unsplit, granted, allow, false},
		"unrestricted, by a rule":            {rules(argv(allow, "make")), unrestricted(made), asks, allow, false},
		"unrestricted, denied":               {rules(argv(deny, "make")), unrestricted(made), granted, deny, false},
		"unrestricted, in a trusted session": {nil, unrestricted(made), in(approval.AllowAll), allow, false},
	} {
		v := compile(t, c.rules...).Evaluate(c.action, c.in)
		if offers := v.Menu.Session || v.Menu.Persist != nil; v.Effect != c.want || offers != c.menu {
			t.Errorf("%s: %v, offers what stands: %t; want %v, %t", name, v.Effect, offers, c.want, c.menu)
		}
	}
}
