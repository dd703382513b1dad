package corpus

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/approvald/approvald/wire"
)

// Status is what became of a case.
type Status string

// The statuses.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"
	Contested Status = "contested" // reasonable people differ: reported, not gated
	NotRun    Status = "not run"   // what it needs is not there, or nothing of it can be compared
)

// Result is the verdict on one case.
type Result struct {
	Case   *Case
	Status Status
	// Got is what became of it, in the words of the corpus where there is one.
	Got string
	// Why says what was not as wanted, or what is missing; "" where everything is as wanted.
	Why string
	// Unread are the phrases of the case that were not compared.
	Unread []string
}

// judge runs a case and holds what was seen against what is wanted. A case that cannot be run has
// failed.
func judge(ctx context.Context, c *Case, program string) Result {
	out := Result{Case: c, Status: Passed}
	r, err := (*run)(nil), c.Fault
	if err == nil {
		r, err = play(ctx, c, program)
	}
	if missing, ok := errors.AsType[*missingError](err); ok {
		out.Status, out.Why = NotRun, missing.need
		return out
	}
	if err != nil {
		out.Status, out.Why = Failed, err.Error()
		return out
	}
	v := verdict{run: r}
	v.outcome()
	v.stages()
	v.expect()
	v.final()
	v.display()
	if v.compared == 0 {
		out.Status, out.Why = NotRun, fmt.Sprintf("nothing of it can be compared: %q", v.unread)
	}
	v.never() // last: it alone makes a case a failure, but not a case that was run
	out.Got, out.Unread = r.outcome(), v.unread
	if len(v.faults) > 0 {
		out.Status, out.Why = Failed, strings.Join(v.faults, "; ")
	}
	if c.Want.Contested != "" && out.Status != NotRun {
		out.Status = Contested
	}
	return out
}

// verdict gathers what is not as wanted.
type verdict struct {
	run      *run
	compared int      // phrases that say what must be
	faults   []string // each a sentence part
	unread   []string
}

func (v *verdict) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// outcome compares what is wanted of the whole: one of the phrases has to hold.
func (v *verdict) outcome() {
	want := &v.run.c.Want
	known := 0
	for _, phrase := range append([]string{want.Outcome}, want.AlsoOK...) {
		holds, ok := weigh(ofRuns, phrase, v.run)
		if holds {
			v.compared++
			return
		}
		if !ok {
			v.unread = append(v.unread, phrase)
			continue
		}
		known++
	}
	if want.Or == "reject the rule at load" && v.run.any(badPolicy) {
		v.compared++
		return
	}
	// A phrase that is not known may be the one that holds.
	if known > len(want.AlsoOK) {
		v.compared++
		v.fault("the outcome is %s%s, not %s", v.run.outcome(), v.run.explained(), strings.Join(append([]string{want.Outcome}, want.AlsoOK...), " or "))
	}
}

// stages compares the parts of a command. Where the outcome is an error or the policy did not load,
// nothing was split.
func (v *verdict) stages() {
	want := v.run.c.Want.Stages
	if len(want) == 0 || len(v.run.labels) == 0 {
		return
	}
	got, err := stages(v.run.endings[v.run.labels[0]].request.Subject)
	if err != nil {
		v.fault("the stages cannot be read: %v", err)
		return
	}
	v.compared++
	if lacks := missing(want, got); lacks != "" {
		v.fault("%s; published are %v", lacks, got)
	}
}

// expect compares what single steps brought.
func (v *verdict) expect() {
	for _, e := range v.run.c.Want.Expect {
		s := seen{word: badPolicy}
		if e.Step < len(v.run.seen) {
			s = v.run.seen[e.Step]
		}
		var labels []string
		if json.Unmarshal(e.Result, &labels) == nil {
			v.compared++
			if !slices.Equal(labels, s.labels) {
				v.fault("step %d brings %q, not %q", e.Step, s.labels, labels)
			}
			continue
		}
		var phrase string
		if err := json.Unmarshal(e.Result, &phrase); err != nil {
			v.fault("what step %d must bring is neither a phrase nor a list", e.Step)
			continue
		}
		holds, known := weigh(ofSteps, phrase, s)
		switch {
		case !known:
			v.unread = append(v.unread, phrase)
		case !holds:
			v.compared++
			v.fault("step %d brings %s, not %q", e.Step, s, phrase)
		default:
			v.compared++
		}
	}
}

// String is what a step brought, for people.
func (s seen) String() string {
	out := string(s.word)
	if out == "" {
		out = "nothing"
	}
	if s.detail != "" {
		out += " (" + s.detail + ")"
	}
	if len(s.labels) > 0 {
		out += fmt.Sprintf(" %q", s.labels)
	}
	if len(s.parts) > 0 {
		out += fmt.Sprintf(" %v", s.parts)
	}
	return out
}

// either parts the alternatives of a phrase.
var either = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,? or `) })

// final compares how approvals end.
func (v *verdict) final() {
	for label, phrase := range v.run.c.Want.Final {
		end, found := v.run.endings[label]
		if !found {
			v.fault("%s was never opened", label)
			continue
		}
		met, read := false, false
		for _, one := range either().Split(phrase, -1) {
			holds, known := weigh(ofEnds, one, end)
			met, read = met || holds, read || known
		}
		switch {
		case !read:
			v.unread = append(v.unread, phrase)
		case !met:
			v.compared++
			v.fault("%s is %s at the end, not %s", label, standing(end.resolution), phrase)
		default:
			v.compared++
		}
	}
}

// display compares what is shown, as far as it is data: the host in its ASCII form, and a mark on
// what looks like something else, which is its code point in the explanation.
func (v *verdict) display() {
	want := v.run.c.Want.Display
	if want == "" || len(v.run.labels) == 0 {
		return
	}
	subject := v.run.subjectOf(v.run.labels[0])
	var shown, part string
	switch {
	case strings.HasPrefix(want, "xn--"):
		shown, part = subject, `"host":"xn--`
	case want == "marks the non-ASCII letter":
		shown = v.run.endings[v.run.labels[0]].request.Policy.Explanation
		for _, letter := range v.run.c.Input.Subject.Command {
			if letter > unicode.MaxASCII {
				part = fmt.Sprintf("%04x", letter)
			}
		}
	default:
		v.unread = append(v.unread, want)
		return
	}
	v.compared++
	if !strings.Contains(shown, part) {
		v.fault("what is shown does not hold %s: %s", part, shown)
	}
}

// never compares what must not be, whatever else is.
func (v *verdict) never() {
	for _, phrase := range v.run.c.Want.Never {
		holds, known := weigh(ofNever, phrase, v.run)
		if !known {
			v.unread = append(v.unread, phrase)
		}
		if holds {
			v.fault("what must never be: %s", phrase)
		}
	}
}

// outcome is what became of the whole, in the words of SCHEMA.md: what the last step brought that
// brought anything.
func (r *run) outcome() string {
	for _, s := range slices.Backward(all(r.seen)) {
		switch s.word {
		case nothing:
		case allowed:
			return "allow"
		case denied:
			return "deny"
		case pending:
			return "prompt"
		default:
			return string(s.word)
		}
	}
	return "nothing"
}

// explained is why the last approval stood as it did when it was opened, in the daemon's words.
func (r *run) explained() string {
	if len(r.labels) == 0 {
		return ""
	}
	policy := r.endings[r.labels[len(r.labels)-1]].request.Policy
	return fmt.Sprintf(" (%s: %s)", policy.Source, policy.Explanation)
}

// any reports whether a step brought a word.
func (r *run) any(words ...word) bool {
	_, found := last(r.seen, words...)
	return found
}

// subjectOf is the subject of an approval as it was last published.
func (r *run) subjectOf(label string) string { return string(r.endings[label].request.Subject) }

// choices are those on the menu of what waits.
func (r *run) choices(label string) []wire.Choice {
	if e := r.endings[label]; e.resolution == nil {
		return e.request.AvailableChoices
	}
	return nil
}
