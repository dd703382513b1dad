package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// foreign is recorded with placeholders for what the daemon mints.
func foreign(t *testing.T) []string {
	t.Helper()
	lines := recorded(t)
	ack := lines[find(t, lines, 0, `\"id\":\"open\"`, `"dir":"server"`)]
	_, after, _ := strings.Cut(ack, `\"approvalId\":\"`)
	text := strings.ReplaceAll(join(lines...), `\"`+after[:36]+`\"`, `\"$APPROVAL\"`)
	text = strings.Replace(text, `"seed":1`, `"seed":77,"vars":{"$APPROVAL":"the one that is opened","$UNUSED":"nothing"}`, 1)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

const readApproval = `{"jsonrpc":"2.0","id":"read","method":"approval/read","params":{"sessionId":"` + session + `","approvalId":"$APPROVAL"}}`

func TestAPlaceholderStandsForWhatTheDaemonMinted(t *testing.T) {
	if err := parse(t, join(foreign(t)...)).Play(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestABoundPlaceholderIsReplacedInWhatTheClientSends(t *testing.T) {
	text := record(t, join(append(foreign(t), client("main", "", readApproval))...))
	last := text[strings.LastIndex(text[:len(text)-1], "\n")+1:]
	if !strings.Contains(last, `\"result\":{\"request\":`) || !strings.Contains(last, `\"approvalId\":\"$APPROVAL\"`) {
		t.Error(last)
	}
}

func TestAPlaceholderThatIsNotBoundCannotBeSent(t *testing.T) {
	lines := foreign(t)
	lines = slices.Insert(lines, 1, client("main", "", readApproval))
	err := parse(t, join(lines...)).Play(t.Context())
	if err == nil || err.Error() != `test.ndjson:2: the placeholder "$APPROVAL" is used before the daemon has said what it stands for` {
		t.Errorf("Play = %v", err)
	}
}

func TestABoundPlaceholderIsNotBoundAgain(t *testing.T) {
	lines := foreign(t)
	at := find(t, lines, 0, "approval/requested")
	lines[at] = strings.Replace(lines[at], `\"call_1\"`, `\"$APPROVAL\"`, 1)
	err := parse(t, join(lines...)).Play(t.Context())
	if err == nil || !strings.Contains(err.Error(), `got: …`) || !strings.Contains(err.Error(), `"toolCallId":"call_1"`) {
		t.Errorf("Play = %v, want a difference at the tool call's id", err)
	}
}

func TestAPlaceholderIsAWholeString(t *testing.T) {
	lines := foreign(t)
	at := find(t, lines, 0, `\"id\":\"open\"`, `"dir":"server"`)
	lines[at] = strings.Replace(lines[at], `:\"pending\"`, `:\"pend$UNUSED\"`, 1)
	if err := parse(t, join(lines...)).Play(t.Context()); err == nil {
		t.Error("a part of a string was taken for a placeholder")
	}
	lines[at] = strings.Replace(lines[at], `:\"pend$UNUSED\"`, `:\"$UNUSED\"`, 1)
	if err := parse(t, join(lines...)).Play(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAPlaceholderDoesNotStandForAnythingButAString(t *testing.T) {
	lines := foreign(t)
	at := find(t, lines, 0, `approval/requested`)
	lines[at] = strings.Replace(lines[at], `\"protectedWrite\":false`, `\"protectedWrite\":\"$UNUSED\"`, 1)
	if err := parse(t, join(lines...)).Play(t.Context()); err == nil {
		t.Error("false was taken for a string")
	}
}

func TestRecordKeepsPlaceholders(t *testing.T) {
	lines := foreign(t)
	if text := record(t, join(lines...)); text != join(lines...) {
		t.Errorf("recorded again it is\n%s", text)
	}
}
