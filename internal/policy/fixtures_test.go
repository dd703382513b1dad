package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// compile is the policy with rules in the user's file.
func compile(t testing.TB, rules ...policy.Rule) *policy.Policy {
	t.Helper()
	return compileSetup(t, policy.Setup{Layers: []policy.Layer{layer(rules...)}})
}

func compileSetup(t testing.TB, from policy.Setup) *policy.Policy {
	t.Helper()
	p, err := policy.Compile(from)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// layer is a file that holds rules, each with its place.
func layer(rules ...policy.Rule) policy.Layer {
	l := policy.Layer{Rules: slices.Clone(rules)}
	for i := range l.Rules {
		l.Rules[i].Ref = policy.Ref{Layer: "user", File: "policy.toml", Index: i + 1, Line: 4*i + 1}
	}
	return l
}

// argv is a shell rule on words in one text; "" is the catch-all.
func argv(e policy.Effect, prefix string) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindShell, HasArgv: true, Argv: strings.Fields(prefix)}
}

func readOnly(programs ...string) policy.Rule {
	return policy.Rule{Effect: policy.Allow, Kind: approval.KindShell, Class: "read-only", Programs: programs}
}

func glob(e policy.Effect, access approval.Access, pattern string) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindFile, Access: access, Glob: pattern}
}

func outside(e policy.Effect, access approval.Access) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindFile, Access: access, Outside: true}
}

func host(e policy.Effect, pattern string, port int) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindNetwork, Host: pattern, Port: port}
}

func class(e policy.Effect, name string) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindNetwork, Class: name}
}

func tool(e policy.Effect, server, name string) policy.Rule {
	return policy.Rule{Effect: e, Kind: approval.KindTool, Server: server, Tool: name}
}

// root is the workspace of every test.
const root = "/srv/app"

// in is the context of a session in root.
func in(m approval.Mode) policy.Context { return policy.Context{Root: root, Under: under(m)} }

// command is a shell action of its stages.
func command(parts ...part) approval.Action {
	s := approval.Shell{Command: "…", Cwd: root, Shell: "bash"}
	var found []approval.Part
	for i, p := range parts {
		stage := approval.Stage{
			RequirementID: approval.RequirementID{SourceIndex: i}, Position: i + 1, TotalStages: len(parts),
			Argv: p.argv, ArgvComplete: !p.opaque, Resolution: approval.StageResolution{Kind: approval.StageUnresolved},
		}
		if p.opaque {
			stage.Resolution.Diagnostic = "it cannot be read"
		}
		if p.as.Kind != "" {
			stage.Resolution = p.as
		}
		if p.suggests != nil {
			stage.SuggestedPrefix = &approval.SuggestedPrefix{ArgvPrefix: p.suggests}
		}
		s.Stages = append(s.Stages, stage)
		found = append(found, p.Part)
	}
	return approval.Action{Subject: s, Found: approval.Found{Parts: found}}
}

// part is one stage of a command and what is known of it.
type part struct {
	argv     []string
	opaque   bool
	as       approval.StageResolution
	suggests []string
	approval.Part
}

// run is a stage by its words in one text. A word with a $ or a * in it is one
// that only the running shell knows; a stage with a ! in front is opaque, and
// the text behind it are the words as far as they are known.
func run(text string, with ...func(*part)) part {
	p := part{argv: strings.Fields(text)}
	if known, opaque := strings.CutPrefix(text, "!"); opaque {
		p.argv, p.opaque, p.Words = []string{known}, true, strings.Fields(known)
	}
	words := p.argv
	if p.opaque {
		words = p.Words
	}
	for i, word := range words {
		if strings.ContainsAny(word, "$*") {
			p.Dynamic = append(p.Dynamic, i)
		}
	}
	for _, f := range with {
		f(&p)
	}
	return p
}

// word is a stage of the words given, all of them known.
func word(argv ...string) part { return part{argv: argv} }

// unknown marks words that only the running shell knows.
func (p part) unknown(at ...int) part {
	p.Dynamic = at
	return p
}

func suggests(prefix string) func(*part) {
	return func(p *part) { p.suggests = strings.Fields(prefix) }
}

func elsewhere(p *part) { p.Elsewhere = true }

func codeAt(i int) func(*part) { return func(p *part) { p.CodeAt = i } }

func by(launchers ...string) func(*part) {
	return func(p *part) { p.Launchers = fields(launchers) }
}

func code(lines ...string) func(*part) { return func(p *part) { p.Code = fields(lines) } }

func fields(texts []string) (lists [][]string) {
	for _, text := range texts {
		lists = append(lists, strings.Fields(text))
	}
	return lists
}

func is(kind approval.StageState) func(*part) {
	return func(p *part) { p.as = approval.StageResolution{Kind: kind} }
}

// to adds a file that the shell opens for writing, by its absolute path.
func to(path string) func(*part) {
	return touches(approval.Target{
		Access: approval.Write, Redirected: true, Text: path, Written: path, Path: path, Type: approval.TargetRegular, Links: 1,
	})
}

// on adds an operand that the program reads or writes.
func on(access approval.Access, path string) func(*part) {
	return touches(approval.Target{Access: access, Text: path, Written: path, Path: path, Type: approval.TargetRegular, Links: 1})
}

func touches(t approval.Target) func(*part) {
	return func(p *part) { p.Targets = append(p.Targets, t) }
}

// fileAt is an access to a regular file at path, with changes to what
// inspection found.
func fileAt(access approval.Access, path string, with ...func(*approval.Target)) approval.Action {
	t := approval.Target{Access: access, Text: path, Written: path, Path: path, Type: approval.TargetRegular, Links: 1}
	for _, f := range with {
		f(&t)
	}
	return approval.Action{
		Subject: approval.File{Path: t.Path, RequestedPath: t.Text, Access: string(access)},
		Found:   approval.Found{File: &t},
	}
}

// written is the path as the action spelled it, links as they are.
func written(path string) func(*approval.Target) {
	return func(t *approval.Target) { t.Written, t.Text = path, path }
}

func typed(k approval.TargetType) func(*approval.Target) {
	return func(t *approval.Target) { t.Type = k }
}

// row is one case of a table: what becomes of an action under rules in the mode
// promptUnmatched.
type row struct {
	name   string
	rules  []policy.Rule
	action approval.Action
	want   policy.Effect
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			v := compile(t, r.rules...).Evaluate(r.action, in(approval.PromptUnmatched))
			if v.Effect != r.want {
				t.Errorf("effect %v, want %v: %s\n%+v", v.Effect, r.want, v.Explanation, v.Stages)
			}
			if v.Explanation == "" {
				t.Error("it is not explained")
			}
		})
	}
}

func rules(r ...policy.Rule) []policy.Rule { return r }
