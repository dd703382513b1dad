package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/approvald/approvald/internal/claudesettings"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rulefile"
)

// importHead is what a reader of an imported policy must know.
const importHead = `# Rules of Claude Code settings, made by "approvald policy import".
#
# Deny and ask rules are in force as they stand here. Allow rules are proposals:
# read what each covers, and take the "# " away from the lines of those you want.
#
# A rule is about what is done, not about the tool that does it: Edit covers
# whatever writes a file, Read whatever reads one, WebFetch every connection; a
# deny or ask rule on a command also covers paths to the program and what starts
# it (env, xargs, sudo …). A path without a slash in front is taken from the
# workspace, and name/** covers name and everything below it.
`

// importedPolicy is a policy file in the making.
type importedPolicy struct {
	text    []byte
	force   int // rules that are in force
	offered int // proposals
	unsaid  int // entries that cannot be said

	out  strings.Builder
	seen map[string]bool // rules that stand in it, with whether they are in force
}

// String says what was made of the settings.
func (p *importedPolicy) String() string {
	return fmt.Sprintf("%d rules in force, %d proposed, %d that a policy file cannot say; the comments say why",
		p.force, p.offered, p.unsaid)
}

// imported makes a policy file of settings. Its text is one that the loader
// takes; if it is not, the error says why.
func imported(sources []importSource) (*importedPolicy, error) {
	p := &importedPolicy{seen: map[string]bool{}}
	p.out.WriteString(importHead)
	for _, s := range sources {
		fmt.Fprintf(&p.out, "\n# ---- %s\n", visible(s.place.Name))
		if s.place.Base != "" && !strings.HasSuffix(s.place.Base, "/.claude") {
			p.comment("These are settings of one project; the rules hold in every workspace.")
		}
		if len(s.settings.Others) > 0 {
			p.comment("Not imported, since a policy file has nothing like it: " + strings.Join(s.settings.Others, ", "))
		}
		for _, e := range s.settings.Entries {
			p.entry(e)
		}
	}
	p.text = []byte(p.out.String())
	if err := accepted("the imported policy", p.text); err != nil {
		return nil, err
	}
	return p, nil
}

// accepted reports whether the loader takes a text as the user's policy.
func accepted(name string, text []byte) error {
	_, err := rulefile.LoadText([]rulefile.Source{{Layer: rulefile.User, Name: name, Text: text}},
		rulefile.Options{Home: cmp.Or(os.Getenv("HOME"), "/")})
	return err
}

// entry writes one rule of the settings.
func (p *importedPolicy) entry(e claudesettings.Entry) {
	fmt.Fprintf(&p.out, "\n# line %d: %s %s\n", e.Line, e.Effect, visible(e.Text))
	var texts []string
	for _, rule := range e.Rule.Rules {
		text := rulefile.Format(rule)
		if err := accepted("rule", []byte(text)); err != nil {
			p.unsaid++
			p.comment("Not imported, since no rule can say it: " + why(err))
			return
		}
		texts = append(texts, text)
	}
	for _, reason := range e.Rule.Why {
		p.comment(reason)
	}
	inForce := e.Rule.Exact && e.Rule.Rules[0].Effect != policy.Allow
	switch {
	case e.Rule.Exact:
	case len(texts) == 0:
		p.unsaid++
		p.comment("Not imported.")
	default:
		p.unsaid++
		p.comment("Not imported. What is nearest, if you want it:")
	}
	for _, text := range texts {
		p.rule(text, inForce)
	}
}

// rule writes a rule, or the proposal of one, that is not there yet. A proposal
// is no reason to leave out a rule.
func (p *importedPolicy) rule(text string, inForce bool) {
	effective, there := p.seen[text]
	if there && (effective || !inForce) {
		p.comment("The same rule stands above.")
		return
	}
	p.seen[text] = inForce
	if inForce {
		p.force++
		p.out.WriteString(text)
		return
	}
	p.offered++
	for line := range strings.Lines(text) {
		p.out.WriteString("# " + line)
	}
}

// comment writes a text, of anyone's making, as one line that says nothing to
// the loader.
func (p *importedPolicy) comment(text string) {
	if text != "" {
		fmt.Fprintf(&p.out, "# %s\n", visible(text))
	}
}

// why is the first thing that is wrong with a rule, without its place.
func why(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	_, reason, _ := strings.Cut(text, ": ")
	return reason
}
