package tolerance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/approvald/approvald/client"
	"github.com/approvald/approvald/wire"
)

// told is one row about params: a method, its params, and what it is answered in short, without the
// id. In params $c is a fresh commandId, $s a session, $a an approval that waits in it, $w the
// workspace.
type told struct{ what, method, params, want string }

const (
	taken   = "result"
	refused = "-32602 invalidParams"
)

// unknown are the promises about members of params that the daemon does not know.
var unknown = []told{
	{"of a query", "session/list", `{"limit":1,"future":{"limit":7},"":[]}`, taken},
	{"of a command", "session/start", `{"commandId":"$c","future":true}`, taken},
	{"that a command of another version has", "session/start", `{"commandId":"$c","sandbox":{"network":"none"},"profile":null}`, taken},
	{"names in another case", "session/start", `{"commandId":"$c","WorkspaceRoot":"nowhere","APPROVALMODE":7}`, taken},
	{"of a subject", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"m1","toolName":"bash","rawArgs":"{}","reason":"r","subject":{"kind":"shell","command":"make","cwd":"$w","future":[1],"Command":"ls"}}`, taken},
	{"of a requirement", "approval/decide", `{"commandId":"$c","sessionId":"$s","approvalId":"$a","requirementId":{"approvalId":"$a","sourceIndex":7,"future":1},"choiceId":"abort"}`, "-32053 approvalRequirementStale"},
	{"of a list's element", "catalog/open", `{"commandId":"$c","sessionId":"$s","serverName":"m2","tools":[{"name":"t","digest":"d","inputSchema":{"type":"object"}}]}`, taken},
	{"of a question", "userInput/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"m3","toolName":"ask","questions":[{"id":"q","header":"h","question":"?","options":[{"label":"a","future":1},{"label":"b"}],"selection":{"mode":"single","future":{}},"future":1}]}`, taken},
	{"of a batch's request", "approval/prepare", `{"commandId":"$c","sessionId":"$s","runId":"m4","requests":[{"toolCallId":"m4","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"tool","future":1},"future":1}]}`, taken},
	{"optional members that are null", "session/start", `{"commandId":"$c","sessionId":null,"workspaceRoot":null,"approvalMode":null,"preset":null,"parentSessionId":null,"inherit":null,"unattended":null,"cancelOnDisconnect":null,"providerId":null,"modelId":null,"name":null}`, taken},
	{"optional members of an opening that are null", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"m5","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"tool","serverName":null,"arguments":null},"justification":null,"operation":null,"turnId":null,"timeoutMs":null,"unattended":null,"catalogId":null,"runId":null}`, taken},
	{"feedback that is null", "approval/decide", `{"commandId":"$c","sessionId":"$s","approvalId":"$a","requirementId":{"approvalId":"$a","sourceIndex":7},"choiceId":"allow_once","feedback":null}`, "-32053 approvalRequirementStale"},
	{"optional texts that are empty", "session/start", `{"commandId":"$c","sessionId":"","workspaceRoot":"","preset":"","parentSessionId":"","inherit":"","unattended":"","providerId":"","modelId":"","name":""}`, taken},
	{"where no params are needed", "session/list", `null`, taken},
}

// kinds are the promises about open unions: what one side does not know is carried, not judged.
var kinds = []told{
	{"a subject of an unknown kind", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k1","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"hologram","to":{"deep":[1e400]}}}`, taken},
	{"a subject of a kind in another case", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k2","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"Shell","command":7}}`, taken},
	{"a subject without a kind is none", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k3","toolName":"t","rawArgs":"{}","reason":"r","subject":{"Kind":"shell"}}`, refused},
	{"a subject of a kind that is no text is none", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k3","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":7}}`, refused},
	{"a subject that is no object is none", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k3","toolName":"t","rawArgs":"{}","reason":"r","subject":"shell"}`, refused},
	{"an operation of an unknown kind", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"k4","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"tool"},"operation":{"kind":"teleport","to":"mars"}}`, taken},
	{"a choice that is on no menu", "approval/decide", `{"commandId":"$c","sessionId":"$s","approvalId":"$a","requirementId":{"approvalId":"$a","sourceIndex":0},"choiceId":"allow_always"}`, "-32052 approvalChoiceInvalid"},
	{"a choice in another case", "approval/decide", `{"commandId":"$c","sessionId":"$s","approvalId":"$a","requirementId":{"approvalId":"$a","sourceIndex":0},"choiceId":"Allow_Once"}`, "-32052 approvalChoiceInvalid"},
}

// values are the promises about closed sets: an unknown value is not guessed at.
var values = []told{
	{"a mode", "session/setApprovalMode", `{"commandId":"$c","sessionId":"$s","mode":"trustEverything"}`, refused},
	{"a mode in another case", "session/setApprovalMode", `{"commandId":"$c","sessionId":"$s","mode":"AllowAll"}`, refused},
	{"a mode that is null", "session/setApprovalMode", `{"commandId":"$c","sessionId":"$s","mode":null}`, refused},
	{"a starting mode", "session/start", `{"commandId":"$c","approvalMode":"future"}`, refused},
	{"a starting mode that is empty", "session/start", `{"commandId":"$c","approvalMode":""}`, refused},
	{"a preset", "session/start", `{"commandId":"$c","preset":"yolo"}`, refused},
	{"what a child inherits", "session/start", `{"commandId":"$c","parentSessionId":"$s","inherit":"everything"}`, refused},
	{"what happens when nobody is there", "session/start", `{"commandId":"$c","unattended":"allow"}`, refused},
	{"the same of an opening", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"v","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"tool"},"unattended":"allow"}`, refused},
	{"a direction of access", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"v","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"fileAccess","path":"$w/a","access":"append"}}`, refused},
	{"a shell", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"v","toolName":"t","rawArgs":"{}","reason":"r","subject":{"kind":"shell","command":"ls","cwd":"$w","shell":"fish"}}`, refused},
	{"a way through a page", "view/page", `{"sessionId":"$s","limit":1,"direction":"sideways"}`, refused},
	{"what a batch expects", "approval/consumeAll", `{"commandId":"$c","sessionId":"$s","runId":"r","items":[{"approvalId":"$a","toolCallId":"call","argsDigest":"sha256:00","expect":"maybe"}]}`, refused},
	{"the end of a turn", "turn/complete", `{"commandId":"$c","sessionId":"$s","turnId":"$a","terminal":"exploded"}`, refused},
	{"a text where a number belongs", "session/list", `{"limit":"7"}`, refused},
	{"a fraction where a number belongs", "session/list", `{"limit":1.5}`, refused},
	{"a whole number spelt as a fraction", "session/list", `{"limit":1.0}`, refused},
	{"a number that is too large", "session/list", `{"limit":1e30}`, refused},
	{"a number where a text belongs", "session/read", `{"sessionId":7}`, refused},
	{"an object where a text belongs", "session/read", `{"sessionId":{"id":"$s"}}`, refused},
	{"a text where a truth belongs", "approval/cancel", `{"commandId":"$c","sessionId":"$s","all":"true"}`, refused},
	{"a text where a list belongs", "approval/await", `{"sessionId":"$s","approvalIds":"$a","waitMs":0}`, refused},
	{"a session in upper case", "session/read", `{"sessionId":"0198F0AA-1111-7000-8000-0000000000AA"}`, refused},
	{"a session that nobody started", "session/read", `{"sessionId":"0198f0aa-1111-7000-8000-0000000000aa"}`, "-32020 sessionNotFound"},
	{"a command without an id", "session/start", `{}`, refused},
	{"a command with an id that is null", "session/start", `{"commandId":null}`, refused},
	{"a command with an id of another version", "session/start", `{"commandId":"0198f0aa-1111-4000-8000-0000000000aa"}`, refused},
	{"a command with an id in upper case", "session/start", `{"commandId":"0198F0AA-1111-7000-8000-0000000000AA"}`, refused},
	{"arguments that are no JSON", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"v","toolName":"t","rawArgs":"{","reason":"r","subject":{"kind":"tool"}}`, refused},
	{"arguments with a name twice", "approval/open", `{"commandId":"$c","sessionId":"$s","toolCallId":"v","toolName":"t","rawArgs":"{\"a\":1,\"a\":2}","reason":"r","subject":{"kind":"tool"}}`, refused},
}

func TestParamsOfClients(t *testing.T) {
	w := newPlace(t).start(t)
	p := w.join(wire.RoleBoth)
	session := p.start(fmt.Sprintf(`"workspaceRoot":%q`, w.place.work()))
	waiting := p.open(session)
	for name, rows := range map[string][]told{"unknown members": unknown, "open unions": kinds, "closed sets": values} {
		t.Run(name, func(t *testing.T) {
			for _, row := range rows {
				params := strings.NewReplacer("$c", client.NewCommandID(), "$s", session, "$a", waiting, "$w", w.place.work()).Replace(row.params)
				f := p.call(row.method, params)
				t.Run(row.what, func(t *testing.T) {
					if _, got, _ := strings.Cut(f.String(), `" `); got != row.want {
						t.Errorf("%s is answered %s, want %s\n%s", row.method, got, row.want, f.raw)
					}
				})
			}
		})
	}
	if state := p.state(session, waiting); state != "pending" {
		t.Errorf("what was refused settled the approval: it is %s", state)
	}
}

// What an unknown subject says is published as it was given, and nobody but a reviewer approves it,
// whatever the mode.
func TestAnUnknownSubjectIsCarriedVerbatimAndAsked(t *testing.T) {
	w := newPlace(t).start(t)
	p := w.join(wire.RoleBoth)
	session := p.start(`"approvalMode":"allowAll"`)
	const subject = `{"z":"<&> é\u00e9","kind":"hologram","a":{"n":1e400,"m":-0.0},"command":"rm -rf /"}`
	p.must(wire.MethodApprovalOpen, object(command(), in(session), `"toolCallId":"c","toolName":"t","rawArgs":"{}","reason":"r","subject":`+subject))
	asked := p.event(wire.MethodApprovalRequest)
	var request wire.ApprovalRequest
	if err := json.Unmarshal(asked.Params, &request); err != nil {
		t.Fatal(err)
	}
	if string(request.Subject) != subject {
		t.Errorf("published as %s\nwant %s", request.Subject, subject)
	}
	var menu []wire.ChoiceID
	for _, choice := range request.AvailableChoices {
		menu = append(menu, choice.ChoiceID)
	}
	if fmt.Sprint(menu) != "[allow_once abort]" {
		t.Errorf("the menu is %v", menu)
	}
}

// White space in what is carried verbatim never makes two lines of one frame, nor a bare control
// character: peer looks for those in every frame.
func TestWhiteSpaceInASubjectStaysInItsFrame(t *testing.T) {
	w := newPlace(t).start(t)
	p := w.join(wire.RoleBoth)
	session := p.start()
	p.must(wire.MethodApprovalOpen, object(command(), in(session), `"toolCallId":"c","toolName":"t","rawArgs":"{\r\n\t}","reason":"r","subject":{`+"\r\t \"kind\" :\r\"hologram\" , \"a\":\t[ 1 ,\r2 ] }"))
	p.event(wire.MethodApprovalRequested)
	p.event(wire.MethodApprovalRequest, `"rawArgs":"{\r\n\t}"`)
	p.must(wire.MethodViewPage, object(in(session), `"limit":10`))
	p.must(wire.MethodApprovalListPending, object(in(session)))
}

// The same command with its params spelt otherwise is the same command; with another member it is
// another one, whoever knows the member.
func TestTheSameCommandInAnotherSpelling(t *testing.T) {
	w := newPlace(t).start(t)
	p := w.join(wire.RoleBoth)
	session := p.start()
	id := client.NewCommandID()
	const rest = `"toolCallId":"c","toolName":"t","rawArgs":"{}","reason":"é","subject":{"kind":"tool"}`
	first := string(p.must(wire.MethodApprovalOpen, fmt.Sprintf(`{"commandId":%q,%s,%s}`, id, in(session), rest)))
	for what, params := range map[string]string{
		"in another order":   fmt.Sprintf(`{%s,%s,"commandId":%q}`, rest, in(session), id),
		"with white space":   fmt.Sprintf(`{ "commandId" : %q ,`+"\r\t"+`%s , %s }`, id, in(session), rest),
		"with escapes":       fmt.Sprintf(`{"command\u0049d":%q,%s,%s}`, id, in(session), strings.Replace(rest, "é", `\u00e9`, 1)),
		"with further nulls": fmt.Sprintf(`{"commandId":%q,%s,%s,"turnId":null,"future":null}`, id, in(session), rest),
	} {
		if again := string(p.must(wire.MethodApprovalOpen, params)); again != first {
			t.Errorf("%s it is answered %s\nwant %s", what, again, first)
		}
	}
	f := p.call(wire.MethodApprovalOpen, fmt.Sprintf(`{"commandId":%q,%s,%s,"future":1}`, id, in(session), rest))
	if f.Error == nil || f.Error.Data.Reason != wire.ReasonCommandIDConflict {
		t.Errorf("with another member it is answered %s", f.raw)
	}
}
