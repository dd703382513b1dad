package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/approvald/approvald/tests/bench/yardstick"

	"github.com/google/go-cmp/cmp"
)

func TestALineOfResultsIsRead(t *testing.T) {
	tests := []struct {
		name, line string
		want       map[string]float64
	}{
		{"Decide/conns=1/v=approvald", "BenchmarkDecide/conns=1/v=approvald-2   \t 753\t 2002301 ns/op\t 499.4 ops/s",
			map[string]float64{"ns/op": 2002301, "ops/s": 499.4}},
		{"Walk", "BenchmarkWalk \t 100 \t 84.5 ns/op", map[string]float64{"ns/op": 84.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, figures, ok := parse(tt.line)
			if !ok || name != tt.name {
				t.Fatalf("parse = %q, %v, %t", name, figures, ok)
			}
			if diff := cmp.Diff(tt.want, figures); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOtherLinesAreNoResults(t *testing.T) {
	for _, line := range []string{
		"goos: linux", "cpu: AMD EPYC", "PASS", "", "BenchmarkWalk", "BenchmarkWalk 100", "BenchmarkWalk 100 fast ns/op",
		"BenchmarkWalk 100 5 ns/op 7",
	} {
		if name, figures, ok := parse(line); ok {
			t.Errorf("parse(%q) = %q, %v", line, name, figures)
		}
	}
}

func TestTheRatioIsTheMedianOfTheRatios(t *testing.T) {
	row := comparison{pkg: "p", ours: "A", yardstick: "B", unit: perOp}
	var rounds []round
	for _, figures := range [][2]float64{{10, 10}, {90, 30}, {40, 20}} {
		rounds = append(rounds, round{
			{"p", "A"}: {perOp: figures[0]},
			{"p", "B"}: {perOp: figures[1]},
		})
	}
	got, err := judge([]comparison{row}, rounds)
	if err != nil {
		t.Fatal(err)
	}
	want := result{comparison: row, ours: 40, yardstick: 20, ratio: 2, lowest: 1, highest: 3}
	if got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
}

func TestAFigureThatIsMissingIsNamed(t *testing.T) {
	rows := []comparison{{pkg: "p", ours: "A", yardstick: "B", unit: perOp}}
	tests := []struct {
		name    string
		figures round
		want    string
	}{
		{"no such benchmark", round{{"p", "A"}: {perOp: 1}}, "called B"},
		{"no such unit", round{{"p", "A"}: {perOp: 1}, {"p", "B"}: {p50: 1}}, "B of p reports no ns/op"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := judge(rows, []round{tt.figures})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v does not say %q", err, tt.want)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{5, 1, 3}); got != 3 {
		t.Errorf("of three: %g", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("of four: %g", got)
	}
}

func TestTableShowsTargetsAndMisses(t *testing.T) {
	row := func(id string, ratio float64, want target) result {
		return result{
			comparison: comparison{id: id, name: "a ÷ b", unit: perSecond, target: want},
			ours:       ratio * 100, yardstick: 100, ratio: ratio, lowest: ratio, highest: ratio,
		}
	}
	var out strings.Builder
	err := write(&out, []result{
		row("T1", 0.9, atLeast(0.85)), row("T2", 0.8, atLeast(0.85)), row("T3", 12, atMost(1.15)), row("", 1, target{}),
	}, "a machine")
	if err != nil {
		t.Fatal(err)
	}
	want := `
|    |       | approvald | yardstick | ratio | rounds       | target |      |
| -- | ----- | --------- | --------- | ----- | ------------ | ------ | ---- |
| T1 | a ÷ b | 90/s      | 100/s     | 0.90  | 0.90 to 0.90 | ≥ 0.85 | ok   |
| T2 | a ÷ b | 80/s      | 100/s     | 0.80  | 0.80 to 0.80 | ≥ 0.85 | miss |
| T3 | a ÷ b | 1200/s    | 100/s     | 12.0  | 12.0 to 12.0 | ≤ 1.15 | miss |
|    | a ÷ b | 100/s     | 100/s     | 1.00  | 1.00 to 1.00 |        |      |

a machine
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFileSystemIsThatOfTheInnermostMount(t *testing.T) {
	const mounts = "/dev/vda / ext4 rw 0 0\nnone /tmp tmpfs rw 0 0\n/dev/vdb /tmp/disk xfs rw 0 0\n"
	for dir, want := range map[string]string{
		"/home/user": "ext4", "/tmp": "tmpfs", "/tmp/a": "tmpfs", "/tmpfoo": "ext4", "/tmp/disk/x": "xfs",
	} {
		if got := mountedAt(dir, mounts); got != want {
			t.Errorf("%s is on %s, want %s", dir, got, want)
		}
	}
}

// Nobody runs benchmarks every day: here each runs once, so that a row whose benchmark was renamed
// or broken is noticed.
func TestEveryRowCanBeMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every package that has benchmarks of the table")
	}
	t.Chdir("../..")
	t.Setenv(yardstick.ScaleEnv, "1000")
	var table, progress bytes.Buffer
	if err := run(t.Context(), []string{"-rounds=1", "-benchtime=1x"}, &table, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	if got, want := strings.Count(table.String(), " ÷ "), len(comparisons); got != want {
		t.Errorf("%d of %d rows:\n%s", got, want, table.String())
	}
}

func TestUsageIsRefusedWithAReason(t *testing.T) {
	for arg, want := range map[string]string{"-only=(": "-only", "-only=nothing here": "matches no row"} {
		err := run(t.Context(), []string{arg}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %q", arg, err, want)
		}
	}
}
