package corpus_test

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/internal/corpus"
)

// shellCase is a command that has two stages, of which a rule covers the first.
const shellCase = `{"id":"x-1","kind":"shell_bypass","title":"T","input":{"subject":{"kind":"shell","shell":"bash","cwd":"/srv/app",` +
	`"command":"ls && touch MARK"},"workspace":"/srv/app","rules":[{"effect":"allow","kind":"shell","argv_prefix":["ls"]}]},` +
	`"want":{"outcome":"prompt","never":["allow"],"stages":[{"text":"ls","outcome":"allow"},{"text":"touch MARK","outcome":"prompt"}]}}`

// stepCase is a command that a reviewer allows.
const stepCase = `{"id":"x-1","kind":"lifecycle","title":"T","input":{"rules":[],"steps":[{"do":"connect","client":"C1","session":"S1"},` +
	`{"do":"request","id":"R1","session":"S1","subject":{"kind":"shell","command":"make"}},` +
	`{"do":"decide","client":"C1","approval":"R1","choice":"allow_once"},{"do":"list_pending","client":"C1"}]},` +
	`"want":{"outcome":"decided","never":["error on insert"],"expect":[{"step":1,"result":"pending"},{"step":2,"result":"accepted"},` +
	`{"step":3,"result":[]}],"final":{"R1":"allowed-once"}}}`

func TestVerdicts(t *testing.T) {
	tests := map[string]struct {
		text   string // of the case
		edit   []string
		status corpus.Status
		why    string // part of it
	}{
		"everything is as wanted":              {shellCase, nil, corpus.Passed, ""},
		"another outcome":                      {shellCase, []string{`"outcome":"prompt","never"`, `"outcome":"deny","never"`}, corpus.Failed, "the outcome is prompt"},
		"another outcome that is as well":      {shellCase, []string{`"outcome":"prompt","never"`, `"outcome":"deny","also_ok":["prompt"],"never"`}, corpus.Passed, ""},
		"what must never be":                   {shellCase, []string{`"never":["allow"]`, `"never":["prompt"]`}, corpus.Failed, "what must never be: prompt"},
		"what must never be of a good outcome": {shellCase, []string{`["ls"]`, `[]`, `"outcome":"prompt","never"`, `"outcome":"allow","never"`, `"ls","outcome":"allow"},{"text":"touch MARK","outcome":"prompt"`, `"ls","outcome":"allow"`}, corpus.Failed, "what must never be: allow"},
		"a stage of another outcome":           {shellCase, []string{`"ls","outcome":"allow"`, `"ls","outcome":"prompt"`}, corpus.Failed, `no stage "ls" is prompt`},
		"a stage that is not there":            {shellCase, []string{`"text":"touch MARK"`, `"text":"touch OTHER"`}, corpus.Failed, `no stage "touch OTHER" is prompt`},
		"a stage twice":                        {shellCase, []string{`{"text":"ls","outcome":"allow"},`, `{"text":"ls","outcome":"allow"},{"text":"ls","outcome":"allow"},`}, corpus.Failed, `no stage "ls" is allow`},
		"a word that only the shell knows":     {shellCase, []string{`touch MARK","outcome`, `touch <name>","outcome`}, corpus.Passed, ""},
		"contested":                            {shellCase, []string{`"outcome":"prompt","never"`, `"contested":"some differ","outcome":"allow","never"`}, corpus.Contested, "the outcome is prompt"},
		"a rule that does not load":            {shellCase, []string{`"argv_prefix":["ls"]`, `"argv_prefix":["ls"],"when":"always"`}, corpus.Failed, "the outcome is error:config"},
		"a rule that must not load":            {shellCase, []string{`"argv_prefix":["ls"]`, `"argv_prefix":["ls"],"when":"always"`, `"outcome":"prompt","never"`, `"outcome":"error:config","never"`}, corpus.Passed, ""},
		"steps as wanted":                      {stepCase, nil, corpus.Passed, ""},
		"a step that brings something else":    {stepCase, []string{`"step":2,"result":"accepted"`, `"step":2,"result":"conflict error"`}, corpus.Failed, "step 2 brings accepted"},
		"a list of something else":             {stepCase, []string{`"step":3,"result":[]`, `"step":3,"result":["R1"]`}, corpus.Failed, "step 3 brings []"},
		"another end":                          {stepCase, []string{`"R1":"allowed-once"`, `"R1":"pending"`}, corpus.Failed, "R1 is allowed (allowedOnce) at the end, not pending"},
		"an end or another":                    {stepCase, []string{`"R1":"allowed-once"`, `"R1":"pending, or allowed-once"`}, corpus.Passed, ""},
		"an end of nothing":                    {stepCase, []string{`"final":{"R1"`, `"final":{"R9"`}, corpus.Failed, "R9 was never opened"},
		"a program that is not there":          {stepCase, []string{`{"do":"list_pending","client":"C1"}`, `{"do":"hook","result":"exit 1"}`}, corpus.NotRun, "the program approvald"},
		"phrases that nobody reads":            {stepCase, []string{`,"expect":[{"step":1,"result":"pending"},{"step":2,"result":"accepted"},{"step":3,"result":[]}],"final":{"R1":"allowed-once"}`, ``}, corpus.NotRun, "nothing of it can be compared"},
		"a step about nothing":                 {stepCase, []string{`"approval":"R1"`, `"approval":"R9"`}, corpus.Failed, "no approval R9 was opened"},
		"a choice that is none":                {stepCase, []string{`"allow_once"`, `"shrug"`}, corpus.Failed, `choice is "shrug"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer(test.edit...).Replace(test.text)
			if len(test.edit) > 0 && text == test.text {
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
			result := report.Results[0]
			if result.Status != test.status || !strings.Contains(result.Why, test.why) || test.why == "" && result.Why != "" {
				t.Errorf("%s: %q, want %s: %q", result.Status, result.Why, test.status, test.why)
			}
			if report.Failed() != (test.status == corpus.Failed) {
				t.Errorf("the report says failed: %v", report.Failed())
			}
		})
	}
}

func TestReportCountsByKindAndNamesWhatHasNotPassed(t *testing.T) {
	text := shellCase + "\n" + strings.NewReplacer("x-1", "x-2", `"outcome":"prompt","never"`, `"outcome":"deny","never"`).Replace(shellCase) + "\n" +
		strings.NewReplacer("x-1", "x-3", `{"do":"list_pending","client":"C1"}`, `{"do":"hook"}`).Replace(stepCase) + "\n"
	cases, err := corpus.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	report, err := corpus.Run(t.Context(), cases, "")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		"kind cases passed failed contested not run", "shell bypass 2 1 1 0 0", "lifecycle 1 0 0 0 1", "all 3 1 1 0 1",
		"failed x-2 T (): the outcome is prompt", "not run x-3 T (): needs the program approvald",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d is %q, want %q", i+1, got, want)
		}
	}
}
