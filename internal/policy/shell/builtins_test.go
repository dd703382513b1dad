package shell

import (
	"os/exec"
	"strings"
	"testing"
)

// A builtin or reserved word that a new bash brings must be put on one side or the other.
func TestEveryWordOfBashIsWeighed(t *testing.T) {
	bash := findShell(t, "bash")
	out, err := exec.Command(bash.path, "-c", "compgen -b; compgen -k").Output()
	if err != nil {
		t.Fatalf("list the words of bash: %v", err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		places := 0
		for _, weighed := range []bool{unsettlingWords()[word], plainBuiltins()[word], weighedBuiltins()[word] != nil, launchers()[word] != nil} {
			if weighed {
				places++
			}
		}
		if places != 1 {
			t.Errorf("%s is weighed in %d tables, want one", word, places)
		}
	}
}
