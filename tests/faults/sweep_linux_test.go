package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
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
//
// After a crash, an approval is pending whose successor is opened by then.
func TestEveryStepFails(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, k *talk){
		"in the first life of a daemon": func(*testing.T, *talk) {},
		"in the life after a crash": func(t *testing.T, k *talk) {
			t.Helper()
			k.killedAfter(t, 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases(t, before) {
				t.Run(c.String(), func(t *testing.T) {
					t.Parallel()
					k := &talk{place: newPlace(t)}
					before(t, k)
					c.run(t, k)
				})
			}
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
	what := map[string]string{"make": "making of", "lock": "locking of", "open": "opening of", "forget": "forgetting of", "resize": "resizing of", "remove": "removal of", "rename": "renaming to"}[c.step.call]
	if what == "" {
		what = c.step.call + " of"
	}
	how := map[bool]map[done]string{
		false: {notAtAll: "fails", half: "fails half done", whole: "fails after it was done"},
		true:  {half: "is cut in half by a kill", whole: "is the last thing done before a kill"},
	}[c.fault.kill][c.fault.done]
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
func cases(t *testing.T, before func(*testing.T, *talk)) (cases []sweepCase) {
	t.Helper()
	k := &talk{place: newPlace(t)}
	before(t, k)
	l := k.live(t, func(step) fault { return fault{} })
	if l.code != 0 || len(l.said) > 0 {
		t.Fatalf("without a fault the daemon exits %d and says %q", l.code, l.said)
	}
	seen := map[string]int{}
	for i, s := range l.steps {
		label := s.call + named(s.path)
		seen[label]++
		if s.path == "state/sessions.db" && (l.during(i, 0) || l.during(i, talkLength-1)) {
			continue // commits like that of command 1
		}
		if strings.HasPrefix(s.path, "home") && seen[label] > 1 {
			continue // the policy is watched, beside all else
		}
		for _, f := range faultsOf(s) {
			cases = append(cases, sweepCase{s, seen[label], f})
		}
	}
	return cases
}

// faultsOf are the ways in which a step can fail. A kill before a step is one
// after the step before it.
func faultsOf(s step) []fault {
	switch s.call {
	case "open":
		return []fault{fails(unix.EMFILE, notAtAll)}
	case "read":
		return []fault{fails(unix.EIO, notAtAll)}
	case "forget": // is only asked for
		return []fault{fails(unix.EINVAL, notAtAll)}
	case "lock":
		return []fault{fails(unix.ENOLCK, notAtAll)}
	case "write":
		return []fault{
			fails(unix.EIO, notAtAll), fails(unix.ENOSPC, half), fails(unix.EIO, whole),
			killed(half), killed(whole),
		}
	case "resize":
		return []fault{fails(unix.ENOSPC, notAtAll), fails(unix.EIO, whole), killed(whole)}
	case "make", "remove":
		return []fault{fails(unix.EACCES, notAtAll), fails(unix.EIO, whole), killed(whole)}
	default:
		return []fault{fails(unix.EIO, notAtAll), fails(unix.EIO, whole), killed(whole)}
	}
}

// judge strikes at the step of the case.
func (c sweepCase) judge() (judge func(step) fault, struck func() bool) {
	var did atomic.Bool
	strike := nth(c.nth, c.step.call, named(c.step.path), c.fault).judge()
	judge = func(s step) fault {
		f := strike(s)
		if f.strikes {
			did.Store(true)
		}
		return f
	}
	return judge, did.Load
}

// life is what became of a daemon that was started, was told what there is to
// say as long as it answered, and was stopped.
type life struct {
	steps  []step
	began  [talkLength]int // the step at which each command was sent
	served bool
	heard  int // commands whose outcome was told
	asked  int // commands that were sent
	said   []string
	code   int
}

// during reports whether a step was taken between a command and the next.
func (l *life) during(step, command int) bool {
	end := len(l.steps)
	if command+1 < talkLength {
		end = l.began[command+1]
	}
	return l.began[command] <= step && step < end
}

func (k *talk) live(t *testing.T, judge func(step) fault) (l life) {
	t.Helper()
	d := k.serve(t, judge)
	if l.served = d.serves(t); l.served {
		if c := d.dial(t); c != nil {
			for l.asked < talkLength && l.heard == l.asked {
				n, repeated := l.asked, k.replies[l.asked] != nil
				l.asked++
				l.began[n] = len(d.taken())
				if !k.send(c, n) {
					break
				}
				l.heard++
				if n == decided && k.replies[n].accepted() && !repeated {
					c.persistence()
				}
			}
		}
	}
	if l.heard == talkLength {
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
	} // otherwise it must end by itself
	l.said, l.code = d.end(t)
	l.steps = d.taken()
	return l
}

// killedAfter has a daemon answer the first commands, and kills it.
func (k *talk) killedAfter(t *testing.T, commands int) {
	t.Helper()
	d := k.serve(t, nil)
	if !d.serves(t) {
		t.Fatalf("the daemon ended: %q", d.said)
	}
	c := d.dial(t)
	for n := range commands {
		if !k.send(c, n) {
			t.Fatalf("command %d was not answered", n)
		}
		if n == decided {
			c.persistence()
		}
	}
	d.kill(t)
}

func (c sweepCase) run(t *testing.T, k *talk) {
	t.Helper()
	known := len(k.commands(t)) // from before
	judge, struck := c.judge()
	first := k.live(t, judge)
	if !struck() {
		t.Fatal("this time the step was not taken")
	}
	switch {
	case c.fault.kill:
		if first.code != -1 || len(first.said) > 0 {
			t.Errorf("the daemon was to be killed; it exits %d and says %q", first.code, first.said)
		}
	case first.code != 0:
		if first.code < 0 || first.code > 6 || len(first.said) != 1 || !strings.HasPrefix(first.said[0], "approvald: ") {
			t.Errorf("the daemon exits %d and says %q, want one line", first.code, first.said)
		} else if !strings.Contains(first.said[0], c.fault.errno.Error()) {
			t.Errorf("the daemon says %q, and not that it was because of %q", first.said, c.fault.errno)
		}
	case !first.served || first.heard < talkLength:
		t.Errorf("the daemon does not go on, exits 0 and says %q", first.said)
	}

	counts := k.commands(t)
	for n := range talkLength {
		got := counts[commandID(n)]
		if got > 1 || k.replies[n].accepted() && got != 1 || n >= max(known, first.asked) && got != 0 {
			t.Errorf("command %d is in the log %d times; %d were before, %d were sent and %d answered", n, got, known, first.asked, first.heard)
		}
	}
	for _, file := range k.namedFiles(t) {
		if ext := filepath.Ext(file); !c.fault.kill && (ext == ".new" || ext == ".tmp") && c.step.call != "remove" {
			t.Errorf("the daemon left %s", file)
		}
	}

	second := k.live(t, nil)
	if !second.served || second.heard != talkLength || second.code != 0 || len(second.said) > 0 {
		t.Fatalf("the next start: it serves: %t; it answers %d commands of %d, exits %d and says %q",
			second.served, second.heard, talkLength, second.code, second.said)
	}
	want := []string{"run/lock", "state/lock", "state/sessions.db"}
	if k.checkReplies(t); k.replies[decided].accepted() {
		k.checkStore(t)
		want = append(want, "state/workspaces/the store")
	}
	counts = k.commands(t)
	for n := range talkLength {
		if counts[commandID(n)] != 1 && n != decided {
			t.Errorf("command %d is in the log %d times in the end", n, counts[commandID(n)])
		}
	}
	if got := k.namedFiles(t); !slices.Equal(got, want) {
		t.Errorf("there are in the end\n%q, want\n%q", got, want)
	}
}

// checkReplies holds that all commands were accepted in the end, but for a
// decision that had not reached the log when its approval was opened again.
func (k *talk) checkReplies(t *testing.T) {
	t.Helper()
	for n, r := range k.replies {
		if r.Error != nil && (n != decided || r.Error.Code != wire.CodeApprovalAlreadyResolved) {
			t.Errorf("command %d was refused in the end: %s", n, r)
		}
	}
}

// checkStore holds that there is one store, with the rule in it, once.
func (p place) checkStore(t *testing.T) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.state, "workspaces", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the stores are %q, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || strings.Count(string(text), "docs.example.org") != 1 {
		t.Errorf("the store has\n%s\n%v, want the rule once", text, err)
	}
}
