package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/wire"
)

// What is tolerated where stages are compared, and why:
//
//   - Order is not compared. The corpus lists outer before inner in some cases and inner before outer
//     in others.
//   - Stages that are not wanted may be there: a builtin that needs no decision may or may not be one.
//   - Words are compared without quotes and backslashes: some texts of the corpus hold a word as it is
//     written, others as the program receives it. <…> stands for any text, and … at the end for the rest.
//   - "write FILE" is a redirection, which weighs on its stage and is none of its own (policy.md
//     "Shell"): some stage must have its outcome, and the stage that is redirected may have it too,
//     where the case wants that one allowed.
//   - One stage may hold what is wanted as two: where a command embeds another as code, one opaque
//     stage or outer and inner are both right (policy.md "Shell"), what a launcher starts is decided
//     with the launcher, and a text that is not parsed is one opaque stage as a whole. It may be
//     stricter than what is wanted of the part, and no laxer.

// stage is a published stage as it is compared.
type stage struct {
	text    string
	opaque  bool   // one text, of which a part may be what is wanted
	whole   bool   // the whole command, which was not parsed
	outcome string // allow, prompt or deny
}

// String is the stage for people.
func (s stage) String() string { return fmt.Sprintf("%.200q %s", s.text, s.outcome) }

// stages reads those of a published subject; none for a subject that is no command.
func stages(subject []byte) ([]stage, error) {
	if kind, err := wire.KindOf(subject); err != nil || wire.SubjectKind(kind) != wire.SubjectShell {
		return nil, err
	}
	var shell wire.ShellSubject
	if err := json.Unmarshal(subject, &shell); err != nil {
		return nil, err
	}
	var out []stage
	for _, s := range shell.Stages {
		one := stage{text: plain(strings.Join(s.Argv, " ")), opaque: !s.ArgvComplete, outcome: "allow"}
		one.whole = one.opaque && len(s.Argv) == 1 && s.Argv[0] == shell.Command
		if s.Resolution.Kind == wire.StageUnresolved {
			one.outcome = "prompt"
			if strings.HasPrefix(s.Resolution.Diagnostic, "policyDeny") {
				one.outcome = "deny"
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// missing says which wanted stages are not among those published; "" where all are. A command that
// was denied before it was split further has the stage that says so, and the rest is not compared.
func missing(want []WantStage, got []stage) string {
	var lacks []string
	left := slices.Clone(got)
	redirected := slices.ContainsFunc(want, func(w WantStage) bool { return redirection(w.Text) })
	for _, w := range want {
		if redirection(w.Text) {
			if !slices.ContainsFunc(got, func(s stage) bool { return strict(s.outcome) >= strict(w.Outcome) }) {
				lacks = append(lacks, fmt.Sprintf("nothing is %s because of %q", w.Outcome, w.Text))
			}
			continue
		}
		pattern := pattern(w.Text)
		i := slices.IndexFunc(left, func(s stage) bool {
			return pattern.whole.MatchString(s.text) &&
				(s.outcome == w.Outcome || redirected && strict(s.outcome) > strict(w.Outcome))
		})
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if !slices.ContainsFunc(got, func(s stage) bool {
			held := s.whole || s.opaque && pattern.part.MatchString(s.text) || pattern.tail.MatchString(s.text)
			return held && !pattern.whole.MatchString(s.text) && strict(s.outcome) >= strict(w.Outcome)
		}) {
			lacks = append(lacks, fmt.Sprintf("no stage %q is %s", w.Text, w.Outcome))
		}
	}
	return strings.Join(lacks, "; ")
}

// strict orders outcomes.
func strict(outcome string) int { return slices.Index([]string{"allow", "prompt", "deny"}, outcome) }

// redirection reports whether a wanted stage is the file that a redirection opens.
func redirection(text string) bool {
	return strings.HasPrefix(text, "write ") || strings.HasPrefix(text, "read ")
}

// dynamic is a word of a wanted stage that is known at run time only.
var dynamic = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]+>`) })

// texts find a wanted stage as a whole, as a part of another, or as its last words.
type texts struct{ whole, part, tail *regexp.Regexp }

// pattern finds a wanted stage among published ones.
func pattern(text string) texts {
	text, open := strings.CutSuffix(text, "…")
	var out strings.Builder
	end := 0
	for _, at := range dynamic().FindAllStringIndex(text, -1) {
		out.WriteString(regexp.QuoteMeta(plainPart(text[end:at[0]])))
		out.WriteString(".+")
		end = at[1]
	}
	out.WriteString(regexp.QuoteMeta(plainPart(text[end:])))
	if open {
		out.WriteString(".*")
	}
	words := `(?s)(?:^|.* )` + out.String()
	return texts{regexp.MustCompile(`(?s)^` + out.String() + `$`), regexp.MustCompile(words + `(?: |$)`), regexp.MustCompile(words + `$`)}
}

// noise are the bytes that only quote.
var noise = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// plain is a text without quoting, with one blank between words.
func plain(text string) string { return strings.Join(strings.Fields(noise.Replace(text)), " ") }

// plainPart is plain for a part of a text, whose blanks at either end stay.
func plainPart(text string) string {
	blank := regexp.MustCompile(`\s+`)
	return blank.ReplaceAllString(noise.Replace(text), " ")
}
