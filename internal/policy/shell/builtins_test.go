package shell

import (
	"os/exec"
	"strings"
	"testing"
)

// A builtin or reserved word that a new bash brings must be put on one side or the other.
func TestEveryWordOfBashIsWeighed(t *testing.T) {
	bash := findShell(t, "bash")
	harmless := wordSet(`
		: [ true false test echo printf pwd cd type help times caller ulimit umask kill bg fg disown
		suspend shift break continue return exit logout
	`)
	out, err := exec.Command(bash.path, "-c", "compgen -b; compgen -k").Output()
	if err != nil {
		t.Fatalf("list the words of bash: %v", err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		if harmless[word] == unsettlingWords[word] {
			t.Errorf("%s: harmless %v, unsettling %v, want exactly one", word, harmless[word], unsettlingWords[word])
		}
	}
}
