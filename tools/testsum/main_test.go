package main

import (
	"strings"
	"testing"
)

func TestStreamBecomesWhatAPersonNeeds(t *testing.T) {
	const ok = `{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}` + "\n" +
		`{"Action":"pass","Package":"p"}` + "\n"
	tests := map[string]struct {
		in, want string
		ok       bool
	}{
		"passing tests leave the package line and the count": {
			in: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
` + ok,
			want: "ok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n",
			ok:   true,
		},
		"a failed test shows its own output and not its neighbour's": {
			in: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: quiet\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: loud\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
`,
			want: "--- FAIL: TestA (p)\n    a_test.go:1: loud\n1 passed, 1 failed, 0 skipped\n",
		},
		"a skipped test says why": {
			in: `{"Action":"run","Package":"p","Test":"TestS"}
{"Action":"output","Package":"p","Test":"TestS","Output":"    s_test.go:1: no bash here\n"}
{"Action":"output","Package":"p","Test":"TestS","Output":"--- SKIP: TestS (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestS"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
` + ok,
			want: "ok  \tp\t0.1s\nskipped: p TestS: s_test.go:1: no bash here\n" +
				"1 passed, 0 failed, 1 skipped\n",
			ok: true,
		},
		"a package that does not build is one failure and shows the compiler": {
			in: `{"ImportPath":"p","Action":"build-output","Output":"p/a.go:1:1: undefined: x\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
			want: "p/a.go:1:1: undefined: x\nFAIL\tp [build failed]\n0 passed, 1 failed, 0 skipped\n",
		},
		"a test under which the process died is a failure": {
			in: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"fatal error: deadlock\n"}
{"Action":"fail","Package":"p"}
`,
			want: "--- FAIL: TestA (p)\nfatal error: deadlock\n0 passed, 1 failed, 0 skipped\n",
		},
		"plain text of the go command passes through and no test is no success": {
			in:   "flag provided but not defined: -x\n",
			want: "flag provided but not defined: -x\nno test ran\n0 passed, 0 failed, 0 skipped\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			ok, err := run(strings.NewReader(tt.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != tt.want {
				t.Errorf("printed\n%s\nwant\n%s", out.String(), tt.want)
			}
			if ok != tt.ok {
				t.Errorf("all well = %v, want %v", ok, tt.ok)
			}
		})
	}
}
