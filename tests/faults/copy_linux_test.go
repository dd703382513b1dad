package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
)

// TestEveryStepOfACopyFails has every single step of backup and of salvage fail
// that they take with the copy. Whichever it is, they say so in one line with a
// code that is not 0, or have made a copy that holds all; the log stays as it is,
// a log that is not whole has no log's name, and another try makes the copy, once
// what is left of a try that was killed is removed. What salvage cannot read is
// what it is for, so that it says what is lost.
func TestEveryStepOfACopyFails(t *testing.T) {
	for name, copying := range map[string]func(p place) (args []string, log string){
		"backup": func(p place) ([]string, string) { return []string{"backup", filepath.Join(p.root, "copy")}, "copy" },
		"salvage": func(p place) ([]string, string) {
			return []string{"salvage", "--to", filepath.Join(p.root, "new")}, "new/sessions.db"
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := &talk{place: newPlace(t)}
			k.killedAfter(t, talkLength)
			args, target := copying(k.place)
			d := k.watched(t, func(step) fault { return fault{} }, k.command(args...))
			if said, code := d.end(t); code != 0 {
				t.Fatalf("without a fault it exits %d and says %q", code, said)
			}
			top, _, _ := strings.Cut(target, "/")
			seen := map[string]int{}
			for _, s := range d.taken() {
				seen[s.String()]++
				if first, _, _ := strings.Cut(s.path, "/"); first != top && s.path != "state/sessions.db" {
					continue
				}
				if s.String() == "read state/sessions.db" && name == "salvage" {
					continue
				}
				for _, f := range faultsOf(s) {
					c := sweepCase{s, seen[s.String()], f}
					t.Run(c.String(), func(t *testing.T) { c.copies(t, k.place, args, target) })
				}
			}
		})
	}
}

func (c sweepCase) copies(t *testing.T, p place, args []string, target string) {
	t.Helper()
	top, _, _ := strings.Cut(target, "/")
	target, top = filepath.Join(p.root, target), filepath.Join(p.root, top)
	again := func() {
		if err := os.RemoveAll(top); err != nil {
			t.Fatal(err)
		}
	}
	again()
	before, err := os.ReadFile(p.log())
	if err != nil {
		t.Fatal(err)
	}
	judge, struck := c.judge()
	d := p.watched(t, judge, p.command(args...))
	said, code := d.end(t)
	switch {
	case !struck():
		t.Fatal("the step was not taken")
	case c.fault.kill:
		if code != -1 {
			t.Errorf("it was to be killed, and exits %d", code)
		}
	case code != 0:
		if len(said) != 1 || !strings.HasPrefix(said[0], "approvald: ") || !strings.Contains(said[0], c.fault.errno.Error()) {
			t.Errorf("it exits %d and says %q, want one line with %q", code, said, c.fault.errno)
		}
	default:
		if _, err := verified(target); err != nil {
			t.Errorf("it exits 0, and the copy does not hold: %v", err)
		}
	}
	if after, err := os.ReadFile(p.log()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the log has changed: %v", err)
	}
	want, err := verified(p.log())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := verified(target); err == nil && got != want {
		t.Errorf("there is a log of %d records, and not %d", got, want)
	} else if err == nil && args[0] == "salvage" {
		sameStores(t, p.state, filepath.Dir(target))
	}
	if c.fault.kill || code == 0 || c.step.call == "remove" {
		again()
	}
	if said, code := p.says(t, args...); code != 0 {
		t.Errorf("the next try exits %d and says %s", code, said)
	}
	if got, err := verified(target); err != nil || got != want {
		t.Errorf("the next copy has %d records of %d, %v", got, want, err)
	}
}

// sameStores holds that a state directory has the rules of workspaces of another.
func sameStores(t *testing.T, want, got string) {
	t.Helper()
	stores, err := filepath.Glob(filepath.Join(want, "workspaces", "*.toml"))
	if err != nil || len(stores) == 0 {
		t.Fatalf("there are no rules: %v", err)
	}
	for _, path := range stores {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if copied, err := os.ReadFile(filepath.Join(got, "workspaces", filepath.Base(path))); err != nil || !bytes.Equal(text, copied) {
			t.Errorf("there is a log, and not the rules that belong to it: %v", err)
		}
	}
}

// verified counts the records of a log that holds.
func verified(path string) (uint64, error) {
	r, err := log.OpenReader(path)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	report, err := audit.Verify(r, audit.Options{})
	return report.Records, err
}
