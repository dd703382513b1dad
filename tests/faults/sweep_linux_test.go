package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/approvald/approvald/wire"
)

// TestEveryStepFails has every single step fail that a daemon takes with its
// files, from its first start to its end, in each way in which it can. Whichever
// it is:
//
//   - what callers heard is in the log, once; of what they were told is not known
//     the log holds all or nothing, and they may send it again;
//   - a daemon that cannot go on says why in one line and exits with a code that
//     is not 0; it neither hangs nor leaves a trace;
//   - the log verifies, and the next start serves without anybody's help;
//   - a command that is sent again is answered as it was, or carried out once;
//   - no file is left behind that does not belong there.
func TestEveryStepFails(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// sweepCase is one step that fails in one way.
type sweepCase struct {
	step  step
	nth   int // of the steps that are called so
	fault fault
}

func (c sweepCase) String() string {
	what := map[string]string{"make": "making of", "lock": "locking of", "open": "opening of", "resize": "resizing of", "remove": "removal of", "rename": "renaming to"}[c.step.call]
	if what == "" {
		what = c.step.call + " of"
	}
	how := map[bool]map[done]string{
		false: {notAtAll: "fails", half: "fails half done", whole: "fails after it was done"},
		true:  {notAtAll: "is the last thing before a kill", half: "is cut in half by a kill", whole: "is the last thing done before a kill"},
	}[c.fault.kill][c.fault.done]
	if c.fault.kill && c.fault.done == notAtAll {
		how = "does not come about, since the daemon is killed before it"
	}
	return fmt.Sprintf("the %s %s %s %s", ordinal(c.nth), what, named(c.step.path), how)
}

func ordinal(n int) string {
	if n >= 1 && n <= 3 {
		return []string{"1st", "2nd", "3rd"}[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

// named is a path as a test calls it: stores are named for their workspace, which
// is a new one each time.
func named(path string) string {
	if dir, base := filepath.Split(path); strings.HasSuffix(dir, "workspaces/") {
		if strings.HasPrefix(base, ".") {
			return dir + "the new store"
		}
		return dir + "the store"
	}
	return path
}

// cases are the steps of an undisturbed life, each with all of its faults.
func cases(t *testing.T) (cases []sweepCase) {
	t.Helper()
	p := newPlace(t)
	l := p.live(t, new(talk{place: p}), func(step) fault { return fault{} })
	if l.code != 0 || len(l.said) > 0 {
		t.Fatalf("without a fault the daemon exits %d and says %q", l.code, l.said)
	}
	seen := map[string]int{}
	for _, s := range l.steps {
		label := s.call + named(s.path)
		seen[label]++
		for _, f := range faultsOf(s) {
			cases = append(cases, sweepCase{s, seen[label], f})
		}
	}
	return cases
}

// faultsOf are the ways in which a step can fail.
func faultsOf(s step) []fault {
	switch s.call {
	case "open":
		return []fault{fails(unix.EMFILE, notAtAll)}
	case "read":
		return []fault{fails(unix.EIO, notAtAll)}
	case "lock":
		return []fault{fails(unix.ENOLCK, notAtAll)}
	case "write":
		return []fault{
			fails(unix.EIO, notAtAll), fails(unix.ENOSPC, half), fails(unix.EIO, whole),
			killed(notAtAll), killed(half), killed(whole),
		}
	case "resize":
		return []fault{fails(unix.ENOSPC, notAtAll), fails(unix.EIO, whole), killed(notAtAll), killed(whole)}
	case "make", "remove":
		return []fault{fails(unix.EACCES, notAtAll), fails(unix.EIO, whole), killed(whole)}
	default:
		return []fault{fails(unix.EIO, notAtAll), fails(unix.EIO, whole), killed(notAtAll), killed(whole)}
	}
}

// judge strikes at the step of the case.
func (c sweepCase) judge() (judge func(step) fault, struck func() bool) {
	var mu sync.Mutex
	left := c.nth
	judge = func(s step) fault {
		mu.Lock()
		defer mu.Unlock()
		if s.call != c.step.call || named(s.path) != named(c.step.path) {
			return fault{}
		}
		if left--; left != 0 {
			return fault{}
		}
		return c.fault
	}
	return judge, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return left <= 0
	}
}

// life is what became of a daemon that was started, was told what there is to
// say as long as it answered, and was stopped.
type life struct {
	steps  []step
	served bool
	heard  int // commands whose outcome was told
	asked  int // commands that were sent
	stored bool
	said   []string
	code   int
}

func (p place) live(t *testing.T, k *talk, judge func(step) fault) (l life) {
	t.Helper()
	d := p.serve(t, judge)
	if l.served = d.serves(t); l.served {
		if c := d.dial(t); c != nil {
			for l.asked < talkLength && l.heard == l.asked {
				n := l.asked
				l.asked++
				if !k.send(c, n) {
					break
				}
				l.heard++
				if n == decided && k.replies[n].Error == nil {
					l.stored = strings.Contains(c.persistence(), `"succeeded"`)
				}
			}
		}
	}
	l.said, l.code = d.stop(t)
	l.steps = d.taken()
	return l
}

func (c sweepCase) run(t *testing.T) {
	t.Helper()
	p := newPlace(t)
	k := &talk{place: p}
	judge, struck := c.judge()
	first := p.live(t, k, judge)
	if !struck() {
		t.Skip("this time the step was not taken") // the policy is watched while the daemon starts
	}
	switch {
	case c.fault.kill:
		if first.code != -1 || len(first.said) > 0 {
			t.Errorf("the daemon was to be killed; it exits %d and says %q", first.code, first.said)
		}
	case first.code != 0:
		if first.code < 0 || first.code > 6 || len(first.said) != 1 || !strings.HasPrefix(first.said[0], "approvald: ") {
			t.Errorf("the daemon exits %d and says %q, want one line", first.code, first.said)
		}
	case !first.served || first.heard < talkLength:
		t.Errorf("the daemon does not go on, exits 0 and says %q", first.said)
	}

	counts := p.commands(t)
	for n := range talkLength {
		got := counts[commandID(n)]
		if got > 1 || n < first.heard && got != 1 || n >= first.asked && got != 0 {
			t.Errorf("command %d is in the log %d times; %d were sent and %d answered", n, got, first.asked, first.heard)
		}
	}

	second := p.live(t, k, nil)
	if !second.served || second.heard != talkLength || second.code != 0 || len(second.said) > 0 {
		t.Fatalf("the next start: it serves: %t; it answers %d commands of %d, exits %d and says %q",
			second.served, second.heard, talkLength, second.code, second.said)
	}
	stores := p.checkReplies(t, k)
	counts = p.commands(t)
	for n := range talkLength {
		if counts[commandID(n)] != 1 && n != decided {
			t.Errorf("command %d is in the log %d times in the end", n, counts[commandID(n)])
		}
	}
	want := append([]string{"run/lock", "state/lock", "state/sessions.db"}, stores...)
	got := p.files(t)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("there are in the end\n%q, want\n%q", got, want)
	}
}

// checkReplies holds that all commands were accepted in the end, but for a
// decision that had not reached the log when its approval was opened again. It
// returns the store that there is then, which must have the rule.
func (p place) checkReplies(t *testing.T, k *talk) (stores []string) {
	t.Helper()
	for n, r := range k.replies {
		if r.Error != nil && (n != decided || r.Error.Code != wire.CodeApprovalAlreadyResolved) {
			t.Errorf("command %d was refused in the end: %s", n, r)
		}
	}
	if k.replies[decided].Error != nil {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(p.state, "workspaces", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the stores are %q, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || strings.Count(string(text), "docs.example.org") != 1 {
		t.Errorf("the store has\n%s\n%v, want the rule once", text, err)
	}
	return []string{strings.TrimPrefix(found[0], p.root+"/")}
}
