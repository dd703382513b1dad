package corpus_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// script draws a text in the grammar of bash.
func script(rt *rapid.T) string {
	g := grammar{rt}
	return g.list(rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3}).Draw(rt, "depth"))
}

// grammar draws texts; depth bounds how deep they nest.
type grammar struct{ rt *rapid.T }

func (g grammar) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.rt, "piece") }

func (g grammar) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.rt, "chance") < percent
}

// list is one to three statements with operators between.
func (g grammar) list(depth int) string {
	text := g.statement(depth)
	for n := rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(g.rt, "more"); n > 0; n-- {
		text += g.pick("; ", "\n", " && ", " || ", " | ", " & ", " |& ") + g.statement(depth)
	}
	return text + g.pick("", "", "", ";", "\n", " &", " # aa")
}

// statement is a simple command most of the time.
func (g grammar) statement(depth int) string {
	if depth == 0 || g.chance(60) {
		return g.simple(depth)
	}
	d := depth - 1
	switch rapid.IntRange(0, 15).Draw(g.rt, "statement") {
	case 0:
		return "if " + g.list1(d) + "; then " + g.list1(d) + "; else " + g.list1(d) + "; fi" + g.redirections(d)
	case 1:
		return "for " + g.pick("i", "x", "PATH", "IFS") + " in " + g.words(d) + "; do " + g.list1(d) + "; done" + g.redirections(d)
	case 2:
		return "while " + g.list1(d) + "; do " + g.list1(d) + "; break; done"
	case 3:
		return "until " + g.list1(d) + "; do " + g.list1(d) + "; break; done"
	case 4:
		return "case " + g.word(d) + " in " + g.word(d) + ") " + g.list1(d) + ";; *) " + g.list1(d) + g.pick(";;", ";&", ";;&") + " esac"
	case 5:
		return "{ " + g.list1(d) + "; }" + g.redirections(d)
	case 6:
		return "( " + g.list1(d) + " )" + g.redirections(d)
	case 7:
		name := g.pick("f", "aa", "echo", "bb")
		return name + "() { " + g.list1(d) + "; }; " + name
	case 8:
		return "function " + g.pick("f", "cc") + " { " + g.list1(d) + "; }; " + g.pick("f", "cc")
	case 9:
		return g.pick("! ", "time ", "time -p ", "coproc ") + g.statement(d)
	case 10:
		return "[[ " + g.pick("-n ", "-e ", "! -z ", "-v ") + g.word(d) + " ]]"
	case 11:
		return "[[ " + g.word(d) + g.pick(" == ", " -eq ", " =~ ", " < ") + g.word(d) + " ]]"
	case 12:
		return "(( " + g.arithmetic(d) + " ))"
	case 13:
		return g.pick("export", "declare", "declare -x", "readonly", "typeset") + " " + g.assignment(d)
	case 14:
		return "for (( i=0; i<1; i++ )); do " + g.list1(d) + "; done"
	}
	return "coproc N { " + g.list1(d) + "; }"
}

// list1 is one statement that stands where a terminator follows.
func (g grammar) list1(depth int) string { return g.statement(depth) }

// simple is assignments, a command word, words and redirections.
func (g grammar) simple(depth int) string {
	var parts []string
	if g.chance(5) {
		parts = append(parts, g.assignment(depth))
	}
	if g.chance(2) {
		return strings.Join(append(parts, g.redirection(depth)), " ")
	}
	parts = append(parts, g.command(depth))
	if n := rapid.IntRange(0, 2).Draw(g.rt, "words"); n > 0 {
		for range n {
			parts = append(parts, g.word(depth))
		}
	}
	return strings.Join(parts, " ") + g.redirections(depth)
}

// command is a command word, with what it starts where it is a launcher.
func (g grammar) command(depth int) string {
	switch n := rapid.IntRange(0, 99).Draw(g.rt, "command"); {
	case n < 70:
		return g.pick(plain...)
	case n < 77:
		return g.pick(builtins...)
	case n < 84:
		return g.spelled(g.pick(plain...))
	case n < 97:
		return g.launched()
	}
	return g.word(depth)
}

// launched is a launcher and what it starts.
func (g grammar) launched() string {
	program := g.pick(plain...)
	return g.pick(
		"env "+program, "env X=1 "+program, "env -i "+program, "env -S '"+program+" x'", "nice -n 1 "+program, "nice "+program,
		"timeout 1 "+program, "nohup "+program, "setsid "+program, "stdbuf -oL "+program, "command "+program, "builtin command "+program,
		"exec "+program, "exec -a x "+program, "xargs "+program, "xargs -n1 "+program+" <<< x", "sh -c "+program, "bash -c '"+program+" x'",
		"bash -ec "+program, "eval "+program, "eval '"+program+"; "+g.pick(plain...)+"'", "trap "+program+" EXIT", "bash <<< "+program,
		"echo "+program+" | sh", "echo "+program+" | bash -s", "source /dev/stdin <<< "+program, ". <(echo "+program+")",
		"bash <(echo "+program+")", "alias echo="+program, "hash -p "+program+" echo", "command -v "+program, "type "+program,
		"mapfile -C '"+program+" x' -c 1 y <<< x", "printf -v PATH x", "read PATH <<< .", "env nice "+program, "nice env "+program,
	)
}

// spelled is another spelling of a name.
func (g grammar) spelled(name string) string {
	head, tail := name[:1], name[1:]
	return g.pick(
		`\`+name, `"`+name+`"`, `'`+head+`'`+tail, head+`""`+tail, "$'"+fmt.Sprintf(`\x%02x`, head[0])+tail+"'", `$"`+name+`"`,
		"{"+name+",x}", head+"\\\n"+tail, "$(echo "+name+")", "${NONE:-"+name+"}", "./"+name, "../bin/"+name, "../bin/"+head+"?",
		"`echo "+name+"`", "../*/"+name, "${PATH}/"+name, "$PATH/"+name,
	)
}

func (g grammar) words(depth int) string {
	var out []string
	for range rapid.IntRange(1, 2).Draw(g.rt, "words") {
		out = append(out, g.word(depth))
	}
	return strings.Join(out, " ")
}

// word is an argument; many carry code.
func (g grammar) word(depth int) string {
	simple := slices.Concat([]string{
		"x", "y", "'a b'", `"a b"`, "$x", `"$x"`, "${x}", "*", "x*", "~", "-n", "-v", "--", "1", "$((1+1))", `\;`, "a=b", "'$(aa)'", `\$x`, "$'a\\n'",
		"'a[$(aa)]'", "'a[$(bb)]'", "a[0]", "{a,b}", "''", "$?", "$$", "${#x}", "${x:-y}", "${x//a/b}", "@", "/dev/null", "X=1", "PATH=.", "<", "&1",
	}, plain)
	if depth == 0 || g.chance(70) {
		return strings.NewReplacer("<", "'<'", "&1", "'&1'").Replace(g.pick(simple...))
	}
	inner := g.statement(depth - 1)
	quoted := strings.NewReplacer("`", "", `\`, "").Replace(inner)
	return g.pick(
		"$("+inner+")", `"$(`+inner+`)"`, "`"+quoted+"`", "<("+inner+")", ">("+inner+")", "${x:-$("+inner+")}", `"${x:=$(`+inner+`)}"`,
		"${x:+$("+inner+")}", "$(( $("+inner+") ))", "$[ $("+inner+") ]", "${x[$("+inner+")]}", "${x:$("+inner+")}", "${x/$("+inner+")/y}",
		"{a,$("+inner+")}", "a$("+inner+")b", "$'x'$("+inner+")", "$((a[$("+inner+")]))",
	)
}

func (g grammar) arithmetic(depth int) string {
	if depth == 0 {
		return g.pick("1", "x", "x+1", "a[0]")
	}
	return g.pick("1", "x=1", "a[$("+g.statement(depth-1)+")]", "$("+g.statement(depth-1)+")", "x ? 1 : 2")
}

func (g grammar) assignment(depth int) string {
	name := g.pick("x", "y", "PATH", "IFS", "BASH_ENV", "ENV", "PS4", "PROMPT_COMMAND", "a[0]", "SHELLOPTS", "HOME")
	return name + g.pick("=", "=", "+=") + g.pick(g.word(depth), "("+g.words(depth)+")", "")
}

func (g grammar) redirections(depth int) string {
	switch n := rapid.IntRange(0, 99).Draw(g.rt, "redirection"); {
	case n < 80:
		return ""
	case n < 92:
		return " " + g.pick("> /dev/null", "2>/dev/null", "2>&1", ">&2", "< /dev/null", "&> /dev/null", "2>&-", "<<< x")
	}
	return " " + g.redirection(depth)
}

// redirection opens, duplicates, or carries text.
func (g grammar) redirection(depth int) string {
	inner := g.pick(plain...)
	if depth > 0 {
		inner = g.statement(depth - 1)
	}
	return g.pick(
		"<<< "+g.word(depth), "<<< $("+inner+")",
		"> out", ">> out", ">| out", "&> out", "&>> out", "<> out", "2> out", ">& out", "{fd}> out", "> $x/out", "3> out", "> >("+inner+")", "< <("+inner+")",
		"<<E\n$("+inner+")\nE\n", "<<'E'\n$("+inner+")\nE\n", "<<-E\n\t`aa`\n\tE\n", "> /dev/null/../out", "> ~/out",
	)
}
