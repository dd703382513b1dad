package screen_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/approvald/approvald/internal/inbox"
	"github.com/approvald/approvald/wire"
)

var update = flag.Bool("update", false, "draw docs/images/inbox-terminal.svg instead of comparing it")

// shown is what waits in the picture.
const shown = `[{
	"toolName": "bash", "reason": "the release needs a commit", "justification": "The tests pass, so this is safe to commit.",
	"rawArgs": "{\"command\":\"git add . && git commit -m \\\"x; y\\\" | tee out\"}",
	"createdAt": "2026-03-04T09:57:01.000Z", "expiresAt": "2026-03-04T10:07:01.000Z",
	"currentRequirementId": {"approvalId": "0198f0ac-0001-7000-8000-0000000000e1", "sourceIndex": 1},
	"policy": {"source": "mode", "explanation": "Part 2 of 3: Nothing in force covers the command git commit -m \"x; y\", and the mode promptUnmatched asks."},
	"subject": {"kind": "shell", "command": "git add . && git commit -m \"x; y\" | tee out", "cwd": "/home/you/project", "shell": "bash", "stages": [
		{"requirementId": {"approvalId": "0198f0ac-0001-7000-8000-0000000000e1", "sourceIndex": 0}, "position": 1, "totalStages": 3, "argv": ["git", "add", "."], "argvComplete": true, "resolution": {"kind": "policyAllow", "diagnostic": "user rule 1"}},
		{"requirementId": {"approvalId": "0198f0ac-0001-7000-8000-0000000000e1", "sourceIndex": 1}, "position": 2, "totalStages": 3, "argv": ["git", "commit", "-m", "x; y"], "argvComplete": true, "resolution": {"kind": "unresolved", "diagnostic": "nothing in force covers the command"}, "suggestedPrefix": {"argvPrefix": ["git", "commit"], "label": ""}},
		{"requirementId": {"approvalId": "0198f0ac-0001-7000-8000-0000000000e1", "sourceIndex": 2}, "position": 3, "totalStages": 3, "argv": ["tee", "out"], "argvComplete": true, "resolution": {"kind": "unresolved", "diagnostic": "nothing in force covers the command"}}
	]},
	"availableChoices": [
		{"choiceId": "allow_once", "label": "Allow once", "decision": "approved", "scope": "once"},
		{"choiceId": "allow_all_once", "label": "Allow all 2 parts once", "decision": "approved", "scope": "once", "rulePreview": "2. git commit -m \"x; y\"\n3. tee out"},
		{"choiceId": "allow_session", "label": "Allow for this session", "decision": "approvedForSession", "scope": "session", "rulePreview": "exactly this command, in /home/you/project, by bash: git add . && git commit -m \"x; y\" | tee out"},
		{"choiceId": "allow_local_prefix", "label": "Always allow commands like this in this workspace", "decision": "approvedPolicyAmendment", "scope": "localPersistent", "rulePreview": "allow commands that begin with the words: git commit"},
		{"choiceId": "abort", "label": "Reject", "decision": "abort", "scope": "once", "acceptsFeedback": true}
	]
}, {
	"toolName": "edit", "protectedWrite": true, "createdAt": "2026-03-04T09:59:01.000Z", "availableChoices": [{"choiceId": "allow_once"}],
	"subject": {"kind": "fileAccess", "toolName": "edit", "path": "/home/you/project/.git/config", "requestedPath": ".git/config", "access": "write", "exists": true}
}, {
	"toolName": "mcp__db__query", "createdAt": "2026-03-04T09:59:21.000Z", "availableChoices": [{"choiceId": "allow_once"}],
	"subject": {"kind": "tool", "serverName": "db", "toolName": "query", "arguments": {"sql": "select 1"}}
}, {
	"toolName": "fetch", "createdAt": "2026-03-04T09:59:56.000Z", "availableChoices": [{"choiceId": "allow_once"}],
	"subject": {"kind": "network", "host": "example.org", "port": 443, "protocol": "https"}
}]`

// The picture that the README shows is what the terminal shows now: `make pictures`
// draws it anew.
func TestThePictureOfTheReadmeIsCurrent(t *testing.T) {
	var all []wire.ApprovalRequest
	if err := json.Unmarshal([]byte(shown), &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		id := "0198f0ac-000" + string(rune('1'+i)) + "-7000-8000-0000000000e1"
		all[i].SessionID, all[i].ApprovalID, all[i].CurrentRequirementID.ApprovalID = "0198f0aa-1111-7000-8000-0000000000aa", id, id
		all[i].SourceRange.Last.Sequence = uint64(i + 1)
	}
	s := open(t, 120, 40)
	s.brings(all...)
	s.out.send(inbox.Sessions{Sessions: []wire.Session{{
		SessionID: all[0].SessionID, Name: "release", ApprovalMode: wire.ModeState{Mode: wire.ModePromptUnmatched},
	}}})
	s.sees("not yet")
	s.wait(time.Second)
	s.shows("a card that takes a choice", func(screen string) bool {
		return strings.Contains(screen, "release 0198f0aa") && strings.Contains(screen, "final once chosen")
	})
	s.mu.Lock()
	got := s.screen.Picture("approvald inbox in a terminal: what waits, and beside it a command of three parts with the choices")
	s.mu.Unlock()
	file := filepath.Join("..", "..", "..", "docs", "images", "inbox-terminal.svg")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("docs/images/inbox-terminal.svg shows what the inbox does not: look at it, and draw it anew (make pictures)\n%s", s.screen.String())
	}
}
