package scenario_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/scenario"
)

func TestPlayFindsEachKindOfDifference(t *testing.T) {
	base := recorded(t)
	at := func(texts ...string) int { return find(t, base, 0, append(texts, `"dir":"server"`)...) }
	ack := at(`\"id\":\"open\"`)
	requested := at(`approval/requested`)
	status := at(`session/statusChanged`)
	other := at(`"other"`, `\"id\":\"list\"`)
	tests := map[string]struct {
		edit       func(lines []string) []string
		line       int // from 1; 0: no difference
		conn       string
		want, got  string // parts; "": the side is empty
		whole, not string // parts of the error
	}{
		"none": {edit: func(l []string) []string { return l }},
		"a missing line": {
			edit: func(l []string) []string { return slices.Insert(l, status+1, server("main", `{"more":1}`)) },
			line: status + 2, conn: "main", want: `{"more":1}`, whole: "does not say what is recorded",
		},
		"a line of a connection that says nothing": {
			edit: func(l []string) []string { return append(l, server("main", `{"more":1}`)) },
			line: len(base) + 1, conn: "main", want: `{"more":1}`, whole: "does not say what is recorded",
		},
		"a line too many, the last of its step": {
			edit: func(l []string) []string { return slices.Delete(l, other, other+1) },
			line: other + 1, conn: "other", got: `"id":"list"`, whole: "says more than is recorded",
		},
		"a line too many, before others": {
			edit: func(l []string) []string { return slices.Delete(l, requested, requested+1) },
			line: requested + 1, conn: "main", want: `"approval/request"`, got: "approval/requested",
		},
		"a changed byte": {
			edit: func(l []string) []string {
				l[ack] = strings.Replace(l[ack], `\"pending\"`, `\"Pending\"`, 1)
				return l
			},
			line: ack + 1, conn: "main", want: `"Pending"`, got: `"pending"`, whole: "something else from byte ",
		},
		"a changed number of spaces": {
			edit: func(l []string) []string { l[ack] = strings.Replace(l[ack], `}"}`, `} "}`, 1); return l },
			line: ack + 1, conn: "main", want: `} `, got: `"pending"`,
		},
		"another order on one connection": {
			edit: func(l []string) []string { l[ack], l[requested] = l[requested], l[ack]; return l },
			line: ack + 1, conn: "main", want: "approval/requested", got: `"id":"open"`,
		},
		"lines of two connections in another order are none": {
			edit: func(l []string) []string {
				started := find(t, l, 0, "session/started", `"conn":"other"`)
				line := l[started]
				l = slices.Delete(l, started, started+1)
				return slices.Insert(l, find(t, l, 0, "session/started"), line)
			},
		},
		"the first of several": {
			edit: func(l []string) []string {
				for _, i := range []int{other, ack, requested} {
					l[i] = strings.Replace(l[i], "2.0", "2.1", 1)
				}
				return l
			},
			line: ack + 1, conn: "main", want: "2.1", got: "2.0", not: "session/list",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := parse(t, join(test.edit(slices.Clone(base))...)).Play(t.Context())
			if test.line == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			d, ok := errors.AsType[*scenario.DifferenceError](err)
			if !ok {
				t.Fatalf("Play = %v, want a difference", err)
			}
			if d.Path != "test.ndjson" || d.Line != test.line || d.Conn != test.conn {
				t.Errorf("it is at %s:%d on %q, want line %d on %q", d.Path, d.Line, d.Conn, test.line, test.conn)
			}
			side := func(name, text, want string) {
				if (text == "") != (want == "") || !strings.Contains(text, want) {
					t.Errorf("%s is %q, want %q in it", name, text, want)
				}
			}
			side("Want", d.Want, test.want)
			side("Got", d.Got, test.got)
			if !strings.Contains(d.Error(), test.whole) || test.not != "" && strings.Contains(d.Error(), test.not) {
				t.Errorf("the error is %q, want %q in it, not %q", d, test.whole, test.not)
			}
		})
	}
}

func TestADifferenceShowsBothSidesAndMarksThePlace(t *testing.T) {
	long := strings.Repeat("x", 50)
	d := &scenario.DifferenceError{
		Path: "a.ndjson", Line: 7, Conn: "main",
		Want: long + `"é","state":"pending"` + long, Got: long + `"é","state":"resolved"` + long,
	}
	want := strings.Join([]string{
		`a.ndjson:7: connection "main": the daemon says something else from byte 65 on`,
		`want: ` + d.Want,
		` got: ` + d.Got,
		``,
		`want: …` + strings.Repeat("x", 27) + `"é","state":"pending"` + strings.Repeat("x", 32) + `…`,
		` got: …` + strings.Repeat("x", 27) + `"é","state":"resolved"` + strings.Repeat("x", 31) + `…`,
		strings.Repeat(" ", 6+41) + `^`,
	}, "\n")
	if diff := cmp.Diff(want, d.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestADifferenceWithinARuneMarksTheRune(t *testing.T) {
	d := &scenario.DifferenceError{Path: "a.ndjson", Line: 7, Conn: "main", Want: `"é"`, Got: `"è"`}
	if text := d.Error(); !strings.Contains(text, "from byte 2 on") || !strings.HasSuffix(text, "\n"+`       ^`) {
		t.Error(text)
	}
}

func TestRecordKeepsEverythingButServerLines(t *testing.T) {
	base := recorded(t)
	steps := slices.DeleteFunc(slices.Clone(base), func(l string) bool { return strings.Contains(l, `"dir":"server"`) })
	odd := strings.Replace(steps[len(steps)-1], `"dir":"client"`, `"dir": "client"`, 1)
	steps[len(steps)-1] = odd
	got := strings.Split(record(t, join(steps...)), "\n")
	if got[find(t, got, 0, `"id\":\"list\"`, `client`)] != odd {
		t.Error("a client line did not keep its bytes")
	}
	got[find(t, got, 0, odd)] = base[find(t, base, 0, `\"list\"`, `"dir":"client"`)]
	if diff := cmp.Diff(append(base, ""), got); diff != "" {
		t.Error(diff)
	}
}

func TestRecordRepairsWhatDiffers(t *testing.T) {
	base := recorded(t)
	damaged := slices.Clone(base)
	damaged[find(t, base, 0, "approval/requested")] = server("other", `{}`)
	damaged = slices.Delete(damaged, len(damaged)-1, len(damaged))
	if diff := cmp.Diff(join(base...), record(t, join(damaged...))); diff != "" {
		t.Error(diff)
	}
}

func TestRecordGroupsByConnectionInTheOrderOfOpening(t *testing.T) {
	lines := recorded(t)
	open, next := find(t, lines, 0, "approval/open", "client"), find(t, lines, 0, `\"list\"`, "client")
	var conns []string
	for _, line := range lines[open+1 : next] {
		conn := "main"
		if strings.Contains(line, `"conn":"other"`) {
			conn = "other"
		}
		conns = append(conns, conn)
	}
	if len(slices.Compact(conns)) != 2 || conns[0] != "main" {
		t.Errorf("the lines behind the step are of %v", conns)
	}
}

// Whatever clients do, and whatever becomes of the daemon meanwhile, the same scenario gives the
// same bytes.
func TestWhatIsRecordedIsPlayedBack(t *testing.T) {
	steps := []string{
		client("main", "", start), client("main", "", open), client("main", "", list), client("agent", "agent", list),
		client("main", "", strings.NewReplacer("c002", "c003", "call_1", "call_2").Replace(open)),
		client("main", "", `{"jsonrpc":"2.0","id":"all","method":"approval/cancel","params":{"commandId":"018f6a2a-3333-7abc-8def-00000000c004","sessionId":"`+session+`","all":true}}`),
		client("rev", "reviewer", `{"jsonrpc":"2.0","id":"sub","method":"view/subscribe","params":{"sessionId":"`+session+`"}}`),
		client("main", "", `not json`),
		`{"dir":"control","op":"crash"}`, `{"dir":"control","op":"restart","ms":1000}`, `{"dir":"control","op":"advance","ms":40000}`,
		`{"dir":"control","op":"disconnect"}`, strings.Join(hello("main", ""), "\n"), strings.Join(hello("rev", "reviewer"), "\n"),
		`{"dir":"control","op":"files","files":{"/srv/app/main.go":{"link":"other.go"}}}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := append([]string{plainHeader}, hello("main", "")...)
		lines = append(lines, rapid.SliceOfN(rapid.SampledFrom(steps), 1, 12).Draw(t, "steps")...)
		s, err := scenario.Parse("test.ndjson", []byte(join(lines...)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.Record(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s, err = scenario.Parse("test.ndjson", text); err != nil {
			t.Fatal(err)
		}
		if err := s.Play(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
