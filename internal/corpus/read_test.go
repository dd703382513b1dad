package corpus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/approvald/approvald/internal/corpus"
)

// plainCase is a case that reads.
const plainCase = `{"id":"x-1","kind":"lifecycle","topic":"t","source":"s","product":"p","title":"T","input":{"mode":"allowAll","rules":[],` +
	`"steps":[{"do":"request","id":"R1","session":"S1","subject":{"kind":"shell","command":"ls"}}]},` +
	`"want":{"outcome":"allow","never":["deny"],"expect":[{"step":0,"result":"allowed"}]},"why":"w"}`

func TestReadRefusesWhatWouldNotBeRun(t *testing.T) {
	tests := map[string]struct{ old, with, want string }{
		"an unknown member":                        {`"topic":"t"`, `"topic":"t","priority":1`, `x-1: it cannot be read`},
		"an unknown member of the input":           {`"rules":[]`, `"rules":[],"plugins":[]`, `x-1: it cannot be read`},
		"an unknown member of a subject":           {`"command":"ls"`, `"command":"ls","elevated":true`, `x-1: it cannot be read`},
		"an unknown member of what is wanted":      {`"never":["deny"]`, `"never":["deny"],"soon":true`, `x-1: it cannot be read`},
		"an unknown step":                          {`"do":"request"`, `"do":"dance"`, `there is no step "dance"`},
		"an unknown member of a step":              {`"id":"R1"`, `"id":"R1","loud":true`, `x-1: it cannot be read`},
		"a step that does nothing":                 {`"do":"request",`, ``, `a step says in do what it does`},
		"an unknown kind":                          {`"kind":"lifecycle"`, `"kind":"life"`, `kind is "life"`},
		"an unknown mode":                          {`"mode":"allowAll"`, `"mode":"yolo"`, `mode is "yolo"`},
		"no outcome":                               {`"outcome":"allow",`, ``, `a case wants an outcome`},
		"no id":                                    {`"id":"x-1",`, ``, `line-1: it cannot be read`},
		"a step that is expected of and not there": {`"step":0`, `"step":1`, `expect names step 1 of 1`},
		"a name twice":                             {`"why":"w"`, `"why":"w","why":"v"`, `x-1: it cannot be read`},
		"nothing to do":                            {`"steps":[{"do":"request","id":"R1","session":"S1","subject":{"kind":"shell","command":"ls"}}]`, `"steps":[]`, `a subject or steps`},
		"an id twice":                              {plainCase, plainCase + "\n" + plainCase, `another case has this id`},
		"text that is no JSON":                     {plainCase, "{", `line-1: it cannot be read`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(plainCase, test.old, test.with, 1)
			if text == plainCase {
				t.Fatal("the case was not changed")
			}
			cases, err := corpus.Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			report, err := corpus.Run(t.Context(), cases, "")
			if err != nil {
				t.Fatal(err)
			}
			last := report.Results[len(cases)-1]
			if got := last.Case.ID + ": " + last.Why; last.Status != corpus.Failed || !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want failed: %s", last.Status, got, test.want)
			}
		})
	}
}

func TestReadGivesEveryCaseInOrder(t *testing.T) {
	text := plainCase + "\n\n{}\n" + strings.Replace(plainCase, "x-1", "x-2", 1) + "\n"
	cases, err := corpus.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff([]string{"x-1", "line-3", "x-2"}, got); diff != "" {
		t.Error(diff)
	}
}
