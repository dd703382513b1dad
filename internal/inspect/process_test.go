package inspect

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func procTree() fstest.MapFS {
	const stat = " S 1 9 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "
	return fstest.MapFS{
		"proc/stat":       text("cpu  1 2 3\nintr 4\nbtime 1700000000\nprocesses 9\n"),
		"proc/9/stat":     text("9 (node)" + stat + "12345 99 88"),
		"proc/9/cmdline":  text("node\x00-e\x00\x001\x00"),
		"proc/10/stat":    text("10 (a) S (b) 7)" + stat + "100 99"),
		"proc/10/cmdline": text("\xffa\x00"),
		"proc/11/stat":    text("11 (kthreadd)" + stat + "0"),
		"proc/11/cmdline": text(""),
		"proc/12/stat":    text("12 (short) S 1 2 3"),
		"proc/12/cmdline": text("a\x00"),
		"proc/13/stat":    text("13 (hidden)" + stat + "5"),
		"proc/14/stat":    text("14 (early)" + stat + "18446744073709551615"),
		"proc/14/cmdline": text("a\x00"),
		"proc/15/stat":    text("15 (long)" + stat + "0"),
		"proc/15/cmdline": text(strings.Repeat("a", 64<<10) + "b\x00"),
	}
}

func TestProcess(t *testing.T) {
	at := func(ms int64) time.Time { return time.Unix(1700000000, ms*1e6).UTC() }
	tests := []struct {
		name string
		pid  int
		want Process
		ok   bool
	}{
		{"start and arguments, an empty one too", 9, Process{at(123450), []string{"node", "-e", "", "1"}}, true},
		{"a name with spaces and parentheses, an argument that is no UTF-8", 10, Process{at(1000), []string{"\uFFFDa"}}, true},
		{"a kernel thread has no arguments", 11, Process{at(0), nil}, true},
		{"arguments are cut off at 64 KiB", 15, Process{at(0), []string{strings.Repeat("a", 64<<10)}}, true},
		{"too few fields", 12, Process{}, false},
		{"arguments that may not be seen", 13, Process{}, false},
		{"a start that no clock has", 14, Process{}, false},
		{"no such process", 99, Process{}, false},
		{"pid zero", 0, Process{}, false},
		{"a group", -9, Process{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := New(procTree()).Process(tt.pid)
			if ok != tt.ok {
				t.Errorf("Process(%d) is %v, want %v", tt.pid, ok, tt.ok)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Process(%d): (-want +got)\n%s", tt.pid, diff)
			}
		})
	}
}

func TestProcessNeedsBootTime(t *testing.T) {
	for name, stat := range map[string]string{"missing": "cpu 1\n", "no number": "btime x\n"} {
		t.Run(name, func(t *testing.T) {
			fsys := procTree()
			fsys["proc/stat"] = text(stat)
			if got, ok := New(fsys).Process(9); ok {
				t.Errorf("Process = %+v, want none", got)
			}
		})
	}
}

func TestProcessIsFalseWithoutProc(t *testing.T) {
	if got, ok := New(fstest.MapFS{}).Process(9); ok {
		t.Errorf("Process = %+v, want none", got)
	}
}

func TestProcessFindsItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the /proc that is read here")
	}
	got, ok := Host().Process(os.Getpid())
	if !ok || !slices.Equal(got.Argv, os.Args) {
		t.Errorf("Process = %+v, %v, want the arguments %q", got, ok, os.Args)
	}
	if again, _ := Host().Process(os.Getpid()); !again.StartedAt.Equal(got.StartedAt) {
		t.Errorf("started at %v, then at %v", got.StartedAt, again.StartedAt)
	}
}

func TestProcessTellsAChildApartAndMissesItOnceItIsGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the /proc that is read here")
	}
	child := exec.Command("cat", "-", "two words") //nolint:noctx // it ends with its standard input
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	self, _ := Host().Process(os.Getpid())
	got, ok := Host().Process(child.Process.Pid)
	if !ok || !slices.Equal(got.Argv, child.Args) || got.StartedAt.Before(self.StartedAt) {
		t.Errorf("Process = %+v, %v, want the arguments %q and a start after %v", got, ok, child.Args, self.StartedAt)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // its second argument is no file
	if got, ok := Host().Process(child.Process.Pid); ok {
		t.Errorf("Process = %+v of a process that is gone, want none", got)
	}
}
